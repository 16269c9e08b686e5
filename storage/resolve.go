package storage

import (
	"context"
	"errors"

	"github.com/ivmc/ivmc/zset"
)

// ErrAbsent: a delta takes a row away from a table that does not have it.
var ErrAbsent = errors.New("row is not there")

const codeNoData = "P0002"

// rowArrangement is the ID of the arrangement by row encoding.
const rowArrangement = "row"

// Resolve makes a change of a delta, which is consolidated and has the columns
// of r: copies of a row for its positive weight, and for a negative one the least
// addresses of rows identical to it that live at `at`, so that equal rows die
// oldest first. Deletes come before inserts; an update is one of each. A row that
// is not there is ErrCorrupt in a view, whose rows we made ourselves, and
// ErrAbsent in a table.
func (r *Relation) Resolve(delta *zset.Batch, at TSO) (*Change, error) {
	ch := &Change{Rel: r.id, SchemaVersion: r.obj.Load().SchemaVersion}
	var minus, plus []int32
	copies := int64(0)
	for i := range delta.N {
		switch w := delta.Weight(i); {
		case w < 0:
			minus = append(minus, int32(i))
		case w > maxRows || copies+w > maxRows:
			return nil, errorf(ErrChange, codeLimit, "more than %d rows for %q in one change", uint64(maxRows), r.obj.Load().Name)
		default:
			copies += w
			for range w {
				plus = append(plus, int32(i))
			}
		}
	}
	if len(minus) > 0 {
		if err := r.resolveDeaths(delta, minus, at, ch); err != nil {
			return nil, err
		}
	}
	for range ch.Dead {
		ch.Ops = append(ch.Ops, OpDelete)
	}
	for range plus {
		ch.Ops = append(ch.Ops, OpInsert)
	}
	switch {
	case len(plus) == 0:
	case len(plus) == delta.N && copies == int64(delta.N) && len(minus) == 0 && allOnes(delta):
		ch.Rows = &zset.Batch{Cols: delta.Cols, N: delta.N}
	default:
		ch.Rows = take(delta.Cols, plus)
	}
	return ch, nil
}

func allOnes(b *zset.Batch) bool {
	for i := range b.N {
		if b.Weight(i) != 1 {
			return false
		}
	}
	return true
}

func take(cols []zset.Column, idx []int32) *zset.Batch {
	b := &zset.Batch{Cols: make([]zset.Column, len(cols)), N: len(idx)}
	for i := range cols {
		b.Cols[i] = zset.NewColumn(cols[i].Type, len(idx))
		b.Cols[i].AppendTake(&cols[i], idx)
	}
	return b
}

func (r *Relation) resolveDeaths(delta *zset.Batch, minus []int32, at TSO, ch *Change) error {
	for i := 0; i < len(minus); i += pageRows {
		idx := minus[i:min(i+pageRows, len(minus))]
		rows, err := take(delta.Cols, idx), error(nil)
		if r.obj.Load().Key != nil {
			err = r.resolveByKey(delta, rows, idx, at, ch)
		} else {
			err = r.resolveByRow(delta, rows, idx, at, ch)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// resolveByKey finds rows by primary key and compares the rest.
func (r *Relation) resolveByKey(delta, rows *zset.Batch, idx []int32, at TSO, ch *Change) error {
	var keys zset.Keys
	cols := make([]zset.Column, 0, 4)
	for _, c := range r.obj.Load().Key {
		cols = append(cols, rows.Cols[c])
	}
	keys.EncodeKeys(cols, rows.N)
	addrs := make([]Addr, rows.N)
	r.FindKey(&keys, at, addrs)
	for i, a := range addrs {
		if a == NoAddr || delta.Weight(int(idx[i])) != -1 {
			return r.absent(rows, i)
		}
	}
	found := zset.NewBatch(r.Schema().Types(), rows.N)
	r.Gather(addrs, nil, found.Cols)
	for i := range rows.N {
		if !zset.SameRow(rows.Cols, i, found.Cols, i) {
			return r.absent(rows, i)
		}
	}
	ch.Dead = append(ch.Dead, addrs...)
	return nil
}

// resolveByRow finds rows by the arrangement of whole rows. Its chains run from
// the newest to the oldest, so the last matches are the ones to die.
func (r *Relation) resolveByRow(delta, rows *zset.Batch, idx []int32, at TSO, ch *Change) error {
	arr, err := r.Arrange(Spec{ID: rowArrangement, Row: true})
	if err != nil {
		return err
	}
	if err := arr.Advance(context.Background(), at); err != nil {
		return err
	}
	var keys zset.Keys
	keys.HashRows(rows.Cols, rows.N)
	cur := LookupCursor{Nulls: true}
	var last []Addr // matches of row `row`, the oldest at the end
	row := 0
	settle := func(upto int) error { // rows before upto have all their matches
		for ; row < upto; row++ {
			need := -delta.Weight(int(idx[row]))
			if int64(len(last)) < need {
				return r.absent(rows, row)
			}
			ch.Dead = append(ch.Dead, last[int64(len(last))-need:]...)
			last = last[:0]
		}
		return nil
	}
	for more := true; more; {
		var probe []int32
		var addrs []Addr
		probe, addrs, more = arr.Lookup(&keys, at, &cur)
		for i, a := range addrs {
			if err := settle(int(probe[i])); err != nil {
				return err
			}
			need := int(-delta.Weight(int(idx[row])))
			if last = append(last, a); len(last) > 2*need+64 {
				last = append(last[:0], last[len(last)-need:]...)
			}
		}
	}
	return settle(rows.N)
}

// absent is the error for row i, which should be there.
func (r *Relation) absent(rows *zset.Batch, i int) error {
	o := r.obj.Load()
	row := []byte("(")
	for c := range rows.Cols {
		if c > 0 {
			row = append(row, ',')
		}
		if !rows.Cols[c].IsNull(i) {
			row = zset.AppendText(row, &rows.Cols[c], i)
		}
	}
	row = append(row, ')')
	if o.Kind == Table {
		e := errorf(ErrAbsent, codeNoData, "row to delete is not in table %q", o.Name)
		e.err.Detail, e.err.Object = "Row: "+string(row)+".", o.Name
		return e
	}
	e := errorf(ErrCorrupt, codeCorrupt, "a row of %s %q would have a negative count", o.Kind, o.Name)
	e.err.Detail, e.err.Object = "Row: "+string(row)+".", o.Name
	return e
}
