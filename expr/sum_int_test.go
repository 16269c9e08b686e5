package expr

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/ivmc/ivmc/zset"
)

// Sums and counts against math/big, at the ends of int64 for values and weights.
func TestIntSums(t *testing.T) {
	sum, avg, cnt := call(t, "sum", zset.TInt8), call(t, "avg", zset.TInt8), call(t, "count", zset.TInt8)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(t, "n")
		c := genColumn(t, zset.TInt8, n)
		w := rapid.SliceOfN(rapid.OneOf(rapid.Int64Range(1, 3), rapid.Just(int64(1)<<57), rapid.Just(int64(1))), n, n).Draw(t, "w")
		accs := []Accumulator{sum.New(), avg.New(), cnt.New()}
		total, count := new(big.Int), new(big.Int)
		for i := range n {
			if !c.IsNull(i) {
				total.Add(total, new(big.Int).Mul(big.NewInt(c.I64[i]), big.NewInt(w[i])))
				count.Add(count, big.NewInt(w[i]))
			}
		}
		for k, a := range []AggCall{sum, avg, cnt} {
			accs[k].Resize(1)
			feed(t, accs[k], a, &c, make([]uint32, n), upTo(n), w)
		}
		v, err := result(accs[2], cnt, 0)
		if err != nil || big.NewInt(v.I).Cmp(count) != 0 {
			t.Fatalf("count %v %v, want %v", v, err, count)
		}
		if count.Sign() == 0 {
			return
		}
		v, err = result(accs[0], sum, 0)
		if err != nil || zset.DecodeDecimal([]byte(v.S)).String() != total.String() {
			t.Fatalf("sum %v %v, want %v", zset.DecodeDecimal([]byte(v.S)), err, total)
		}
		v, err = result(accs[1], avg, 0)
		got := bigDecimal(zset.DecodeDecimal([]byte(v.S)))
		want := new(big.Rat).SetFrac(total, count)
		scale := zset.DecodeDecimal([]byte(v.S)).Scale()
		if err != nil || new(big.Rat).Sub(got, want).Abs(new(big.Rat).Sub(got, want)).Cmp(halfUnit(scale)) > 0 {
			t.Fatalf("avg %v %v, want %v", got, err, want)
		}
	})
}

// halfUnit is half of 10^-scale.
func halfUnit(scale int) *big.Rat {
	u := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
	return new(big.Rat).SetFrac(big.NewInt(1), u.Mul(u, big.NewInt(2)))
}

// The whole of 64 by 64 bits, and back to nothing.
func TestIntExtremes(t *testing.T) {
	ext := []int64{math.MinInt64, math.MaxInt64, -1, 0, 1, math.MinInt64 + 1}
	for _, v := range ext {
		for _, w := range ext {
			var s intState
			s.add(v, w)
			got := new(big.Int).Lsh(big.NewInt(int64(s.hi)), 64)
			got.Add(got, new(big.Int).SetUint64(s.lo))
			if want := new(big.Int).Mul(big.NewInt(v), big.NewInt(w)); got.Cmp(want) != 0 || s.n != w {
				t.Errorf("%d x %d = %s, want %s", w, v, got, want)
			}
			a := &intSum{st: []intState{s}, name: "sum"}
			if rest, err := a.Load(0, append(a.Append(nil, 0), 9)); err != nil || len(rest) != 1 || a.st[0] != s {
				t.Errorf("%d x %d comes back as %v, %v", w, v, a.st[0], err)
			}
		}
	}
}

// SUM(INT) beyond bigint is an error when it is read, and gone when it is taken back.
func TestSumRange(t *testing.T) {
	a := call(t, "sum", zset.TInt4)
	acc := a.New()
	acc.Resize(1)
	c := zset.NewColumn(zset.TInt4, 1)
	c.AppendI64(math.MaxInt32)
	g := []uint32{0}
	acc.Add(g, &c, []int64{1 << 33})
	var e *zset.Error
	if _, err := result(acc, a, 0); !errors.As(err, &e) || e.Code != "22003" || e.Msg != "bigint out of range" {
		t.Fatalf("%v", err)
	}
	acc.Add(g, &c, []int64{-(1 << 33) + 2})
	if v, err := result(acc, a, 0); err != nil || v.I != 2*math.MaxInt32 {
		t.Fatalf("%v %v", v, err)
	}
}
