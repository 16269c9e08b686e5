package session

import (
	"errors"
	"runtime"
	"strconv"
	"strings"

	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// snapshot pins the applied TSO and gives the catalog of that moment. A commit
// shows its catalog an instant before its TSO is applied; whoever looks in
// between would find a view and none of its rows, so it looks again.
func (e *Engine) snapshot() (storage.TSO, *storage.Catalog, func()) {
	for {
		at, unpin := e.store.PinApplied()
		cat := e.store.Catalog()
		if newest(cat) <= at {
			return at, cat, unpin
		}
		unpin()
		runtime.Gosched()
	}
}

// moment is snapshot with the offsets of that moment.
func (e *Engine) moment() (storage.TSO, *storage.Catalog, map[storage.ID]storage.Offsets, func()) {
	for {
		at, cat, unpin := e.snapshot()
		offsets, later := e.store.AllOffsets(), false
		for _, o := range offsets {
			later = later || o.Frontier > at
		}
		if !later {
			return at, cat, offsets, unpin
		}
		unpin()
		runtime.Gosched()
	}
}

func newest(cat *storage.Catalog) (tso storage.TSO) {
	for _, obj := range cat.Objects() {
		tso = max(tso, obj.Created)
	}
	return tso
}

// late words 42P01 for a relation that is there by now, but was not when the
// transaction began (55000). PostgreSQL would show a new table, without rows;
// here one snapshot decides both, since a view without rows would be wrong and
// a table that cannot hold what is written to it misleading.
func (t *txn) late(err error) error {
	cat := t.engine.store.Catalog()
	var es Errors
	found := false
	for _, e := range All(err) {
		if name, ok := missing(e); ok {
			if obj, ok := cat.ByName(name); ok && obj.Kind != storage.Private {
				e = zset.Errorf("55000", e.Pos, "%s was created after this transaction began", describe(obj))
				e.Hint = "COMMIT or ROLLBACK, and begin again."
				e.Object, found = name, true
			}
		}
		es = append(es, e)
	}
	if !found {
		return err
	}
	return es
}

// missing is the name in the error of [noRelation], which the binder words alike.
func missing(e *zset.Error) (string, bool) {
	s, ok := strings.CutPrefix(e.Msg, "relation ")
	if s, ok = strings.CutSuffix(s, " does not exist"); !ok || e.Code != "42P01" {
		return "", false
	}
	name, err := strconv.Unquote(s)
	return name, err == nil
}

// relation opens a relation of the catalog that the reader has; its error names
// one that was dropped since.
func (v *overlay) relation(id storage.ID) (*storage.Relation, error) {
	r, err := v.store.Relation(id)
	if errors.Is(err, storage.ErrNoObject) {
		if obj, ok := v.cat.ByID(id); ok {
			return nil, noSuch("relation", v.store.Catalog(), obj.Name, -1)
		}
	}
	return r, err
}
