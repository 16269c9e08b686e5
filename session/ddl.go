package session

import (
	"context"
	"fmt"
	"strings"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// createTable is CREATE TABLE.
func (st *statement) createTable(ctx context.Context, n *ast.CreateTable) error {
	if err := st.alone("CREATE TABLE"); err != nil {
		return err
	}
	st.res.Tag = "CREATE TABLE"
	cat := st.s.engine.store.Catalog()
	if done, err := st.taken(cat, n.Name, n.IfNotExists); done || err != nil {
		return err
	}
	obj, idle, err := tableObject(n, cat, st.s.settings.local(st.now))
	if err != nil {
		return err
	}
	obj.ID = st.s.engine.store.NewID()
	st.res.TSO, err = st.s.engine.commit(ctx, &storage.Commit{CatalogVersion: cat.Version(), Catalog: []storage.CatalogChange{{Put: obj}}})
	if err == nil {
		st.idle(idle, "table")
	}
	return err
}

// taken tells whether the name of a new relation is in use: 42P07, or a notice
// with IF NOT EXISTS.
func (st *statement) taken(cat *storage.Catalog, name ast.Name, ifNotExists bool) (done bool, err error) {
	if _, ok := cat.ByName(name.Text); !ok {
		return false, nil
	}
	if ifNotExists {
		st.res.notice("42P07", fmt.Sprintf("relation %q already exists, skipping", name.Text))
		return true, nil
	}
	return false, zset.Errorf("42P07", int(name.Pos()), "relation %q already exists", name.Text)
}

// maxColumns is PostgreSQL's limit.
const maxColumns = 1600

// drop is DROP TABLE, VIEW and MATERIALIZED VIEW: all of the names or none.
func (st *statement) drop(ctx context.Context, n *ast.Drop) error {
	kind, word := storage.Table, "table"
	switch n.Kind {
	case ast.MaterializedViewObject:
		kind, word = storage.View, "materialized view"
	case ast.ViewObject:
		kind, word = storage.Query, "view"
	}
	st.res.Tag = "DROP " + strings.ToUpper(word)
	if err := st.alone(st.res.Tag); err != nil {
		return err
	}
	cat := st.s.engine.store.Catalog()
	var es Errors
	gone := map[storage.ID]bool{}
	var order []*storage.Object
	for _, name := range n.Names {
		obj, ok := cat.ByName(name.Text)
		switch {
		case !ok || obj.Kind == storage.Private:
			if n.IfExists {
				st.res.notice("00000", fmt.Sprintf("%s %q does not exist, skipping", word, name.Text))
				continue
			}
			es = append(es, noSuch(word, cat, name.Text, int(name.Pos()), kind))
		case obj.Kind != kind:
			e := zset.Errorf("42809", int(name.Pos()), "%q is not a %s", name.Text, word)
			e.Hint = "Use DROP " + strings.ToUpper(strings.TrimSuffix(describe(obj), " "+obj.Name)) + "."
			es = append(es, e)
		case !gone[obj.ID]:
			gone[obj.ID] = true
			order = append(order, obj)
		}
	}
	for i := 0; i < len(order); i++ {
		obj := order[i]
		deps, err := dependents(cat, obj.ID, gone)
		if err != nil {
			return err
		}
		if n.Cascade {
			for _, d := range deps {
				st.res.notice("00000", "drop cascades to "+describe(d))
				gone[d.ID], order = true, append(order, d)
			}
			continue
		}
		if len(deps) > 0 {
			es = append(es, dependentError(obj, deps))
		}
	}
	if len(es) > 0 {
		return es
	}
	return st.dropAll(ctx, cat, order)
}

func dependentError(obj *storage.Object, deps []*storage.Object) *zset.Error {
	e := zset.Errorf("2BP01", -1, "cannot drop %s because other objects depend on it", describe(obj))
	lines := make([]string, len(deps))
	for i, d := range deps {
		lines[i] = describe(d) + " depends on " + describe(obj)
	}
	e.Detail = strings.Join(lines, "\n")
	e.Hint = "Use DROP ... CASCADE to drop the dependent objects too."
	e.Object = obj.Name
	return e
}

func (st *statement) dropAll(ctx context.Context, cat *storage.Catalog, objs []*storage.Object) error {
	if len(objs) == 0 {
		return nil
	}
	c := &storage.Commit{CatalogVersion: cat.Version()}
	for _, obj := range objs {
		c.Catalog = append(c.Catalog, storage.CatalogChange{Drop: obj.ID})
	}
	tso, err := st.s.engine.commit(ctx, c)
	if err != nil {
		return err
	}
	st.res.TSO = tso
	for _, obj := range objs {
		if obj.Kind == storage.View {
			st.s.engine.views.Drop(obj.ID)
		}
	}
	return nil
}
