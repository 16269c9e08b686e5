package session

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/refresh"
	"github.com/ivmc/ivmc/schedule"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// catalog shows one version of the store's catalog to the binder.
type catalog struct{ cat *storage.Catalog }

// Relation finds a table or view by name; private relations have none.
func (c catalog) Relation(name string) (algebra.Relation, bool) {
	obj, ok := c.cat.ByName(name)
	if !ok || obj.Kind == storage.Private {
		return schemaRelation(c.cat, name)
	}
	return relationOf(c.cat, obj), true
}

// Names are those that the catalog shows.
func (c catalog) Names() iter.Seq[string] {
	return func(yield func(string) bool) {
		for name := range namesOf(c.cat) {
			if !yield(name) {
				return
			}
		}
		for _, t := range schemaTables() {
			if !yield(schemaName + t.name) {
				return
			}
		}
	}
}

// namesOf are the names of the objects of some kinds, none: of all.
func namesOf(cat *storage.Catalog, kinds ...storage.ObjectKind) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, obj := range cat.Objects() {
			if obj.Kind != storage.Private && (len(kinds) == 0 || slices.Contains(kinds, obj.Kind)) && !yield(obj.Name) {
				return
			}
		}
	}
}

// noSuch is the error of a name that no object has, of what has to be of some
// kinds, none: any.
func noSuch(what string, cat *storage.Catalog, name string, pos int, kinds ...storage.ObjectKind) *zset.Error {
	e := zset.Errorf("42P01", pos, "%s %q does not exist", what, name)
	e.Hint = algebra.MaybeMeant(name, namesOf(cat, kinds...))
	return e
}

func relationOf(cat *storage.Catalog, obj *storage.Object) algebra.Relation {
	if obj.Kind == storage.Stream {
		return streamRelation(cat, obj)
	}
	rel := algebra.Relation{ID: uint64(obj.ID), Name: obj.Name, Schema: obj.Schema, Key: obj.Key, IsView: obj.Kind == storage.View}
	if obj.Kind == storage.Query {
		rel.Define = define(cat, obj)
	}
	if p, err := tableOptions(obj); err == nil { // a damaged one is an error of whoever writes
		rel.Defaults = p.Defaults
	}
	return rel
}

// viewPayload is the definition of a view, in its object. Names in Query mean
// the objects in Refs, whatever they are called now (I9).
type viewPayload struct {
	Query    string                `json:"query"`
	Columns  []string              `json:"columns,omitempty"` // as in the column list
	Refs     map[string]storage.ID `json:"refs"`
	Widths   map[string]int        `json:"widths,omitempty"` // columns that Refs had; absent: all of now
	Names    map[string][]string   `json:"names,omitempty"`  // of those columns, as Query has them; absent: those of now
	Settings map[string]string     `json:"settings"`
	Mode     refresh.Mode          `json:"mode"`
	Plan     *delta.Plan           `json:"plan,omitempty"` // nil: not incremental
	Full     *delta.Plan           `json:"full"`
	Blockers []delta.Blocker       `json:"blockers,omitempty"`
	// Functions are the declarations of the custom functions that Query calls.
	Functions []string `json:"functions,omitempty"`
	Comment   string   `json:"comment,omitempty"`

	Clauses viewClauses   `json:"clauses,omitzero"`
	Rule    schedule.Rule `json:"rule,omitzero"`    // what refreshes the view
	Paused  bool          `json:"paused,omitempty"` // of the rule: it does not
}

func payloadOf(obj *storage.Object) (*viewPayload, error) {
	var p viewPayload
	if err := json.Unmarshal(obj.Payload, &p); err != nil {
		return nil, fmt.Errorf("definition of view %q: %w", obj.Name, err)
	}
	return &p, nil
}

// refsOf reads the references alone, so that a definition whose plan this
// program cannot read still guards its sources.
func refsOf(obj *storage.Object) (map[string]storage.ID, error) {
	var p struct {
		Refs map[string]storage.ID `json:"refs"`
	}
	if err := json.Unmarshal(obj.Payload, &p); err != nil {
		return nil, fmt.Errorf("definition of view %q: %w", obj.Name, err)
	}
	return p.Refs, nil
}

// boundCatalog resolves the names of a stored definition by its references.
type boundCatalog struct {
	cat    *storage.Catalog
	refs   map[string]storage.ID
	widths map[string]int
	names  map[string][]string
}

func (c boundCatalog) Relation(name string) (algebra.Relation, bool) {
	id, ok := c.refs[name]
	if !ok {
		return schemaRelation(c.cat, name)
	}
	obj, ok := c.cat.ByID(id)
	if !ok {
		return algebra.Relation{}, false
	}
	rel := relationOf(c.cat, obj)
	rel.Name = name
	if w, ok := c.widths[name]; ok && w < len(rel.Schema) {
		rel.Schema = rel.Schema[:w:w]
	}
	if names := c.names[name]; names != nil {
		rel.Schema = slices.Clone(rel.Schema)
		for i := range min(len(names), len(rel.Schema)) {
			rel.Schema[i].Name = names[i]
		}
		if rel.Define != nil {
			then := *obj
			then.Schema = rel.Schema
			rel.Define = define(c.cat, &then)
		}
	}
	return rel, true
}

// notedCatalog remembers which objects the names of a query meant.
type notedCatalog struct {
	catalog
	refs   map[string]storage.ID
	widths map[string]int
}

func newNoted(cat *storage.Catalog) notedCatalog {
	return notedCatalog{catalog: catalog{cat}, refs: map[string]storage.ID{}, widths: map[string]int{}}
}

func (c notedCatalog) Relation(name string) (algebra.Relation, bool) {
	rel, ok := c.catalog.Relation(name)
	if id := rel.Stream; ok && id|rel.ID != 0 {
		if id == 0 {
			id = rel.ID
		}
		c.refs[name] = storage.ID(id)
		c.widths[name] = len(rel.Schema)
	}
	return rel, ok
}

// dependents lists the views that read an object, other than those in except.
func dependents(cat *storage.Catalog, id storage.ID, except map[storage.ID]bool) ([]*storage.Object, error) {
	var out []*storage.Object
	for _, obj := range cat.Objects() {
		if obj.Kind != storage.View && obj.Kind != storage.Query || except[obj.ID] {
			continue
		}
		refs, err := refsOf(obj)
		if err != nil {
			return nil, err
		}
		for _, ref := range refs {
			if ref == id {
				out = append(out, obj)
				break
			}
		}
	}
	return out, nil
}

// describe is the kind of an object in messages.
func describe(obj *storage.Object) string {
	return obj.Kind.String() + " " + obj.Name
}
