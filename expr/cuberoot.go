package expr

import (
	"math"
	"math/bits"
)

// cbrtFloat is the cube root of x, rounded correctly. math.Cbrt is at most one
// neighbour off, so the root lies on one side of the middle between its answer and
// a neighbour, and never in it: the cube of a middle, odd in its last place, has
// more digits than a double holds.
func cbrtFloat(x float64) float64 {
	r := math.Cbrt(x)
	if r == 0 || isInf(r) || r != r {
		return r
	}
	a, m := math.Abs(r), math.Abs(x)
	switch {
	case cubeBelow(a, 1, m):
		a = math.Nextafter(a, math.Inf(1))
	case !cubeBelow(a, -1, m):
		a = math.Nextafter(a, 0)
	}
	return math.Copysign(a, r)
}

// cubeBelow reports whether the cube of the middle between a and its neighbour
// above (side 1) or below (-1) is less than x; a is about the cube root of x, both
// are positive.
func cubeBelow(a float64, side int64, x float64) bool {
	fr, exp := math.Frexp(a)
	mid := int64(fr*(1<<53))*4 + 2*side // in units of a quarter of the last place
	if side < 0 && fr == 0.5 {
		mid++ // below a power of two the neighbours are half as far apart
	}
	hi, lo := bits.Mul64(uint64(mid), uint64(mid))
	c1, _ := bits.Mul64(lo, uint64(mid))
	c2, t := bits.Mul64(hi, uint64(mid))
	c1, carry := bits.Add64(c1, t, 0)
	c2 += carry

	xfr, xexp := math.Frexp(x)
	n := uint64(xfr * (1 << 53))
	shift := xexp - 53 - 3*(exp-55) // 108 to 117, as both mantissas have 53 bits
	x1, x2 := n<<(shift-64), n>>(128-shift)
	if c2 != x2 {
		return c2 < x2
	}
	return c1 < x1 // the last word of x is 0, that of the cube is not
}
