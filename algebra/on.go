package algebra

import (
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
)

// joinOf is a join as written.
func joinOf(kind ast.JoinKind, l, r Node, on []*expr.Expr) Node {
	switch kind {
	case ast.LeftJoin, ast.RightJoin, ast.FullJoin:
		return &Outer{L: l, R: r, On: on, Left: kind != ast.RightJoin, Right: kind != ast.LeftJoin}
	}
	return &Join{Ins: []Node{l, r}, On: on}
}

// joinedOn is a join with the condition x, over sc. The queries in it are joined
// above an inner join; in an outer join to the side that they read.
func (b *binder) joinedOn(x ast.Expr, kind ast.JoinKind, l, r Node, sc *scope, with *cte) Node {
	s := &scalars{with: with}
	cond := b.condition(x, &exprCtx{sc: sc, clause: "JOIN conditions", scalars: s}, "JOIN/ON")
	if cond == nil {
		return joinOf(kind, l, r, nil)
	}
	left, width := len(l.Schema()), sc.width
	readLeft, readRight := s.readSides(left)
	over, cs := s.over(r), conjuncts(cond)
	switch outer := kind == ast.LeftJoin || kind == ast.RightJoin || kind == ast.FullJoin; {
	case readLeft && readRight && outer:
		b.unsupported(x.Pos(), "a query in ON of an outer join that reads both sides", "Put the query into a column of one side, in FROM.")
		return joinOf(kind, l, r, nil)
	case (readLeft || readRight) && !outer:
		n := s.filter(joinOf(kind, l, r, nil), cs)
		sc.width = len(n.Schema())
		return n
	case !readLeft: // a row of none more or less: as good on this side as on the other
		over.at = left
		for i := range cs {
			cs[i] = over.place(cs[i])
		}
		n := joinOf(kind, l, over.n, cs)
		sc.width = len(n.Schema())
		return n
	}
	// The values are placed behind all columns first, and moved behind those of the left side below.
	over = s.over(l)
	over.at, over.low = width-left, left
	for i := range cs {
		cs[i] = over.place(cs[i])
	}
	more := len(over.n.Schema()) - left
	for i := range cs {
		cs[i] = cs[i].MapCols(func(c int) int {
			switch {
			case c < left || c >= outerBase:
				return c
			case c < width:
				return c + more
			}
			return c - width + left
		})
	}
	return picked(joinOf(kind, over.n, r, cs), append(span(0, left), span(left+more, width+more)...))
}

// readSides reports which sides of a join the queries read, of which the left one has so many columns.
func (s *scalars) readSides(left int) (l, r bool) {
	for _, q := range s.queries {
		for _, p := range q.l.params {
			for _, c := range p.Cols() {
				l = l || c < left
				r = r || c >= left && c < outerBase
			}
		}
	}
	return l, r
}
