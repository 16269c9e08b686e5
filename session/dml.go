package session

import (
	"context"
	"errors"

	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// conflictRetries bounds how often a statement that is a transaction of its
// own is run again after it lost against another one. Nobody has seen its
// snapshot, so a later one serves as well.
const conflictRetries = 100

// modify runs INSERT, UPDATE or DELETE.
func (st *statement) modify(ctx context.Context, table ast.Name, stmt ast.Statement) error {
	return st.written(ctx, func(t *txn) error { return st.modifyIn(ctx, t, table, stmt) })
}

// written runs f in the transaction of the session, or in one of its own.
func (st *statement) written(ctx context.Context, f func(*txn) error) error {
	run := func(t *txn) error {
		st.moves = nil
		err := f(t)
		if err == nil {
			t.consume(st.moves)
		}
		return err
	}
	if st.s.txn != nil {
		return run(st.s.txn)
	}
	for try := 0; ; try++ {
		t := st.s.engine.begin()
		err := run(t)
		if err != nil {
			t.end()
			return err
		}
		st.res.TSO, err = t.commit(ctx, !st.s.settings.NoSync)
		if !errors.Is(err, storage.ErrConflict) || try == conflictRetries || ctx.Err() != nil {
			return err
		}
	}
}

func (st *statement) modifyIn(ctx context.Context, t *txn, table ast.Name, stmt ast.Statement) error {
	obj, err := tableOf(t.cat, table.Text, int(table.Pos()))
	if err != nil {
		return err
	}
	ins, _ := stmt.(*ast.Insert)
	if ins != nil {
		r, err := st.s.engine.rulesOf(obj)
		if err != nil {
			return err
		}
		if b := literalRows(ins, r); b != nil {
			if ins.Conflict != nil {
				_, err := st.onConflict(t, ins, obj, &collected{rows: b})
				return err
			}
			return st.write(t, obj, algebra.OpInsert, b, nil)
		}
	}
	mod, err := st.bindModify(t, stmt)
	if err != nil {
		return err
	}
	if err := st.readable(mod.Source); err != nil {
		return err
	}
	in, err := st.collect(ctx, t, mod)
	if err != nil {
		return err
	}
	out := in
	switch {
	case ins != nil && ins.Conflict != nil:
		out, err = st.onConflict(t, ins, obj, in)
	default:
		err = st.write(t, obj, mod.Op, in.rows, in.addrs)
	}
	if err != nil || mod.Returning == nil {
		return err
	}
	return st.returning(mod, out)
}

// tableOf finds a table to write to.
func tableOf(cat *storage.Catalog, name string, pos int) (*storage.Object, error) {
	obj, ok := cat.ByName(name)
	if !ok || obj.Kind == storage.Private {
		return nil, noSuch("relation", cat, name, pos, storage.Table)
	}
	if obj.Kind == storage.Stream {
		e := zset.Errorf("42809", pos, "cannot change stream %q", name)
		e.Hint, e.Object = "A stream is read; change the table under it.", name
		return nil, e
	}
	if obj.Kind == storage.Query {
		e := zset.Errorf("42809", pos, "cannot change view %q", name)
		e.Hint, e.Object = "Change the tables that it reads.", name
		return nil, e
	}
	if obj.Kind == storage.View {
		e := zset.Errorf("42809", pos, "cannot change materialized view %q", name)
		e.Detail = "Its rows follow from its query."
		e.Hint = "Change the tables that it reads, then REFRESH MATERIALIZED VIEW " + name + "."
		e.Object = name
		return nil, e
	}
	return obj, nil
}

func (st *statement) bindModify(t *txn, stmt ast.Statement) (*algebra.Modify, error) {
	switch n := stmt.(type) {
	case *ast.Insert:
		return algebra.BindInsert(n, st.env(t))
	case *ast.Update:
		return algebra.BindUpdate(n, st.env(t))
	}
	return algebra.BindDelete(stmt.(*ast.Delete), st.env(t))
}

// write adds the change to the transaction and words the tag.
func (st *statement) write(t *txn, obj *storage.Object, op algebra.Op, rows *zset.Batch, addrs []storage.Addr) error {
	w, err := t.writesOf(obj)
	if err != nil {
		return err
	}
	if op == algebra.OpDelete {
		w.delete(addrs, storage.OpDelete)
		st.res.Affected, st.res.Tag = int64(len(addrs)), tag("DELETE", int64(len(addrs)))
		return t.account()
	}
	r, err := st.s.engine.store.Relation(obj.ID)
	if err != nil {
		return err
	}
	n := int64(rows.N)
	st.res.Affected, st.res.Tag = n, tag("INSERT 0", n)
	if op == algebra.OpUpdate {
		st.res.Tag = tag("UPDATE", n)
		if addrs == nil {
			addrs = []storage.Addr{}
		}
	}
	if err := w.rules.check(rows, nil, st.s.settings.local(st.now)); err != nil {
		return err
	}
	if op == algebra.OpUpdate || w.rules.Upsert { // as a whole: rows that replace others have no inner order
		err = w.insert(rows, addrs, op == algebra.OpInsert && w.rules.Upsert, r, t.at)
	} else {
		err = st.insertParts(w, rows, r, t.at)
	}
	if err != nil {
		return err
	}
	return t.account()
}

// partRows is how many rows are inserted before a statement looks whether it is to end.
const partRows = 1 << 16

// insertParts inserts rows one after another, as many at a time as take some
// milliseconds.
func (st *statement) insertParts(w *writes, rows *zset.Batch, r reader, at storage.TSO) error {
	for from := 0; from < rows.N; from += partRows {
		if err := st.stop(); err != nil {
			return err
		}
		if err := w.insert(rows.Slice(from, min(from+partRows, rows.N)), nil, false, r, at); err != nil {
			return later(err, from)
		}
	}
	return nil
}

// expand is b with weight 1 everywhere.
func expand(b *zset.Batch) *zset.Batch {
	if b.W == nil {
		return b
	}
	idx := make([]int32, 0, b.N)
	for i, w := range b.W {
		for range w {
			idx = append(idx, int32(i))
		}
	}
	out := b.Take(idx)
	out.W = nil
	return out
}

func batchBytes(b *zset.Batch) (n int64) {
	for i := range b.Cols {
		n += b.Cols[i].MemBytes()
	}
	return n
}
