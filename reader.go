package ivmc

import (
	"context"
	"errors"
	"io"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/ivmc/ivmc/session"
	"github.com/ivmc/ivmc/zset"
)

// reader hands out the rows of a query as Arrow records. It owns the current
// record, and closes the rows with its last reference.
type reader struct {
	refs   atomic.Int64
	ctx    context.Context
	sql    string
	rows   *session.Rows
	schema *arrow.Schema
	rec    arrow.Record
	err    error
}

var _ array.RecordReader = (*reader)(nil)

func newReader(ctx context.Context, sql string, rows *session.Rows) *reader {
	r := &reader{ctx: ctx, sql: sql, rows: rows, schema: zset.ArrowSchema(rows.Schema)}
	r.refs.Store(1)
	return r
}

func (r *reader) Retain() { r.refs.Add(1) }

func (r *reader) Release() {
	if r.refs.Add(-1) == 0 {
		r.drop()
		r.rows.Close()
	}
}

func (r *reader) drop() {
	if r.rec != nil {
		r.rec.Release()
		r.rec = nil
	}
}

func (r *reader) Schema() *arrow.Schema { return r.schema }
func (r *reader) Record() arrow.Record  { return r.rec }
func (r *reader) Err() error            { return r.err }

func (r *reader) Next() bool {
	r.drop()
	if r.err != nil {
		return false
	}
	b, err := r.rows.Next(r.ctx)
	if err != nil {
		if !errors.Is(err, io.EOF) {
			r.err = publish(err, r.sql)
		}
		return false
	}
	rec, err := zset.ToArrow(b, r.rows.Schema, memory.DefaultAllocator)
	if err != nil {
		r.err = publish(err, r.sql)
		return false
	}
	r.rec = rec
	return true
}

// drain reads rows to their end and counts them.
func drain(ctx context.Context, rows *session.Rows) (n int64, err error) {
	defer rows.Close()
	for {
		b, err := rows.Next(ctx)
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		n += session.RowCount(b)
	}
}
