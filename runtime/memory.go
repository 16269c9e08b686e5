package runtime

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// memory is what a query, or a view, holds of the budget of its database, by
// holder. Holders are asked after each batch that they took in, so that a limit
// is exceeded by one growth of one table at most. A nil *memory counts nothing:
// without a limit nobody is asked.
type memory struct {
	budget *zset.Budget
	mu     sync.Mutex
	holds  []hold
}

// holder is asked how much it holds.
type holder interface{ MemBytes() int64 }

type hold struct {
	of    holder
	what  string
	bytes int64
}

func newMemory(b *zset.Budget) *memory {
	if b == nil || b.Limit() <= 0 {
		return nil
	}
	return &memory{budget: b}
}

// hold brings the account of one holder up to date (53200).
func (m *memory) hold(what string, of holder) error { return m.set(what, of, m.reserve) }

// force is hold for what is there and stays, limit or not.
func (m *memory) force(what string, of holder) { _ = m.set(what, of, m.take) }

func (m *memory) set(what string, of holder, grow func(int64) error) error {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	bytes := of.MemBytes()
	i := slices.IndexFunc(m.holds, func(h hold) bool { return h.of == of })
	if i < 0 {
		i = len(m.holds)
		m.holds = append(m.holds, hold{of: of, what: what})
	}
	h := &m.holds[i]
	if bytes > h.bytes {
		if err := grow(bytes - h.bytes); err != nil {
			return m.exceeded(i, bytes)
		}
	} else {
		m.budget.Release(h.bytes - bytes)
	}
	h.bytes = bytes
	return nil
}

func (m *memory) reserve(n int64) error { return m.budget.Reserve(n) }

func (m *memory) take(n int64) error {
	m.budget.Take(n)
	return nil
}

// drop gives back what the holder of had.
func (m *memory) drop(of holder) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := slices.IndexFunc(m.holds, func(h hold) bool { return h.of == of }); i >= 0 {
		m.budget.Release(m.holds[i].bytes)
		m.holds = slices.Delete(m.holds, i, i+1)
	}
}

// release gives everything back.
func (m *memory) release() {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, h := range m.holds {
		m.budget.Release(h.bytes)
	}
	m.holds = nil
}

// exceeded is the error of holder i, who wants bytes in all. It names the three
// that hold most.
func (m *memory) exceeded(i int, bytes int64) error {
	own := int64(0)
	for _, h := range m.holds {
		own += h.bytes
	}
	others := m.budget.Used() - own
	var by []hold // holders of one kind together
	for k, h := range m.holds {
		if k == i {
			h.bytes = bytes
		}
		if at := slices.IndexFunc(by, func(b hold) bool { return b.what == h.what }); at >= 0 {
			by[at].bytes += h.bytes
		} else {
			by = append(by, h)
		}
	}
	slices.SortStableFunc(by, func(a, b hold) int { return cmp.Compare(b.bytes, a.bytes) })
	var parts []string
	for _, h := range by[:min(3, len(by))] {
		if h.bytes > 0 {
			parts = append(parts, fmt.Sprintf("the %s needs %d bytes", h.what, h.bytes))
		}
	}
	if others > 0 {
		parts = append(parts, fmt.Sprintf("other statements and views hold %d bytes", others))
	}
	err := m.budget.Exceeded()
	err.Detail = strings.Join(parts, "; ") + "."
	return err
}

// hold accounts for what an operator, or the run itself, holds.
func (r *run) hold(what string, of holder) error { return r.mem.hold(what, of) }

// Grown accounts for the long values that expressions made.
func (r *run) Grown(w *expr.Watch) error { return r.hold("computing of long values", w) }

// batchBytes is the memory of the columns and weights of b.
func batchBytes(b *zset.Batch) int64 {
	if b == nil {
		return 0
	}
	n := int64(8 * cap(b.W))
	for i := range b.Cols {
		n += b.Cols[i].MemBytes()
	}
	return n
}

// heldBatch is a batch as a holder.
type heldBatch zset.Batch

// MemBytes is the memory of the batch.
func (b *heldBatch) MemBytes() int64 { return batchBytes((*zset.Batch)(b)) }

// MemBytes of the operators is what they gather before they hand anything on.

func (o *hashJoinOp) MemBytes() int64 {
	n := batchBytes(&o.rows) + int64(4*cap(o.head)+4*cap(o.chain))
	if o.table != nil {
		n += o.table.MemBytes()
	}
	return n
}

func (o *windowOp) MemBytes() int64 {
	n := o.tally.memBytes() + o.groups.MemBytes() + o.calls.memBytes()
	if o.rows != nil {
		n += batchBytes(o.rows.b) + int64(cap(o.rows.enc)+8*cap(o.rows.off))
	}
	return n
}

func (w *windowCalls) memBytes() (n int64) {
	for _, o := range w.orders {
		n += int64(cap(o.keys) + 8*cap(o.off) + 8*cap(o.cut) + 4*cap(o.idx))
	}
	for _, c := range w.calls {
		n += c.out.MemBytes() + int64(4*cap(c.vals)+cap(c.framed.buf)+cap(c.starts.buf)+cap(c.ends.buf))
		for i := range c.args {
			n += c.args[i].MemBytes()
		}
	}
	return n
}

func (o *sortOp) MemBytes() int64 {
	// idx, made when all rows are there, is counted ahead.
	n := batchBytes(o.rows) + int64(cap(o.buf)+8*cap(o.off)+4*len(o.off))
	if o.kept != nil {
		n += o.kept.memBytes()
	}
	return n
}

func (o *firstOp) MemBytes() int64 { return o.tally.memBytes() + batchBytes(o.all) }

func (o *consolidateOp) MemBytes() int64 { return o.sum.MemBytes() + batchBytes(o.all) }

func (o *aggregateOp) MemBytes() (n int64) {
	if o.local != nil {
		n = o.local.memBytes()
	}
	for _, m := range o.all() {
		n += m.tally.memBytes()
	}
	return n + int64(4*cap(o.old))
}

func (o *keepOp) MemBytes() (n int64) {
	for _, by := range o.by {
		n += by.tally.memBytes()
	}
	return n
}

func (t *tally) memBytes() int64 {
	return t.table.MemBytes() + t.keys.MemBytes() + t.batch.MemBytes() + t.enc.MemBytes() +
		int64(8*cap(t.w)+4*cap(t.order)+8*cap(t.sum)+8*cap(t.after)+4*cap(t.from))
}

// MemBytes of a step is its write set.
func (s *Step) MemBytes() (n int64) {
	if s.change != nil {
		n = batchBytes(s.change.Rows) + int64(cap(s.change.Ops)+8*cap(s.change.Dead))
	}
	for i := range s.states {
		st := &s.states[i]
		n += int64(cap(st.Keys.Buf) + 8*st.Keys.Len() + cap(st.Vals.Buf) + 8*st.Vals.Len())
	}
	return n
}

// MemBytes of states is what a view keeps from step to step.
func (s *states) MemBytes() int64 { return s.memBytes() }
