package session

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// alter is ALTER TABLE.
func (st *statement) alter(ctx context.Context, n *ast.AlterTable) error {
	if err := st.alone("ALTER TABLE"); err != nil {
		return err
	}
	st.res.Tag = "ALTER TABLE"
	cat := st.s.engine.store.Catalog()
	if _, ok := cat.ByName(n.Table.Text); !ok && n.IfExists {
		st.res.notice("00000", fmt.Sprintf("relation %q does not exist, skipping", n.Table.Text))
		return nil
	}
	obj, err := tableOf(cat, n.Table.Text, int(n.Table.Pos()))
	if err != nil {
		return err
	}
	if set, ok := n.Actions[0].(*ast.SetProperties); ok && len(n.Actions) == 1 {
		return st.alterProperties(ctx, cat, obj, set)
	}
	add, ok := n.Actions[0].(*ast.AddColumn)
	if ok && len(n.Actions) == 1 {
		return st.addColumn(ctx, cat, obj, add)
	}
	next, err := st.altered(obj, n.Actions)
	if err != nil {
		return err
	}
	c := &storage.Commit{CatalogVersion: cat.Version(), Catalog: []storage.CatalogChange{{Put: next}}}
	if next.SchemaVersion != obj.SchemaVersion { // there are rules that rows may break
		if c.Quiet, err = st.kept(ctx, obj, next); err != nil {
			return err
		}
	}
	st.res.TSO, err = st.s.engine.commit(ctx, c)
	return err
}

// addColumn is ALTER TABLE .. ADD COLUMN. No row is rewritten: older ones show the
// DEFAULT as it is now, or NULL. What reads the table goes on to read the columns
// that it was made with.
func (st *statement) addColumn(ctx context.Context, cat *storage.Catalog, obj *storage.Object, n *ast.AddColumn) error {
	if obj.Schema.Index(n.Column.Name.Text) >= 0 {
		text := fmt.Sprintf("column %q of relation %q already exists", n.Column.Name.Text, obj.Name)
		if n.IfNotExists {
			st.res.notice("42701", text+", skipping")
			return nil
		}
		return zset.Errorf("42701", int(n.Column.Name.Pos()), "%s", text)
	}
	if err := refusedColumn(n); err != nil {
		return err
	}
	next, err := st.widened(obj, n.Column)
	if err != nil {
		return err
	}
	c := &storage.Commit{CatalogVersion: cat.Version(), Catalog: []storage.CatalogChange{{Put: next}}}
	if n.Column.NotNull && len(next.Fills) == len(obj.Fills) {
		rel, err := st.s.engine.store.Relation(obj.ID)
		if err != nil {
			return err
		}
		if rel.Rows(st.s.engine.store.Applied()) > 0 {
			return zset.Errorf(zset.CodeNotNull, int(n.Column.Pos()), "column %q of relation %q contains null values", n.Column.Name.Text, obj.Name)
		}
		c.Empty = obj.ID
	}
	st.res.TSO, err = st.s.engine.commit(ctx, c)
	return err
}

// refusedColumn names what an added column cannot bring along.
func refusedColumn(n *ast.AddColumn) error {
	var at ast.Node
	what := ""
	switch {
	case len(n.Keys) > 0 && n.Keys[0].Kind == ast.UniqueConstraint:
		at, what = n.Keys[0], "UNIQUE"
	case len(n.Keys) > 0:
		at, what = n.Keys[0], "PRIMARY KEY"
	case len(n.Checks) > 0:
		at, what = n.Checks[0], "CHECK"
	default:
		return nil
	}
	e := zset.Errorf("0A000", int(at.Pos()), "ADD COLUMN with %s is not supported", what)
	e.Hint = "Create another table with the constraint and insert the rows there."
	return e
}

// widened is obj with one column more.
func (st *statement) widened(obj *storage.Object, c ast.ColumnDef) (*storage.Object, error) {
	now := st.s.settings.local(st.now)
	options, err := tableOptions(obj)
	if err != nil {
		return nil, err
	}
	next := *obj
	next.Schema = append(zset.Schema{}, obj.Schema...)
	m := &tableMaker{obj: &next, options: options, now: now}
	m.column(c)
	if len(next.Schema) > maxColumns {
		m.fail("54011", c.Pos(), "tables can have at most %d columns", maxColumns)
	}
	if len(m.errs) > 0 {
		return nil, m.errs
	}
	next.SchemaVersion++
	last := len(next.Schema) - 1
	if len(m.options.Defaults) > last {
		cell, err := constant(m.options.Defaults[last], next.Schema[last], now)
		if err != nil {
			return nil, err
		}
		if !cell.IsNull(0) {
			next.Fills = append(append([]storage.Fill{}, obj.Fills...), storage.FillOf(last, cell))
		}
	}
	next.Payload, err = json.Marshal(m.options)
	return &next, err
}
