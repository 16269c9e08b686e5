package expr

import (
	"strconv"
	"strings"

	"github.com/ivmc/ivmc/zset"
)

// String prints e with columns as #i.
func (e *Expr) String() string {
	return e.Format(func(i int) string { return "#" + strconv.Itoa(i) })
}

// Format prints e as SQL, columns by col.
func (e *Expr) Format(col func(int) string) string {
	p := printer{col: col}
	p.expr(e, 0)
	return p.b.String()
}

type printer struct {
	b   strings.Builder
	col func(int) string
}

// The binding strengths of what is printed; arguments that bind less get parentheses.
const (
	bindsOr = iota + 1
	bindsAnd
	bindsNot
	bindsIs
	bindsCompare
	bindsOther // ||, LIKE, IN
	bindsSum
	bindsProduct
	bindsUnary
	bindsCast
)

var strength = map[string]int{
	"=": bindsCompare, "<>": bindsCompare, "<": bindsCompare, "<=": bindsCompare, ">": bindsCompare, ">=": bindsCompare,
	"is distinct from": bindsIs, "is not distinct from": bindsIs,
	"is true": bindsIs, "is not true": bindsIs, "is false": bindsIs, "is not false": bindsIs,
	"@>": bindsOther, "<@": bindsOther, "&&": bindsOther,
	"||": bindsOther, "like": bindsOther, "not like": bindsOther, "ilike": bindsOther, "not ilike": bindsOther,
	"+": bindsSum, "-": bindsSum, "*": bindsProduct, "/": bindsProduct, "%": bindsProduct,
}

func (p *printer) open(own, outer int) bool {
	if own < outer {
		p.b.WriteByte('(')
	}
	return own < outer
}

func (p *printer) close(opened bool) {
	if opened {
		p.b.WriteByte(')')
	}
}

// list prints args with sep between them, each binding at least as strength.
func (p *printer) list(args []*Expr, sep string, outer int) {
	for i, a := range args {
		if i > 0 {
			p.b.WriteString(sep)
		}
		p.expr(a, outer)
	}
}

func (p *printer) expr(e *Expr, outer int) {
	switch e.Op {
	case OpCol:
		p.b.WriteString(p.col(e.Col))
	case OpConst:
		p.constant(e.Val, outer)
	case OpCall:
		p.call(e, outer)
	case OpAnd:
		o := p.open(bindsAnd, outer)
		p.list(e.Args, " AND ", bindsAnd+1)
		p.close(o)
	case OpOr:
		o := p.open(bindsOr, outer)
		p.list(e.Args, " OR ", bindsOr+1)
		p.close(o)
	case OpNot:
		o := p.open(bindsNot, outer)
		p.b.WriteString("NOT ")
		p.expr(e.Args[0], bindsNot+1)
		p.close(o)
	case OpIsNull, OpIsNotNull:
		o := p.open(bindsIs, outer)
		p.expr(e.Args[0], bindsIs+1)
		p.b.WriteString(map[Op]string{OpIsNull: " IS NULL", OpIsNotNull: " IS NOT NULL"}[e.Op])
		p.close(o)
	case OpIn:
		o := p.open(bindsOther, outer)
		p.expr(e.Args[0], bindsOther+1)
		p.b.WriteString(" IN (")
		p.list(e.Args[1:], ", ", 0)
		p.b.WriteByte(')')
		p.close(o)
	case OpCase:
		p.cases(e)
	default:
		p.b.WriteString(map[Op]string{OpCoalesce: "coalesce(", OpGreatest: "greatest(", OpLeast: "least("}[e.Op])
		p.list(e.Args, ", ", 0)
		p.b.WriteByte(')')
	}
}

func (p *printer) cases(e *Expr) {
	p.b.WriteString("CASE")
	last := len(e.Args) - 1
	for k := 0; k < last; k += 2 {
		p.b.WriteString(" WHEN ")
		p.expr(e.Args[k], 0)
		p.b.WriteString(" THEN ")
		p.expr(e.Args[k+1], 0)
	}
	if !e.Args[last].IsNull() {
		p.b.WriteString(" ELSE ")
		p.expr(e.Args[last], 0)
	}
	p.b.WriteString(" END")
}

func (p *printer) call(e *Expr, outer int) {
	if args := plainArgs(e); len(args) < len(e.Args) {
		c := *e
		c.Args = args
		e = &c
	}
	name, _, _ := strings.Cut(e.Fn, "(")
	own, infix := strength[name]
	switch {
	case isCastName(name):
		o := p.open(bindsCast, outer)
		p.expr(e.Args[0], bindsCast)
		p.b.WriteString("::" + e.Typ.String())
		p.close(o)
	case name == "extract":
		p.b.WriteString("extract(")
		if f := e.Args[0]; f.Op == OpConst && !f.Val.Null {
			p.b.WriteString(f.Val.S)
		} else {
			p.expr(f, 0)
		}
		p.b.WriteString(" FROM ")
		p.expr(e.Args[1], 0)
		p.b.WriteByte(')')
	case name == arrayName:
		p.b.WriteString("ARRAY[")
		p.list(e.Args, ", ", 0)
		p.b.WriteByte(']')
	case name == subscriptName || name == sliceName:
		p.expr(e.Args[0], bindsCast+1)
		p.b.WriteByte('[')
		p.list(e.Args[1:], ":", 0)
		p.b.WriteByte(']')
	case name == anyOf || name == allOf:
		o := p.open(bindsOther, outer)
		p.expr(e.Args[1], bindsOther+1)
		p.b.WriteString(" " + upperName(e.Args[0].Val.S) + " " + upperName(name) + " (")
		p.expr(e.Args[2], 0)
		p.b.WriteByte(')')
		p.close(o)
	case !infix:
		p.b.WriteString(name + "(")
		p.list(e.Args, ", ", 0)
		p.b.WriteByte(')')
	case own == bindsIs && len(e.Args) == 1:
		o := p.open(own, outer)
		p.expr(e.Args[0], own+1)
		p.b.WriteString(" " + upperName(name))
		p.close(o)
	case len(e.Args) == 1:
		o := p.open(bindsUnary, outer)
		p.b.WriteString(name)
		p.expr(e.Args[0], bindsUnary+1)
		p.close(o)
	default:
		o := p.open(own, outer)
		left := own
		if own == bindsCompare || own == bindsIs || own == bindsOther && name != "||" {
			left++ // not associative
		}
		p.expr(e.Args[0], left)
		p.b.WriteString(" " + upperName(name) + " ")
		p.expr(e.Args[1], own+1)
		if len(e.Args) == 3 {
			p.b.WriteString(" ESCAPE ")
			p.expr(e.Args[2], own+1)
		}
		p.close(o)
	}
}

// constant prints numbers as they are, other values as typed literals.
func (p *printer) constant(v zset.Value, outer int) {
	switch {
	case v.Null && v.Type.Kind == zset.Unknown:
		p.b.WriteString("NULL")
		return
	case v.Null:
		p.b.WriteString("NULL::" + v.Type.String())
		return
	case v.Type.Kind == zset.Bool:
		p.b.WriteString(map[bool]string{true: "TRUE", false: "FALSE"}[v.I != 0])
		return
	}
	s := v.Text()
	switch k := categoryOf(v.Type.Kind); {
	case k == catNumber && isDigits(s):
		o := p.open(bindsUnary, map[bool]int{true: outer}[s[0] == '-'])
		p.b.WriteString(s)
		p.close(o)
	case k == catString || k == catUnknown:
		p.b.WriteString(quote(s))
	default:
		p.b.WriteString(quote(s) + "::" + v.Type.String())
	}
}

// isDigits: a plain number, not NaN or Infinity.
func isDigits(s string) bool {
	return s != "" && (s[len(s)-1] >= '0' && s[len(s)-1] <= '9')
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
