package zset

import "bytes"

// packed is a short sorted list of byte strings in one slice: string i is
// buf[end[i-1]:end[i]]. The nodes of [Ordered] are made of it.
type packed struct {
	buf []byte
	end []uint32
}

func (p *packed) start(i int) uint32 {
	if i == 0 {
		return 0
	}
	return p.end[i-1]
}

func (p *packed) key(i int) []byte { return p.buf[p.start(i):p.end[i]] }

// search is the first position, from lo up, whose string is not less than key,
// and whether it is key. All strings below lo are known to be less.
func (p *packed) search(lo int, key []byte) (int, bool) {
	hi := len(p.end)
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		c := bytes.Compare(p.key(m), key)
		if c == 0 {
			return m, true
		}
		if c < 0 {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo, false
}

// floor is the last position whose string is not greater than key, or 0.
func (p *packed) floor(key []byte) int {
	i, eq := p.search(0, key)
	if eq || i == 0 {
		return i
	}
	return i - 1
}

func (p *packed) insert(i int, key []byte) {
	n, at := len(p.buf), p.start(i)
	p.buf = append(p.buf, key...)
	copy(p.buf[int(at)+len(key):], p.buf[at:n])
	copy(p.buf[at:], key)
	p.end = insertAt(p.end, i, at)
	for j := i; j < len(p.end); j++ {
		p.end[j] += uint32(len(key))
	}
}

func (p *packed) remove(i int) {
	from, to := p.start(i), p.end[i]
	p.buf = append(p.buf[:from], p.buf[to:]...)
	p.end = append(p.end[:i], p.end[i+1:]...)
	for j := i; j < len(p.end); j++ {
		p.end[j] -= to - from
	}
}

// head is a copy of the first n strings, tail of those from n up.
func (p *packed) head(n int) packed {
	return packed{buf: append([]byte(nil), p.buf[:p.start(n)]...), end: append([]uint32(nil), p.end[:n]...)}
}

func (p *packed) tail(n int) packed {
	at := p.start(n)
	t := packed{buf: append([]byte(nil), p.buf[at:]...), end: append([]uint32(nil), p.end[n:]...)}
	for i := range t.end {
		t.end[i] -= at
	}
	return t
}

// concat appends the strings of q, none of which is less than the last of p.
func (p *packed) concat(q *packed) {
	at := uint32(len(p.buf))
	p.buf = append(p.buf, q.buf...)
	for _, e := range q.end {
		p.end = append(p.end, e+at)
	}
}

// insertAt inserts x before s[i].
func insertAt[T any](s []T, i int, x T) []T {
	var zero T
	s = append(s, zero)
	copy(s[i+1:], s[i:])
	s[i] = x
	return s
}
