package conformance

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// generator makes random expressions from the function table.
type generator struct {
	r     *rand.Rand
	funcs []*expr.Func
	types []zset.Type
	cols  map[zset.Type][]string // columns that may be read

	constants bool // leaves may be constants
	untyped   bool // a literal without a type is at hand: one a call, or PostgreSQL finds too many overloads
}

func newGenerator(seed uint64, cols map[zset.Type][]string) *generator {
	g := &generator{r: rand.New(rand.NewPCG(seed, 3)), types: types(), cols: cols, constants: true}
	for _, f := range expr.Functions() {
		if !f.Volatile && !f.Extension && !f.Rows && !strings.HasPrefix(f.Name, "assign") && !strings.HasPrefix(f.Name, "order_as") {
			g.funcs = append(g.funcs, f)
		}
	}
	return g
}

func pick[T any](g *generator, xs []T) T { return xs[g.r.IntN(len(xs))] }

// leaf is a column or a constant of type t.
func (g *generator) leaf(t zset.Type) string {
	if t == zset.TNumeric && g.r.IntN(5) == 0 {
		t = boundedNumeric
	}
	if cols := g.cols[t]; len(cols) > 0 && (!g.constants || g.r.IntN(2) > 0) {
		return pick(g, cols)
	}
	text := pick(g, edgesOf(t))
	quoted := quote(text)
	if t.Kind == zset.Unknown {
		return quoted
	}
	switch g.r.IntN(4) {
	case 0:
		if g.untyped {
			g.untyped = false
			return quoted
		}
	case 1:
		if (t.Kind == zset.Int4 || t.Kind == zset.Numeric) && strings.Trim(text, "0123456789.") == "" && text != "" {
			return text
		}
	}
	return "CAST(" + quoted + " AS " + t.String() + ")"
}

// expression is of type t, or of one that may become t.
func (g *generator) expression(t zset.Type, depth int) string {
	if t.Kind == expr.Any {
		t = pick(g, g.types)
		depth = min(depth, 1)
	}
	if depth <= 0 {
		return g.leaf(t)
	}
	if g.r.IntN(10) == 0 && len(g.cols) > 0 {
		return g.special(t, depth)
	}
	for range 200 {
		f := pick(g, g.funcs)
		switch {
		case f.Result == t.Kind && f.Result != zset.Array:
			return g.call(f, pick(g, arrayKinds), depth)
		case f.Result == expr.Element && slices.Contains(arrayKinds, t.Kind):
			return g.call(f, t.Kind, depth)
		case f.Result == zset.Array && t.Kind == zset.Array && (f.Name == "cast" || slices.Contains(f.Args, zset.Array)):
			return g.call(f, t.Elem, depth)
		}
	}
	return g.leaf(t)
}

// special is a form that leaves arguments out. They are no constants: PostgreSQL
// computes those before it looks, errors and all.
func (g *generator) special(t zset.Type, depth int) string {
	constants := g.constants
	g.constants = false
	defer func() { g.constants = constants }()
	a, b, c := g.expression(t, depth-1), g.expression(t, depth-1), g.expression(zset.TBool, depth-1)
	switch g.r.IntN(9) {
	case 0:
		return "CASE WHEN " + c + " THEN " + a + " ELSE " + b + " END"
	case 1:
		return "coalesce(" + a + ", " + b + ")"
	case 2:
		return "nullif(" + a + ", " + b + ")"
	case 3:
		return "greatest(" + a + ", " + b + ")"
	case 4:
		return "least(" + a + ", " + b + ")"
	case 5:
		return "CASE " + a + " WHEN " + b + " THEN " + a + " END"
	case 6:
		return "(" + a + " IN (" + b + ", " + g.expression(t, 0) + "))"
	case 7:
		return "(" + a + " BETWEEN " + b + " AND " + g.expression(t, 0) + ")"
	}
	return "(" + a + ")"
}

// units are what the first argument of functions of time may be.
var units = []string{"year", "month", "day", "hour", "minute", "second", "quarter", "week", "dow", "doy", "isodow", "isoyear", "decade", "century", "millennium",
	"epoch", "microseconds", "milliseconds", "julian", "nope"}

// formats are what the second argument of to_char may be.
var formats = []string{"YYYY-MM-DD HH24:MI:SS.US", "FMDay, FMDDth Month AD", "Q WW DDD AM HH12", "Mon YY, \"Day\" D", "SSSS MS CC", ""}

// place is an argument of a function.
type place struct {
	name string
	at   int
}

// known are the texts that say something as that argument.
var known = map[place][]string{
	{"extract", 0}: units, {"date_trunc", 0}: units, {"date_part", 0}: units,
	{"to_char", 1}:      formats,
	{"timezone", 0}:     {"UTC", "Europe/Berlin", "america/new_york", "+02", "-3:30", "x4", "<+05>-5", "EST", "nowhere", "+168"},
	{"format", 0}:       {"%s", "%I|%L", "%%|%5s|", "%-5s|%s", "%2$s %1$s", "%*s", "%1$*2$s", "%", "%d", "%0$s", "none", "%s %s %s", "%L %-8I|"},
	{"regexp_match", 1}: patterns, {"regexp_split_to_array", 1}: patterns, {"regexp_instr", 1}: patterns,
	{"regexp_match", 2}: {"", "i", "g", "in", "z"}, {"regexp_split_to_array", 2}: {"", "i", "g", "q"}, {"regexp_instr", 5}: {"", "i", "g"},
}

// patterns are regular expressions.
var patterns = []string{"a", "(a)(x)?", "[0-9]+", "b*", "", "^.", "(b)|(c)", "\\s", "(", "."}

// call is a call of f; where it has arrays they are of elem.
func (g *generator) call(f *expr.Func, elem zset.Kind, depth int) string {
	g.untyped = len(f.Args) == 2
	defer func() { g.untyped = false }()
	var args []string
	for i := range f.Args {
		if pool := known[place{f.Name, i}]; pool != nil && f.Args[i] == zset.Text {
			args = append(args, quote(pick(g, pool)))
			g.untyped = false
			continue
		}
		args = append(args, g.expression(g.argument(f, i, elem), g.r.IntN(depth)))
		g.untyped = g.untyped && depth == 1 && !strings.HasPrefix(args[i], "'")
	}
	if f.Variadic && g.r.IntN(2) == 0 {
		args = append(args, g.expression(g.argument(f, len(f.Args)-1, elem), 0))
	}
	if f.Result == zset.Array && f.Name == "cast" {
		return "CAST(" + args[0] + " AS " + zset.ArrayBounded(typeOf(elem)).String() + ")"
	}
	return g.write(f, args)
}

// argument is the type of argument i of a call.
func (g *generator) argument(f *expr.Func, i int, elem zset.Kind) zset.Type {
	switch k := f.Args[i]; {
	case k == zset.Array && f.Name == "cast":
		return zset.ArrayBounded(typeOf(pick(g, arrayKinds)))
	case k == zset.Array:
		return zset.ArrayBounded(typeOf(elem))
	case k == expr.Element, k == expr.Any && (f.Name == "any" || f.Name == "all"):
		return typeOf(elem)
	default:
		return typeOf(k)
	}
}

// write is a call as SQL.
func (g *generator) write(f *expr.Func, args []string) string {
	first := f.Name[0]
	switch {
	case f.Name == "array":
		return "ARRAY[" + strings.Join(args, ", ") + "]"
	case f.Name == "[]" || f.Name == "[:]":
		return "(" + args[0] + ")[" + strings.Join(args[1:], ":") + "]"
	case f.Name == "any" || f.Name == "all":
		op := pick(g, []string{"=", "=", "<>", "<", ">="})
		return "(" + args[1] + " " + op + " " + f.Name + "(" + args[2] + "))"
	case f.Name == "position":
		return "position(" + args[1] + " IN " + args[0] + ")"
	case f.Name == "cast":
		return "CAST(" + args[0] + " AS " + g.modified(f.Result) + ")"
	case f.Name == "extract":
		return "extract(" + strings.Trim(args[0], "'") + " FROM " + args[1] + ")"
	case strings.HasPrefix(f.Name, "is ") && len(args) == 1:
		return "(" + args[0] + " " + f.Name + ")"
	case strings.HasSuffix(f.Name, "like") && len(args) == 3:
		return "(" + args[0] + " " + f.Name + " " + args[1] + " ESCAPE " + args[2] + ")"
	case strings.Contains(f.Name, " ") || strings.HasSuffix(f.Name, "like"):
		return "(" + args[0] + " " + f.Name + " " + args[1] + ")"
	case (first < 'a' || first > 'z') && len(args) == 1:
		return "(" + f.Name + " " + args[0] + ")"
	case first < 'a' || first > 'z':
		return "(" + args[0] + " " + f.Name + " " + args[1] + ")"
	}
	return f.Name + "(" + strings.Join(args, ", ") + ")"
}

// modified is a type of kind k, now and then with modifiers.
func (g *generator) modified(k zset.Kind) string {
	t := typeOf(k)
	if g.r.IntN(2) == 0 {
		switch k {
		case zset.Numeric:
			t.Prec, t.Scale = int16(10+g.r.IntN(20)), int16(g.r.IntN(10))
		case zset.Varchar, zset.Char:
			t.Prec = int16(1 + g.r.IntN(4))
		case zset.Time, zset.Timestamp, zset.TimestampTZ, zset.Interval:
			t = zset.WithFraction(k, g.r.IntN(7))
		}
	}
	return t.String()
}

// columns names two columns for each kind, and gives their DDL.
func columns() (cols map[zset.Type][]string, ddl string, of []zset.Type) {
	cols = map[zset.Type][]string{}
	var defs []string
	for _, t := range types() {
		for _, c := range []string{"a_", "b_"} {
			name := c + identifier(t)
			cols[t] = append(cols[t], name)
			of = append(of, t)
			if t == zset.TNumeric && c == "b_" {
				t.Prec, t.Scale = 12, 3
			}
			defs = append(defs, name+" "+t.String())
		}
	}
	return cols, strings.Join(defs, ", "), of
}

// identifier is the name of a type as part of a name.
func identifier(t zset.Type) string {
	return strings.NewReplacer(" ", "_", "[]", "_s", "(", "", ")", "", ",", "_").Replace(t.String())
}

// row is the cells of a random row of such columns.
func (g *generator) row(types []zset.Type) string {
	var cells []string
	for i, t := range types {
		switch {
		case g.r.IntN(8) == 0:
			cells = append(cells, "NULL")
		case t == zset.TNumeric && i > 0 && types[i-1] == t:
			cells = append(cells, pick(g, []string{"0", "1.5", "-0.125", "999999999.999", "3"}))
		default:
			cells = append(cells, quote(pick(g, edgesOf(t))))
		}
	}
	return strings.Join(cells, ", ")
}
