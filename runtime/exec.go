package runtime

import (
	"context"
	"time"

	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// batchRows is the most rows that an operator hands on at once.
const batchRows = 4096

// operator is one compiled operator of an opened plan. It is used for one run
// at a time, and keeps its memory from run to run.
type operator interface {
	// open starts a run.
	open(r *run)
	// next yields a batch of at least one row, good until the next call, and
	// nil at the end.
	next(r *run) (*zset.Batch, error)
}

// task is an operator with its inputs and its share of the time.
type task struct {
	op   operator
	node *delta.Node
	plan *delta.Plan // that node is of
	ins  []*task
	rows int64
	time time.Duration // inputs included
	done bool

	watch *expr.Watch // of the expressions of the plan
}

// run is one run of a plan.
type run struct {
	ctx     context.Context
	clock   func() time.Time // nil: operators are not timed
	source  Source           // what scans read
	sides   *sides           // what changes and look-ups read; nil from empty
	states  *states          // nil: nothing is kept
	object  string           // the view, for errors
	creates bool             // the statement that runs has its definition
	mem     *memory          // nil: nothing is counted
	rowsIn  int64

	settle bool // deltas are consolidated where the plan says so
}

// pull is the next batch of t.
func (t *task) pull(r *run) (*zset.Batch, error) {
	if t.done {
		return nil, nil
	}
	if err := r.ctx.Err(); err != nil {
		return nil, err
	}
	if r.clock == nil {
		b, err := t.op.next(r)
		t.done = b == nil
		return b, err
	}
	start := r.clock()
	b, err := t.op.next(r)
	t.time += r.clock().Sub(start)
	if b == nil {
		t.done = true
	} else {
		t.rows += int64(b.N)
	}
	return b, err
}

func (t *task) open(r *run) {
	t.rows, t.time, t.done = 0, 0, false
	t.watch.Ctx, t.watch.Memory = r.ctx, r
	for _, in := range t.ins {
		in.open(r)
	}
	t.op.open(r)
}

// walk calls f for t and all tasks below, inputs first.
func (t *task) walk(f func(*task)) {
	for _, in := range t.ins {
		in.walk(f)
	}
	f(t)
}

// has reports whether t or a task below is of the operator.
func (t *task) has(op delta.Op) (found bool) {
	t.walk(func(t *task) { found = found || t.node.Op == op })
	return found
}

// self is the time of t without its inputs.
func (t *task) self() time.Duration {
	d := t.time
	for _, in := range t.ins {
		d -= in.time
	}
	return max(d, 0)
}

// make is one row of the table of operators.
type makeOp func(c *compiler, n *delta.Node, ins []*task) (operator, error)

// operators is the table: one row for every operator of plans.
func operators() map[delta.Op]makeOp {
	return map[delta.Op]makeOp{
		delta.OpChanges:     makeChanges,
		delta.OpScan:        makeScan,
		delta.OpFind:        makeFind,
		delta.OpNothing:     makeNothing,
		delta.OpValues:      makeValues,
		delta.OpFilter:      makeFilter,
		delta.OpProject:     makeProject,
		delta.OpUnion:       makeUnion,
		delta.OpConsolidate: makeConsolidate,
		delta.OpLookup:      makeLookup,
		delta.OpHashJoin:    makeHashJoin,
		delta.OpNegate:      makeNegate,
		delta.OpRepeat:      makeRepeat,
		delta.OpShare:       makeShare,
		delta.OpKeep:        makeKeep,
		delta.OpAggregate:   makeAggregate,
		delta.OpSort:        makeSort,
		delta.OpWindow:      makeWindow,
		delta.OpLimit:       makeLimit,
		delta.OpUnnest:      makeUnnest,
	}
}

// compiler opens a plan: expressions are compiled here, once.
type compiler struct {
	plan    *delta.Plan
	ops     map[delta.Op]makeOp
	now     int64           // what now() means, in microseconds since 1970; only from empty
	keeps   map[int]*keepBy // by state: what look-ups of private relations read
	private []*privateOp
	shares  map[int]*shared
	watch   *expr.Watch
}

// compile makes the tasks of a plan.
func compile(p *delta.Plan, now int64) (*task, error) {
	c := &compiler{plan: p, ops: operators(), now: now, keeps: map[int]*keepBy{}, shares: map[int]*shared{}, watch: &expr.Watch{}}
	t, err := c.task(p.Root)
	if err != nil {
		return nil, err
	}
	for _, o := range c.private {
		o.keep = c.keeps[o.spec.State]
	}
	return t, nil
}

func (c *compiler) task(n *delta.Node) (*task, error) {
	t := &task{node: n, plan: c.plan, watch: c.watch}
	for _, in := range n.Ins {
		it, err := c.task(in)
		if err != nil {
			return nil, err
		}
		t.ins = append(t.ins, it)
	}
	mk, ok := c.ops[n.Op]
	if !ok {
		return nil, zset.Errorf(zset.CodeCorrupt, -1, "plan has an unknown operator %q", n.Op)
	}
	op, err := mk(c, n, t.ins)
	if err != nil {
		return nil, err
	}
	t.op = op
	return t, nil
}

// take replaces dst by the rows sel of src. dst keeps its memory.
func take(dst, src *zset.Batch, sel []int32) {
	if len(dst.Cols) != len(src.Cols) {
		dst.Cols = make([]zset.Column, len(src.Cols))
	}
	for i := range src.Cols {
		reuse(&dst.Cols[i], src.Cols[i].Type)
		dst.Cols[i].AppendTake(&src.Cols[i], sel)
	}
	dst.N, dst.Consolidated = len(sel), src.Consolidated
	dst.W = takeWeights(dst.W, src.W, sel)
}

// takeWeights is src[sel], in dst's memory; nil for nil.
func takeWeights(dst, src []int64, sel []int32) []int64 {
	if src == nil {
		return nil
	}
	dst = dst[:0]
	for _, i := range sel {
		dst = append(dst, src[i])
	}
	return dst
}

// reuse empties c for cells of type t and keeps its memory.
func reuse(c *zset.Column, t zset.Type) {
	c.Type = t
	c.Reset()
}

// columns reports whether es are nothing but columns, and which.
func columns(es []*expr.Expr) ([]int, bool) {
	at := make([]int, len(es))
	for i, e := range es {
		if e.Op != expr.OpCol {
			return nil, false
		}
		at[i] = e.Col
	}
	return at, true
}

// exprs evaluates expressions over batches; plain columns cost nothing.
type exprs struct {
	es   []*expr.Expr
	at   []int // they are these columns
	ev   *expr.Evaluator
	cols []zset.Column
}

func (c *compiler) exprs(es []*expr.Expr) (*exprs, error) {
	x := &exprs{es: es, cols: make([]zset.Column, len(es))}
	if at, ok := columns(es); ok {
		x.at = at
		return x, nil
	}
	p, err := c.program(es)
	if err != nil {
		return nil, err
	}
	x.ev = p.New().Under(c.watch)
	return x, nil
}

func (c *compiler) program(es []*expr.Expr) (*expr.Program, error) {
	frozen := make([]*expr.Expr, len(es))
	for i, e := range es {
		frozen[i] = e
		if e.Volatile() {
			frozen[i] = e.Freeze(c.now)
		}
	}
	return expr.Compile(frozen)
}

// eval yields one column per expression, good until the next call.
func (x *exprs) eval(b *zset.Batch) ([]zset.Column, error) {
	if x.ev != nil {
		return x.ev.Eval(b)
	}
	for i, c := range x.at {
		x.cols[i] = b.Cols[c]
	}
	return x.cols, nil
}
