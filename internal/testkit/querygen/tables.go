package querygen

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/ivmc/ivmc/zset"
)

// Options says what may occur. The zero value is what every part of the system
// and every view can do.
type Options struct {
	Kinds     []zset.Kind // of columns; nil: all
	Raise     bool        // expressions that fail on some rows: division by zero
	Order     bool        // ORDER BY with LIMIT and OFFSET, in subqueries too
	Top       bool        // ORDER BY with LIMIT, and OFFSET perhaps
	Distinct  bool        // SELECT DISTINCT, UNION, and queries in expressions
	Plain     bool        // no NaN, infinity or -0.0, for judges that lack them
	Aggs      []string    // names of the aggregates; nil: all there are
	Joined    bool        // statements that read other tables, and RETURNING
	Judged    bool        // no aggregate whose value SQL leaves open: twins under DISTINCT, ties in a list
	FlatComma bool        // for judges to whom a comma binds as JOIN does (SQLite): none before RIGHT and FULL JOIN
	Windows   bool        // functions OVER partitions
	Whole     bool        // and over all rows
	Joins     int         // most entries of a FROM list; 0: 3
	Depth     int         // most levels of subqueries in FROM; 0: 2
	Nest      int         // most levels of queries in expressions; 0: 2, none without Distinct
}

// Table is a table or view that queries read.
type Table struct {
	Name   string
	Schema zset.Schema
	Key    []int // positions of the primary key; nil: a bag
}

// DDL is the CREATE TABLE statement of t.
func (t Table) DDL() string {
	var parts []string
	for _, f := range t.Schema {
		col := f.Name + " " + f.Type.String()
		if f.NotNull {
			col += " NOT NULL"
		}
		parts = append(parts, col)
	}
	if len(t.Key) > 0 {
		var names []string
		for _, k := range t.Key {
			names = append(names, t.Schema[k].Name)
		}
		parts = append(parts, "PRIMARY KEY ("+strings.Join(names, ", ")+")")
	}
	return "CREATE TABLE " + t.Name + " (" + strings.Join(parts, ", ") + ")"
}

// Gen is a source of tables, rows and queries; for one goroutine.
type Gen struct {
	r   *rand.Rand
	opt Options
	tab int // aliases given out

	elem zset.Kind // of the elements of arrays

	ts   []Table // what queries in expressions read
	nest int     // levels of them that may follow
}

// New returns a source that gives the same for the same seed and options.
func New(seed uint64, opt Options) *Gen {
	if opt.Kinds == nil {
		opt.Kinds = append(zset.Kinds(), zset.Array)
	}
	if opt.Joins == 0 {
		opt.Joins = 3
	}
	if opt.Depth == 0 {
		opt.Depth = 2
	}
	if opt.Nest == 0 && opt.Distinct {
		opt.Nest = 2
	}
	g := &Gen{r: rand.New(rand.NewPCG(seed, 0x5eed)), opt: opt}
	g.elem = pick(g, []zset.Kind{zset.Int4, zset.Text, zset.Numeric, zset.Interval})
	return g
}

// chance is true in p of 100 cases.
func (g *Gen) chance(p int) bool { return g.r.IntN(100) < p }

func pick[T any](g *Gen, xs []T) T { return xs[g.r.IntN(len(xs))] }

// Tables makes n tables t0, t1, ..; about half of them have a primary key.
func (g *Gen) Tables(n int) []Table {
	out := make([]Table, n)
	for i := range out {
		t := Table{Name: fmt.Sprintf("t%d", i)}
		for c := range 2 + g.r.IntN(4) {
			f := zset.Field{Name: fmt.Sprintf("%c", 'a'+c), Type: g.columnType()}
			t.Schema = append(t.Schema, f)
		}
		// The first column is an integer, so that tables can always be joined on one.
		t.Schema[0].Type = zset.TInt8
		if g.chance(50) {
			t.Key = []int{0}
			if g.chance(30) {
				t.Key = append(t.Key, 1)
			}
			for _, k := range t.Key {
				t.Schema[k].NotNull = true
			}
		}
		out[i] = t
	}
	return out
}

func (g *Gen) columnType() zset.Type {
	t := zset.Type{Kind: pick(g, g.opt.Kinds)}
	switch {
	case t.Kind == zset.Numeric && g.chance(50):
		t.Prec, t.Scale = 10, int16(g.r.IntN(3))
	case t.Kind == zset.Varchar && g.chance(50):
		t.Prec = 5
	case t.Kind == zset.Char && g.chance(70):
		t.Prec = 3
	case t.Kind == zset.Array:
		t.Elem = g.elem
	case t.Kind.Timed() && !g.opt.Plain && g.chance(20):
		t = zset.WithFraction(t.Kind, g.r.IntN(4))
	}
	return t
}

// arrays reports whether there may be any.
func (g *Gen) arrays() bool { return slices.Contains(g.opt.Kinds, zset.Array) }

// typeOf is the type that stands for a kind.
func (g *Gen) typeOf(k zset.Kind) zset.Type {
	if k == zset.Array {
		return zset.ArrayOf(zset.Type{Kind: g.elem})
	}
	return zset.Type{Kind: k}
}

// Row is the cells of a random row of t as a row of VALUES: "(1, NULL, 'a')".
// Key columns come from a larger set, but repeat as well.
func (g *Gen) Row(t Table) string { return "(" + strings.Join(g.cells(t), ", ") + ")" }

func (g *Gen) cells(t Table) []string {
	cells := make([]string, len(t.Schema))
	for i, f := range t.Schema {
		key := false
		for _, k := range t.Key {
			key = key || k == i
		}
		switch {
		case key && (f.Type.Kind == zset.Int4 || f.Type.Kind == zset.Int8):
			cells[i] = fmt.Sprint(g.r.IntN(40) - 3)
		case !f.NotNull && g.chance(25):
			cells[i] = "NULL"
		default:
			cells[i] = g.literal(f.Type.Kind)
		}
	}
	return cells
}

// literals are the values of each kind, as SQL of that type, or as text to be cast.
var literals = map[zset.Kind][]string{
	zset.Int2:        {"0", "1", "2", "3", "-1"},
	zset.Int4:        {"0", "1", "2", "3", "-1"},
	zset.Int8:        {"0", "1", "2", "3", "-1"},
	zset.Float4:      {"0.0", "1.0", "1.5", "0.1", "-2.25", "3"},
	zset.Float8:      {"0.0", "1.0", "1.5", "0.1", "-2.25", "1e15", "3"},
	zset.Numeric:     {"0", "1", "1.0", "1.00", "2.5", "-0.5", "10"},
	zset.Text:        {"''", "'a'", "'b'", "'B'", "'ab'", "'é'"},
	zset.Varchar:     {"''", "'a'", "'b'", "'B'", "'ab'", "'é'"},
	zset.Char:        {"", " ", "a", "a ", "b", "é"},
	zset.Bytea:       {`\x`, `\x00`, `\x61`, `\x6100`, `\xff`},
	zset.Bool:        {"TRUE", "FALSE"},
	zset.Date:        {"DATE '2024-01-01'", "DATE '2024-02-29'", "DATE '1999-12-31'"},
	zset.Time:        {"00:00", "12:30:00.5", "24:00", "23:59:59.999999"},
	zset.Timestamp:   {"TIMESTAMP '2024-01-01 00:00:00'", "TIMESTAMP '2024-02-29 12:30:00.5'", "TIMESTAMP '1999-12-31 23:59:59'"},
	zset.TimestampTZ: {"2024-01-01 00:00:00+00", "2024-02-29 12:30:00.5+00", "2023-12-31 23:00:00-01"},
	zset.Interval:    {"0", "1 mon", "30 days", "29 days 24:00:00", "1 day", "24:00", "-1 mon 30 days", "00:00:01.5"},
	zset.UUID:        {"00000000-0000-0000-0000-000000000000", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "ffffffff-ffff-ffff-ffff-ffffffffffff"},
}

// arrayTexts are the texts of arrays by the kind of their elements.
var arrayTexts = map[zset.Kind][]string{
	zset.Int4:     {"{}", "{1}", "{1,2}", "{NULL}", "{1,NULL}", "{2,1}"},
	zset.Text:     {"{}", "{a}", "{a,b}", "{NULL}", "{NULL,a}", `{""}`, `{"a b","NULL"}`},
	zset.Numeric:  {"{}", "{1}", "{1.0}", "{1.00,2}", "{1,2.0}", "{NULL}", "{1,NULL}"},
	zset.Interval: {"{}", "{1 mon}", "{30 days}", "{1 day,NULL}", "{24:00,NULL}", "{NULL}"},
}

// oddFloats are what many a judge does not know.
var oddFloats = []string{"-0.0", "NaN", "Infinity", "-Infinity"}

func (g *Gen) literal(k zset.Kind) string {
	l := ""
	switch k {
	case zset.Array:
		l = pick(g, arrayTexts[g.elem])
	case zset.Float4, zset.Float8:
		l = pick(g, literals[k])
		if !g.opt.Plain && g.chance(30) {
			l = pick(g, oddFloats)
		}
	case zset.Numeric:
		if g.opt.Plain || !g.chance(10) {
			return pick(g, literals[k])
		}
		l = "NaN"
	case zset.Int2, zset.Char, zset.Bytea, zset.Time, zset.TimestampTZ, zset.Interval, zset.UUID:
		l = pick(g, literals[k])
	default:
		return pick(g, literals[k])
	}
	return "CAST('" + l + "' AS " + g.typeName(k) + ")"
}
