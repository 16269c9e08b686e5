package session

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// The control columns of a record for Apply.
const (
	OpColumn     = "__op"     // int8: 0 insert, 1 delete, 2 upsert
	WeightColumn = "__weight" // int64: copies to add, or to remove
)

// maxWeight is more than one change can hold, and so small that sums of weights
// stay in range.
const maxWeight = math.MaxUint32

const (
	rowInsert = int8(iota)
	rowDelete
	rowUpsert
)

// Apply writes a record to a table as one transaction and returns its TSO, or 0
// if there was nothing to write. The record stays the caller's.
//
// Columns are found by name; a column of the table that the record lacks is
// its DEFAULT, or NULL. Without a control column every row is an insert.
//
// With __op rows work one after another. A keyed table deletes and upserts by
// key alone; a bag deletes by whole row, NULL matching NULL, and knows no
// upsert. With __weight a row stands for that many copies; the record is a
// Z-set and has no order, so that in a keyed table -1 and +1 of one key are an
// update. A delete of what is not there fails the record (P0002), an insert of
// a live key too (23505), unless the table was declared UNIQUE KEY.
func (e *Engine) Apply(ctx context.Context, table string, rec arrow.Record) (tso storage.TSO, err error) {
	defer e.guard(&err)
	if err := e.life.enter(); err != nil {
		return 0, err
	}
	defer e.life.calls.Done()
	ctx, cancel := e.life.bind(ctx)
	defer cancel()
	for try := 0; ; try++ {
		tso, err = e.applyOnce(ctx, table, rec)
		if !errors.Is(err, storage.ErrConflict) || try == conflictRetries || ctx.Err() != nil {
			return tso, worded(ctxErr(ctx, err))
		}
	}
}

func (e *Engine) applyOnce(ctx context.Context, table string, rec arrow.Record) (storage.TSO, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	t := e.begin()
	defer t.end()
	if rec == nil {
		return 0, zset.Errorf("22023", -1, "the record is nil")
	}
	obj, err := tableOf(t.cat, table, -1)
	if err != nil {
		return 0, err
	}
	r, err := e.rulesOf(obj)
	if err != nil {
		return 0, err
	}
	in, err := readRecord(r, rec, e.opts.Clock().UTC())
	if err != nil {
		return 0, err
	}
	size := in.bytes()
	if err := e.reserve("rows of the record", size, size); err != nil {
		return 0, err
	}
	defer e.budget.Release(size)
	rel, err := e.store.Relation(obj.ID)
	if err != nil {
		return 0, err
	}
	var c *storage.Change
	if obj.Key != nil {
		c, err = keyedChange(in, rel, t.at)
	} else {
		c, err = bagChange(in, rel, t.at)
	}
	if err != nil && rel.Object().SchemaVersion != obj.SchemaVersion {
		return 0, storage.ErrConflict // the rows have the columns of before
	}
	if err != nil || c == nil || len(c.Ops) == 0 {
		return 0, err
	}
	c.SchemaVersion = obj.SchemaVersion // what Resolve read may be newer
	return e.commit(ctx, &storage.Commit{Begin: t.at, Changes: []*storage.Change{c}})
}

// input is a record in the columns of its table. ops is nil where all rows are
// inserts; only rows with weight come with w, ordered so that deletes are first.
type input struct {
	obj    *storage.Object
	rules  *rules
	rows   *zset.Batch
	ops    []int8
	w      []int64 // nil without __weight
	upsert bool    // inserts of live keys are updates
	net    bool    // rows do not stand where they stood in the record
}

// readRecord checks and converts; both control columns, or a table column of
// the same name, are refused.
func readRecord(r *rules, rec arrow.Record, now time.Time) (*input, error) {
	obj := r.obj
	in := &input{obj: obj, rules: r, upsert: r.Upsert}
	var fields []arrow.Field
	var cols []arrow.Array
	for i, f := range rec.Schema().Fields() {
		var err error
		switch {
		case f.Name == OpColumn && obj.Schema.Index(OpColumn) < 0:
			in.ops, err = opCodes(obj, rec.Column(i), in.ops != nil)
		case f.Name == WeightColumn && obj.Schema.Index(WeightColumn) < 0:
			in.w, err = weights(rec.Column(i), in.w != nil)
		default:
			fields, cols = append(fields, f), append(cols, rec.Column(i))
		}
		if err != nil {
			return nil, err
		}
	}
	if in.ops != nil && in.w != nil {
		return nil, zset.Errorf("22023", -1, "a record has either %s or %s, not both", OpColumn, WeightColumn)
	}
	data := array.NewRecord(arrow.NewSchema(fields, nil), cols, rec.NumRows())
	defer data.Release()
	var err error
	if in.rows, err = zset.FromArrow(data, obj.Schema); err != nil {
		return nil, err
	}
	if err := in.defaults(data.Schema(), now); err != nil {
		return nil, err
	}
	if in.w != nil && obj.Key != nil {
		in.orderWeights()
	}
	return in, in.check(now)
}

func opCodes(obj *storage.Object, a arrow.Array, twice bool) ([]int8, error) {
	ops, ok := a.(*array.Int8)
	switch {
	case twice:
		return nil, zset.Errorf("42701", -1, "column %q specified more than once", OpColumn)
	case !ok:
		return nil, zset.Errorf(zset.CodeTypeMismatch, -1, "column %q is of type %s, wanted int8", OpColumn, a.DataType())
	case ops.NullN() > 0:
		return nil, zset.Errorf(zset.CodeNotNull, -1, "null value in column %q", OpColumn)
	}
	codes := ops.Int8Values()
	for i, op := range codes {
		switch {
		case op < rowInsert || op > rowUpsert:
			return nil, zset.Errorf("22023", -1, "row %d: %s is %d, wanted 0 (insert), 1 (delete) or 2 (upsert)", i, OpColumn, op)
		case op == rowUpsert && obj.Key == nil:
			return nil, zset.Errorf("42P10", -1, "row %d: upsert into table %q, which has no key", i, obj.Name)
		}
	}
	if codes == nil {
		codes = []int8{}
	}
	return codes, nil
}

func weights(a arrow.Array, twice bool) ([]int64, error) {
	ws, ok := a.(*array.Int64)
	switch {
	case twice:
		return nil, zset.Errorf("42701", -1, "column %q specified more than once", WeightColumn)
	case !ok:
		return nil, zset.Errorf(zset.CodeTypeMismatch, -1, "column %q is of type %s, wanted int64", WeightColumn, a.DataType())
	case ws.NullN() > 0:
		return nil, zset.Errorf(zset.CodeNotNull, -1, "null value in column %q", WeightColumn)
	}
	out := append([]int64{}, ws.Int64Values()...)
	for i, w := range out {
		if w > maxWeight || w < -maxWeight {
			return nil, zset.Errorf("54000", -1, "row %d: %s is %d, at most %d rows change at once", i, WeightColumn, w, maxWeight)
		}
	}
	return out, nil
}

// orderWeights makes rows and ops of a Z-set over a keyed table: first what is
// deleted, then what is inserted. Equal rows are summed before: what cancels
// need not be there. Of more copies than one a second fails as any number does.
func (in *input) orderWeights() {
	net := zset.Consolidate(&zset.Batch{Cols: in.rows.Cols, W: in.w, N: in.rows.N})
	idx := make([]int32, 0, net.N)
	for i := range net.N {
		for range min(-net.Weight(i), 2) {
			idx = append(idx, int32(i))
		}
	}
	deletes := len(idx)
	for i := range net.N {
		for range min(net.Weight(i), 2) {
			idx = append(idx, int32(i))
		}
	}
	in.rows = net.Take(idx)
	in.rows.W, in.w, in.net = nil, nil, true
	in.ops = make([]int8, len(idx))
	for i := range deletes {
		in.ops[i] = rowDelete
	}
}

// bytes is the memory of the change to come. A bag's row is written as often as
// its weight says.
func (in *input) bytes() int64 {
	size := batchBytes(in.rows) + int64(len(in.ops)+8*len(in.w))
	copies := int64(0)
	for _, w := range in.w {
		copies += max(w-1, 0)
	}
	if copies == 0 {
		return size
	}
	row := size/int64(in.rows.N) + 1
	return size + row*min(copies, 1<<56/row) // far beyond any memory, and far from an overflow of sums
}

// check is NOT NULL and CHECK: of all columns for what is written, of the key for what is deleted.
func (in *input) check(now time.Time) error {
	removes := in.removes()
	if in.obj.Key == nil || removes == nil {
		return in.rules.check(in.rows, removes, now)
	}
	key := storage.Object{Name: in.obj.Name, Schema: append(zset.Schema{}, in.obj.Schema...)}
	for i := range key.Schema {
		key.Schema[i].NotNull = false
	}
	for _, c := range in.obj.Key {
		key.Schema[c].NotNull = true
	}
	if _, err := firstNull(&key, in.rows, nil); err != nil {
		return err
	}
	return in.rules.check(in.rows, removes, now)
}

// defaults fills the columns that the record, of schema s, lacks.
func (in *input) defaults(s *arrow.Schema, now time.Time) error {
	for c, text := range in.rules.Defaults {
		if text == "" || s.HasField(in.obj.Schema[c].Name) {
			continue
		}
		cell, err := constant(text, in.obj.Schema[c], now)
		if err != nil {
			return err
		}
		col := zset.NewColumn(cell.Type, in.rows.N)
		col.AppendTake(cell, make([]int32, in.rows.N))
		in.rows.Cols[c] = col
	}
	return nil
}

// removes tells which rows are deletes; nil: none.
func (in *input) removes() []bool {
	var out []bool
	mark := func(i int) {
		if out == nil {
			out = make([]bool, in.rows.N)
		}
		out[i] = true
	}
	for i, op := range in.ops {
		if op == rowDelete {
			mark(i)
		}
	}
	for i, w := range in.w {
		if w < 0 {
			mark(i)
		}
	}
	return out
}
