package session

import (
	"slices"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// savepoint is a place in a transaction that it can go back to. It is cheap: the
// write sets are logs, and lengths say where they were.
type savepoint struct {
	name   string
	before Settings
	marks  []mark // of the tables of txn.order

	consumed int // streams, in txn.consumed
}

// mark is how long the write set of a table was.
type mark struct{ ops, rows, dead int }

// savepoint is SAVEPOINT. One of a name that is there hides that one until it
// is gone itself.
func (st *statement) savepoint(n *ast.Savepoint) error {
	t, err := st.inBlock("SAVEPOINT", n)
	if err != nil {
		return err
	}
	sp := &savepoint{name: n.Name.Text, before: st.s.settings, consumed: len(t.consumed)}
	for _, id := range t.order {
		w := t.writes[id]
		sp.marks = append(sp.marks, mark{len(w.ops), w.rows.N, len(w.dead)})
	}
	t.saved = append(t.saved, sp)
	st.res.Tag = "SAVEPOINT"
	return nil
}

// rollbackTo is ROLLBACK TO, also of a transaction that failed behind the
// savepoint, which goes on then. The savepoint stays.
func (st *statement) rollbackTo(n *ast.RollbackTo) error {
	t, err := st.inBlock("ROLLBACK TO SAVEPOINT", n)
	if err != nil {
		return err
	}
	k, err := t.findSavepoint(n.Name)
	if err != nil {
		return err
	}
	sp := t.saved[k]
	t.saved = t.saved[:k+1]
	for i, id := range t.order {
		if i >= len(sp.marks) {
			delete(t.writes, id)
			continue
		}
		if w, m := t.writes[id], sp.marks[i]; t.failed || len(w.ops) > m.ops {
			t.writes[id] = w.upTo(m)
		}
	}
	t.order = t.order[:len(sp.marks)]
	t.consumed = t.consumed[:sp.consumed]
	t.shrunk()
	t.failed = false
	st.s.settings = sp.before
	st.res.Tag = "ROLLBACK"
	return nil
}

// release is RELEASE: the savepoint and those after it are gone, what was written
// stays.
func (st *statement) release(n *ast.Release) error {
	t, err := st.inBlock("RELEASE SAVEPOINT", n)
	if err != nil {
		return err
	}
	k, err := t.findSavepoint(n.Name)
	if err != nil {
		return err
	}
	t.saved = t.saved[:k]
	st.res.Tag = "RELEASE"
	return nil
}

// inBlock is the transaction that BEGIN opened (25P01).
func (st *statement) inBlock(what string, n ast.Node) (*txn, error) {
	if st.s.txn == nil {
		return nil, zset.Errorf("25P01", int(n.Pos()), "%s can only be used in transaction blocks", what)
	}
	return st.s.txn, nil
}

// findSavepoint is the position of the last one of a name.
func (t *txn) findSavepoint(name ast.Name) (int, error) {
	for k, sp := range slices.Backward(t.saved) {
		if sp.name == name.Text {
			return k, nil
		}
	}
	return 0, zset.Errorf("3B001", int(name.Pos()), "savepoint %q does not exist", name.Text)
}

// shrunk gives back the memory that the write sets no longer hold.
func (t *txn) shrunk() {
	var n int64
	for _, w := range t.writes {
		n += w.memBytes()
	}
	if n < t.mem {
		t.engine.budget.Release(t.mem - n)
		t.mem = n
	}
}

// upTo is the write set as it was at m. It is a new one: rows that are still
// being read show those of before, and must not see their places written anew.
// What lives follows from the log alone, whatever a failed statement left behind.
func (w *writes) upTo(m mark) *writes {
	out := &writes{obj: w.obj, rules: w.rules, keys: w.keys, ops: slices.Clone(w.ops[:m.ops]), dead: slices.Clone(w.dead[:m.dead]),
		rows: zset.NewBatch(w.obj.Schema.Types(), m.rows), live: make([]bool, 0, m.rows)}
	out.rows.Append(w.rows.Slice(0, m.rows))
	dead := out.dead
	for _, op := range out.ops {
		if op != storage.OpInsert {
			if i, own := ownRow(dead[0]); own {
				out.live[i] = false
			} else {
				out.gone.add(dead[0])
			}
			dead = dead[1:]
		}
		if op == storage.OpInsert || op == storage.OpUpdate {
			out.live = append(out.live, true)
		}
	}
	if w.keys != nil { // a key table only grows: its ids go on to mean the same keys
		out.idOf = slices.Clone(w.idOf[:m.rows])
		out.at = liveRows(out.live, out.idOf, len(w.at))
	}
	for _, u := range w.uniq {
		idOf := slices.Clone(u.idOf[:m.rows])
		out.uniq = append(out.uniq, &ownKey{Unique: u.Unique, keys: u.keys, idOf: idOf, at: liveRows(out.live, idOf, len(u.at))})
	}
	return out
}

// liveRows gives, for each of n key ids, the live row that has it.
func liveRows(live []bool, idOf []uint32, n int) []int32 {
	at := make([]int32, n)
	for id := range at {
		at[id] = noRow
	}
	for i, id := range idOf {
		if live[i] && id != zset.NoID {
			at[id] = int32(i)
		}
	}
	return at
}
