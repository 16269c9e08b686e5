package expr

import (
	"strings"

	"github.com/ivmc/ivmc/zset"
)

// A call that is elementwise means an expression over the elements of an array,
// which is compiled with it: a cast to an array of another type, and a comparison
// with any or all elements.

// inner is that expression: column 0 is the element of a cast, and of a comparison
// columns 0 and 1 are both sides.
func (e *Expr) inner() (*Expr, error) {
	name, _, _ := strings.Cut(e.Fn, "(")
	var in *Expr
	var err error
	switch plain := plainArgs(e); name {
	case castName:
		in, err = Cast(Col(0, plain[0].Typ.Element()), e.Typ.Bounded(), Explicit, int(e.Pos))
	case assignName:
		in, err = Cast(Col(0, plain[0].Typ.Element()), e.Typ.Bounded(), Assignment, int(e.Pos))
	default:
		in, err = Call(plain[0].Val.S, []*Expr{Col(0, plain[1].Typ), Col(1, plain[2].Typ.Element())}, int(e.Pos))
	}
	if err != nil {
		return nil, err
	}
	if n := len(plainArgs(e)); n < len(e.Args) {
		in = in.InZone(e.Args[n].Val.S)
	}
	return in, nil
}

// each evaluates the inner expression over the elements of one array at a time.
type each struct {
	v *Evaluator
	b zset.Batch
}

func newEach(p *Program, w *Watch) *each {
	return &each{v: p.New().Under(w), b: zset.Batch{Cols: make([]zset.Column, 2)}}
}

// run evaluates over columns of n cells; the result is valid until the next call.
func (x *each) run(n int, cols ...*zset.Column) (*zset.Column, error) {
	for k, c := range cols {
		x.b.Cols[k] = *c
	}
	x.b.N = n
	out, err := x.v.Eval(&x.b)
	if err != nil {
		return nil, err
	}
	return &out[0], nil
}

// failEach reports the error of an element as one of row i.
func (f *frame) failEach(i int, err error) {
	if re, ok := err.(*RowError); ok {
		f.failWith(i, re.Err)
		return
	}
	f.failWith(i, positioned(err, -1))
}
