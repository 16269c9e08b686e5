package expr

import (
	"slices"
	"strings"

	"github.com/ivmc/ivmc/zset"
)

// Any is an argument kind that takes every type as it is, without a cast.
const Any zset.Kind = 255

// Func is one row of the function table: an overload of a function, an
// operator, or a cast. Everything that is known of it stands here; resolution,
// EXPLAIN, the compiler, docs and the random generators of tests read this row.
type Func struct {
	Name     string
	Args     []zset.Kind
	Variadic bool // the last kind stands for one or more arguments
	Result   zset.Kind

	Strict   bool // NULL if any argument is NULL; the row function then never sees one
	Raises   bool // may fail on some arguments
	Volatile bool // reads the clock, and has no row function, see Freeze; or a custom one that says so
	Costly   bool // worth a narrowed selection
	zoned    bool // one more argument, the zone of the setting TimeZone; see InZone
	// zonedFor is zoned for calls of these argument and result types alone.
	zonedFor func(args []zset.Type, result zset.Type) bool
	// elementwise: see inner.
	elementwise bool
	// sameArrays: the arrays of a call have one type as they are.
	sameArrays bool

	// Rows: SQL sees a row for each element of the array that it gives.
	Rows bool

	// Extension: PostgreSQL has no such function; docs/sql.md says what it means.
	Extension bool

	// result gives the result type with modifiers; nil: Result without any.
	result func(args []zset.Type) zset.Type
	// spares refines Raises for a call: true if this call cannot fail.
	spares func(e *Expr) bool
	// row computes one cell; it is the meaning of the function.
	row rowFunc
	// bind specialises row for constant arguments (nil entries are not
	// constant); a nil result means that row serves. The closure is shared by
	// all evaluators: it holds no scratch.
	bind func(consts []*zset.Value) rowFunc
	// bindDense is bind for dense.
	bindDense func(consts []*zset.Value) denseFunc
	// custom is what stands for row where the program brings the function along.
	custom *Custom
	// dense computes a whole batch and must agree with row; it may decline.
	dense denseFunc
}

// Signature is the key of the row: name(kinds).
// A cast is name(from as to).
func (f *Func) Signature() string {
	if isCastName(f.Name) {
		return castSignature(f.Name, f.Args[0], f.Result)
	}
	return signature(f.Name, f.Args, f.Variadic)
}

// rowFunc writes the cell of row i, by the frame's setters.
type rowFunc func(f *frame, i int)

// denseFunc writes cells [0, f.n) of a fixed-width result over whatever the
// arguments hold, NULL cells (content 0) included. It reports false, having
// written nothing that matters, where the row function has to be used.
type denseFunc func(f *frame) bool

func signature(name string, args []zset.Kind, variadic bool) string {
	var b strings.Builder
	b.WriteString(name)
	b.WriteByte('(')
	for i, k := range args {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(kindName(k))
	}
	if variadic {
		b.WriteString("...")
	}
	b.WriteByte(')')
	return b.String()
}

func kindName(k zset.Kind) string {
	switch k {
	case Any:
		return "any"
	case Element:
		return "anyelement"
	}
	return k.String()
}

// funcTable is the function table with its indexes. It never changes.
type funcTable struct {
	rows   []*Func
	bySig  map[string]*Func
	byName map[string][]*Func
}

// funcs is built once, from data alone.
var funcs = newFuncTable(
	rowBytesFuncs(), oneRowFuncs(), pairFuncs(),
	comparisonFuncs(), intFuncs(), floatFuncs(), numericFuncs(),
	textFuncs(), padFuncs(), partFuncs(), codeFuncs(), likeFuncs(), regexFuncs(),
	bitFuncs(), bucketFuncs(), quotientFuncs(), circleFuncs(),
	timeFuncs(), extractFuncs(), truncFuncs(), charFuncs(), binFuncs(), intervalFuncs(), makeFuncs(), realFuncs(), castFuncs(),
	bytesFuncs(), regexArrays(), seriesFuncs(), similarFuncs(), formatFuncs(), orderedSetFuncs(),
	zonedFuncs(), arrayFuncs(), digestFuncs(), nullFuncs(), arrayCasts(), quantifiedFuncs(),
)

func newFuncTable(parts ...[]Func) *funcTable {
	t := &funcTable{bySig: map[string]*Func{}, byName: map[string][]*Func{}}
	for _, p := range parts {
		for i := range p {
			f := &p[i]
			t.bySig[f.Signature()] = f
			if f.Name == rowBytes || f.Name == keyBytes || f.Name == oneRow || f.Name == pairName || strings.HasSuffix(f.Name, within) {
				continue // of plans alone: no name of SQL, no row of docs
			}
			t.rows = append(t.rows, f)
			t.byName[f.Name] = append(t.byName[f.Name], f)
		}
	}
	return t
}

// Functions lists the function table, operators first, then by name; casts are
// named cast, assign and order_as, see [Cast]. The rows are read-only.
func Functions() []*Func {
	rows := slices.Clone(funcs.rows)
	slices.SortStableFunc(rows, func(a, b *Func) int {
		if x, y := isOperator(a.Name), isOperator(b.Name); x != y {
			if x {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	return rows
}

// Callable reports whether SQL can call f by its name: it is no operator, no cast,
// and has no syntax of its own.
func (f *Func) Callable() bool {
	switch f.Name {
	case arrayName, anyOf, allOf, "like", "ilike":
		return false
	}
	return !isOperator(f.Name) && !isCastName(f.Name)
}

// IsFunction reports whether name is the name of a function (not an operator) that [Call] knows.
func IsFunction(name string) bool {
	if isOperator(name) || isCastName(name) {
		return false
	}
	_, special := specialForms()[name]
	return special || len(funcs.byName[alias(name)]) > 0
}

// isOperator: names of operators hold no letter at the start, or a space.
func isOperator(name string) bool {
	c := name[0]
	return !(c >= 'a' && c <= 'z' || c == '_') || strings.ContainsRune(name, ' ')
}

// alias maps the other names of a function to the one in the table.
func alias(name string) string {
	if n, ok := aliases[name]; ok {
		return n
	}
	return name
}

var aliases = map[string]string{
	"!=":               "<>",
	"ceiling":          "ceil",
	"char_length":      "length",
	"character_length": "length",
	"pow":              "power",
	"^":                "power",
	"@":                "abs",
	"lcase":            "lower",
	"ucase":            "upper",
	"instr":            "strpos",
	"strleft":          "left",
	"strright":         "right",
	"trim":             "btrim",
	"mod":              "%",
	"~~":               "like",
	"!~~":              "not like",
	"~~*":              "ilike",
	"!~~*":             "not ilike",
}
