package zset

import "bytes"

// Ordered is an ordered multiset of byte strings: a map from key to int64 count
// that can be walked in the order of bytes.Compare. A key whose count becomes 0
// is gone, and its memory is given to others. Counts may be negative; who holds
// that to be corruption checks what Add returns.
//
// It serves MIN and MAX under deletes: keys are a group's key followed by the
// encoded value, so that the least value of a group is one look-up away, and
// the largest another (see LastWith for how ties are shown, I13).
//
// It is a tree of three levels, root, branches and leaves, whose nodes keep
// their keys packed in one byte slice each: no pointer and no allocation per key.
// Not safe for concurrent use, but for readers without a writer.
type Ordered struct {
	low  packed // low[i] bounds branch i from below, but low[0], which bounds nothing
	kids []*branch
	n    int
	mem  int64
}

// branch is a run of leaves. low[i] bounds leaf i from below: no key of it is
// less, every key of the leaf before is. low[0] bounds nothing: what is less than
// it belongs to leaf 0 too.
type branch struct {
	low  packed
	kids []*leaf
}

type leaf struct {
	keys  packed
	count []int64
}

// Sizes of nodes: a leaf splits above leafKeys keys, or above leafBytes bytes if
// it has two keys or more; a leaf joins its neighbour when both together are
// half of that, or it is empty. A branch splits above branchKids leaves.
const (
	leafKeys   = 128
	leafBytes  = 1 << 14
	branchKids = 256
	nodeBytes  = 160 // of a node without its slices' elements
)

// NewOrdered returns an empty multiset.
func NewOrdered() *Ordered {
	t := &Ordered{}
	t.Reset()
	return t
}

// Reset empties t.
func (t *Ordered) Reset() {
	b := &branch{kids: []*leaf{{}}}
	b.low.insert(0, nil)
	*t = Ordered{kids: []*branch{b}, mem: 2 * nodeBytes}
	t.low.insert(0, nil)
}

// Len is the number of keys, each counted once.
func (t *Ordered) Len() int { return t.n }

// MemBytes estimates the memory held, in bytes.
func (t *Ordered) MemBytes() int64 { return t.mem }

// place is where a key is or belongs: leaf l of branch b, position i.
type place struct{ b, l, i int }

// find descends to the leaf of key, and reports whether the key is there.
func (t *Ordered) find(key []byte) (p place, ok bool) {
	p.b = t.low.floor(key)
	b := t.kids[p.b]
	p.l = b.low.floor(key)
	p.i, ok = b.kids[p.l].keys.search(0, key)
	return p, ok
}

// Count is the count of key; 0 if it is not in t.
func (t *Ordered) Count(key []byte) int64 {
	p, ok := t.find(key)
	if !ok {
		return 0
	}
	return t.kids[p.b].kids[p.l].count[p.i]
}

// Add adds w to the count of key and returns the new count. key is copied.
func (t *Ordered) Add(key []byte, w int64) int64 {
	p, ok := t.find(key)
	n, _ := t.addAt(p, ok, key, w)
	return n
}

// AddSorted adds w[order[j]] to the key order[j] of k, for all j; the keys must
// ascend in that order. order nil means as they stand, w nil means ones. after,
// if not nil, gets the new counts, at the same indexes as w. One descent serves
// the keys that fall into one leaf.
func (t *Ordered) AddSorted(k *Keys, order []int32, w []int64, after []int64) {
	n := k.Len()
	if order != nil {
		n = len(order)
	}
	var (
		p    place
		stay bool
	)
	for j := range n {
		i := j
		if order != nil {
			i = int(order[j])
		}
		key, d := k.Key(i), int64(1)
		if w != nil {
			d = w[i]
		}
		var ok bool
		if stay && t.within(p, key) {
			p.i, ok = t.kids[p.b].kids[p.l].keys.search(p.i, key)
		} else {
			p, ok = t.find(key)
		}
		var c int64
		c, stay = t.addAt(p, ok, key, d)
		if after != nil {
			after[i] = c
		}
	}
}

// within reports whether key, not less than the last one, belongs to the leaf
// of p too. Yes only where that is cheap to see: not in the last leaf of a branch.
func (t *Ordered) within(p place, key []byte) bool {
	b := t.kids[p.b]
	return p.l+1 < len(b.kids) && bytes.Compare(key, b.low.key(p.l+1)) < 0
}

// addAt adds w to key, whose place is p and which is there if ok. It returns the
// new count, and whether p is still a place of the same leaf.
func (t *Ordered) addAt(p place, ok bool, key []byte, w int64) (int64, bool) {
	b := t.kids[p.b]
	l := b.kids[p.l]
	if ok {
		l.count[p.i] += w
		c := l.count[p.i]
		if c == 0 {
			t.n--
			l.keys.remove(p.i)
			l.count = append(l.count[:p.i], l.count[p.i+1:]...)
			return 0, !t.shrink(p)
		}
		return c, true
	}
	if w == 0 {
		return 0, true
	}
	t.n++
	was := l.bytes()
	l.keys.insert(p.i, key)
	l.count = insertAt(l.count, p.i, w)
	t.mem += l.bytes() - was
	if n := len(l.count); n > leafKeys || (n > 1 && len(l.keys.buf) > leafBytes) {
		t.splitLeaf(p)
		return w, false
	}
	return w, true
}

// splitLeaf makes two leaves of the leaf of p, where a key was just put in. Where
// that was its last, it goes alone: keys that come in order leave full leaves.
func (t *Ordered) splitLeaf(p place) {
	b := t.kids[p.b]
	l := b.kids[p.l]
	cut := len(l.count) / 2
	if p.i == len(l.count)-1 {
		cut = p.i
	}
	was := l.bytes()
	r := &leaf{keys: l.keys.tail(cut), count: append([]int64(nil), l.count[cut:]...)}
	*l = leaf{keys: l.keys.head(cut), count: append([]int64(nil), l.count[:cut]...)}
	b.low.insert(p.l+1, r.keys.key(0))
	b.kids = insertAt(b.kids, p.l+1, r)
	t.mem += l.bytes() + r.bytes() - was + nodeBytes + int64(len(r.keys.key(0))) + 12
	if len(b.kids) > branchKids {
		cut := len(b.kids) / 2
		if p.l+1 == len(b.kids)-1 {
			cut = len(b.kids) - 1
		}
		c := &branch{low: b.low.tail(cut), kids: append([]*leaf(nil), b.kids[cut:]...)}
		b.low, b.kids = b.low.head(cut), append([]*leaf(nil), b.kids[:cut]...)
		t.low.insert(p.b+1, c.low.key(0))
		t.kids = insertAt(t.kids, p.b+1, c)
		t.mem += nodeBytes
	}
}

// shrink joins the leaf of p, which lost a key, with a neighbour where both are
// small or it is empty, and drops an empty branch. It reports whether it changed
// anything.
func (t *Ordered) shrink(p place) bool {
	b := t.kids[p.b]
	l := b.kids[p.l]
	if len(l.count) > leafKeys/4 {
		return false
	}
	if len(b.kids) == 1 {
		if len(l.count) > 0 || len(t.kids) == 1 {
			return false
		}
		t.mem -= l.bytes() + 2*nodeBytes
		t.kids = append(t.kids[:p.b], t.kids[p.b+1:]...)
		t.low.remove(p.b)
		return true
	}
	for _, i := range [2]int{p.l, p.l - 1} {
		if i < 0 || i+1 == len(b.kids) {
			continue
		}
		x, y := b.kids[i], b.kids[i+1]
		small := len(x.count)+len(y.count) <= leafKeys/2 && len(x.keys.buf)+len(y.keys.buf) <= leafBytes/2
		if !small && len(l.count) > 0 {
			continue
		}
		was := x.bytes() + y.bytes()
		x.keys.concat(&y.keys)
		x.count = append(x.count, y.count...)
		t.mem += x.bytes() - was - nodeBytes - int64(len(b.low.key(i+1))) - 12
		b.low.remove(i + 1)
		b.kids = append(b.kids[:i+1], b.kids[i+2:]...)
		return true
	}
	return false
}

func (l *leaf) bytes() int64 {
	return int64(cap(l.keys.buf) + 4*cap(l.keys.end) + 8*cap(l.count))
}
