package session

import (
	"fmt"
	"slices"

	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// keyedChange walks the rows in order with the live row of every key at hand.
// Keys are found in the store all at once; a key that occurs several times
// finds what its earlier rows left.
func keyedChange(in *input, rel *storage.Relation, at storage.TSO) (*storage.Change, error) {
	n := in.rows.N
	var ks zset.Keys
	ks.EncodeKeys(keyColumns(in.rows, in.obj.Key), n)
	c := &storage.Change{Rel: in.obj.ID, SchemaVersion: in.obj.SchemaVersion, Ops: make([]storage.Op, 0, n), Rows: in.rows, SameKey: true}
	if in.inserts() && distinct(ks.Hash) { // the commit asks for each key in any case
		for range n {
			c.Ops = append(c.Ops, storage.OpInsert)
		}
		return c, nil
	}
	stored := make([]storage.Addr, n)
	rel.FindKey(&ks, at, stored)
	ids, cur := keyIDs(&ks, stored)
	c.Dead = make([]storage.Addr, 0, n)
	var written []int32 // positions of the rows of inserts and updates; nil while it is all of them
	rows := 0
	for i := range n {
		id := i
		if ids != nil {
			id = int(ids[i])
		}
		op, live := rowInsert, cur[id]
		if in.ops != nil {
			op = in.ops[i]
		}
		if op == rowDelete {
			if live == storage.NoAddr {
				return nil, absent(in, i, "Key ("+columnNames(in.obj, in.obj.Key)+")=("+keyText(in.obj.Key, in.rows, i)+") is not there.")
			}
			if written == nil {
				written = sequence(i, n)
			}
			c.Ops, c.Dead = append(c.Ops, storage.OpDelete), append(c.Dead, live)
			cur[id] = storage.NoAddr
			continue
		}
		switch {
		case live == storage.NoAddr:
			c.Ops = append(c.Ops, storage.OpInsert)
		case op == rowUpsert || in.upsert:
			c.Ops, c.Dead = append(c.Ops, storage.OpUpdate), append(c.Dead, live)
		default:
			return nil, duplicateKey(in.obj, in.rows, i)
		}
		cur[id] = storage.Own(rows)
		rows++
		if written != nil {
			written = append(written, int32(i))
		}
	}
	if written != nil {
		c.Rows = in.rows.Take(written)
	}
	return c, nil
}

// inserts reports whether all rows are new ones.
func (in *input) inserts() bool {
	if in.upsert {
		return false
	}
	for _, op := range in.ops {
		if op != rowInsert {
			return false
		}
	}
	return true
}

// keyIDs numbers the keys and gives the stored row of each. ids nil: no key
// occurs twice, and the number of a key is its position.
func keyIDs(ks *zset.Keys, stored []storage.Addr) (ids []uint32, cur []storage.Addr) {
	if distinct(ks.Hash) {
		return nil, stored
	}
	table := zset.NewKeyTable(len(stored))
	ids = make([]uint32, len(stored))
	table.FindOrAdd(ks, ids)
	cur = make([]storage.Addr, table.Cap())
	for i, id := range ids {
		cur[id] = stored[i] // equal keys found equal rows
	}
	return ids, cur
}

// distinct reports whether all hashes differ, and so the keys. False says
// nothing of the keys.
func distinct(hashes []uint64) bool {
	size := 16
	for size < 2*len(hashes) {
		size *= 2
	}
	slots := make([]uint64, size) // 0: free
	for _, h := range hashes {
		h |= 1
		at := int(h>>32) & (size - 1)
		for slots[at] != 0 {
			if slots[at] == h {
				return false
			}
			at = (at + 1) & (size - 1)
		}
		slots[at] = h
	}
	return true
}

// sequence is 0 .. n-1, with room for up to size.
func sequence(n, size int) []int32 {
	out := make([]int32, n, size)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}

func absent(in *input, i int, detail string) error {
	which := fmt.Sprintf("row %d of the record", i)
	if in.net {
		which = "the record"
	}
	err := zset.Errorf("P0002", -1, "%s deletes a row that table %q does not hold", which, in.obj.Name)
	err.Detail, err.Object = detail, in.obj.Name
	return err
}

// bagChange is the inserts in order, or, where something is deleted, the net
// change: what a record adds and removes again is nothing.
func bagChange(in *input, rel *storage.Relation, at storage.TSO) (*storage.Change, error) {
	n := in.rows.N
	removes := in.removes()
	if removes == nil && in.w == nil {
		c := &storage.Change{Rel: in.obj.ID, SchemaVersion: in.obj.SchemaVersion, Ops: make([]storage.Op, n), Rows: in.rows}
		for i := range c.Ops {
			c.Ops[i] = storage.OpInsert
		}
		return c, nil
	}
	w := in.w
	if w == nil {
		if err := inOrder(in, removes, rel, at); err != nil {
			return nil, fmt.Errorf("table %q: %w", in.obj.Name, err)
		}
		w = make([]int64, n)
		for i := range w {
			w[i] = 1
			if removes[i] {
				w[i] = -1
			}
		}
	}
	delta := zset.Consolidate(&zset.Batch{Cols: in.rows.Cols, W: w, N: n})
	c, err := rel.Resolve(delta, at)
	if err != nil {
		return nil, fmt.Errorf("table %q: %w", in.obj.Name, err)
	}
	return c, nil
}

// inOrder fails (P0002) where a row is deleted more often than it was there and
// inserted before, although later inserts make up for it, so that the net change
// does not show it.
func inOrder(in *input, removes []bool, rel *storage.Relation, at storage.TSO) error {
	first := slices.Index(removes, true)
	if !slices.Contains(removes[first:], false) {
		return nil // nothing is inserted after a delete
	}
	n := in.rows.N
	var ks zset.Keys
	ks.EncodeRows(in.rows.Cols, n)
	table := zset.NewKeyTable(n)
	ids := make([]uint32, n)
	table.FindOrAdd(&ks, ids)
	sum, low := make([]int64, table.Cap()), make([]int64, table.Cap()) // per distinct row
	lowest := make([]int32, table.Cap())                               // the row of the record that makes the low
	for i, id := range ids {
		if !removes[i] {
			sum[id]++
			continue
		}
		if sum[id]--; sum[id] < low[id] {
			low[id], lowest[id] = sum[id], int32(i)
		}
	}
	var rows []int32
	var need []int64
	for id := range low {
		if low[id] < min(sum[id], 0) {
			rows, need = append(rows, lowest[id]), append(need, low[id])
		}
	}
	if rows == nil {
		return nil
	}
	taken := in.rows.Take(rows)
	_, err := rel.Resolve(&zset.Batch{Cols: taken.Cols, W: need, N: len(rows)}, at)
	return err
}
