package runtime

import (
	"bytes"

	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// heir is an operator that can give its output from states that another plan has
// kept of the same rows: its input is not read then. Called before the run.
type heir interface {
	stateful
	inherit(s *states)
}

func (o *aggregateOp) inherit(s *states) { o.kept = s }

func (o *aggregateOp) openKept() {
	o.local, o.folded = o.kept.groups[o.a.State], false
	o.main, o.ran, o.at = nil, false, 0
	for _, m := range o.all() {
		m.tally.reset()
		m.main = o.kept.ordered[m.state]
	}
}

// settleKept makes the state readable as the groups of the run. The group of a
// global aggregate over no rows is none of the state.
func (o *aggregateOp) settleKept(r *run) error {
	l := o.local
	if o.a.Global && l.table.Len() == 0 {
		l.table.AddKey(nil)
		l.grow()
	}
	o.old = sized(o.old, l.table.Cap())
	for g := range o.old {
		o.old[g] = zset.NoID
	}
	for _, m := range o.all() {
		if err := m.settle(r, l.table, m.main); err != nil {
			return err
		}
	}
	return nil
}

func (o *aggregateOp) installKept(s *states) {
	l := o.local
	for g := range uint32(l.table.Cap()) {
		if l.count[g] == 0 && l.table.Key(g) != nil {
			l.drop(g)
		}
	}
	s.groups[o.a.State] = l
	for _, m := range o.all() {
		s.ordered[m.state] = m.main
	}
	o.local = nil
}

// keptRows reads rows off an ordered state: the key encoding of some expressions,
// then the row encoding of the row.
type keptRows struct {
	states *states
	main   *zset.Ordered
	keys   []zset.Column // scratch, of the types of the expressions
	types  []zset.Type   // of the rows
	cur    zset.OrderedCursor
	begun  bool
	out    *zset.Batch
}

func newKeptRows(s *states, state int, keys, types []zset.Type) *keptRows {
	k := &keptRows{states: s, main: s.ordered[state], types: types, keys: make([]zset.Column, len(keys))}
	for i, t := range keys {
		k.keys[i].Type = t
	}
	return k
}

func typesOf(es []*expr.Expr) []zset.Type {
	ts := make([]zset.Type, len(es))
	for i, e := range es {
		ts[i] = e.Typ
	}
	return ts
}

// split takes an entry apart: its key and its row.
func (k *keptRows) split(entry []byte) (key, row []byte, err error) {
	row = entry
	for i := range k.keys {
		reuse(&k.keys[i], k.keys[i].Type)
		if row, err = zset.DecodeKey(row, &k.keys[i]); err != nil {
			return nil, nil, err
		}
	}
	return entry[:len(entry)-len(row)], row, nil
}

// more reports whether the cursor, which begins at the first entry, has one.
func (k *keptRows) more() bool {
	if !k.begun {
		k.cur, k.begun = k.main.First(), true
	}
	return k.cur.Valid()
}

// next is the next rows, each as often as it is there; nil at the end.
func (k *keptRows) next() (*zset.Batch, error) {
	if !k.more() {
		return nil, nil
	}
	k.out = zset.NewBatch(k.types, batchRows)
	for ; k.more() && k.out.N < batchRows; k.cur.Next() {
		_, row, err := k.split(k.cur.Key())
		if err != nil {
			return nil, err
		}
		for range k.cur.Count() {
			rest := row
			for c := range k.out.Cols {
				if rest, err = zset.DecodeRow(rest, &k.out.Cols[c]); err != nil {
					return nil, err
				}
			}
			k.out.N++
		}
	}
	return k.out, nil
}

func (o *keepOp) inherit(s *states) {
	by := o.by[0]
	o.kept = newKeptRows(s, by.state, by.types, o.in.node.Types)
}

func (o *windowOp) inherit(s *states) {
	o.kept = newKeptRows(s, o.spec.State, typesOf(o.spec.Keys), o.in.node.Types)
}

// nextKept emits the partitions of the state, some thousand rows at a time.
func (o *windowOp) nextKept(r *run) (*zset.Batch, error) {
	k := o.kept
	now := newWindowRows(o.in.node.Types)
	var part []byte
	for ; k.more(); k.cur.Next() {
		key, row, err := k.split(k.cur.Key())
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(key, part) {
			if now.b.N >= batchRows {
				break
			}
			part = append(part[:0], key...)
		}
		if err := now.addEncoded(row, k.cur.Count()); err != nil {
			return nil, err
		}
	}
	if now.b.N == 0 {
		return nil, nil
	}
	none := newWindowRows(o.in.node.Types)
	gone, err := o.calls.compute(r, none)
	if err != nil {
		return nil, err
	}
	come, err := o.calls.compute(r, now)
	if err != nil {
		return nil, err
	}
	o.emit(none, gone, now, come)
	return &o.out, r.ctx.Err()
}
