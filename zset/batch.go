package zset

// Batch is a Z-set in columns: row i has weight W[i], or 1 where W is nil.
// Consolidated says that no two rows are identical (by the row encoding) and no
// weight is 0 (I4). A batch is read-only once handed on; columns may be shared
// between batches and with stored pages.
type Batch struct {
	Cols         []Column
	W            []int64
	N            int
	Consolidated bool
}

// NewBatch returns an empty batch with columns of the given types.
func NewBatch(ts []Type, n int) *Batch {
	b := &Batch{Cols: make([]Column, len(ts))}
	for i, t := range ts {
		b.Cols[i] = NewColumn(t, n)
	}
	return b
}

// Reset empties b and keeps its memory. Only for a batch whose columns are not shared.
func (b *Batch) Reset() {
	for i := range b.Cols {
		b.Cols[i].Reset()
	}
	b.N, b.Consolidated = 0, false
	if b.W != nil {
		b.W = b.W[:0]
	}
}

// Weight is the weight of row i.
func (b *Batch) Weight(i int) int64 {
	if b.W == nil {
		return 1
	}
	return b.W[i]
}

// Append appends all rows of src, which has the same column types.
func (b *Batch) Append(src *Batch) {
	for i := range b.Cols {
		b.Cols[i].AppendColumn(&src.Cols[i])
	}
	b.appendWeights(src.W, src.N)
}

func (b *Batch) appendWeights(w []int64, m int) {
	if w == nil && b.W == nil {
		b.N += m
		return
	}
	if b.W == nil {
		b.W = ones(make([]int64, 0, b.N+m), b.N)
	}
	if w == nil {
		b.W = ones(b.W, m)
	} else {
		b.W = append(b.W, w[:m]...)
	}
	b.N += m
}

func ones(w []int64, n int) []int64 {
	for range n {
		w = append(w, 1)
	}
	return w
}

// Take returns a new batch of the rows at positions idx, with their weights.
func (b *Batch) Take(idx []int32) *Batch {
	out := &Batch{Cols: make([]Column, len(b.Cols)), N: len(idx), Consolidated: b.Consolidated}
	for i := range b.Cols {
		out.Cols[i] = NewColumn(b.Cols[i].Type, len(idx))
		out.Cols[i].AppendTake(&b.Cols[i], idx)
	}
	if b.W != nil {
		out.W = make([]int64, len(idx))
		for k, i := range idx {
			out.W[k] = b.W[i]
		}
	}
	return out
}

// Slice is the rows [i, j) of b; it shares memory with b.
func (b *Batch) Slice(i, j int) *Batch {
	out := &Batch{Cols: make([]Column, len(b.Cols)), N: j - i, Consolidated: b.Consolidated}
	for c := range b.Cols {
		out.Cols[c] = b.Cols[c].Slice(i, j)
	}
	if b.W != nil {
		out.W = b.W[i:j:j]
	}
	return out
}

// Types lists the column types of b.
func (b *Batch) Types() []Type {
	ts := make([]Type, len(b.Cols))
	for i := range b.Cols {
		ts[i] = b.Cols[i].Type
	}
	return ts
}
