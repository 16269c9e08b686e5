package expr

import (
	"github.com/ivmc/ivmc/zset"
)

// intervalSum is SUM and AVG over intervals: months, days and microseconds are
// summed apart, each exactly, and have to fit an interval when they are read.
type intervalSum struct {
	part [3]intSum
	avg  bool
	cols [3]zset.Column
}

func newSumInterval(zset.Type) Accumulator { return newIntervalSum("sum", false) }
func newAvgInterval(zset.Type) Accumulator { return newIntervalSum("avg", true) }

func newIntervalSum(name string, avg bool) *intervalSum {
	a := &intervalSum{avg: avg}
	for k := range a.part {
		a.part[k] = intSum{name: name}
		a.cols[k] = zset.Column{Type: zset.TInt8}
	}
	return a
}

func (a *intervalSum) Resize(n int) {
	for k := range a.part {
		a.part[k].Resize(n)
	}
}

func (a *intervalSum) Add(groups []uint32, arg *zset.Column, w []int64) {
	for k := range a.cols {
		a.cols[k].I64, a.cols[k].Null = a.cols[k].I64[:0], arg.Null
	}
	for i := range groups {
		v := zset.IntervalOf(arg.Bytes(i))
		for k, x := range [3]int64{int64(v.Months), int64(v.Days), v.Micros} {
			a.cols[k].I64 = append(a.cols[k].I64, x)
		}
	}
	for k := range a.part {
		a.part[k].Add(groups, &a.cols[k], w)
	}
}

func (a *intervalSum) Merge(g uint32, src Accumulator, from uint32) {
	for k := range a.part {
		a.part[k].Merge(g, &src.(*intervalSum).part[k], from)
	}
}

func (a *intervalSum) Append(dst []byte, g uint32) []byte {
	for k := range a.part {
		dst = a.part[k].Append(dst, g)
	}
	return dst
}

func (a *intervalSum) Load(g uint32, b []byte) (rest []byte, err error) {
	for k := range a.part {
		if b, err = a.part[k].Load(g, b); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func (a *intervalSum) Clear(g uint32) {
	for k := range a.part {
		a.part[k].Clear(g)
	}
}

func (a *intervalSum) Result(groups []uint32, out *zset.Column) error {
	var buf [16]byte
	for i, g := range groups {
		m, d, us := &a.part[0].st[g], &a.part[1].st[g], &a.part[2].st[g]
		if *m == (intState{}) && *d == (intState{}) && *us == (intState{}) {
			out.AppendNull()
			continue
		}
		if us.n <= 0 {
			return rowError(i, errInputs(a.part[0].name, us.n))
		}
		if !m.fits() || !d.fits() || !us.fits() || int64(m.lo) != int64(int32(m.lo)) || int64(d.lo) != int64(int32(d.lo)) {
			return rowError(i, errIntervalRange)
		}
		v := zset.IntervalValue{Months: int32(m.lo), Days: int32(d.lo), Micros: int64(us.lo)}
		if a.avg {
			n := float64(us.n)
			q, err := scaleInterval(v, func(part int64) float64 { return float64(part) / n })
			if err != nil {
				return rowError(i, err)
			}
			v = q
		}
		out.AppendBytes(v.AppendTo(buf[:0]))
	}
	return nil
}

func (a *intervalSum) MemBytes() int64 {
	n := int64(0)
	for k := range a.part {
		n += a.part[k].MemBytes() + a.cols[k].MemBytes()
	}
	return n
}
