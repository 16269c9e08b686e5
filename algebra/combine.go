package algebra

import (
	"bytes"
	"maps"
	"slices"

	"github.com/ivmc/ivmc/zset"
)

// Combine is INTERSECT, or with Except EXCEPT: of rows that are not distinct
// (I8), l in L and r in R, there are with All min(l, r), or max(0, l - r); without
// All one, if l and r are positive, or if l is and r is not. The row shown is the
// one of L that is least by row encoding (I13). Both inputs have the same column
// types; names are those of L.
type Combine struct {
	L, R        Node
	Except, All bool
}

// Schema is that of L.
func (c *Combine) Schema() zset.Schema { return c.L.Schema() }

// Inputs is L and R.
func (c *Combine) Inputs() []Node { return []Node{c.L, c.R} }

func (c *Combine) with(ins []Node) Node { d := *c; d.L, d.R = ins[0], ins[1]; return &d }

func (c *Combine) eval(o *oracle) (*zset.Batch, error) {
	l, err := o.set(c.L)
	if err != nil {
		return nil, err
	}
	r, err := o.set(c.R)
	if err != nil {
		return nil, err
	}
	left, least, right := map[string]int64{}, map[string]int{}, map[string]int64{}
	for i := range l.N {
		k := notDistinct(l, i)
		if at, ok := least[k]; !ok || bytes.Compare(rowKey(l, i), rowKey(l, at)) < 0 {
			least[k] = i
		}
		left[k] += l.Weight(i)
	}
	for i := range r.N {
		right[notDistinct(r, i)] += r.Weight(i)
	}
	out := zset.NewBatch(c.Schema().Types(), 0)
	for _, k := range slices.Sorted(maps.Keys(left)) {
		n := c.count(left[k], right[k])
		if n > 0 {
			appendRow(out, l.Slice(least[k], least[k]+1).Cols, n)
		}
	}
	return out, nil
}

// count is how often a row is there that L has l > 0 times and R r times.
func (c *Combine) count(l, r int64) int64 {
	switch {
	case c.All && c.Except:
		return max(0, l-r)
	case c.All:
		return min(l, r)
	case (r > 0) != c.Except:
		return 1
	}
	return 0
}

// notDistinct is the key encoding of row i of b.
func notDistinct(b *zset.Batch, i int) string {
	var k []byte
	for c := range b.Cols {
		k = zset.AppendKey(k, &b.Cols[c], i)
	}
	return string(k)
}

func (c *Combine) line() string {
	kind := "intersect"
	if c.Except {
		kind = "except"
	}
	if c.All {
		kind += " all"
	}
	return kind
}
