package session

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// queryPayload is the definition of a plain view: names in Query mean the objects
// in Refs, with as many columns as they had when the view was made.
type queryPayload struct {
	Query   string                `json:"query"`
	Columns []string              `json:"columns,omitempty"`
	Refs    map[string]storage.ID `json:"refs"`
	Widths  map[string]int        `json:"widths,omitempty"`
	Names   map[string][]string   `json:"names,omitempty"` // as in viewPayload
	// Functions are the declarations of the custom functions that Query calls.
	Functions []string `json:"functions,omitempty"`
}

// define binds the query of a plain view in the place where its name stands.
func define(cat *storage.Catalog, obj *storage.Object) func(algebra.Env) (algebra.Node, error) {
	return func(env algebra.Env) (algebra.Node, error) {
		var p queryPayload
		if err := json.Unmarshal(obj.Payload, &p); err != nil {
			return nil, fmt.Errorf("definition of view %q: %w", obj.Name, err)
		}
		stmt, err := ast.Parse(p.Query)
		if err != nil {
			return nil, err
		}
		q, ok := stmt.(*ast.Query)
		if !ok {
			return nil, zset.Errorf("XX001", -1, "the definition of view %q is no query", obj.Name)
		}
		if err := declared(env.Functions, p.Functions, describe(obj)); err != nil {
			return nil, err
		}
		env.Catalog = boundCatalog{cat: cat, refs: p.Refs, widths: p.Widths, names: p.Names}
		return algebra.BindView(q, obj.Schema, env)
	}
}

// createQuery is CREATE [OR REPLACE] VIEW.
func (st *statement) createQuery(ctx context.Context, n *ast.CreateView) error {
	if err := st.alone("CREATE VIEW"); err != nil {
		return err
	}
	st.res.Tag = "CREATE VIEW"
	if len(st.params) > 0 {
		return zset.Errorf("42P02", int(n.Pos()), "views may not be defined using bound parameters")
	}
	cat := st.s.engine.store.Catalog()
	old, exists := cat.ByName(n.Name.Text)
	switch {
	case exists && !n.OrReplace:
		return zset.Errorf("42P07", int(n.Name.Pos()), "relation %q already exists", n.Name.Text)
	case exists && old.Kind != storage.Query:
		return zset.Errorf("42809", int(n.Name.Pos()), "%q is not a view", n.Name.Text)
	}
	noted := newNoted(cat)
	node, err := algebra.Bind(n.Query, algebra.Env{Stop: st.stop, Catalog: noted, Functions: st.s.engine.opts.Functions,
		Read: st.s.engine.readings(cat, st.s.settings.TimeZone).read})
	if err != nil {
		return err
	}
	obj := &storage.Object{Kind: storage.Query, Name: n.Name.Text}
	if obj.Schema, err = viewSchema(node.Schema(), n.Columns, n.Name); err != nil {
		return err
	}
	obj.Payload, err = json.Marshal(queryPayload{Query: n.QueryText, Columns: names(n.Columns), Refs: noted.refs, Widths: noted.widths,
		Functions: algebra.Customs(node)})
	if err != nil {
		return err
	}
	if exists {
		obj.ID, obj.SchemaVersion = old.ID, old.SchemaVersion+1
		if err := replaceable(cat, old, obj, noted.refs, n.Name); err != nil {
			return err
		}
	} else {
		obj.ID = st.s.engine.store.NewID()
	}
	st.res.TSO, err = st.s.engine.commit(ctx, &storage.Commit{CatalogVersion: cat.Version(), Catalog: []storage.CatalogChange{{Put: obj}}})
	return err
}

// replaceable refuses a new definition that what reads the view could not follow.
func replaceable(cat *storage.Catalog, old, obj *storage.Object, refs map[string]storage.ID, name ast.Name) error {
	pos := int(name.Pos())
	if len(obj.Schema) < len(old.Schema) {
		return zset.Errorf("42P16", pos, "cannot drop columns from view")
	}
	for i, f := range old.Schema {
		g := obj.Schema[i]
		if f.Name != g.Name {
			return zset.Errorf("42P16", pos, "cannot change name of view column %q to %q", f.Name, g.Name)
		}
		if f.Type != g.Type {
			return zset.Errorf("42P16", pos, "cannot change data type of view column %q from %s to %s", f.Name, f.Type, g.Type)
		}
	}
	reads, err := below(cat, refs)
	if err != nil {
		return err
	}
	if reads[old.ID] {
		return zset.Errorf("42P17", pos, "infinite recursion detected in rules for relation %q", old.Name)
	}
	readers, err := above(cat, old.ID)
	if err != nil {
		return err
	}
	for _, r := range readers {
		if r.Kind == storage.View {
			e := zset.Errorf("2BP01", pos, "cannot replace view %s because other objects depend on it", old.Name)
			e.Detail = describe(r) + " is computed from its query"
			e.Hint = "Drop the materialized view first."
			return e
		}
	}
	return nil
}

// below is all that the objects in refs read, themselves included.
func below(cat *storage.Catalog, refs map[string]storage.ID) (map[storage.ID]bool, error) {
	seen := map[storage.ID]bool{}
	var walk func(refs map[string]storage.ID) error
	walk = func(refs map[string]storage.ID) error {
		for _, id := range refs {
			obj, ok := cat.ByID(id)
			if seen[id] || !ok {
				continue
			}
			seen[id] = true
			if obj.Kind != storage.View && obj.Kind != storage.Query {
				continue
			}
			next, err := refsOf(obj)
			if err != nil {
				return err
			}
			if err := walk(next); err != nil {
				return err
			}
		}
		return nil
	}
	return seen, walk(refs)
}

// above is all that reads an object, directly or through others.
func above(cat *storage.Catalog, id storage.ID) ([]*storage.Object, error) {
	seen := map[storage.ID]bool{id: true}
	var out []*storage.Object
	for todo := []storage.ID{id}; len(todo) > 0; todo = todo[1:] {
		readers, err := dependents(cat, todo[0], seen)
		if err != nil {
			return nil, err
		}
		for _, r := range readers {
			seen[r.ID] = true
			out, todo = append(out, r), append(todo, r.ID)
		}
	}
	return out, nil
}
