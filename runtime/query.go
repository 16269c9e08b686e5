package runtime

import (
	"context"
	"runtime/debug"

	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/zset"
)

// Rows is the result of a query, in batches.
type Rows struct {
	root *task
	run  *run
	err  error
}

// Query opens a from-empty plan over src. What reads the clock has been frozen
// by whoever bound the query. Nothing runs before the first Next.
func Query(ctx context.Context, plan *delta.Plan, src Source) (rows *Rows, err error) {
	defer guard(&err)
	if !plan.FromEmpty {
		return nil, zset.Errorf("XX000", -1, "the plan of a step is not a query")
	}
	root, err := compile(plan, 0)
	if err != nil {
		return nil, err
	}
	r := &run{ctx: ctx, source: src}
	root.open(r)
	return &Rows{root: root, run: r}, nil
}

// Account counts what the query holds against a budget (53200). Called before
// the first Next, if at all; the caller then reads to the end or calls Close.
func (q *Rows) Account(b *zset.Budget) { q.run.mem = newMemory(b) }

// Close frees what the query holds. Closing twice is allowed.
func (q *Rows) Close() {
	q.run.mem.release()
	q.root = nil
	if q.err == nil {
		q.err = zset.Errorf("24000", -1, "the rows are closed")
	}
}

// Next is the next batch of at most 4096 rows, each of weight 1, good until the
// next call; nil at the end and after an error.
func (q *Rows) Next(ctx context.Context) (b *zset.Batch, err error) {
	if q.err != nil {
		return nil, q.err
	}
	defer func() {
		if q.err = err; b == nil {
			q.run.mem.release()
		}
	}()
	defer guard(&err)
	q.run.ctx, q.root.watch.Ctx = ctx, ctx
	return q.root.pull(q.run)
}

// guard keeps a broken invariant from crossing the package edge as a panic.
func guard(err *error) {
	if p := recover(); p != nil {
		*err = zset.Recovered(p, debug.Stack())
	}
}
