package session

import (
	"fmt"
	"strings"

	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// writes is what a transaction did to one table so far: the change that its
// commit will hand to the store, and beside it what its own readers need.
//
// Row i of rows has the address storage.Own(i). Rows are never taken out: a row
// that the transaction wrote and removed again stays in the log as an insert
// and a delete, and is not live.
type writes struct {
	obj  *storage.Object
	ops  []storage.Op
	rows *zset.Batch
	dead []storage.Addr

	live []bool  // per own row
	gone addrSet // stored rows that the transaction removed

	// Keyed tables only. keys holds every key that an own row ever had; at
	// gives, per key id, its live own row.
	keys *zset.KeyTable
	at   []int32
	idOf []uint32 // per own row: its key id

	uniq  []*ownKey // further keys, by Object.Unique
	rules *rules
}

// noRow: no live own row has the key.
const noRow = int32(-1)

func newWrites(obj *storage.Object, r *rules) *writes {
	w := &writes{obj: obj, rows: zset.NewBatch(obj.Schema.Types(), 0), rules: r}
	for u := range obj.Unique {
		w.uniq = append(w.uniq, newOwnKey(&obj.Unique[u]))
	}
	if obj.Key != nil {
		w.keys = zset.NewKeyTable(0)
	}
	return w
}

// change is the write set as the store takes it; nil if nothing was written.
func (w *writes) change() *storage.Change {
	if len(w.ops) == 0 {
		return nil
	}
	return &storage.Change{Rel: w.obj.ID, SchemaVersion: w.obj.SchemaVersion, Ops: w.ops, Rows: w.rows, Dead: w.dead}
}

// memBytes estimates what the write set holds.
func (w *writes) memBytes() int64 {
	n := int64(len(w.ops) + 8*len(w.dead) + len(w.live) + 4*len(w.at) + 4*len(w.idOf))
	for i := range w.rows.Cols {
		n += w.rows.Cols[i].MemBytes()
	}
	if w.keys != nil {
		n += w.keys.MemBytes()
	}
	for _, u := range w.uniq {
		n += u.memBytes()
	}
	return n + w.gone.memBytes()
}

// remove hides the row at a, one of the transaction or of the store.
func (w *writes) remove(a storage.Addr) {
	i, own := ownRow(a)
	if !own {
		w.gone.add(a)
		return
	}
	w.live[i] = false
	if w.keys != nil {
		w.at[w.idOf[i]] = noRow
	}
	for _, u := range w.uniq {
		u.remove(i)
	}
}

// ownRow is the row that an address made by storage.Own stands for.
func ownRow(a storage.Addr) (int, bool) {
	own := storage.Own(0)
	return int(a &^ own), a&own != 0 && a != storage.NoAddr
}

// reader finds stored rows by key at the transaction's snapshot.
type reader interface {
	FindKey(k *zset.Keys, at storage.TSO, out []storage.Addr)
	FindUnique(u int, k *zset.Keys, at storage.TSO, out []storage.Addr)
}

// insert adds the rows of b, which replace the rows at old, position by
// position; old is nil for an INSERT. The rows at old are removed before any
// key is looked at, so that the statement has no inner order. With upsert an
// occupied key is an update, else it is 23505. The rows have passed the rules of
// the table.
func (w *writes) insert(b *zset.Batch, old []storage.Addr, upsert bool, r reader, at storage.TSO) error {
	for _, a := range old {
		w.remove(a)
	}
	first := w.rows.N
	if w.keys == nil {
		w.append(b, old)
		return w.insertUnique(b, first, r, at)
	}
	var ks zset.Keys
	ks.EncodeKeys(keyColumns(b, w.obj.Key), b.N)
	ids := make([]uint32, b.N)
	w.keys.FindOrAdd(&ks, ids)
	for len(w.at) < w.keys.Cap() {
		w.at = append(w.at, noRow)
	}
	stored := make([]storage.Addr, b.N)
	r.FindKey(&ks, at, stored)
	moved := w.leave(old, ids, stored)
	for i := range b.N {
		prev := storage.NoAddr
		switch own := w.at[ids[i]]; {
		case own != noRow:
			prev = storage.Own(int(own))
		case stored[i] != storage.NoAddr && !w.gone.has(stored[i]):
			prev = stored[i]
		}
		switch {
		case prev == storage.NoAddr:
		case upsert:
			w.remove(prev)
		default:
			return faultAt(i, duplicateKey(w.obj, b, i))
		}
		w.live = append(w.live, true)
		w.at[ids[i]] = int32(first + i)
		w.idOf = append(w.idOf, ids[i])
		switch {
		case old != nil && (moved == nil || !moved[i]):
			w.ops, w.dead = append(w.ops, storage.OpUpdate), append(w.dead, old[i])
		case prev != storage.NoAddr:
			w.ops, w.dead = append(w.ops, storage.OpUpdate), append(w.dead, prev)
		default:
			w.ops = append(w.ops, storage.OpInsert)
		}
	}
	w.rows.Append(b)
	return w.insertUnique(b, first, r, at)
}

// leave logs, as deletes, the rows at old that get another key, and says which they
// are; nil: none. ids and stored are the keys of the rows that come, and the stored
// rows with them. Law: who follows the log record by record never meets a key that
// lives, which is why all that go stand before the first that comes.
func (w *writes) leave(old []storage.Addr, ids []uint32, stored []storage.Addr) (moved []bool) {
	for i, a := range old {
		same := stored[i] == a
		if k, own := ownRow(a); own {
			same = w.idOf[k] == ids[i]
		}
		if same {
			continue
		}
		if moved == nil {
			moved = make([]bool, len(old))
		}
		moved[i] = true
		w.ops, w.dead = append(w.ops, storage.OpDelete), append(w.dead, a)
	}
	return moved
}

// append logs the rows of a bag.
func (w *writes) append(b *zset.Batch, old []storage.Addr) {
	op := storage.OpInsert
	if old != nil {
		op = storage.OpUpdate
	}
	for range b.N {
		w.ops, w.live = append(w.ops, op), append(w.live, true)
	}
	w.dead = append(w.dead, old...)
	w.rows.Append(b)
}

// delete removes the rows at old; op is OpDelete or OpTruncate.
func (w *writes) delete(old []storage.Addr, op storage.Op) {
	for _, a := range old {
		w.remove(a)
		w.ops = append(w.ops, op)
	}
	w.dead = append(w.dead, old...)
}

// duplicateKey is 23505 for the primary key of row i of b.
func duplicateKey(obj *storage.Object, b *zset.Batch, i int) error {
	return duplicate(obj, obj.KeyConstraint(), obj.Key, b, i)
}

func duplicate(obj *storage.Object, constraint string, key []int, b *zset.Batch, i int) error {
	err := zset.Errorf("23505", -1, "duplicate key value violates unique constraint %q", constraint)
	err.Detail = fmt.Sprintf("Key (%s)=(%s) already exists.", columnNames(obj, key), keyText(key, b, i))
	err.Object = obj.Name
	return err
}

func columnNames(obj *storage.Object, cols []int) string {
	names := make([]string, len(cols))
	for i, c := range cols {
		names[i] = obj.Schema[c].Name
	}
	return strings.Join(names, ", ")
}

func keyText(key []int, b *zset.Batch, i int) string {
	return rowText(&zset.Batch{Cols: keyColumns(b, key), N: b.N}, i)
}

// rowText is row i of b for an error's detail: cells in psql's text, cut at 64 bytes each.
func rowText(b *zset.Batch, i int) string {
	var out []byte
	for c := range b.Cols {
		if c > 0 {
			out = append(out, ", "...)
		}
		if b.Cols[c].IsNull(i) {
			out = append(out, "null"...)
			continue
		}
		cell := zset.AppendText(nil, &b.Cols[c], i)
		if len(cell) > 64 {
			cell = append([]byte(strings.ToValidUTF8(string(cell[:64]), "")), "..."...)
		}
		out = append(out, cell...)
	}
	return string(out)
}

func keyColumns(b *zset.Batch, key []int) []zset.Column {
	cols := make([]zset.Column, len(key))
	for i, c := range key {
		cols[i] = b.Cols[c]
	}
	return cols
}
