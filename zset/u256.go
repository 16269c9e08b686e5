package zset

import "math/bits"

// u256 is an unsigned integer of 256 bits, least significant limb first.
type u256 [4]uint64

// maxDigits is the most decimal digits of a coefficient: the largest number of
// nines that fits u256 with room for one addition.
const maxDigits = MaxPrecision

// pow10s[i] is 10^i, for i of 0 to 77.
var pow10s = func() (t [maxDigits + 2]u256) {
	t[0] = u256{1}
	for i := 1; i < len(t); i++ {
		t[i], _ = t[i-1].mulWord(10)
	}
	return t
}()

func (a *u256) isZero() bool { return a[0]|a[1]|a[2]|a[3] == 0 }

// small reports whether a fits one limb.
func (a *u256) small() bool { return a[1]|a[2]|a[3] == 0 }

// limbs is the number of limbs up to the highest that is not 0.
func (a *u256) limbs() int {
	for i := 3; i >= 0; i-- {
		if a[i] != 0 {
			return i + 1
		}
	}
	return 0
}

func (a *u256) bitLen() int {
	n := a.limbs()
	if n == 0 {
		return 0
	}
	return 64*(n-1) + bits.Len64(a[n-1])
}

func (a *u256) cmp(b *u256) int {
	for i := 3; i >= 0; i-- {
		switch {
		case a[i] < b[i]:
			return -1
		case a[i] > b[i]:
			return 1
		}
	}
	return 0
}

func (a u256) add(b u256) (s u256) {
	var c uint64
	s[0], c = bits.Add64(a[0], b[0], 0)
	s[1], c = bits.Add64(a[1], b[1], c)
	s[2], c = bits.Add64(a[2], b[2], c)
	s[3], _ = bits.Add64(a[3], b[3], c)
	return s
}

func (a u256) sub(b u256) (d u256) {
	var c uint64
	d[0], c = bits.Sub64(a[0], b[0], 0)
	d[1], c = bits.Sub64(a[1], b[1], c)
	d[2], c = bits.Sub64(a[2], b[2], c)
	d[3], _ = bits.Sub64(a[3], b[3], c)
	return d
}

// mulWord is a*w and whether it fits.
func (a u256) mulWord(w uint64) (p u256, ok bool) {
	var carry uint64
	for i := range a {
		hi, lo := bits.Mul64(a[i], w)
		var c uint64
		p[i], c = bits.Add64(lo, carry, 0)
		carry = hi + c
	}
	return p, carry == 0
}

// mul is the whole product, 512 bits.
func (a *u256) mul(b *u256) (p [8]uint64) {
	na, nb := a.limbs(), b.limbs()
	for i := range na {
		var carry uint64
		for j := range nb {
			hi, lo := bits.Mul64(a[i], b[j])
			var c uint64
			lo, c = bits.Add64(lo, p[i+j], 0)
			hi += c
			p[i+j], c = bits.Add64(lo, carry, 0)
			carry = hi + c
		}
		p[i+nb] = carry
	}
	return p
}

// fits narrows p to 256 bits.
func fits(p *[8]uint64) (u256, bool) {
	return u256{p[0], p[1], p[2], p[3]}, p[4]|p[5]|p[6]|p[7] == 0
}

// divWord is a/w and the remainder.
func (a u256) divWord(w uint64) (q u256, r uint64) {
	for i := a.limbs() - 1; i >= 0; i-- {
		q[i], r = bits.Div64(r, a[i], w)
	}
	return q, r
}

// divWide is u/v and the remainder, by long division in base 2^64. v is not 0.
func divWide(u *[8]uint64, v *u256) (q [8]uint64, r u256) {
	n, m := v.limbs(), 8
	for m > 0 && u[m-1] == 0 {
		m--
	}
	if n == 1 {
		var rem uint64
		for i := m - 1; i >= 0; i-- {
			q[i], rem = bits.Div64(rem, u[i], v[0])
		}
		return q, u256{rem}
	}
	if m < n {
		return q, u256{u[0], u[1], u[2], u[3]}
	}
	// Scaled so that the top bit of the divisor is set, a guess of a quotient
	// limb from the top limbs is at most 2 too large.
	s := uint(bits.LeadingZeros64(v[n-1]))
	var vn u256
	for i := n - 1; i > 0; i-- {
		vn[i] = v[i]<<s | v[i-1]>>(64-s)
	}
	vn[0] = v[0] << s
	var un [9]uint64
	un[m] = u[m-1] >> (64 - s)
	for i := m - 1; i > 0; i-- {
		un[i] = u[i]<<s | u[i-1]>>(64-s)
	}
	un[0] = u[0] << s
	for j := m - n; j >= 0; j-- {
		q[j] = divStep(un[j:j+n+1], vn[:n])
	}
	for i := 0; i < n; i++ {
		r[i] = un[i] >> s
		if i+1 < n {
			r[i] |= un[i+1] << (64 - s)
		}
	}
	return q, r
}

// divStep divides the n+1 limbs of u by the n limbs of v, where the quotient
// fits one limb, and leaves the remainder in u.
func divStep(u, v []uint64) uint64 {
	n := len(v)
	var qhat uint64
	if u[n] >= v[n-1] {
		qhat = ^uint64(0)
	} else {
		var rhat uint64
		qhat, rhat = bits.Div64(u[n], u[n-1], v[n-1])
		for {
			hi, lo := bits.Mul64(qhat, v[n-2])
			if hi < rhat || hi == rhat && lo <= u[n-2] {
				break
			}
			qhat--
			rhat += v[n-1]
			if rhat < v[n-1] {
				break
			}
		}
	}
	var carry, borrow uint64
	for i := range n {
		hi, lo := bits.Mul64(qhat, v[i])
		var c uint64
		lo, c = bits.Add64(lo, carry, 0)
		carry = hi + c
		u[i], borrow = bits.Sub64(u[i], lo, borrow)
	}
	u[n], borrow = bits.Sub64(u[n], carry, borrow)
	for borrow != 0 {
		qhat--
		var c uint64
		for i := range n {
			u[i], c = bits.Add64(u[i], v[i], c)
		}
		u[n], c = bits.Add64(u[n], 0, c)
		borrow -= c
	}
	return qhat
}

// div is a/b and the remainder. b is not 0.
func (a *u256) div(b *u256) (q, r u256) {
	if b.limbs() == 1 {
		q, w := a.divWord(b[0])
		return q, u256{w}
	}
	wide, r := divWide(&[8]uint64{a[0], a[1], a[2], a[3]}, b)
	return u256{wide[0], wide[1], wide[2], wide[3]}, r
}

// digits is the number of decimal digits of a; 0 has none. a < 10^77.
func (a *u256) digits() int {
	n := a.bitLen()
	if n == 0 {
		return 0
	}
	d := n * 1233 >> 12 // log10(2) from below; right or one too small
	if a.cmp(&pow10s[d]) >= 0 {
		d++
	}
	return d
}

// halfUp reports whether remainder r of a division by b rounds away from zero.
func halfUp(r, b *u256) bool {
	d := b.sub(*r)
	return r.cmp(&d) >= 0
}

// wideUp is a times 10^k in 512 bits. The product has at most 154 digits.
func (a *u256) wideUp(k int) (p [8]uint64) {
	copy(p[:], a[:])
	n := a.limbs()
	for k > 0 {
		step := min(k, 19)
		w := pow10s[step][0]
		var carry uint64
		for i := range n {
			hi, lo := bits.Mul64(p[i], w)
			var c uint64
			p[i], c = bits.Add64(lo, carry, 0)
			carry = hi + c
		}
		if carry != 0 {
			p[n] = carry
			n++
		}
		k -= step
	}
	return p
}
