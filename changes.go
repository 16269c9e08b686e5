package ivmc

import (
	"context"
	"iter"

	"github.com/ivmc/ivmc/session"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// ChangeOp is what a record of the change log did.
type ChangeOp uint8

// The operations.
const (
	Insert ChangeOp = iota
	Update
	Delete
)

// String is the operation in lower case.
func (o ChangeOp) String() string { return [...]string{"insert", "update", "delete"}[o] }

// Change is one record of the change log of a table or view.
type Change struct {
	Op  ChangeOp
	TSO TSO    // of the commit
	LSN uint32 // order in the commit, from 0, in this relation
	// Before is the row as it was, of updates and deletes; After the row as it
	// is, of inserts and updates. The other one is the zero Row.
	Before, After Row
}

// Row is one row of a relation. It stays valid as long as it is held.
type Row struct {
	b *zset.Batch
	i int
}

// Exists is false for the zero Row.
func (r Row) Exists() bool { return r.b != nil }

// Len is the number of columns.
func (r Row) Len() int {
	if r.b == nil {
		return 0
	}
	return len(r.b.Cols)
}

// IsNull reports whether column c is NULL.
func (r Row) IsNull(c int) bool { return r.b.Cols[c].IsNull(r.i) }

// Text is column c as psql prints it; "" for NULL.
func (r Row) Text(c int) string {
	if r.IsNull(c) {
		return ""
	}
	return string(zset.AppendText(nil, &r.b.Cols[c], r.i))
}

// Value is column c as a Go value: nil, bool, int64, float64, []byte for BYTEA,
// time.Time in UTC for finite dates and timestamps, else a string.
func (r Row) Value(c int) any { return valueOf(&r.b.Cols[c], r.i, nil) }

// Changes iterates over the records of a table or view that were committed
// after from and not after to, in the order of (TSO, LSN). to is clamped to
// what is committed. What came and went in between is there too. An error ends
// the iteration and comes with a zero Change.
//
//	for ch, err := range db.Changes(ctx, "sale", 0, db.Applied()) {
//		if err != nil {
//			return err
//		}
//		fmt.Println(ch.Op, ch.After.Text(0))
//	}
func (db *DB) Changes(ctx context.Context, relation string, from, to TSO) iter.Seq2[Change, error] {
	ctx = orBackground(ctx)
	return func(yield func(Change, error) bool) {
		err := db.engine.Changes(ctx, relation, from, to, func(cs *session.Changes) bool {
			for _, ch := range changesOf(cs) {
				if !yield(ch, nil) {
					return false
				}
			}
			return true
		})
		if err != nil {
			yield(Change{}, publish(err, ""))
		}
	}
}

// changesOf are the records with their rows.
func changesOf(cs *session.Changes) []Change {
	out := make([]Change, len(cs.Records))
	before, after := 0, 0
	for i, r := range cs.Records {
		out[i] = Change{Op: changeOp(r.Op), TSO: r.TSO, LSN: r.LSN}
		if r.Before != storage.NoAddr {
			out[i].Before = Row{cs.Before, before}
			before++
		}
		if r.After != storage.NoAddr {
			out[i].After = Row{cs.After, after}
			after++
		}
	}
	return out
}

func changeOp(o storage.Op) ChangeOp {
	switch o {
	case storage.OpUpdate:
		return Update
	case storage.OpDelete, storage.OpTruncate:
		return Delete
	}
	return Insert
}
