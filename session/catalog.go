package session

import (
	"encoding/json"
	"fmt"

	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/refresh"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// catalog shows one version of the store's catalog to the binder.
type catalog struct{ cat *storage.Catalog }

// Relation finds a table or view by name; private relations have none.
func (c catalog) Relation(name string) (algebra.Relation, bool) {
	obj, ok := c.cat.ByName(name)
	if !ok || obj.Kind == storage.Private {
		return algebra.Relation{}, false
	}
	return relationOf(obj), true
}

func relationOf(obj *storage.Object) algebra.Relation {
	return algebra.Relation{ID: uint64(obj.ID), Name: obj.Name, Schema: obj.Schema, Key: obj.Key, IsView: obj.Kind == storage.View}
}

// tablePayload is what the session keeps in the object of a table.
type tablePayload struct {
	// Upsert: declared UNIQUE KEY, so that an INSERT of a live key updates it.
	Upsert bool `json:"upsert,omitempty"`
}

func upserts(obj *storage.Object) bool {
	var p tablePayload
	return len(obj.Payload) > 0 && json.Unmarshal(obj.Payload, &p) == nil && p.Upsert
}

// viewPayload is the definition of a view, in its object. Names in Query mean
// the objects in Refs, whatever they are called now (I9).
type viewPayload struct {
	Query    string                `json:"query"`
	Columns  []string              `json:"columns,omitempty"` // as in the column list
	Refs     map[string]storage.ID `json:"refs"`
	Settings map[string]string     `json:"settings"`
	Mode     refresh.Mode          `json:"mode"`
	Plan     *delta.Plan           `json:"plan,omitempty"` // nil: not incremental
	Full     *delta.Plan           `json:"full"`
	Blockers []delta.Blocker       `json:"blockers,omitempty"`
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
	cat  *storage.Catalog
	refs map[string]storage.ID
}

func (c boundCatalog) Relation(name string) (algebra.Relation, bool) {
	id, ok := c.refs[name]
	if !ok {
		return algebra.Relation{}, false
	}
	obj, ok := c.cat.ByID(id)
	if !ok {
		return algebra.Relation{}, false
	}
	rel := relationOf(obj)
	rel.Name = name
	return rel, true
}

// notedCatalog remembers which objects the names of a query meant.
type notedCatalog struct {
	catalog
	refs map[string]storage.ID
}

func (c notedCatalog) Relation(name string) (algebra.Relation, bool) {
	rel, ok := c.catalog.Relation(name)
	if ok {
		c.refs[name] = storage.ID(rel.ID)
	}
	return rel, ok
}

// dependents lists the views that read an object, other than those in except.
func dependents(cat *storage.Catalog, id storage.ID, except map[storage.ID]bool) ([]*storage.Object, error) {
	var out []*storage.Object
	for _, obj := range cat.Objects() {
		if obj.Kind != storage.View || except[obj.ID] {
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
	if obj.Kind == storage.View {
		return "materialized view " + obj.Name
	}
	return "table " + obj.Name
}

func noRelation(name string, pos int) *zset.Error {
	return zset.Errorf("42P01", pos, "relation %q does not exist", name)
}
