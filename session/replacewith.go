package session

import (
	"context"
	"strings"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// replaceWith is ALTER MATERIALIZED VIEW .. REPLACE WITH: another view takes the
// name, and the old one takes the other's, or goes. Names change and nothing else:
// what reads one of the two goes on to read that one.
func (st *statement) replaceWith(ctx context.Context, cat *storage.Catalog, obj *storage.Object, n *ast.AlterView) error {
	other, err := viewOf(cat, n.With.Text, int(n.With.Pos()))
	if err != nil {
		return err
	}
	swap := true
	var errs Errors
	for _, p := range n.Properties {
		on, known := map[string]bool{"true": true, "false": false}[strings.ToLower(p.Value)]
		switch {
		case !strings.EqualFold(p.Name, "swap"):
			e := zset.Errorf("0A000", int(p.Pos()), "property %q of REPLACE is not supported", p.Name)
			e.Hint = "There is swap."
			errs = append(errs, e)
		case !known:
			errs = append(errs, zset.Errorf("22023", int(p.Pos()), "invalid value for property %q: %q; it is true or false", p.Name, p.Value))
		}
		swap = on
	}
	if len(errs) > 0 {
		return errs
	}
	if other.ID == obj.ID {
		return zset.Errorf("42P07", int(n.With.Pos()), "a materialized view cannot replace itself")
	}
	next := *other
	next.Name = obj.Name
	c := &storage.Commit{CatalogVersion: cat.Version(), Catalog: []storage.CatalogChange{{Put: &next}}}
	if swap {
		old := *obj
		old.Name = other.Name
		c.Catalog = append(c.Catalog, storage.CatalogChange{Put: &old})
		st.res.TSO, err = st.s.engine.commit(ctx, c)
		return err
	}
	deps, err := dependents(cat, obj.ID, nil)
	if err != nil {
		return err
	}
	if len(deps) > 0 {
		e := dependentError(obj, deps)
		e.Pos = int(n.View.Pos())
		e.Msg = "cannot replace " + describe(obj) + " without swap because other objects depend on it"
		e.Hint = "Leave swap out: the two exchange their names."
		return e
	}
	c.Catalog = append(c.Catalog, storage.CatalogChange{Drop: obj.ID})
	if st.res.TSO, err = st.s.engine.commit(ctx, c); err == nil {
		st.s.engine.views.Drop(obj.ID)
	}
	return err
}
