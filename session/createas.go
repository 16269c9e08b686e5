package session

import (
	"context"
	"encoding/json"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/runtime"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// createTableAs is CREATE TABLE .. AS: the table and the rows of the query, in one
// commit. The columns have the types of the query, and no constraint but a key.
func (st *statement) createTableAs(ctx context.Context, n *ast.CreateTableAs) error {
	if err := st.alone("CREATE TABLE AS"); err != nil {
		return err
	}
	st.res.Tag = "CREATE TABLE AS"
	e := st.s.engine
	cat := e.store.Catalog()
	if done, err := st.taken(cat, n.Name, n.IfNotExists); done || err != nil {
		return err
	}
	t := e.begin()
	defer t.end()
	rows, node, err := st.open(ctx, t, n.Query)
	if err != nil {
		return err
	}
	defer rows.Close()
	obj, err := st.tableOfQuery(n, node.Schema())
	if err != nil {
		return err
	}
	c := &storage.Commit{CatalogVersion: cat.Version(), Catalog: []storage.CatalogChange{{Put: obj}}}
	if !n.NoData {
		st.behind(t, node)
		w, err := st.firstRows(ctx, t, obj, rows)
		if err != nil {
			return err
		}
		if change := w.change(); change != nil {
			c.Changes = append(c.Changes, change)
		}
		st.res.Affected, st.res.Tag = int64(w.rows.N), tag("SELECT", int64(w.rows.N))
	}
	st.res.TSO, err = e.commit(ctx, c)
	return err
}

// tableOfQuery is a table with the columns of a query.
func (st *statement) tableOfQuery(n *ast.CreateTableAs, s zset.Schema) (*storage.Object, error) {
	s, err := viewSchema(s, n.Columns, n.Name)
	if err != nil {
		return nil, err
	}
	for i := range s {
		s[i].NotNull = false
	}
	m := &tableMaker{obj: &storage.Object{Kind: storage.Table, Name: n.Name.Text, Schema: s}, now: st.s.settings.local(st.now), taken: map[string]bool{}}
	if len(s) > maxColumns {
		m.fail("54011", n.Pos(), "tables can have at most %d columns", maxColumns)
	}
	m.keys(&ast.CreateTable{Name: n.Name, Keys: n.Keys})
	if len(m.errs) > 0 {
		return nil, m.errs
	}
	m.obj.ID = st.s.engine.store.NewID()
	m.obj.Payload, err = json.Marshal(m.options)
	return m.obj, err
}

// firstRows is the rows of a query as what a transaction writes to a table that is
// not there yet. Their memory is accounted to t.
func (st *statement) firstRows(ctx context.Context, t *txn, obj *storage.Object, rows *runtime.Rows) (*writes, error) {
	w, err := t.writesOf(obj)
	if err != nil {
		return nil, err
	}
	for {
		b, err := rows.Next(ctx)
		if err != nil {
			return nil, err
		}
		if b == nil {
			return w, nil
		}
		b = expand(b)
		cols := append([]zset.Column{}, b.Cols...)
		for i, f := range obj.Schema { // a literal without a type is stored as text
			cols[i].Type = f.Type
		}
		b = &zset.Batch{Cols: cols, N: b.N}
		if err := w.rules.check(b, nil, st.s.settings.local(st.now)); err != nil {
			return nil, err
		}
		if err := w.insert(b, nil, w.rules.Upsert, noRows{}, t.at); err != nil {
			return nil, err
		}
		if err := t.account(); err != nil {
			return nil, err
		}
	}
}

// noRows is the reader of a relation without rows.
type noRows struct{}

func (noRows) FindKey(_ *zset.Keys, _ storage.TSO, out []storage.Addr) {
	for i := range out {
		out[i] = storage.NoAddr
	}
}

func (r noRows) FindUnique(_ int, k *zset.Keys, at storage.TSO, out []storage.Addr) {
	r.FindKey(k, at, out)
}
