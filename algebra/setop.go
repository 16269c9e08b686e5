package algebra

import (
	"fmt"
	"slices"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// setOp binds a chain of set operations from left to right, without recursion to the
// left: thousands of them in a row are one loop. Types are settled pair by pair,
// as PostgreSQL does.
func (b *binder) setOp(s *ast.SetOp, with *cte) Node {
	chain := []*ast.SetOp{s}
	first := s.Left
	for {
		l, ok := first.(*ast.SetOp)
		if !ok {
			break
		}
		chain = append(chain, l)
		first = l.Left
	}
	n := b.body(first, with, true)
	// ins is the sum so far, when it is one; n is its first input, whose columns are
	// those of the sum: that itself is made only where it must be. once: of its rows
	// each is wanted once, which a UNION that follows would say again.
	var ins []Node
	var once bool
	var united Node // the last sum of which each row is wanted once
	whole := func() Node {
		switch {
		case once:
			united = distinct(&UnionAll{Ins: ins})
			return united
		case len(ins) > 1:
			return &UnionAll{Ins: ins}
		}
		return n
	}
	for i, deep := len(chain)-1, 0; i >= 0 && !b.stopped(); i-- {
		op := chain[i]
		r := b.body(op.Right, with, true)
		les, r, ok := b.matched(outputs(n), r, op)
		if ok && op.Op != ast.Union {
			if deep++; deep > deepestSetOps {
				b.errorf(codeTooComplex, op.Pos(), "statement too complex").Hint =
					fmt.Sprintf("More than %d of INTERSECT and EXCEPT stand in each other.", deepestSetOps)
				return n
			}
			n = b.settleUnknown(&Combine{L: retype(whole(), les), R: r, Except: op.Op == ast.Except, All: op.All})
			ins, once = nil, false
			continue
		}
		switch {
		case !ok:
			continue
		case !areColumns(les) || len(ins) == 0 || once && op.All:
			ins, once = []Node{retype(whole(), les)}, false
		}
		ins = append(ins, r)
		if !op.All {
			if len(ins) > 1 && ins[0] == united { // what was once is wanted once again
				ins = append(slices.Clone(united.(*Aggregate).Input.(*UnionAll).Ins), ins[1:]...)
			}
			once = true
		}
		n = ins[0]
	}
	return whole()
}

// deepestSetOps bounds the set operations that are inputs of each other: every
// look at the columns of the last goes down to the first.
const deepestSetOps = 400

// matched gives both sides of a set operation the same column types: les, the
// columns of the left one, and the node on the right.
func (b *binder) matched(les []*expr.Expr, r Node, op *ast.SetOp) ([]*expr.Expr, Node, bool) {
	word := map[ast.SetOpKind]string{ast.Union: "UNION", ast.Intersect: "INTERSECT", ast.Except: "EXCEPT"}[op.Op]
	res := outputs(r)
	if len(les) != len(res) {
		if len(b.errs) == 0 {
			b.errorf(codeSyntax, ast.Pos(columnPos(op.Right, 0)), "each %s query must have the same number of columns", word)
		}
		return les, r, false
	}
	ok := true
	for i := range les {
		pos := res[i].Pos
		if pos < 0 {
			pos = columnPos(op.Right, i)
		}
		both, _, err := expr.Unify([]*expr.Expr{les[i], res[i]}, word, int(pos))
		if err != nil {
			b.fail(err, ast.Pos(pos))
			ok = false
			continue
		}
		les[i], res[i] = both[0], both[1]
	}
	return les, retype(r, res), ok
}

// columnPos is where column i of a query stands in the text, if that is plain.
func columnPos(body ast.Body, i int) int32 {
	if s, ok := body.(*ast.Select); ok && i < len(s.Items) {
		for _, it := range s.Items[:i+1] {
			if _, star := it.Expr.(*ast.Star); star {
				return int32(it.Pos())
			}
		}
		return int32(startOf(s.Items[i].Expr))
	}
	return int32(body.Pos())
}

// values binds VALUES outside INSERT: each column takes the type common to its
// rows; columns are named column1, column2, ..
func (b *binder) values(v *ast.Values, with *cte) Node {
	out := &Values{}
	asked := make([]*scalars, len(v.Rows))
	width := len(v.Rows[0])
	for k, row := range v.Rows {
		asked[k] = &scalars{with: with}
		ctx := &exprCtx{sc: &scope{}, clause: "VALUES", scalars: asked[k]}
		if len(row) != width {
			b.errorf(codeSyntax, rowPos(v, row), "VALUES lists must all be the same length")
			return out
		}
		es := make([]*expr.Expr, width)
		for i, x := range row {
			if x == nil {
				b.errorf(codeSyntax, v.Pos(), "DEFAULT is not allowed in this context")
			} else {
				es[i] = b.expr(x, ctx)
			}
			if es[i] == nil {
				es[i] = expr.Const(zset.NullOf(zset.TUnknown))
			}
		}
		out.Rows = append(out.Rows, es)
	}
	for i := range width {
		col := make([]*expr.Expr, len(out.Rows))
		for k, row := range out.Rows {
			col[k] = row[i]
		}
		typ := col[0].Typ
		if same, t, err := expr.Unify(col, "VALUES", int(col[0].Pos)); err != nil {
			b.fail(err, v.Pos())
		} else {
			col, typ = same, t
		}
		for k := range out.Rows {
			out.Rows[k][i] = col[k]
		}
		out.Fields = append(out.Fields, zset.Field{Name: fmt.Sprintf("column%d", i+1), Type: typ})
	}
	return asking(out, asked)
}

// asking is v, where asked[k] has the queries that row k reads: such a row is one
// row of no columns, with the values of its queries beside it.
func asking(v *Values, asked []*scalars) Node {
	plain, u := &Values{Fields: v.Fields}, &UnionAll{}
	for k, row := range v.Rows {
		if len(asked[k].queries) == 0 {
			plain.Rows = append(plain.Rows, row)
			continue
		}
		over := asked[k].over(&Values{Rows: [][]*expr.Expr{{}}})
		p := &Project{}
		for i, e := range row {
			p.Exprs, p.Names = append(p.Exprs, over.place(e)), append(p.Names, v.Fields[i].Name)
		}
		p.Input = over.n
		u.Ins = append(u.Ins, p)
	}
	switch {
	case len(u.Ins) == 0:
		return v
	case len(plain.Rows) > 0:
		u.Ins = append(u.Ins, plain)
	case len(u.Ins) == 1:
		return u.Ins[0]
	}
	return u
}

func rowPos(v *ast.Values, row []ast.Expr) ast.Pos {
	for _, x := range row {
		if x != nil {
			return startOf(x)
		}
	}
	return v.Pos()
}
