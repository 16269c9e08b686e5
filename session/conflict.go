package session

import (
	"slices"

	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// onConflict is INSERT .. ON CONFLICT over all rows of the INSERT. The rows come
// one after another: each meets what is there and what those before it left. A
// row that was written here is not written again: DO NOTHING passes over it, DO
// UPDATE fails (21000). What is found so is one change of the table, as that of
// any statement.
//
// It gives the rows that were written, in the order of the INSERT.
func (st *statement) onConflict(t *txn, ins *ast.Insert, obj *storage.Object, in *collected) (*collected, error) {
	rows := in.rows
	w, err := t.writesOf(obj)
	if err != nil {
		return nil, err
	}
	target, err := conflictTarget(ins, obj)
	if err != nil {
		return nil, err
	}
	update, err := algebra.BindConflict(ins, st.env(t))
	if err != nil {
		return nil, err
	}
	if err := w.rules.check(rows, nil, st.s.settings.local(st.now)); err != nil {
		return nil, err
	}
	rel, err := st.s.engine.store.Relation(obj.ID)
	if err != nil {
		return nil, err
	}
	m := &merging{w: w, rel: rel, obj: obj, rows: rows, arbiters: w.arbiters(target, rows, rel, t.at)}
	if update == nil {
		m.skip()
	} else {
		if m.update, err = newRowUpdate(update); err == nil {
			err = m.merge()
		}
		if err != nil {
			return nil, err
		}
		if err := w.rules.check(m.changed, nil, st.s.settings.local(st.now)); err != nil {
			return nil, err
		}
		if len(m.old) > 0 {
			if err := w.insert(m.changed, m.old, false, rel, t.at); err != nil {
				return nil, err
			}
		}
	}
	if len(m.fresh) > 0 {
		if err := w.insert(rows.Take(m.fresh), nil, w.rules.Upsert && !target.Primary, rel, t.at); err != nil {
			return nil, err
		}
	}
	st.res.Affected = int64(len(m.fresh) + len(m.old))
	st.res.Tag = tag("INSERT 0", st.res.Affected)
	return in.take(m.written()), t.account()
}

func conflictTarget(ins *ast.Insert, obj *storage.Object) (algebra.ConflictTarget, error) {
	var cols [][]int
	var names []string
	for _, u := range obj.Unique {
		cols, names = append(cols, u.Cols), append(names, u.Name)
	}
	if obj.Key != nil {
		names = append(names, obj.KeyConstraint())
	}
	return algebra.TargetOf(ins, obj.Schema, obj.Key, cols, names)
}

// arbiter is one key that conflicts are looked for in.
type arbiter struct {
	cols   []int
	table  *zset.KeyTable
	ids    []uint32       // per row of the INSERT
	null   []bool         // rows without a key; nil: none
	holder []storage.Addr // per id: who has the key; mine: a row of this statement
}

// mine stands for a row that the statement inserts or has changed. No relation
// has that many rows.
const mine = storage.NoAddr - 1

// arbiters looks the keys of all rows up, in the store and in what the
// transaction wrote.
func (w *writes) arbiters(target algebra.ConflictTarget, rows *zset.Batch, rel *storage.Relation, at storage.TSO) []*arbiter {
	var out []*arbiter
	add := func(cols []int, find func(*zset.Keys, []storage.Addr), keys *zset.KeyTable, own func(id uint32) int32) {
		var ks zset.Keys
		ks.EncodeKeys(keyColumns(rows, cols), rows.N)
		a := &arbiter{cols: cols, table: zset.NewKeyTable(rows.N), ids: make([]uint32, rows.N), null: slices.Clone(ks.Null)}
		a.table.FindOrAdd(&ks, a.ids)
		stored := make([]storage.Addr, rows.N)
		find(&ks, stored)
		a.holder = make([]storage.Addr, a.table.Cap())
		for i, id := range a.ids {
			a.holder[id] = storage.NoAddr
			if stored[i] != storage.NoAddr && !w.gone.has(stored[i]) {
				a.holder[id] = stored[i]
			}
			if k := keys.FindKey(ks.Key(i)); k != zset.NoID {
				if row := own(k); row != noRow {
					a.holder[id] = storage.Own(int(row))
				}
			}
		}
		out = append(out, a)
	}
	at32 := func(at []int32) func(uint32) int32 {
		return func(id uint32) int32 {
			if int(id) >= len(at) {
				return noRow
			}
			return at[id]
		}
	}
	if target.Primary {
		add(w.obj.Key, func(k *zset.Keys, out []storage.Addr) { rel.FindKey(k, at, out) }, w.keys, at32(w.at))
	}
	for _, u := range target.Unique {
		own := w.uniq[u]
		add(own.Cols, func(k *zset.Keys, out []storage.Addr) { rel.FindUnique(u, k, at, out) }, own.keys, at32(own.at))
	}
	return out
}

// of is who has the key of row i; NoAddr: nobody.
func (a *arbiter) of(i int) storage.Addr {
	if a.null != nil && a.null[i] {
		return storage.NoAddr
	}
	return a.holder[a.ids[i]]
}

func (a *arbiter) take(i int) {
	if a.null == nil || !a.null[i] {
		a.holder[a.ids[i]] = mine
	}
}

// merging is an INSERT .. ON CONFLICT under way.
type merging struct {
	w        *writes
	rel      *storage.Relation
	obj      *storage.Object
	rows     *zset.Batch
	arbiters []*arbiter
	update   *rowUpdate

	fresh   []int32        // rows to insert
	changed *zset.Batch    // new rows
	old     []storage.Addr // of the rows that they replace
	by      []int32        // of the INSERT, because of which
}

// written is all rows that were written, and the rows of the INSERT that did it.
func (m *merging) written() (*zset.Batch, []int32) {
	by := append(slices.Clone(m.fresh), m.by...)
	out := m.rows.Take(m.fresh)
	if m.changed != nil {
		out.Append(m.changed)
	}
	order := sequence(len(by), len(by))
	slices.SortFunc(order, func(a, b int32) int { return int(by[a]) - int(by[b]) })
	sorted := make([]int32, len(by))
	for i, k := range order {
		sorted[i] = by[k]
	}
	return out.Take(order), sorted
}

// skip is DO NOTHING.
func (m *merging) skip() {
	for i := range m.rows.N {
		if m.conflict(i) == storage.NoAddr {
			m.insert(i)
		}
	}
}

func (m *merging) conflict(i int) storage.Addr {
	for _, a := range m.arbiters {
		if at := a.of(i); at != storage.NoAddr {
			return at
		}
	}
	return storage.NoAddr
}

func (m *merging) insert(i int) {
	m.fresh = append(m.fresh, int32(i))
	for _, a := range m.arbiters {
		a.take(i)
	}
}

// merge is DO UPDATE. Where SET leaves the key alone, which rows meet one does not
// depend on what SET yields, and all are computed at once.
func (m *merging) merge() error {
	m.changed = zset.NewBatch(m.obj.Schema.Types(), 0)
	moves := false
	for _, a := range m.arbiters {
		for _, c := range m.update.sets {
			moves = moves || slices.Contains(a.cols, c)
		}
	}
	if moves {
		return m.oneByOne()
	}
	touched := map[storage.Addr]bool{}
	for i := 0; i < m.rows.N; {
		n, err := m.round(i, touched)
		if err != nil {
			return err
		}
		i += n
	}
	return nil
}

// roundRows is how many rows are computed together.
const roundRows = 4096

// round takes rows from i on and reports how many.
func (m *merging) round(i int, touched map[storage.Addr]bool) (int, error) {
	n := min(roundRows, m.rows.N-i)
	var at []storage.Addr
	var idx []int32
	for k := i; k < i+n; k++ {
		switch a := m.conflict(k); {
		case a == mine:
			return 0, twice()
		case a == storage.NoAddr:
			m.insert(k)
		default:
			at, idx = append(at, a), append(idx, int32(k))
		}
	}
	rows, kept, err := m.update.run(m.there(at), m.rows.Take(idx))
	if err != nil {
		return 0, err
	}
	next := 0
	for k, a := range at {
		if touched[a] {
			return 0, twice()
		}
		if next < len(kept) && int(kept[next]) == k {
			touched[a] = true
			m.old, m.by = append(m.old, a), append(m.by, idx[k])
			next++
		}
	}
	m.changed.Append(rows)
	return n, nil
}

// oneByOne is merge where a row may leave its key to the next one.
func (m *merging) oneByOne() error {
	touched := map[storage.Addr]bool{}
	for i := range m.rows.N {
		at := m.conflict(i)
		switch {
		case at == mine || touched[at]:
			return twice()
		case at == storage.NoAddr:
			m.insert(i)
			continue
		}
		row, kept, err := m.update.run(m.there([]storage.Addr{at}), m.rows.Take([]int32{int32(i)}))
		if err != nil {
			return err
		}
		if len(kept) == 0 {
			continue
		}
		touched[at] = true
		m.old, m.by = append(m.old, at), append(m.by, int32(i))
		m.changed.Append(row)
		for _, a := range m.arbiters {
			a.holder[a.ids[i]] = storage.NoAddr
			var ks zset.Keys
			ks.EncodeKeys(keyColumns(row, a.cols), 1)
			if id := a.table.FindKey(ks.Key(0)); id != zset.NoID && (ks.Null == nil || !ks.Null[0]) {
				if h := a.holder[id]; h != storage.NoAddr {
					return duplicate(m.obj, m.constraint(a.cols), a.cols, row, 0)
				}
				a.holder[id] = mine
			}
		}
	}
	return nil
}

func (m *merging) constraint(cols []int) string {
	for _, u := range m.obj.Unique {
		if slices.Equal(u.Cols, cols) {
			return u.Name
		}
	}
	return m.obj.KeyConstraint()
}

// there is the rows at addrs, of the store or of the transaction.
func (m *merging) there(addrs []storage.Addr) *zset.Batch {
	out := zset.NewBatch(m.obj.Schema.Types(), len(addrs))
	cols := sequenceOf(len(m.obj.Schema))
	for _, a := range addrs {
		if i, own := ownRow(a); own {
			for c := range out.Cols {
				out.Cols[c].AppendCell(&m.w.rows.Cols[c], i)
			}
		} else {
			m.rel.Gather([]storage.Addr{a}, cols, out.Cols)
		}
		out.N++
	}
	return out
}

func twice() error {
	e := zset.Errorf("21000", -1, "ON CONFLICT DO UPDATE command cannot affect row a second time")
	e.Hint = "Ensure that no rows proposed for insertion within the same command have duplicate constrained values."
	return e
}
