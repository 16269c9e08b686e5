package runtime

import (
	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// filterOp keeps the rows for which the predicate is TRUE.
type filterOp struct {
	in   *task
	pred *expr.Expr
	ev   *expr.Evaluator
	sel  []int32
	out  zset.Batch

	reads []int // columns of the predicate
	done  bool  // the input did it already, see changesOp
}

func makeFilter(c *compiler, n *delta.Node, ins []*task) (operator, error) {
	p, err := c.program([]*expr.Expr{n.Filter.Pred})
	if err != nil {
		return nil, err
	}
	o := &filterOp{in: ins[0], pred: n.Filter.Pred, ev: p.New().Under(c.watch)}
	if ch, ok := ins[0].op.(*changesOp); ok && !o.pred.Raises() {
		o.reads = o.pred.Cols()
		ch.late = o
	}
	return o, nil
}

func (o *filterOp) open(*run) { o.done = false }

func (o *filterOp) next(r *run) (*zset.Batch, error) {
	for {
		b, err := o.in.pull(r)
		if b == nil || err != nil || o.done {
			return b, err
		}
		o.sel, err = o.ev.Filter(b, o.sel[:0])
		if err != nil {
			return nil, r.leastError(err, []*expr.Expr{o.pred}, b, o.in, func(one *zset.Batch) error {
				_, err := o.ev.Filter(one, o.sel[:0])
				return err
			})
		}
		switch len(o.sel) {
		case 0:
		case b.N:
			return b, nil
		default:
			take(&o.out, b, o.sel)
			return &o.out, nil
		}
	}
}

// projectOp computes expressions for every row.
type projectOp struct {
	in   *task
	x    *exprs
	keep bool // every column of the input is one of the output: distinct rows stay distinct
	out  zset.Batch
}

func makeProject(c *compiler, n *delta.Node, ins []*task) (operator, error) {
	x, err := c.exprs(n.Project.Exprs)
	if err != nil {
		return nil, err
	}
	return &projectOp{in: ins[0], x: x, keep: keepsAll(n.Project.Exprs, len(n.Ins[0].Types))}, nil
}

// keepsAll reports whether each of n columns is, as it is, among es.
func keepsAll(es []*expr.Expr, n int) bool {
	seen := make([]bool, n)
	for _, e := range es {
		if e.Op == expr.OpCol && !seen[e.Col] {
			seen[e.Col] = true
			n--
		}
	}
	return n == 0
}

func (o *projectOp) open(*run) {}

func (o *projectOp) next(r *run) (*zset.Batch, error) {
	b, err := o.in.pull(r)
	if b == nil || err != nil {
		return nil, err
	}
	cols, err := o.x.eval(b)
	if err != nil {
		return nil, r.leastError(err, o.x.es, b, o.in, func(one *zset.Batch) error {
			_, err := o.x.eval(one)
			return err
		})
	}
	o.out = zset.Batch{Cols: cols, W: b.W, N: b.N, Consolidated: b.Consolidated && o.keep}
	return &o.out, nil
}

// unionOp reads its inputs one after the other.
type unionOp struct {
	ins []*task
	at  int
}

func makeUnion(_ *compiler, _ *delta.Node, ins []*task) (operator, error) {
	return &unionOp{ins: ins}, nil
}

func (o *unionOp) open(*run) { o.at = 0 }

func (o *unionOp) next(r *run) (*zset.Batch, error) {
	for o.at < len(o.ins) {
		b, err := o.ins[o.at].pull(r)
		if b != nil || err != nil {
			return b, err
		}
		o.at++
	}
	return nil, nil
}

// consolidateOp reads all of its input first, in a run that settles, and else hands
// it on as it is (see [View.advance]).
type consolidateOp struct {
	in  *task
	sum zset.Consolidator
	all *zset.Batch
	at  int
	run bool
}

func makeConsolidate(_ *compiler, _ *delta.Node, ins []*task) (operator, error) {
	return &consolidateOp{in: ins[0]}, nil
}

func (o *consolidateOp) open(*run) { o.all, o.at, o.run, o.sum = nil, 0, false, zset.Consolidator{} }

func (o *consolidateOp) next(r *run) (*zset.Batch, error) {
	if !r.settle {
		return o.in.pull(r)
	}
	for !o.run {
		b, err := o.in.pull(r)
		if err != nil {
			return nil, err
		}
		if b == nil {
			o.all, o.run = o.sum.Result(), true
			break
		}
		o.sum.Add(b)
		if err := r.hold("consolidation of changes", o); err != nil {
			return nil, err
		}
	}
	if o.all == nil || o.at >= o.all.N {
		o.all = nil
		return nil, nil
	}
	to := min(o.at+batchRows, o.all.N)
	b := o.all.Slice(o.at, to)
	o.at = to
	return b, nil
}
