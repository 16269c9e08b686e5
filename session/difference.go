package session

import (
	"context"
	"fmt"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/runtime"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// weightColumn is the last column of differences between rows: how many times more
// a row stands there; less than none, how many times fewer.
const weightColumn = "__IVM_WEIGHT__"

// dryRun is REFRESH .. INCREMENTAL WITH DRY RUN: the rows of a view that would
// change, sorted, so that a part of them is the same part every time.
func (st *statement) dryRun(ctx context.Context, obj *storage.Object, n *ast.DryRun) error {
	d, _, err := st.s.engine.views.Preview(ctx, obj.ID)
	if err != nil {
		return err
	}
	return st.differences(obj.Schema, d, n.Offset, n.Limit)
}

// verify is VERIFY MATERIALIZED VIEW: the rows that the view lacks, by their
// positive weight, and those that it has too much.
func (st *statement) verify(ctx context.Context, n *ast.Verify) error {
	if err := st.alone("VERIFY MATERIALIZED VIEW"); err != nil {
		return err
	}
	obj, err := viewOf(st.s.engine.store.Catalog(), n.View.Text, int(n.View.Pos()))
	if err != nil {
		return err
	}
	rep, err := st.s.engine.views.Verify(ctx, obj.ID)
	if err != nil {
		return err
	}
	if !rep.Equal {
		st.res.notice(delta.CodeMismatch, fmt.Sprintf("materialized view %q differs from its definition in %d rows; REFRESH .. COMPLETE makes it right", rep.View, rep.Differing))
	}
	return st.differences(obj.Schema, rep.Delta, 0, -1)
}

// differences makes rows of d, nil for none: limit of them, -1 for all, from offset.
func (st *statement) differences(schema zset.Schema, d *zset.Batch, offset, limit int64) error {
	zone, err := zset.SessionZone(st.s.settings.TimeZone.String())
	if err != nil {
		return err
	}
	out := make(zset.Schema, 0, len(schema)+1)
	for _, f := range schema {
		f.NotNull = false
		out = append(out, f)
	}
	out = append(out, zset.Field{Name: weightColumn, Type: zset.TInt8})
	var b *zset.Batch
	if d != nil && d.N > 0 && offset < int64(d.N) && limit != 0 {
		end := int64(d.N)
		if limit > 0 && limit < end-offset {
			end = offset + limit
		}
		var idx []int32
		sorted := runtime.Least(d, int(end))
		for i := offset; i < end; i++ {
			idx = append(idx, int32(i))
		}
		part := sorted.Take(idx)
		weights := zset.NewColumn(zset.TInt8, part.N)
		for i := range part.N {
			weights.AppendI64(part.Weight(i))
		}
		b = &zset.Batch{Cols: append(part.Cols, weights), N: part.N}
	}
	st.res.Rows = readyRows(out, b)
	st.res.Rows.Zone = zone
	return nil
}
