package ast

import (
	"strconv"
	"strings"

	"github.com/ivmc/ivmc/grammar/gen"
)

// isColumnWord says whether a word may name a column but not a function.
func isColumnWord(kind int) bool { return kind >= gen.IVMBETWEEN && kind <= gen.IVMVALUES }

func (p *printer) exprs(es []Expr) {
	for i, e := range es {
		p.comma(i)
		if e == nil {
			p.put("DEFAULT")
			continue
		}
		p.expr(e, 0)
	}
}

// strengthOf gives how tightly an expression binds as printed.
func strengthOf(e Expr) int {
	switch e := e.(type) {
	case *Binary:
		for _, row := range infixes {
			if row.op == e.Op {
				return row.prec
			}
		}
		return precOther
	case *Unary:
		switch e.Op {
		case "not":
			return precNot
		case "+", "-":
			return precSign
		}
		return precOther
	case *Quantified:
		if strings.HasSuffix(e.Op, "like") {
			return precMatch
		}
		return strengthOf(&Binary{Op: e.Op})
	case *Collate:
		return precCollate
	case *Is, *IsDistinct:
		return precIs
	case *In, *Between, *Like:
		return precMatch
	}
	return precPrimary
}

// expr writes e, in parentheses if it binds looser than min.
func (p *printer) expr(e Expr, min int) {
	prec := strengthOf(e)
	if prec < min {
		p.put("(")
		defer p.put(")")
	}
	switch e := e.(type) {
	case *Binary:
		p.binary(e, prec)
	case *Unary:
		p.unary(e)
	case *Quantified:
		p.expr(e.X, prec+1)
		p.put(" ", e.Op, [...]string{" ANY (", " ALL ("}[index(e.All)])
		if e.Query != nil {
			p.query(e.Query)
		} else {
			p.expr(e.Array, 0)
		}
		p.put(")")
	case *Collate:
		p.expr(e.X, precCollate)
		p.put(" COLLATE ")
		p.name(e.Name)
	case *Is:
		p.expr(e.X, precIs+1)
		p.put(" IS ")
		p.when(e.Not, "NOT ")
		p.put(strings.ToUpper(e.What))
	case *IsDistinct:
		p.expr(e.L, precIs+1)
		p.put(" IS ")
		p.when(e.Not, "NOT ")
		p.put("DISTINCT FROM ")
		p.expr(e.R, precIs+1)
	case *In:
		p.in(e)
	case *Between:
		p.expr(e.X, precMatch+1)
		p.when(e.Not, " NOT")
		p.put(" BETWEEN ")
		p.when(e.Symmetric, "SYMMETRIC ")
		p.expr(e.Low, precMatch+1)
		p.put(" AND ")
		p.expr(e.High, precMatch+1)
	case *Like:
		p.like(e)
	case *GroupingSets:
		if len(e.Items) > 0 {
			p.put([...]string{"GROUPING SETS ", "ROLLUP ", "CUBE "}[e.Kind])
		}
		p.put("(")
		p.exprs(e.Items)
		p.put(")")
	default:
		p.primary(e)
	}
}

func (p *printer) binary(e *Binary, prec int) {
	left := prec
	if prec == precCompare {
		left++
	}
	p.expr(e.L, left)
	p.put(" ", strings.ToUpper(e.Op), " ")
	p.expr(e.R, prec+1)
}

// unary keeps two signs apart: "--" would be a comment.
func (p *printer) unary(e *Unary) {
	if e.Op == "not" {
		p.put("NOT ")
		p.expr(e.X, precNot)
		return
	}
	p.put(e.Op)
	if e.Op != "+" && e.Op != "-" { // a sign behind it would be a part of it
		p.put(" ")
		p.expr(e.X, precOther+1)
		return
	}
	p.expr(e.X, precSign+1)
}

func (p *printer) in(e *In) {
	p.expr(e.X, precMatch+1)
	p.when(e.Not, " NOT")
	p.put(" IN ")
	if e.Query != nil {
		p.inParens(e.Query)
		return
	}
	p.put("(")
	p.exprs(e.List)
	p.put(")")
}

func (p *printer) like(e *Like) {
	p.expr(e.X, precMatch+1)
	p.when(e.Not, " NOT")
	p.put([...]string{" LIKE ", " ILIKE "}[index(e.Fold)])
	p.expr(e.Pattern, precMatch+1)
	if e.Escape != nil {
		p.put(" ESCAPE ")
		p.expr(e.Escape, precMatch+1)
	}
}

func (p *printer) primary(e Expr) {
	switch e := e.(type) {
	case *Ident:
		for i, n := range e.Parts {
			p.when(i > 0, ".")
			p.name(n)
		}
	case *Star:
		if e.Table.Text != "" {
			p.name(e.Table)
			p.put(".")
		}
		p.put("*")
	case *Literal:
		p.literal(e)
	case *TypedLiteral:
		p.typedLiteral(e)
	case *Param:
		p.put("$", strconv.Itoa(e.N))
	case *Call:
		p.call(e)
	case *Window:
		p.window(e)
	case *Case:
		p.caseExpr(e)
	case *Cast:
		p.put("CAST(")
		p.expr(e.X, 0)
		p.put(" AS ")
		p.typeName(e.Type)
		p.put(")")
	case *Extract:
		p.put("EXTRACT(", QuoteString(e.Field), " FROM ")
		p.expr(e.X, 0)
		p.put(")")
	case *Exists:
		p.put("EXISTS ")
		p.inParens(e.Query)
	case *Subquery:
		p.inParens(e.Query)
	case *Row:
		p.put("ROW(")
		p.exprs(e.Items)
		p.put(")")
	case *Array:
		p.put("ARRAY")
		if e.Query != nil {
			p.inParens(e.Query)
			return
		}
		p.put("[")
		p.exprs(e.Items)
		p.put("]")
	case *Subscript:
		p.subscript(e)
	}
}

// subscript writes all but a name in parentheses, as PostgreSQL wants it.
func (p *printer) subscript(e *Subscript) {
	_, bare := e.X.(*Ident)
	p.when(!bare, "(")
	p.expr(e.X, 0)
	p.when(!bare, ")")
	p.put("[")
	if e.Low != nil {
		p.expr(e.Low, 0)
	}
	p.when(e.Slice, ":")
	if e.High != nil {
		p.expr(e.High, 0)
	}
	p.put("]")
}

func (p *printer) literal(e *Literal) {
	switch e.Kind {
	case NullLit:
		p.put("NULL")
	case BoolLit:
		p.put(strings.ToUpper(e.Text))
	case StringLit:
		p.put(QuoteString(e.Text))
	default:
		p.put(e.Text)
	}
}

// typedLiteral writes the field of an interval behind the string.
func (p *printer) typedLiteral(e *TypedLiteral) {
	t, field := e.Type, ""
	if f, ok := strings.CutPrefix(t.Name, "interval "); ok {
		t.Name, field = "interval", " "+strings.ToUpper(f)
	}
	p.typeName(t)
	p.put(" ", QuoteString(e.Text), field)
}

// call writes the functions that have words of their own with those: in quotes
// they would be read as any function, but that is an eyesore.
// bare is whether nothing but arguments stands in the parentheses, and behind them.
func (e *Call) bare() bool {
	return !e.Star && !e.Distinct && len(e.OrderBy) == 0 && len(e.Within) == 0 && e.Filter == nil
}

func (p *printer) call(e *Call) {
	kind, _ := keyword(e.Name.Text)
	bare := e.bare()
	switch {
	case kind == gen.IVMNILADIC && bare && len(e.Args) == 0:
		p.put(upper(e.Name.Text))
	case kind == gen.IVMPOSITION && bare && len(e.Args) == 2:
		p.put("POSITION(")
		p.expr(e.Args[1], precMatch+1)
		p.put(" IN ")
		p.expr(e.Args[0], 0)
		p.put(")")
	case (kind == gen.IVMSUBSTRING || kind == gen.IVMOVERLAY) && bare && len(e.Args) > 0:
		p.put(upper(e.Name.Text), "(")
		p.exprs(e.Args)
		p.put(")")
	default:
		p.plainCall(e)
	}
}

func (p *printer) plainCall(e *Call) {
	if _, ok := groupingWords[e.Name.Text]; ok { // a function of that name, which GROUP BY would take for its own
		p.put(`"`, e.Name.Text, `"`)
	} else {
		p.name(e.Name)
	}
	p.put("(")
	p.when(e.Star, "*")
	p.when(e.Distinct, "DISTINCT ")
	p.exprs(e.Args)
	p.orderBy(" ORDER BY ", e.OrderBy)
	p.put(")")
	if len(e.Within) > 0 {
		p.put(" WITHIN GROUP (")
		p.orderBy("ORDER BY ", e.Within)
		p.put(")")
	}
	if e.Filter != nil {
		p.put(" FILTER (WHERE ")
		p.expr(e.Filter, 0)
		p.put(")")
	}
}

func (p *printer) caseExpr(e *Case) {
	p.put("CASE")
	p.clause(" ", e.Operand)
	for _, w := range e.Whens {
		p.clause(" WHEN ", w.Cond)
		p.clause(" THEN ", w.Then)
	}
	p.clause(" ELSE ", e.Else)
	p.put(" END")
}
