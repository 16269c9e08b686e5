package expr

import (
	"math"

	"github.com/ivmc/ivmc/zset"
)

// bucketFuncs are width_bucket.
func bucketFuncs() []Func {
	const f8, num, n = zset.Float8, zset.Numeric, zset.Int4
	return []Func{
		raising("width_bucket", n, bucketFloatRow, f8, f8, f8, n),
		raising("width_bucket", n, bucketNumericRow, num, num, num, n),
	}
}

func errBucket(msg string) *zset.Error { return zset.Errorf("2201G", -1, "%s", msg) }

var (
	errBucketCount = errBucket("count must be greater than zero")
	errBucketNaN   = errBucket("operand, lower bound, and upper bound cannot be NaN")
	errBucketInf   = errBucket("lower and upper bounds must be finite")
	errBucketEqual = errBucket("lower bound cannot equal upper bound")
)

func bucketFloatRow(f *frame, i int) {
	x, low, high, n := f.f(0, i), f.f(1, i), f.f(2, i), f.i(3, i)
	switch {
	case n <= 0:
		f.failWith(i, errBucketCount)
		return
	case x != x || low != low || high != high:
		f.failWith(i, errBucketNaN)
		return
	case isInf(low) || isInf(high):
		f.failWith(i, errBucketInf)
		return
	case low == high:
		f.failWith(i, errBucketEqual)
		return
	}
	down := low > high
	before, past := x < low, x >= high
	if down {
		before, past = x > low, x <= high
	}
	switch {
	case before:
		f.setI(i, 0)
	case past:
		f.setInt4(i, n+1)
	case down:
		f.setI(i, bucket(n, low-x, low-high, low/2-x/2, low/2-high/2))
	default:
		f.setI(i, bucket(n, x-low, high-low, x/2-low/2, high/2-low/2))
	}
}

// bucket is the place of part in all; the halves serve where all is infinite.
func bucket(n int64, part, all, halfPart, halfAll float64) int64 {
	if isInf(all) {
		part, all = halfPart, halfAll
	}
	// The quotient first: n times part could be infinite.
	return min(int64(math.Floor(float64(n)*(part/all))), n-1) + 1
}

func bucketNumericRow(f *frame, i int) {
	x, low, high, n := f.dec(0, i), f.dec(1, i), f.dec(2, i), f.i(3, i)
	switch {
	case n <= 0:
		f.failWith(i, errBucketCount)
		return
	case x.IsNaN() || low.IsNaN() || high.IsNaN():
		f.failWith(i, errBucketNaN)
		return
	case low.IsInf() || high.IsInf():
		f.failWith(i, errBucketInf)
		return
	}
	side := low.Cmp(high)
	switch {
	case side == 0:
		f.failWith(i, errBucketEqual)
	case x.Cmp(low) == side && side != 0:
		f.setI(i, 0)
	case x.Cmp(high) != side:
		f.setInt4(i, n+1)
	default:
		f.setBucket(i, x, low, high, n)
	}
}

// setBucket is floor(n (x-low) / (high-low)) + 1, exactly.
func (f *frame) setBucket(i int, x, low, high zset.Decimal, n int64) {
	part, err := x.Sub(low)
	if err == nil {
		part, err = part.Mul(zset.DecimalFromInt64(n))
	}
	if err == nil {
		high, err = high.Sub(low)
	}
	if err == nil {
		part, err = quotient(part, high)
	}
	if err != nil {
		f.failWith(i, positioned(err, -1))
		return
	}
	k, _ := part.ToInt64()
	f.setInt4(i, k+1)
}
