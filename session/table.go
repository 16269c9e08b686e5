package session

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// tableMaker makes the catalog's entry of a CREATE TABLE and collects all that is
// wrong with it.
type tableMaker struct {
	obj     *storage.Object
	options tablePayload
	now     time.Time
	taken   map[string]bool // names of constraints
	errs    Errors
}

func (m *tableMaker) fail(code string, pos ast.Pos, format string, args ...any) {
	m.errs = append(m.errs, zset.Errorf(code, int(pos), format, args...))
}

// tableObject makes the catalog's entry, or all errors of the definition. idle names
// what of it has no effect.
func tableObject(n *ast.CreateTable, cat *storage.Catalog, now time.Time) (obj *storage.Object, idle []string, err error) {
	m := &tableMaker{obj: &storage.Object{Kind: storage.Table, Name: n.Name.Text}, now: now, taken: map[string]bool{}}
	if len(n.Columns) > maxColumns { // told at once: every further column would be compared with all before it
		m.fail("54011", n.Pos(), "tables can have at most %d columns", maxColumns)
		return nil, nil, m.errs
	}
	if len(n.Like) > 0 { // what they take joins the keys and checks of a copy
		with := *n
		with.Keys, with.Checks = slices.Clone(n.Keys), slices.Clone(n.Checks)
		n = &with
	}
	for i, c := range n.Columns {
		m.likes(n, cat, i)
		m.column(c)
	}
	m.likes(n, cat, len(n.Columns))
	if len(m.obj.Schema) > maxColumns {
		m.fail("54011", n.Pos(), "tables can have at most %d columns", maxColumns)
	}
	var log logProperties
	m.errs = append(m.errs, setProperties(&log, &m.options.Cluster, n.Properties)...)
	m.errs = append(m.errs, m.options.Cluster.distribute(m.obj.Schema, n.Distributed)...)
	m.obj.Retention, m.options.Log = log.Retention, log.logPayload
	m.keys(n)
	for _, c := range n.Checks {
		m.check(c)
	}
	if len(m.errs) > 0 {
		return nil, nil, m.errs
	}
	sortChecks(m.options.Checks)
	m.obj.Payload, err = json.Marshal(m.options)
	return m.obj, m.options.Cluster.idle(), err
}

func sortChecks(cs []check) {
	slices.SortStableFunc(cs, func(a, b check) int { return strings.Compare(a.Name, b.Name) })
}

// column adds a column with its DEFAULT.
func (m *tableMaker) column(c ast.ColumnDef) {
	t, err := algebra.TypeOf(c.Type)
	if err != nil {
		m.errs = append(m.errs, All(err)...)
	}
	f := zset.Field{Name: c.Name.Text, Type: t, NotNull: c.NotNull}
	text := ""
	if c.Default != nil && err == nil {
		if _, err := algebra.BindDefault(c.Default, f, algebra.Env{Now: m.now, TimeZone: m.now.Location().String()}); err != nil {
			m.errs = append(m.errs, All(err)...)
		}
		text = ast.PrintExpr(c.Default)
	}
	m.field(f, text, c.Name.Pos())
}

// field adds a column that is looked at already; text is its DEFAULT.
func (m *tableMaker) field(f zset.Field, text string, pos ast.Pos) {
	if m.obj.Schema.Index(f.Name) >= 0 {
		m.fail("42701", pos, "column %q specified more than once", f.Name)
		return
	}
	m.obj.Schema = append(m.obj.Schema, f)
	if text != "" {
		for len(m.options.Defaults) < len(m.obj.Schema)-1 {
			m.options.Defaults = append(m.options.Defaults, "")
		}
		m.options.Defaults = append(m.options.Defaults, text)
	}
}

// keys adds the one key that makes a table keyed, and the further ones.
func (m *tableMaker) keys(n *ast.CreateTable) {
	var table *ast.KeyDef
	for i := range n.Keys {
		k := &n.Keys[i]
		if k.Kind == ast.UniqueConstraint {
			continue
		}
		if table != nil {
			m.fail("42P16", k.Pos(), "multiple keys for table %q are not allowed", n.Name.Text)
			return
		}
		table = k
		cols := m.keyColumns(k)
		if k.Kind == ast.DuplicateKey { // a bag, sorted by nothing that a reader could see
			continue
		}
		m.options.Upsert = k.Kind == ast.UniqueKey
		m.obj.Key = cols
		m.obj.KeyName = k.Name.Text
		m.taken[m.obj.KeyConstraint()] = true
		for _, i := range cols {
			m.obj.Schema[i].NotNull = true
		}
	}
	for i := range n.Keys {
		k := &n.Keys[i]
		if k.Kind != ast.UniqueConstraint {
			continue
		}
		cols := m.keyColumns(k)
		name := m.constraint(k.Name, "key", cols)
		m.obj.Unique = append(m.obj.Unique, storage.Unique{Name: name, Cols: cols})
	}
}

func (m *tableMaker) keyColumns(k *ast.KeyDef) []int {
	key := []int{}
	for _, name := range k.Columns {
		i := m.obj.Schema.Index(name.Text)
		switch {
		case i < 0:
			m.fail("42703", name.Pos(), "column %q named in key does not exist", name.Text)
		case slices.Contains(key, i):
			m.fail("42701", name.Pos(), "column %q appears twice in the key", name.Text)
		default:
			key = append(key, i)
		}
	}
	return key
}

// check adds a CHECK. Its name, where it has none, speaks of the column that it
// reads, if that is one alone.
func (m *tableMaker) check(c ast.Check) {
	e, err := algebra.BindCheck(c.Expr, m.obj.Name, m.obj.Schema, algebra.Env{})
	if err != nil {
		m.errs = append(m.errs, All(err)...)
		return
	}
	var cols []int
	e.Walk(func(x *expr.Expr) bool {
		if x.Op == expr.OpCol && !slices.Contains(cols, x.Col) {
			cols = append(cols, x.Col)
		}
		return true
	})
	if len(cols) != 1 {
		cols = nil
	}
	m.options.Checks = append(m.options.Checks, check{Name: m.constraint(c.Name, "check", cols), Cond: ast.PrintExpr(c.Expr)})
}

// constraint is the name given, or one made of table, columns and kind that no
// other constraint has.
func (m *tableMaker) constraint(name ast.Name, kind string, cols []int) string {
	if name.Text != "" {
		if m.taken[name.Text] {
			m.fail("42710", name.Pos(), "constraint %q for relation %q already exists", name.Text, m.obj.Name)
		}
		m.taken[name.Text] = true
		return name.Text
	}
	base := m.obj.Name
	for _, c := range cols {
		base += "_" + m.obj.Schema[c].Name
	}
	base += "_" + kind
	made := base
	for i := 1; m.taken[made]; i++ {
		made = fmt.Sprint(base, i)
	}
	m.taken[made] = true
	return made
}
