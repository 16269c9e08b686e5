package storage

import "github.com/ivmc/ivmc/zset"

// keyIndex finds the chain of a key that was computed: it keeps the keys.
type keyIndex struct {
	chains
	table *zset.KeyTable
	heads []uint32 // by id: the newest entry
	ids   []uint32
}

func newKeyIndex() *keyIndex { return &keyIndex{table: zset.NewKeyTable(0)} }

// find sets out[i] to the newest entry of key i of k, or 0.
func (x *keyIndex) find(k *zset.Keys, out []uint32) {
	x.table.Find(k, out)
	for i, id := range out {
		if id == zset.NoID {
			out[i] = 0
		} else {
			out[i] = x.heads[id]
		}
	}
}

// add puts version addr(i) in front of the chain of key i of k.
func (x *keyIndex) add(k *zset.Keys, addr func(i int) Addr) {
	x.ids = grow(x.ids, k.Len())
	x.table.FindOrAdd(k, x.ids)
	for n := x.table.Cap(); len(x.heads) < n; {
		x.heads = append(x.heads, 0)
	}
	for i, id := range x.ids {
		a := addr(i)
		x.link(a, x.heads[id])
		x.heads[id] = uint32(a) + 1
	}
}

func (x *keyIndex) keys() int { return x.table.Len() }

func (x *keyIndex) memBytes() int64 {
	return x.table.MemBytes() + int64(4*cap(x.heads)+4*cap(x.ids)) + x.chains.memBytes()
}
