package expr

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/ivmc/ivmc/zset"
)

// MIN and MAX as folds, right for positive weights alone. The order is that of
// the key encoding. Of values that are equal but not identical (-0.0 and 0.0,
// numeric 1.0 and 1.00) the least by row encoding is kept, for MIN and for MAX
// alike, so the result does not depend on arrival (I8, I13).

func newMin(t zset.Type) Accumulator { return newFold(t, "min", false) }
func newMax(t zset.Type) Accumulator { return newFold(t, "max", true) }

// newAnyValue is ANY_VALUE: of all values, the least (I13).
func newAnyValue(t zset.Type) Accumulator { return newFold(t, "any_value", false) }

func newFold(t zset.Type, name string, largest bool) Accumulator {
	f := fold{name: name, max: largest}
	switch {
	case t.Phys() == zset.PhysI64:
		return &foldInt{fold: f}
	case t.Phys() == zset.PhysF64:
		return &foldFloat{fold: f}
	}
	b := &foldBytes{fold: f, order: bytes.Compare}
	switch t.Kind {
	case zset.Numeric:
		b.order, b.tie = orderNumeric, lessRowNumeric
	case zset.Char, zset.Interval, zset.Array:
		b.order = func(x, y []byte) int { return compareBytes(t, x, y) }
		b.tie = func(x, y []byte) bool { return bytes.Compare(cellRow(t, x), cellRow(t, y)) < 0 }
	}
	return b
}

// fold is what the folds share.
type fold struct {
	set  []bool // the group has a value
	max  bool
	name string
	bad  bool // a negative weight came in: every result is in doubt
}

// skip reports whether input i adds nothing: NULL, or weight 0.
func (f *fold) skip(null []bool, w []int64, i int) bool {
	if null != nil && null[i] {
		return true
	}
	if w == nil || w[i] > 0 {
		return false
	}
	f.bad = f.bad || w[i] < 0
	return true
}

// check is the error of a fold that was used beyond its contract.
func (f *fold) check() error {
	if f.bad {
		return rowError(0, zset.Errorf("XX000", -1, "%s as a fold was given a negative weight", f.name))
	}
	return nil
}

// foldInt is the fold over int64s: integers, dates, timestamps, booleans.
type foldInt struct {
	fold
	v []int64
}

func (a *foldInt) Resize(n int) { a.v, a.set = resize(a.v, n), resize(a.set, n) }

func (a *foldInt) Add(groups []uint32, arg *zset.Column, w []int64) {
	x := arg.I64[:len(groups)]
	if arg.Null != nil || w != nil {
		for i, g := range groups {
			if !a.skip(arg.Null, w, i) {
				a.add(g, x[i])
			}
		}
		return
	}
	if a.max {
		for i, g := range groups {
			if !a.set[g] || x[i] > a.v[g] {
				a.v[g], a.set[g] = x[i], true
			}
		}
		return
	}
	for i, g := range groups {
		if !a.set[g] || x[i] < a.v[g] {
			a.v[g], a.set[g] = x[i], true
		}
	}
}

func (a *foldInt) add(g uint32, x int64) {
	if !a.set[g] || (x != a.v[g] && (x > a.v[g]) == a.max) {
		a.v[g], a.set[g] = x, true
	}
}

func (a *foldInt) Merge(g uint32, src Accumulator, from uint32) {
	o := src.(*foldInt)
	a.bad = a.bad || o.bad
	if o.set[from] {
		a.add(g, o.v[from])
	}
}

func (a *foldInt) Append(dst []byte, g uint32) []byte {
	if !a.set[g] {
		return append(dst, 0)
	}
	return binary.AppendVarint(append(dst, 1), a.v[g])
}

func (a *foldInt) Load(g uint32, b []byte) ([]byte, error) {
	a.Clear(g)
	if len(b) > 0 && b[0] == 0 {
		return b[1:], nil
	}
	if len(b) > 0 && b[0] == 1 {
		if v, k := binary.Varint(b[1:]); k > 0 {
			a.v[g], a.set[g] = v, true
			return b[1+k:], nil
		}
	}
	return nil, errState(a.name)
}

func (a *foldInt) Clear(g uint32) { a.v[g], a.set[g] = 0, false }

func (a *foldInt) Result(groups []uint32, out *zset.Column) error {
	for _, g := range groups {
		if a.set[g] {
			out.AppendI64(a.v[g])
		} else {
			out.AppendNull()
		}
	}
	return a.check()
}

func (a *foldInt) MemBytes() int64 { return memBytes(a.v) + memBytes(a.set) }

// foldFloat is the fold over doubles: NaN is the largest, all NaNs are one, and
// -0.0 equals 0.0.
type foldFloat struct {
	fold
	v []float64
}

func (a *foldFloat) Resize(n int) { a.v, a.set = resize(a.v, n), resize(a.set, n) }

func (a *foldFloat) Add(groups []uint32, arg *zset.Column, w []int64) {
	x := arg.F64[:len(groups)]
	for i, g := range groups {
		if !a.skip(arg.Null, w, i) {
			a.add(g, x[i])
		}
	}
}

func (a *foldFloat) add(g uint32, x float64) {
	if x != x {
		x = math.NaN()
	}
	if !a.set[g] {
		a.v[g], a.set[g] = x, true
		return
	}
	switch v := a.v[g]; {
	case x < v:
		if !a.max {
			a.v[g] = x
		}
	case x > v:
		if a.max {
			a.v[g] = x
		}
	case x == v:
		if math.Signbit(x) { // of the zeros, -0.0 is the least
			a.v[g] = x
		}
	case a.max == (x != x): // one of them is NaN, the largest
		a.v[g] = x
	}
}

func (a *foldFloat) Merge(g uint32, src Accumulator, from uint32) {
	o := src.(*foldFloat)
	a.bad = a.bad || o.bad
	if o.set[from] {
		a.add(g, o.v[from])
	}
}

func (a *foldFloat) Append(dst []byte, g uint32) []byte {
	if !a.set[g] {
		return append(dst, 0)
	}
	return binary.LittleEndian.AppendUint64(append(dst, 1), math.Float64bits(a.v[g]))
}

func (a *foldFloat) Load(g uint32, b []byte) ([]byte, error) {
	a.Clear(g)
	switch {
	case len(b) > 0 && b[0] == 0:
		return b[1:], nil
	case len(b) >= 9 && b[0] == 1:
		a.add(g, math.Float64frombits(binary.LittleEndian.Uint64(b[1:])))
		return b[9:], nil
	}
	return nil, errState(a.name)
}

func (a *foldFloat) Clear(g uint32) { a.v[g], a.set[g] = 0, false }

func (a *foldFloat) Result(groups []uint32, out *zset.Column) error {
	for _, g := range groups {
		if a.set[g] {
			out.AppendF64(a.v[g])
		} else {
			out.AppendNull()
		}
	}
	return a.check()
}

func (a *foldFloat) MemBytes() int64 { return memBytes(a.v) + memBytes(a.set) }
