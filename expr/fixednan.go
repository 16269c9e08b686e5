package expr

import (
	"encoding/binary"
	"slices"

	"github.com/ivmc/ivmc/zset"
)

// fixedState is an accumulator over coefficients that counts its inputs.
type fixedState interface {
	Accumulator
	// inputs is the number of inputs of g.
	inputs(g uint32) int64
}

func (a *intSum) inputs(g uint32) int64    { return a.st[g].n }
func (a *intSpread) inputs(g uint32) int64 { return a.st[g].n }

// fixedNaN is SUM, AVG and the variance family over DECIMAL(p,s) held as int64
// coefficients: NaNs, which are no coefficients, are counted beside the state of
// the numbers, so that the last one that goes leaves nothing.
type fixedNaN struct {
	fixedState
	nan    []int64 // nil until the first NaN; else as long as there are groups
	n      int     // groups
	name   string
	sample bool // one input has no value
}

func (a *fixedNaN) Resize(n int) {
	a.fixedState.Resize(n)
	if a.nan != nil {
		a.nan = resize(a.nan, n)
	}
	a.n = n
}

func (a *fixedNaN) Add(groups []uint32, arg *zset.Column, w []int64) {
	if !slices.Contains(arg.I64[:len(groups)], zset.FixedNaN) {
		a.fixedState.Add(groups, arg, w)
		return
	}
	// Weight 0 takes NaNs from the numbers.
	numbers := make([]int64, len(groups))
	for i, g := range groups {
		numbers[i] = weight(w, i)
		if arg.I64[i] == zset.FixedNaN && !arg.IsNull(i) {
			a.count(g, numbers[i])
			numbers[i] = 0
		}
	}
	a.fixedState.Add(groups, arg, numbers)
}

// count adds w NaNs to g.
func (a *fixedNaN) count(g uint32, w int64) {
	if a.nan == nil {
		if w == 0 {
			return
		}
		a.nan = make([]int64, a.n)
	}
	a.nan[g] += w
}

// nans is the number of NaNs of g.
func (a *fixedNaN) nans(g uint32) int64 {
	if a.nan == nil {
		return 0
	}
	return a.nan[g]
}

func (a *fixedNaN) Merge(g uint32, src Accumulator, from uint32) {
	o := src.(*fixedNaN)
	a.count(g, o.nans(from))
	a.fixedState.Merge(g, o.fixedState, from)
}

// markNaN comes before the number of NaNs of a state, if there are some: no state
// of numbers begins so, for a varint does not spend two bytes on 0.
var markNaN = [2]byte{0x80, 0}

func (a *fixedNaN) Append(dst []byte, g uint32) []byte {
	if n := a.nans(g); n != 0 {
		dst = binary.AppendVarint(append(dst, markNaN[:]...), n)
	}
	return a.fixedState.Append(dst, g)
}

func (a *fixedNaN) Load(g uint32, b []byte) ([]byte, error) {
	var n int64
	if len(b) > 1 && [2]byte(b) == markNaN {
		var k int
		if n, k = binary.Varint(b[2:]); k <= 0 {
			return nil, errState(a.name)
		}
		b = b[2+k:]
	}
	a.count(g, n-a.nans(g))
	return a.fixedState.Load(g, b)
}

func (a *fixedNaN) Clear(g uint32) {
	a.count(g, -a.nans(g))
	a.fixedState.Clear(g)
}

func (a *fixedNaN) Result(groups []uint32, out *zset.Column) error {
	if a.nan == nil {
		return a.fixedState.Result(groups, out)
	}
	for i, g := range groups {
		n := a.nan[g]
		switch all := n + a.inputs(g); {
		case n == 0:
			if err := a.fixedState.Result(groups[i:i+1], out); err != nil {
				if e, ok := err.(*RowError); ok {
					e.Row = i
				}
				return err
			}
		case n < 0 || a.inputs(g) < 0:
			return rowError(i, errInputs(a.name, all))
		case a.sample && all == 1:
			out.AppendNull()
		default:
			appendDecimal(out, zset.DecimalNaN)
		}
	}
	return nil
}

func (a *fixedNaN) MemBytes() int64 { return a.fixedState.MemBytes() + memBytes(a.nan) }
