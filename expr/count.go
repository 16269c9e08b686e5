package expr

import (
	"encoding/binary"
	"unsafe"

	"github.com/ivmc/ivmc/zset"
)

// counter is COUNT(*) and COUNT(e): the total weight of the inputs that are not NULL.
type counter struct {
	n []int64
}

func newCount(zset.Type) Accumulator { return &counter{} }

func (c *counter) Resize(n int) { c.n = resize(c.n, n) }

func (c *counter) Add(groups []uint32, arg *zset.Column, w []int64) {
	n := c.n
	var null []bool
	if arg != nil {
		null = arg.Null
	}
	switch {
	case null == nil && w == nil:
		if oneGroup(groups) {
			n[groups[0]] += int64(len(groups))
			return
		}
		for _, g := range groups {
			n[g]++
		}
	case null == nil:
		w = w[:len(groups)]
		for i, g := range groups {
			n[g] += w[i]
		}
	default:
		null = null[:len(groups)]
		for i, g := range groups {
			if !null[i] {
				n[g] += weight(w, i)
			}
		}
	}
}

// oneGroup reports whether all of groups are one, as under a global aggregate.
func oneGroup(groups []uint32) bool {
	for _, g := range groups {
		if g != groups[0] {
			return false
		}
	}
	return len(groups) > 0
}

func (c *counter) Merge(g uint32, src Accumulator, from uint32) { c.n[g] += src.(*counter).n[from] }

func (c *counter) Append(dst []byte, g uint32) []byte { return binary.AppendVarint(dst, c.n[g]) }

func (c *counter) Load(g uint32, b []byte) ([]byte, error) {
	n, k := binary.Varint(b)
	if k <= 0 {
		return nil, errState("count")
	}
	c.n[g] = n
	return b[k:], nil
}

func (c *counter) Clear(g uint32) { c.n[g] = 0 }

func (c *counter) Result(groups []uint32, out *zset.Column) error {
	for i, g := range groups {
		if c.n[g] < 0 {
			return rowError(i, errInputs("count", c.n[g]))
		}
		out.AppendI64(c.n[g])
	}
	return nil
}

func (c *counter) MemBytes() int64 { return memBytes(c.n) }

// weight is w[i], or 1 where w is nil.
func weight(w []int64, i int) int64 {
	if w == nil {
		return 1
	}
	return w[i]
}

// memBytes is the memory of a slice of pointer-free elements.
func memBytes[T any](s []T) int64 {
	var z T
	return int64(cap(s)) * int64(unsafe.Sizeof(z))
}
