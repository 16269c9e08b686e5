package ivmc

import (
	"context"
	"fmt"
	"iter"

	"github.com/ivmc/ivmc/zset"
)

// SubscribeOptions say where a subscription begins. The zero value begins with
// what is committed after the call of [DB.Subscribe].
type SubscribeOptions struct {
	// After begins with what is committed after this TSO: that of the last batch
	// which was handled. 0, and what is not reached yet: after now.
	After TSO
	// Rows gives the rows that stand at that TSO first, as inserts.
	Rows bool
}

// String lists the options with their defaults, one line.
func (o SubscribeOptions) String() string {
	after := "now"
	if o.After != 0 {
		after = fmt.Sprint(uint64(o.After))
	}
	return fmt.Sprintf("after=%s rows=%t", after, o.Rows)
}

// ChangeBatch is changes of one commit, some thousand at most.
type ChangeBatch struct {
	TSO     TSO // of the commit; of Rows, the moment at which they stand
	Changes []Change
	// Last: the commit has no more changes of the relation. A subscriber that keeps
	// its place keeps TSO then, and not before.
	Last bool
	// Rows: these are the rows of [SubscribeOptions.Rows].
	Rows bool
}

// Subscribe follows a table or view: it gives the changes of every commit, in the
// order of the commits, and waits for the next one. The changes of a view are those
// that its refreshes make. It ends with an error: that of ctx (57014), [ErrClosed],
// or [ErrNotFound] where the relation is dropped; or with a break.
//
//	for batch, err := range db.Subscribe(ctx, "takings", ivmc.SubscribeOptions{}) {
//		if err != nil {
//			return err
//		}
//		for _, ch := range batch.Changes {
//			fmt.Println(ch.Op, ch.After.Text(0))
//		}
//	}
//
// A subscriber that is slow holds up nobody and costs no memory: what it has not
// read yet stays in the change log. It is shown a commit when the disk has
// it (but with [Options].NoSync): no crash takes what it was given. Who has to go on
// after a restart keeps the TSO of the last batch with Last and passes it as After.
//
// The place where it begins is that of the call; the range may be run through once.
func (db *DB) Subscribe(ctx context.Context, relation string, o SubscribeOptions) iter.Seq2[ChangeBatch, error] {
	ctx = orBackground(ctx)
	f, err := db.engine.Follow(relation, o.After)
	return func(yield func(ChangeBatch, error) bool) {
		if err != nil {
			yield(ChangeBatch{}, publish(err, ""))
			return
		}
		defer f.Close()
		if o.Rows {
			// One batch is kept back, so that the last one is known.
			held, going := ChangeBatch{TSO: f.At(), Rows: true}, true
			err := f.Rows(ctx, func(b *zset.Batch) bool {
				if held.Changes != nil {
					going = yield(held, nil)
				}
				held.Changes = rowsOf(b, held.TSO)
				return going
			})
			if err != nil {
				yield(ChangeBatch{}, publish(err, ""))
				return
			}
			held.Last = true
			if !going || !yield(held, nil) {
				return
			}
		}
		for {
			cs, last, err := f.Next(ctx)
			if err != nil {
				yield(ChangeBatch{}, publish(err, ""))
				return
			}
			if !yield(ChangeBatch{TSO: cs.Records[0].TSO, Changes: changesOf(cs), Last: last}, nil) {
				return
			}
		}
	}
}

// rowsOf are the rows of b as inserts at a TSO.
func rowsOf(b *zset.Batch, at TSO) []Change {
	out := make([]Change, 0, b.N)
	for i := range b.N {
		w := int64(1)
		if b.W != nil {
			w = b.W[i]
		}
		for range w {
			out = append(out, Change{Op: Insert, TSO: at, After: Row{b, i}})
		}
	}
	return out
}
