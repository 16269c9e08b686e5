package session

import (
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// ownKey is a further key of a table over the rows that a transaction wrote: key
// ids, and for each its live row. A row with a NULL in it is not there.
type ownKey struct {
	*storage.Unique
	keys *zset.KeyTable
	at   []int32  // per key id
	idOf []uint32 // per own row; zset.NoID without a key
}

func newOwnKey(u *storage.Unique) *ownKey { return &ownKey{Unique: u, keys: zset.NewKeyTable(0)} }

func (u *ownKey) memBytes() int64 {
	return u.keys.MemBytes() + int64(4*len(u.at)+4*len(u.idOf))
}

// remove forgets own row i. A row of the statement that runs may not be there yet.
func (u *ownKey) remove(i int) {
	if i < len(u.idOf) && u.idOf[i] != zset.NoID && u.at[u.idOf[i]] == int32(i) {
		u.at[u.idOf[i]] = noRow
	}
}

// insertUnique adds the rows of b, own rows from first on, to the further keys,
// when all that the statement replaces is removed: the statement has no inner
// order. A key that lives is 23505.
func (w *writes) insertUnique(b *zset.Batch, first int, r reader, at storage.TSO) error {
	for k, u := range w.uniq {
		var ks zset.Keys
		ks.EncodeKeys(keyColumns(b, u.Cols), b.N)
		ids := make([]uint32, b.N)
		u.keys.FindOrAdd(&ks, ids)
		for len(u.at) < u.keys.Cap() {
			u.at = append(u.at, noRow)
		}
		stored := make([]storage.Addr, b.N)
		r.FindUnique(k, &ks, at, stored)
		for i, id := range ids {
			if !w.live[first+i] || ks.Null != nil && ks.Null[i] {
				u.idOf = append(u.idOf, zset.NoID)
				continue
			}
			if u.at[id] != noRow || stored[i] != storage.NoAddr && !w.gone.has(stored[i]) {
				return faultAt(i, duplicate(w.obj, u.Name, u.Cols, b, i))
			}
			u.at[id] = int32(first + i)
			u.idOf = append(u.idOf, id)
		}
	}
	return nil
}
