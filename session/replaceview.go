package session

import (
	"context"
	"slices"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/refresh"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// replaced is the view that CREATE OR REPLACE MATERIALIZED VIEW names; nil if
// there is none yet.
func replaced(cat *storage.Catalog, n *ast.CreateMaterializedView) (*storage.Object, error) {
	if !n.OrReplace {
		return nil, nil
	}
	if n.IfNotExists {
		return nil, zset.Errorf("42601", int(n.Pos()), "OR REPLACE and IF NOT EXISTS exclude each other")
	}
	old, ok := cat.ByName(n.Name.Text)
	if !ok {
		return nil, nil
	}
	if old.Kind != storage.View {
		return nil, zset.Errorf("42809", int(n.Name.Pos()), "%q is not a materialized view", n.Name.Text)
	}
	return old, nil
}

// replaceView puts a definition in the place of an older one, in one commit. With
// the same columns the view stays the object that others read, and its log goes
// on with what differs; with others it is a new object, which nobody may read. One that
// moves with commits stands for all of them when it takes its place.
func (st *statement) replaceView(ctx context.Context, cat *storage.Catalog, old *storage.Object, obj storage.Object, n *ast.CreateMaterializedView, refs map[string]storage.ID, admit refresh.Admit) (*refresh.Report, error) {
	reads, err := below(cat, refs)
	if err != nil {
		return nil, err
	}
	if reads[old.ID] {
		return nil, zset.Errorf("42P17", int(n.Name.Pos()), "materialized view %q would read itself", old.Name)
	}
	if !n.Deferred && sameColumns(old.Schema, obj.Schema) {
		obj.ID, obj.SchemaVersion = old.ID, old.SchemaVersion
		return st.s.engine.views.Redefine(ctx, obj, admit)
	}
	deps, err := dependents(cat, old.ID, nil)
	if err != nil {
		return nil, err
	}
	if len(deps) > 0 {
		e := dependentError(old, deps)
		e.Pos = int(n.Name.Pos())
		e.Msg = "cannot replace " + describe(old) + " by one with other columns because other objects depend on it"
		return nil, e
	}
	return st.s.engine.views.Replace(ctx, obj, !n.Deferred, old.ID, admit)
}

func sameColumns(a, b zset.Schema) bool {
	return slices.EqualFunc(a, b, func(f, g zset.Field) bool { return f.Name == g.Name && f.Type == g.Type })
}
