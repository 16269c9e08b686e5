package algebra

import (
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// Eval is the value of n by definition: every operator as its file says it, one
// row at a time, nested loops for joins, sums by math/big. It shares with the
// running system the expressions and the encodings, and nothing else. rel gives
// a relation's rows with the columns of its whole schema; for a scan with Addr,
// followed by the addresses.
//
// The result is consolidated. Where n is in the order of a sort and no two of
// its rows are equal, it is in that order; see [EvalList].
func Eval(n Node, rel func(id uint64) (*zset.Batch, error)) (*zset.Batch, error) {
	return (&oracle{rel: rel}).set(n)
}

// EvalList is Eval without the last consolidation: the rows as a list, in the
// order of the sort if n is [Ordered]. A row of weight w stands w times in it.
func EvalList(n Node, rel func(id uint64) (*zset.Batch, error)) (*zset.Batch, error) {
	return (&oracle{rel: rel}).list(n)
}

// oracle is one run of Eval.
type oracle struct {
	rel func(id uint64) (*zset.Batch, error)
}

func (o *oracle) list(n Node) (*zset.Batch, error) { return n.eval(o) }

// set is the consolidated value of n, which keeps the order of first
// appearance. Everything but a sum reads its inputs so (I4).
func (o *oracle) set(n Node) (*zset.Batch, error) {
	b, err := n.eval(o)
	if err != nil {
		return nil, err
	}
	return zset.Consolidate(b), nil
}

// rows is what is computed row by row: of a list, which somebody may count from the
// beginning, as it stands, else the set.
func (o *oracle) rows(n Node) (*zset.Batch, error) {
	if Ordered(n) {
		return o.list(n)
	}
	return o.set(n)
}

// rowwise evaluates expressions over one row at a time, so that nothing which
// goes wrong between the rows of a batch can hide in the oracle too.
type rowwise struct{ v *expr.Evaluator }

func newRowwise(es []*expr.Expr) (rowwise, error) {
	p, err := expr.Compile(es)
	if err != nil {
		return rowwise{}, err
	}
	return rowwise{p.New()}, nil
}

// at is the values over row i of b, one cell each; valid until the next call.
func (r rowwise) at(b *zset.Batch, i int) ([]zset.Column, error) {
	return r.v.Eval(b.Slice(i, i+1))
}

// isTrue reports whether cell 0 of a boolean column is TRUE, not FALSE or NULL.
func isTrue(c *zset.Column) bool { return !c.IsNull(0) && c.I64[0] == 1 }

// appendRow appends one row of the given one-cell columns to b with weight w.
func appendRow(b *zset.Batch, cells []zset.Column, w int64) {
	for i := range cells {
		b.Cols[i].AppendCell(&cells[i], 0)
	}
	b.W = append(b.W, w)
	b.N++
}

// rowKey is the row encoding of row i of b.
func rowKey(b *zset.Batch, i int) []byte {
	var k []byte
	for c := range b.Cols {
		k = zset.AppendRow(k, &b.Cols[c], i)
	}
	return k
}

// errWeight is for a negative weight in the input of an operator that counts
// rows: stored relations have none (I5).
func errWeight() error {
	return zset.Errorf(zset.CodeCorrupt, -1, "row with a negative weight")
}
