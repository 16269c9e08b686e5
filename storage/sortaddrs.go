package storage

import "slices"

const (
	radixBits = 11
	radixSize = 1 << radixBits
)

// sortAddrs sorts a; spare is memory for it. Both are returned, in either role.
// Long lists by their digits, from the least one on: linear, and stable.
func sortAddrs(a, spare []Addr) (sorted, free []Addr) {
	if len(a) < radixSize/8 {
		slices.Sort(a)
		return a, spare
	}
	var all Addr
	for _, x := range a {
		all |= x
	}
	spare = grow(spare, len(a))
	for shift := uint(0); all>>shift != 0; shift += radixBits {
		var count [radixSize]uint32
		for _, x := range a {
			count[x>>shift&(radixSize-1)]++
		}
		at := uint32(0)
		for d := range count {
			count[d], at = at, at+count[d]
		}
		for _, x := range a {
			d := x >> shift & (radixSize - 1)
			spare[count[d]] = x
			count[d]++
		}
		a, spare = spare, a
	}
	return a, spare
}
