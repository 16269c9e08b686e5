package runtime

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"

	"github.com/ivmc/ivmc/zset"
)

// tally is what one run changes in an ordered multiset: local counts first, by
// hash; then, once, the distinct keys in order with the counts they will have.
// The multiset itself is not touched before the commit (I12).
//
// A key is a prefix (a group's key, or a join key) and an encoding behind it.
// While rows come in, a group is four bytes of its local id.
type tally struct {
	grouped bool
	table   *zset.KeyTable
	w       []int64
	ids     []uint32
	enc     zset.Keys // encodings of a batch
	batch   zset.Keys // the same behind their prefixes
	kept    []int64   // weights of batch

	// after settle
	keys  zset.Keys // without hashes
	order []int32   // keys that changed, ascending
	sum   []int64   // change, by key
	after []int64   // count after the run, by key
	from  []int32   // by group: where it starts in order; last: the end
}

func newTally(grouped bool) *tally {
	return &tally{grouped: grouped, table: zset.NewKeyTable(0)}
}

func (t *tally) reset() {
	t.table.Reset()
	t.w = t.w[:0]
	t.keys.Reset()
	t.order, t.sum, t.after, t.from = t.order[:0], t.sum[:0], t.after[:0], t.from[:0]
}

// addGrouped counts the cells of cols behind their groups. With skipNull rows
// whose cell is NULL do not count.
func (t *tally) addGrouped(groups []uint32, cols []zset.Column, n int, w []int64, skipNull bool) {
	t.enc.EncodeRows(cols, n)
	buf, off, hash := t.batch.Buf[:0], append(t.batch.Off[:0], 0), t.batch.Hash[:0]
	kept := t.kept[:0]
	for i := range n {
		if skipNull && t.enc.Null != nil && t.enc.Null[i] {
			continue
		}
		at := len(buf)
		buf = binary.BigEndian.AppendUint32(buf, groups[i])
		buf = append(buf, t.enc.Key(i)...)
		off = append(off, uint32(len(buf)))
		hash = append(hash, zset.Hash(buf[at:]))
		kept = append(kept, weight(w, i))
	}
	t.batch.Buf, t.batch.Off, t.batch.Hash, t.kept = buf, off, hash, kept
	t.count()
}

// weight is w[i], 1 for nil.
func weight(w []int64, i int) int64 {
	if w == nil {
		return 1
	}
	return w[i]
}

// add counts rows behind the keys already encoded in k.
func (t *tally) add(k *zset.Keys, cols []zset.Column, n int, w []int64) {
	t.enc.EncodeRows(cols, n)
	buf, off, hash := t.batch.Buf[:0], append(t.batch.Off[:0], 0), t.batch.Hash[:0]
	kept := t.kept[:0]
	for i := range n {
		at := len(buf)
		buf = append(append(buf, k.Key(i)...), t.enc.Key(i)...)
		off = append(off, uint32(len(buf)))
		hash = append(hash, zset.Hash(buf[at:]))
		kept = append(kept, weight(w, i))
	}
	t.batch.Buf, t.batch.Off, t.batch.Hash, t.kept = buf, off, hash, kept
	t.count()
}

// count adds the weights kept to the keys of batch.
func (t *tally) count() {
	n := t.batch.Len()
	t.ids = sized(t.ids, n)
	t.table.FindOrAdd(&t.batch, t.ids)
	for len(t.w) < t.table.Cap() {
		t.w = append(t.w, 0)
	}
	for i, id := range t.ids[:n] {
		t.w[id] += t.kept[i]
	}
}

// settle sorts the keys whose counts change and works out what the counts will
// be over main (nil: empty). A negative count is corruption (I5).
func (t *tally) settle(r *run, groups *zset.KeyTable, main *zset.Ordered) error {
	t.keys.Reset()
	t.order, t.sum, t.after = t.order[:0], t.sum[:0], t.after[:0]
	var gids []uint32
	for id, w := range t.w {
		if w == 0 {
			continue
		}
		key := t.table.Key(uint32(id))
		if t.grouped {
			g := binary.BigEndian.Uint32(key)
			gids = append(gids, g)
			t.keys.Buf = append(t.keys.Buf, groups.Key(g)...)
			key = key[4:]
		}
		t.keys.Buf = append(t.keys.Buf, key...)
		t.keys.Off = append(t.keys.Off, uint32(len(t.keys.Buf)))
		t.order = append(t.order, int32(len(t.sum)))
		t.sum = append(t.sum, w)
	}
	if len(t.keys.Buf) > math.MaxUint32 {
		return zset.Errorf(zset.CodeOutOfMemory, -1, "a step changes more than 4 GiB of ordered state; refresh in smaller steps")
	}
	slices.SortFunc(t.order, func(a, b int32) int { return bytes.Compare(t.keys.Key(int(a)), t.keys.Key(int(b))) })
	t.after = append(t.after, t.sum...)
	for _, i := range t.order {
		if main != nil {
			t.after[i] += main.Count(t.keys.Key(int(i)))
		}
		if t.after[i] < 0 {
			return r.corrupt("a value of a group would be there %d times", t.after[i])
		}
	}
	if t.grouped {
		t.ranges(gids, groups.Cap())
	}
	return nil
}

// ranges finds where each group starts in order: the keys of a group stand
// together, because group keys are prefix-free.
func (t *tally) ranges(gids []uint32, n int) {
	t.from = sized(t.from, 2*n)
	clear(t.from)
	for p, i := range t.order {
		g := gids[i]
		if t.from[2*g+1] == 0 {
			t.from[2*g] = int32(p)
		}
		t.from[2*g+1] = int32(p + 1)
	}
}

// group is the part of order that belongs to local group g.
func (t *tally) group(g uint32) (from, to int) {
	return int(t.from[2*g]), int(t.from[2*g+1])
}

// prefixed is the part of order whose keys start with prefix. Of an ungrouped tally.
func (t *tally) prefixed(prefix []byte) (from, to int) {
	from, _ = slices.BinarySearchFunc(t.order, prefix, func(i int32, p []byte) int { return bytes.Compare(t.keys.Key(int(i)), p) })
	for to = from; to < len(t.order) && bytes.HasPrefix(t.keys.Key(int(t.order[to])), prefix); to++ {
	}
	return from, to
}

// least is the smallest key with the prefix after the run, without the prefix;
// nil if there is none. order[from:to] are the changed keys with that prefix.
func (t *tally) least(main *zset.Ordered, prefix []byte, from, to int) []byte {
	var c zset.OrderedCursor
	if main != nil {
		c = main.FirstWith(prefix)
	}
	for {
		old := c.Valid() && bytes.HasPrefix(c.Key(), prefix)
		if from == to {
			if old {
				return c.Key()[len(prefix):]
			}
			return nil
		}
		i := t.order[from]
		key := t.keys.Key(int(i))
		if old {
			switch bytes.Compare(c.Key(), key) {
			case -1:
				return c.Key()[len(prefix):]
			case 0:
				c.Next()
			}
		}
		if t.after[i] > 0 {
			return key[len(prefix):]
		}
		from++
	}
}

// greatest is as least, for the largest; where the encoding of values is not
// exact, of the largest values that are not distinct the least by row encoding.
func (t *tally) greatest(main *zset.Ordered, prefix []byte, from, to int, same func(a, b []byte) bool) []byte {
	var c zset.OrderedCursor
	if main != nil {
		c = main.LastWith(prefix)
	}
	var best []byte
	for {
		old := c.Valid() && bytes.HasPrefix(c.Key(), prefix)
		if from == to && !old {
			return best
		}
		var key []byte
		live := true
		cmp := 1 // the changed key is larger
		if from == to {
			cmp = -1
		} else if old {
			cmp = bytes.Compare(t.keys.Key(int(t.order[to-1])), c.Key())
		}
		if cmp < 0 {
			key = c.Key()
			c.Prev()
		} else {
			i := t.order[to-1]
			key, live = t.keys.Key(int(i)), t.after[i] > 0
			to--
			if cmp == 0 {
				c.Prev()
			}
		}
		if !live {
			continue
		}
		key = key[len(prefix):]
		if best == nil {
			best = key
			if same == nil {
				return best
			}
			continue
		}
		if !same(best, key) {
			return best
		}
		best = key
	}
}

// install brings main to the counts after the run.
func (t *tally) install(main *zset.Ordered) { main.AddSorted(&t.keys, t.order, t.sum, nil) }

func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}
