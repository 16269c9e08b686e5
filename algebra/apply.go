package algebra

import (
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// Apply is a query R that reads the rows of another, L: R is evaluated anew for
// each row of L, with the values of Params over that row for its columns Base,
// Base+1, .. Kind says what becomes of the two. [Decorrelate] makes joins of it.
type Apply struct {
	L, R   Node
	Params []*expr.Expr // over the columns of L
	Base   int          // from outerBase on; that of an Apply in R of one is another
	Kind   ApplyKind
}

// ApplyKind is what an Apply makes of a row of L and the rows that R has for it.
type ApplyKind uint8

// The kinds of Apply.
const (
	Each       ApplyKind = iota // the row beside each of them
	EachOrNull                  // the same; beside NULLs where there is none
	Some                        // the row, if there is one
	None                        // the row, if there is none
	Mark                        // the row, and whether there is one
)

// Schema is the columns of L, with those of R or the mark behind them.
func (a *Apply) Schema() zset.Schema {
	s := a.L.Schema()
	s = s[:len(s):len(s)]
	switch a.Kind {
	case Each:
		return append(s, a.R.Schema()...)
	case EachOrNull:
		return append(s, nullable(a.R.Schema())...)
	case Mark:
		return append(s, zset.Field{Name: "mark", Type: zset.TBool, NotNull: true})
	}
	return s
}

// Inputs is L and R.
func (a *Apply) Inputs() []Node { return []Node{a.L, a.R} }

func (a *Apply) with(ins []Node) Node { c := *a; c.L, c.R = ins[0], ins[1]; return &c }

func (a *Apply) eval(o *oracle) (*zset.Batch, error) {
	l, err := o.set(a.L)
	if err != nil {
		return nil, err
	}
	params, err := newRowwise(a.Params)
	if err != nil {
		return nil, err
	}
	out := zset.NewBatch(a.Schema().Types(), 0)
	for i := range l.N {
		cells, err := params.at(l, i)
		if err != nil {
			return nil, err
		}
		given := make([]*expr.Expr, len(cells))
		for k := range cells {
			given[k] = expr.Const(cells[k].Value(0))
		}
		r, err := o.set(supplied(a.R, a.Base, given))
		if err != nil {
			return nil, err
		}
		if err := a.append(out, l.Slice(i, i+1).Cols, l.Weight(i), r); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// append adds what becomes of a row of L of weight w and the rows r.
func (a *Apply) append(out *zset.Batch, row []zset.Column, w int64, r *zset.Batch) error {
	switch a.Kind {
	case Some, None:
		if (r.N > 0) == (a.Kind == Some) {
			appendRow(out, row, w)
		}
		return nil
	case Mark:
		mark := zset.NewColumn(zset.TBool, 1)
		mark.AppendValue(zset.BoolValue(r.N > 0))
		appendRow(out, beside(row, []zset.Column{mark}), w)
		return nil
	}
	for k := range r.N {
		p, err := product(w, r.Weight(k))
		if err != nil {
			return err
		}
		appendRow(out, beside(row, r.Slice(k, k+1).Cols), p)
	}
	if r.N == 0 && a.Kind == EachOrNull {
		appendRow(out, beside(row, nulls(a.R.Schema())), w)
	}
	return nil
}

// supplied is n with given for the columns from base on.
func supplied(n Node, base int, given []*expr.Expr) Node {
	if a, ok := n.(*Apply); ok && a.Base == base { // its R has columns of its own there
		c := *a
		c.L = supplied(a.L, base, given)
		n = &c
	} else {
		n = mapInputs(n, func(in Node) Node { return supplied(in, base, given) })
	}
	return mapExprs(n, func(e *expr.Expr) *expr.Expr {
		if e == nil {
			return nil
		}
		return e.ReplaceCols(func(x *expr.Expr) *expr.Expr {
			if k := x.Col - base; k >= 0 && k < len(given) {
				return given[k].At(int(x.Pos))
			}
			return x
		})
	})
}

func (a *Apply) line() string {
	col := columns(a.L)
	kind := [...]string{"join", "left join", "semi join", "anti join", "mark"}[a.Kind]
	if len(a.Params) == 0 {
		return "apply " + kind
	}
	outer := columns(a.R)
	return "apply " + kind + ": " + list(len(a.Params), ", ", func(i int) string {
		return a.Params[i].Format(col) + " as " + outer(a.Base+i)
	})
}

func beside(l, r []zset.Column) []zset.Column { return append(l[:len(l):len(l)], r...) }
