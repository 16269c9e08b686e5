package algebra

import (
	"strings"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
)

// scope is the columns that names can mean, over the columns of one node.
type scope struct {
	cols   []scopeCol // in the order of *; what bare names see
	tables []scopeTable
	width  int // columns of the node
	// open: a part of FROM could not be bound, so an unknown name is no news.
	open bool
}

// scopeCol is a column by name. e is a column of the node; or, for a column
// merged by USING, the left one in the type common to both sides.
type scopeCol struct {
	table, name string
	e           *expr.Expr
	hidden      bool // * does not show it
}

// scopeTable is an entry of FROM under the name that qualifies its columns.
type scopeTable struct {
	name string
	cols []scopeCol
	key  []int // primary key, positions in cols; nil: none
	pos  ast.Pos
	// schema is that of a table or view that has no alias: schema.table.column
	// means this entry.
	schema string
}

// newScope is the scope of one entry of FROM over the columns of n.
func newScope(name string, n Node, key []int, pos ast.Pos) scope {
	s := n.Schema()
	t := scopeTable{name: name, key: key, pos: pos}
	for i, f := range s {
		t.cols = append(t.cols, scopeCol{name, f.Name, expr.Col(i, f.Type), false})
	}
	return scope{cols: t.cols, tables: []scopeTable{t}, width: len(s)}
}

// hide takes the columns of the one entry of s from position `from` on out of *.
func (s *scope) hide(from int) {
	for _, cols := range [][]scopeCol{s.cols, s.tables[0].cols} {
		for i := from; i < len(cols); i++ {
			cols[i].hidden = true
		}
	}
}

// inSchema says that the entries of s are tables of this schema under their own
// names; "" is public.
func (s *scope) inSchema(schema string) {
	if schema == "" {
		schema = "public"
	}
	for i := range s.tables {
		s.tables[i].schema = schema
	}
}

// shift is s over a node that has n columns before those of s.
func (s scope) shift(n int) scope {
	move := func(cols []scopeCol) []scopeCol {
		out := make([]scopeCol, len(cols))
		for i, c := range cols {
			out[i] = scopeCol{c.table, c.name, c.e.MapCols(func(k int) int { return k + n }), c.hidden}
		}
		return out
	}
	out := s
	out.cols = move(s.cols)
	out.tables = make([]scopeTable, len(s.tables))
	for i, t := range s.tables {
		out.tables[i] = t
		out.tables[i].cols = move(t.cols)
	}
	return out
}

// table finds an entry by name.
func (s *scope) table(name string) *scopeTable {
	for i := range s.tables {
		if s.tables[i].name == name {
			return &s.tables[i]
		}
	}
	return nil
}

// columnsNamed lists the columns of the name among cols.
func columnsNamed(cols []scopeCol, name string) []scopeCol {
	var out []scopeCol
	for _, c := range cols {
		if c.name == name {
			out = append(out, c)
		}
	}
	return out
}

// source finds the table column that column i of the node is; nil for none.
func (s *scope) source(i int) (*scopeTable, string) {
	for k := range s.tables {
		for _, c := range s.tables[k].cols {
			if c.e.Op == expr.OpCol && c.e.Col == i {
				return &s.tables[k], c.name
			}
		}
	}
	return nil, ""
}

// hiddenPrefix begins the names of the columns that * does not show.
const hiddenPrefix = "__doris_"

// column resolves name or table.name; nil and a complaint if it means nothing,
// or more than one column.

func (b *binder) column(id *ast.Ident, s *scope) *expr.Expr {
	last := id.Parts[len(id.Parts)-1]
	cols, shown := s.cols, last.Text
	switch {
	case len(id.Parts) > 3:
		b.unsupported(id.Pos(), "a column name of more than three parts", "Write table.column.")
		return nil
	case len(id.Parts) > 1:
		table := id.Parts[len(id.Parts)-2].Text
		t := s.table(table)
		if t == nil || len(id.Parts) == 3 && t.schema != id.Parts[0].Text {
			if !s.open {
				b.missingTable(table, id.Pos(), s)
			}
			return nil
		}
		cols, shown = t.cols, table+"."+last.Text
	}
	found := columnsNamed(cols, last.Text)
	switch {
	case len(found) == 1:
		return found[0].e.At(int(id.Pos()))
	case len(found) > 1 && !s.open:
		b.errorf(codeAmbiguousColumn, id.Pos(), "column reference %q is ambiguous", last.Text)
	case s.open:
	case strings.HasPrefix(last.Text, hiddenPrefix):
		b.errorf("42703", id.Pos(), "Unknown column '%s' in 'table list'", strings.ToUpper(last.Text)).Hint =
			hiddenHint(last.Text)
	case len(id.Parts) > 1:
		b.errorf("42703", id.Pos(), "column %s does not exist", shown).Hint = s.similar(cols, last.Text)
	default:
		b.errorf("42703", id.Pos(), "column %q does not exist", shown).Hint = s.similar(cols, last.Text)
	}
	return nil
}

func hiddenHint(column string) string {
	switch {
	case column == commitColumn:
		return "The rows of tables and materialized views have it, in a query."
	case strings.HasPrefix(column, "__doris_stream_"):
		return "The changes of a stream have it. Those of t@incr() have __DORIS_BINLOG_OP__ and its kin, the rows of a table or of an image none."
	}
	return "The changes of t@incr() have it. Those of a stream have __DORIS_STREAM_CHANGE_TYPE_COL__ and its kin, the rows of a table or of an image none."
}

func (b *binder) missingTable(name string, pos ast.Pos, s *scope) {
	e := b.errorf(codeNoTable, pos, "missing FROM-clause entry for table %q", name)
	at := Nearest(name, func(yield func(string) bool) {
		for _, t := range s.tables {
			if !yield(t.name) {
				return
			}
		}
	})
	if at != "" {
		e.Hint = "Perhaps you meant to reference the table alias \"" + at + "\"."
	}
}

// similar is a hint that names the column which is spelt most like name, "" if
// none is near.
func (s *scope) similar(cols []scopeCol, name string) string {
	best, at := maxDistance(name)+1, ""
	for _, c := range cols {
		if d := distance(name, c.name, best); d < best {
			best, at = d, c.table+"."+c.name
			if c.table == "" {
				at = c.name
			}
		}
	}
	if at == "" {
		return ""
	}
	return "Perhaps you meant to reference the column \"" + at + "\"."
}
