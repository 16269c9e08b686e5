package session

import (
	"strings"

	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// schemaTable is a relation of information_schema: made up of the statement's
// catalog whenever a query reads it.
type schemaTable struct {
	name    string
	columns zset.Schema
	rows    func(cat *storage.Catalog) [][]zset.Value // nil: system says them
	// system makes rows that the catalog alone does not tell, as t sees them.
	system func(e *Engine, t *txn) ([][]zset.Value, error)
}

// schemaName stands before the names of these relations.
const schemaName = "information_schema."

// databaseName is what table_catalog says: a store is one database without a name.
const databaseName = "ivmc"

// schemaTables are the relations of information_schema. They have those columns
// of PostgreSQL's that say something here, under its names.
func schemaTables() []schemaTable {
	texts := func(names ...string) (s zset.Schema) {
		for _, n := range names {
			t := zset.TText
			if name, ok := strings.CutSuffix(n, " int"); ok {
				n, t = name, zset.TInt4
			}
			s = append(s, zset.Field{Name: n, Type: t})
		}
		return s
	}
	return append(viewTables(), []schemaTable{
		{"columns", texts("table_catalog", "table_schema", "table_name", "column_name", "ordinal_position int", "column_default",
			"is_nullable", "data_type", "character_maximum_length int", "numeric_precision int", "numeric_scale int", "datetime_precision int"), columnRows, nil},
		{"tables", texts("table_catalog", "table_schema", "table_name", "table_type", "is_insertable_into"), tableRows, nil},
		{"views", texts("table_catalog", "table_schema", "table_name", "view_definition", "is_updatable", "is_materialized"), viewRows, nil},
		{"table_streams", streamColumns(), nil, streamRows(readings.streamRow)},
		{"table_stream_consumption", consumptionColumns(), nil, streamRows(readings.consumptionRow)},
	}...)
}

// schemaRelation finds one by its whole name.
func schemaRelation(cat *storage.Catalog, name string) (algebra.Relation, bool) {
	short, ok := strings.CutPrefix(name, schemaName)
	if !ok {
		return functionRelation(name)
	}
	for _, t := range schemaTables() {
		if t.name == short {
			return algebra.Relation{Name: name, Schema: t.columns, Define: func(env algebra.Env) (algebra.Node, error) {
				if t.rows == nil {
					var rows [][]zset.Value
					var err error
					if env.System != nil {
						rows, err = env.System(t.name)
					}
					return algebra.NewRows(name, t.columns, rows), err
				}
				return algebra.NewRows(name, t.columns, t.rows(cat)), nil
			}}, true
		}
	}
	return algebra.Relation{}, false
}

// storedOnly refuses a query that reads information_schema: nothing logs its
// changes, so that a view of it would never follow.
func storedOnly(node algebra.Node) error {
	var err error
	algebra.Walk(node, func(n algebra.Node) bool {
		if v, ok := n.(*algebra.Values); ok && v.Source != "" && err == nil {
			e := zset.Errorf("0A000", -1, "a materialized view cannot read %s", v.Source)
			e.Hint, e.Object = "Query it, or make a plain view of it.", v.Source
			err = e
		}
		return true
	})
	return err
}

// named lists the objects that have a name, by name.
func named(cat *storage.Catalog, kinds ...storage.ObjectKind) []*storage.Object {
	var out []*storage.Object
	for _, obj := range cat.Objects() {
		for _, k := range kinds {
			if obj.Kind == k {
				out = append(out, obj)
			}
		}
	}
	sortByName(out)
	return out
}

func text(s string) zset.Value { return zset.Value{Type: zset.TText, S: s} }

func yes(b bool) zset.Value {
	if b {
		return text("YES")
	}
	return text("NO")
}

func tableRows(cat *storage.Catalog) (rows [][]zset.Value) {
	for _, obj := range named(cat, storage.Table, storage.View, storage.Query) {
		kind := "BASE TABLE"
		if obj.Kind != storage.Table {
			kind = strings.ToUpper(obj.Kind.String())
		}
		rows = append(rows, []zset.Value{text(databaseName), text("public"), text(obj.Name), text(kind), yes(obj.Kind == storage.Table)})
	}
	return rows
}

func viewRows(cat *storage.Catalog) (rows [][]zset.Value) {
	for _, obj := range named(cat, storage.View, storage.Query) {
		rows = append(rows, []zset.Value{text(databaseName), text("public"), text(obj.Name), text(queryText(cat, obj)), yes(false), yes(obj.Kind == storage.View)})
	}
	return rows
}

func columnRows(cat *storage.Catalog) (rows [][]zset.Value) {
	for _, obj := range named(cat, storage.Table, storage.View, storage.Query) {
		options, _ := tableOptions(obj) // one that cannot be read has no defaults to show
		for i, f := range obj.Schema {
			def := zset.NullOf(zset.TText)
			if i < len(options.Defaults) && options.Defaults[i] != "" {
				def = text(options.Defaults[i])
			}
			name, length, precision, scale := typeParts(f.Type)
			fraction := zset.NullOf(zset.TInt4)
			if digits, ok := f.Type.Fraction(); ok {
				fraction = zset.Value{Type: zset.TInt4, I: int64(digits)}
			} else if f.Type.Kind.Timed() {
				fraction = zset.Value{Type: zset.TInt4, I: 6}
			} else if f.Type.Kind == zset.Date {
				fraction = zset.Value{Type: zset.TInt4}
			}
			rows = append(rows, []zset.Value{text(databaseName), text("public"), text(obj.Name), text(f.Name),
				{Type: zset.TInt4, I: int64(i + 1)}, def, yes(!f.NotNull || obj.Kind != storage.Table), text(name), length, precision, scale, fraction})
		}
	}
	return rows
}

// typeParts takes a type apart: its name without numbers, its length, precision
// and scale, NULL where it has none.
func typeParts(t zset.Type) (name string, length, precision, scale zset.Value) {
	null, number := zset.NullOf(zset.TInt4), func(n int) zset.Value { return zset.Value{Type: zset.TInt4, I: int64(n)} }
	length, precision, scale = null, null, null
	name, numbers, has := strings.Cut(t.String(), "(")
	numbers, rest, _ := strings.Cut(numbers, ")")
	name += rest
	switch {
	case t.Kind == zset.Numeric:
		if has {
			precision, scale = number(int(t.Prec)), number(int(t.Scale))
		}
	case t.Kind == zset.Int2:
		precision, scale = number(16), number(0)
	case t.Kind == zset.Int4:
		precision, scale = number(32), number(0)
	case t.Kind == zset.Int8:
		precision, scale = number(64), number(0)
	case t.Kind == zset.Float4:
		precision = number(24)
	case t.Kind == zset.Float8:
		precision = number(53)
	case has && strings.HasPrefix(name, "character"):
		n := 0
		for _, d := range numbers {
			n = 10*n + int(d-'0')
		}
		length = number(n)
	}
	return name, length, precision, scale
}

// showObjects is SHOW TABLES, SHOW VIEWS and SHOW MATERIALIZED VIEWS.
func (st *statement) showObjects(n *ast.ShowObjects) error {
	kinds := map[ast.ObjectKind][]storage.ObjectKind{
		ast.TableObject:            {storage.Table},
		ast.ViewObject:             {storage.View, storage.Query},
		ast.MaterializedViewObject: {storage.View},
	}[n.Kind]
	t, own := st.transaction()
	if own {
		defer t.end()
	}
	var rows [][]string
	for _, obj := range named(t.cat, kinds...) {
		rows = append(rows, []string{obj.Name, obj.Kind.String()})
	}
	st.res.Rows = textRows([]string{"name", "kind"}, rows)
	return nil
}

// showColumns is SHOW COLUMNS FROM and DESCRIBE.
func (st *statement) showColumns(n *ast.ShowColumns) error {
	t, own := st.transaction()
	if own {
		defer t.end()
	}
	name := n.Name.Text
	if s := n.Schema.Text; s != "" && s != "public" {
		name = s + "." + name
	}
	rel, ok := catalog{t.cat}.Relation(name)
	if !ok {
		return noSuch("relation", t.cat, name, int(n.Name.Pos()))
	}
	if rel.Stream != 0 && rel.ID == 0 {
		_, errs := st.readings(t).stream(storage.ID(rel.Stream), nil)
		return Errors(errs)
	}
	keys := make([]string, len(rel.Schema))
	isTable := false
	if obj, ok := t.cat.ByID(storage.ID(rel.ID)); ok {
		isTable = obj.Kind == storage.Table
		for _, u := range obj.Unique {
			for _, c := range u.Cols {
				keys[c] = "unique"
			}
		}
		for _, c := range obj.Key {
			keys[c] = "primary"
		}
	}
	var rows [][]string
	for i, f := range rel.Schema {
		nullable, def := "yes", ""
		if f.NotNull && isTable {
			nullable = "no"
		}
		if i < len(rel.Defaults) {
			def = rel.Defaults[i]
		}
		rows = append(rows, []string{f.Name, f.Type.String(), nullable, keys[i], def})
	}
	if rel.Stream != 0 && st.s.settings.ShowHidden {
		for i, name := range changeColumns {
			rows = append(rows, []string{name, changeTypes[i].String(), "no", "", ""})
		}
	}
	if stored := rel.Stream == 0 && rel.Define == nil && rel.ID != 0; stored && st.s.settings.ShowHidden {
		rows = append(rows, []string{"__doris_commit_tso_col__", "bigint", "no", "", ""})
	}
	st.res.Rows = textRows([]string{"column", "type", "nullable", "key", "default"}, rows)
	return nil
}
