package expr

import (
	"encoding/binary"
	"math"
)

// nonFinite counts the inputs that are no finite number.
type nonFinite struct {
	nan, pos, neg int64
}

// value is the sum of inputs of which some are not finite, if some are: NaN or
// infinities of both signs give NaN, and an infinity wins over numbers.
func (c nonFinite) value() (v float64, ok bool) {
	switch {
	case c.nan > 0 || c.pos > 0 && c.neg > 0:
		return math.NaN(), true
	case c.pos > 0:
		return math.Inf(1), true
	case c.neg > 0:
		return math.Inf(-1), true
	}
	return 0, false
}

// count adds w to the counter of v, which is NaN or infinite.
func (c *nonFinite) count(v float64, w int64) {
	switch {
	case v != v:
		c.nan += w
	case v > 0:
		c.pos += w
	default:
		c.neg += w
	}
}

// add adds the counts of d.
func (c *nonFinite) add(d nonFinite) {
	c.nan, c.pos, c.neg = c.nan+d.nan, c.pos+d.pos, c.neg+d.neg
}

func (c nonFinite) append(dst []byte) []byte {
	dst = binary.AppendVarint(dst, c.nan)
	dst = binary.AppendVarint(dst, c.pos)
	return binary.AppendVarint(dst, c.neg)
}

func loadNonFinite(b []byte) (c nonFinite, rest []byte, ok bool) {
	for _, p := range []*int64{&c.nan, &c.pos, &c.neg} {
		v, k := binary.Varint(b)
		if k <= 0 {
			return c, nil, false
		}
		*p, b = v, b[k:]
	}
	return c, b, true
}
