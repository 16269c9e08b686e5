package session

import (
	"context"

	"github.com/ivmc/ivmc/storage"
)

// txn is a transaction, explicit or of one statement: a snapshot, the catalog
// of its begin, and the rows that it wrote.
type txn struct {
	engine  *Engine
	at      storage.TSO
	cat     *storage.Catalog
	unpin   func()
	writes  map[storage.ID]*writes
	order   []storage.ID // tables in the order of their first write
	mem     int64        // reserved of the engine's budget
	failed  bool
	before  Settings // of the session at BEGIN: a rollback undoes SET too
	saved   []*savepoint
	settled bool

	offsets  map[storage.ID]storage.Offsets // of the moment of at
	consumed []consumption                  // streams that the commit moves
}

// begin opens a transaction at the applied TSO.
func (e *Engine) begin() *txn {
	t := &txn{engine: e, writes: map[storage.ID]*writes{}}
	t.at, t.cat, t.offsets, t.unpin = e.moment()
	return t
}

// source is what a statement that starts now reads.
func (t *txn) source() *overlay {
	o := &overlay{store: t.engine.store, cat: t.cat, at: t.at}
	for id, w := range t.writes {
		if o.own == nil {
			o.own = make(map[storage.ID]*ownRows, len(t.writes))
		}
		o.own[id] = w.freeze()
	}
	return o
}

// writesOf is the write set of one table.
func (t *txn) writesOf(obj *storage.Object) (*writes, error) {
	w := t.writes[obj.ID]
	if w == nil {
		r, err := t.engine.rulesOf(obj)
		if err != nil {
			return nil, err
		}
		w = newWrites(obj, r)
		t.writes[obj.ID] = w
		t.order = append(t.order, obj.ID)
	}
	return w, nil
}

// account reserves memory for what the write sets have grown by (53200).
func (t *txn) account() error {
	var n int64
	for _, w := range t.writes {
		n += w.memBytes()
	}
	if n > t.mem {
		if err := t.engine.reserve("rows that this transaction wrote", n-t.mem, n); err != nil {
			return err
		}
		t.mem = n
	}
	return nil
}

// commit makes the writes durable and ends the transaction, whatever happens.
// The TSO is 0 if there was nothing to write. Without sync it does not wait for the
// disk.
func (t *txn) commit(ctx context.Context, sync bool) (storage.TSO, error) {
	defer t.end()
	var changes []*storage.Change
	for _, id := range t.order {
		if c := t.writes[id].change(); c != nil {
			changes = append(changes, c)
		}
	}
	offsets := t.moved()
	if len(changes)+len(offsets) == 0 {
		return 0, nil
	}
	return t.engine.commitWith(ctx, &storage.Commit{Begin: t.at, Changes: changes, Offsets: offsets}, sync)
}

// end frees what the transaction holds; also its rollback.
func (t *txn) end() {
	if t.settled {
		return
	}
	t.settled = true
	t.engine.budget.Release(t.mem)
	t.unpin()
}
