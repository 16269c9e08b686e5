package storage

import (
	"sort"

	"github.com/ivmc/ivmc/zset"
)

// ObjectKind is what an object is.
type ObjectKind uint8

// The kinds of objects.
const (
	Table ObjectKind = iota + 1
	View
	Private // a relation that belongs to a view
	Query   // a plain view: a definition without rows
	Stream  // a place in the log of a relation: a payload and an offset, no rows
)

func (k ObjectKind) String() string {
	switch k {
	case Table:
		return "table"
	case View:
		return "materialized view"
	case Private:
		return "private relation"
	case Query:
		return "view"
	case Stream:
		return "stream"
	}
	return "object"
}

// Object is an entry of the catalog. Payload belongs to whoever made the object
// and is not looked at here. An Object in a catalog is read-only.
type Object struct {
	ID      ID
	Kind    ObjectKind
	Name    string // unique among the named ones; may be empty for Private
	Schema  zset.Schema
	Key     []int  // columns of the primary key; nil: a bag
	KeyName string // of its constraint; "": the name of the object and _pkey
	// Identity are the columns that tell the rows of a view apart: one that went and
	// one that came with the same show as an update. Empty: it has one row at most. Nil:
	// there are none but all of them, and a row that changes shows as two.
	Identity      []int     `json:",omitzero"`
	Unique        []Unique  // further keys of a table; rows with a NULL in one are free of it
	SchemaVersion uint32    // counts the changes of Schema
	Fills         []Fill    // what rows older than a column show in it
	Retention     Retention `json:",omitzero"`
	Created       TSO       // set by the commit that made it
	Payload       []byte
}

// KeyConstraint is the name of the constraint of the primary key.
func (o *Object) KeyConstraint() string {
	if o.KeyName != "" {
		return o.KeyName
	}
	return o.Name + "_pkey"
}

// Unique is a key besides the primary one, with the name of its constraint.
type Unique struct {
	Name string
	Cols []int
}

// CatalogChange puts an object (new, or in place of the one with its ID), or
// drops the one with ID Drop together with its rows, states and offsets.
type CatalogChange struct {
	Put  *Object
	Drop ID
}

// Catalog is all objects at some version. Immutable.
type Catalog struct {
	version uint64
	byID    map[ID]*Object
	byName  map[string]*Object
}

func newCatalog(version uint64, objs []*Object) *Catalog {
	c := &Catalog{version: version, byID: make(map[ID]*Object, len(objs)), byName: make(map[string]*Object, len(objs))}
	for _, o := range objs {
		c.byID[o.ID] = o
		if o.Name != "" {
			c.byName[o.Name] = o
		}
	}
	return c
}

// Version counts the commits that changed the catalog since the store was opened.
func (c *Catalog) Version() uint64 { return c.version }

// ByName finds an object by its name.
func (c *Catalog) ByName(name string) (*Object, bool) {
	o, ok := c.byName[name]
	return o, ok
}

// ByID finds an object by its id.
func (c *Catalog) ByID(id ID) (*Object, bool) {
	o, ok := c.byID[id]
	return o, ok
}

// Objects lists all objects by id.
func (c *Catalog) Objects() []*Object {
	out := make([]*Object, 0, len(c.byID))
	for _, o := range c.byID {
		out = append(out, o)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	return out
}

// with is c after changes, made at tso.
func (c *Catalog) with(changes []CatalogChange, tso TSO) (*Catalog, error) {
	objs := make(map[ID]*Object, len(c.byID)+len(changes))
	for id, o := range c.byID {
		objs[id] = o
	}
	for _, ch := range changes {
		switch {
		case ch.Put == nil:
			if _, ok := objs[ch.Drop]; !ok {
				return nil, errorf(ErrNoObject, codeNoObject, "object %d does not exist", ch.Drop)
			}
			delete(objs, ch.Drop)
		default:
			o := *ch.Put
			if o.ID == 0 || o.Kind < Table || o.Kind > Stream {
				return nil, errorf(ErrChange, codeInternal, "object %q has no id or no kind", o.Name)
			}
			if old, ok := objs[o.ID]; ok {
				o.Created = old.Created
			} else {
				o.Created = tso
			}
			objs[o.ID] = &o
		}
	}
	list := make([]*Object, 0, len(objs))
	names := make(map[string]*Object, len(objs))
	for _, o := range objs {
		list = append(list, o)
		if o.Name == "" {
			continue
		}
		if other, ok := names[o.Name]; ok {
			first := other // the one that was there before
			if c.byID[other.ID] == nil {
				first = o
			}
			e := errorf(ErrExists, codeExists, "relation %q already exists", o.Name)
			e.err.Object, e.err.Detail = o.Name, "It is a "+first.Kind.String()+"."
			return nil, e
		}
		names[o.Name] = o
	}
	return newCatalog(c.version+1, list), nil
}
