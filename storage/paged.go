package storage

// pageBits is the size of a page: 4096 elements.
const (
	pageBits = 12
	pageRows = 1 << pageBits
	pageMask = pageRows - 1
)

// paged is a list that only grows. A copy of the struct is an immutable view:
// elements are appended behind its end, in spare memory of the same arrays or in
// new ones, so a reader of a copy needs no lock. One writer at a time, and it
// appends to the newest copy only.
type paged[T any] struct {
	full [][]T
	tail []T
}

// pagedFrom is a list of n elements that nobody will ask for.
func pagedFrom[T any](n int) (p paged[T]) {
	if n > 0 {
		p.full, p.tail = make([][]T, n>>pageBits), make([]T, n&pageMask)
	}
	return p
}

// from is p where nobody will ask for the elements before i any more.
func (p *paged[T]) from(i int) paged[T] {
	q := *p
	if n := min(i>>pageBits, len(p.full)); n > 0 {
		q.full = append([][]T(nil), p.full...)
		clear(q.full[:n])
	}
	return q
}

// held is the number of elements in memory.
func (p *paged[T]) held() int {
	n := len(p.tail)
	for _, q := range p.full {
		n += len(q)
	}
	return n
}

func (p *paged[T]) len() int { return len(p.full)<<pageBits + len(p.tail) }

func (p *paged[T]) at(i int) T {
	if q := i >> pageBits; q < len(p.full) {
		return p.full[q][i&pageMask]
	}
	return p.tail[i&pageMask]
}

func (p *paged[T]) append(v T) {
	p.tail = append(p.tail, v)
	if len(p.tail) == pageRows {
		p.full = append(p.full, p.tail)
		p.tail = nil
	}
}

func (p *paged[T]) appendAll(vs []T) {
	for len(vs) > 0 {
		m := min(pageRows-len(p.tail), len(vs))
		if p.tail == nil && m == pageRows {
			p.tail = make([]T, 0, pageRows)
		}
		p.tail = append(p.tail, vs[:m]...)
		vs = vs[m:]
		if len(p.tail) == pageRows {
			p.full = append(p.full, p.tail)
			p.tail = nil
		}
	}
}

// run is a contiguous piece from i, at most up to j, not empty if i < j.
func (p *paged[T]) run(i, j int) []T {
	q, o := i>>pageBits, i&pageMask
	part := p.tail
	if q < len(p.full) {
		part = p.full[q]
	}
	return part[o:min(len(part), o+j-i)]
}

// setLast replaces the last element, which no reader's copy has.
func (p *paged[T]) setLast(v T) {
	if n := len(p.tail); n > 0 {
		p.tail[n-1] = v
		return
	}
	p.full[len(p.full)-1][pageMask] = v
}
