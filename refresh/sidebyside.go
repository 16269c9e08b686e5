package refresh

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/ivmc/ivmc/runtime"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// Workers sets how many views of the cascades of this engine are refreshed side by
// side, beside the first of each cascade. Under a memory limit it is none: two that
// fit one after the other might not together. Called before anything else, if at all.
func (e *Engine) Workers(n int) { e.helpers = make(chan struct{}, max(n, 0)) }

// member is a view of a cascade, and what of the same cascade it waits for.
type member struct {
	rep     *Report
	en      *entry
	reads   []*member // direct sources
	readers []*member
	waits   int     // sources that are not done
	twin    *member // the same view before
}

// run refreshes the views, each as soon as its sources are done.
//
// Law: what a refresh reads of the cascade is settled before it starts, so that the
// reports do not depend on who was first.
func (c *cascade) run(ctx context.Context, reports []*Report) {
	ready := c.members(reports)
	ended := make(chan *member, len(reports))
	helpers := c.e.helpers
	var panicked atomic.Pointer[any] // the first; whoever asked for the cascade has it, when all have ended
	caught := func() {
		if p := recover(); p != nil {
			panicked.CompareAndSwap(nil, &p)
		}
	}
	work := func(m *member) {
		defer caught()
		c.refresh(ctx, m)
	}
	nothing := func(m *member) bool {
		defer caught()
		return c.stopped(m) || c.still(ctx, m)
	}
	running := 0
	for running > 0 || len(ready) > 0 && panicked.Load() == nil {
		if len(ready) == 0 || panicked.Load() != nil {
			ready = c.release(ready, <-ended)
			running--
			continue
		}
		m := ready[0]
		ready = ready[1:]
		if nothing(m) {
			ready = c.release(ready, m)
			continue
		}
		if len(ready) > 0 && c.helper(helpers) {
			running++
			go func() {
				work(m)
				<-helpers
				ended <- m
			}()
			continue
		}
		work(m)
		ready = c.release(ready, m)
	}
	if p := panicked.Load(); p != nil {
		panic(*p)
	}
}

// helper takes a place beside this goroutine, if there is one.
func (c *cascade) helper(helpers chan struct{}) bool {
	if c.e.budget != nil && c.e.budget.Limit() > 0 {
		return false
	}
	select {
	case helpers <- struct{}{}:
		return true
	default:
		return false
	}
}

// members works out who waits for whom, and gives those that wait for nobody. Only what
// stands before a view is a source of it; one that is there twice waits for itself.
func (c *cascade) members(reports []*Report) (ready []*member) {
	by := make(map[storage.ID]*member, len(reports))
	for _, rep := range reports {
		m := &member{rep: rep, en: c.entries[rep.ID]}
		wait := func(src *member) {
			src.readers = append(src.readers, m)
			m.waits++
		}
		if m.en != nil {
			for _, in := range m.en.view.Inputs() {
				if src := by[in]; src != nil {
					m.reads = append(m.reads, src)
					wait(src)
				}
			}
		}
		if m.twin = by[rep.ID]; m.twin != nil {
			wait(m.twin)
		}
		by[rep.ID] = m
		if m.waits == 0 {
			ready = append(ready, m)
		}
	}
	return ready
}

// release adds those to ready that waited for m alone.
func (c *cascade) release(ready []*member, m *member) []*member {
	for _, r := range m.readers {
		if r.waits--; r.waits == 0 {
			ready = append(ready, r)
		}
	}
	return ready
}

// stopped reports whether m cannot be refreshed; its report says why.
func (c *cascade) stopped(m *member) bool {
	if m.rep.Err != nil {
		return true
	}
	var failed []string
	for _, in := range m.reads {
		if in.rep.Err != nil {
			failed = append(failed, fmt.Sprintf("%q", in.rep.View))
		}
	}
	if len(failed) == 0 {
		return false
	}
	was := "was not"
	if len(failed) > 1 {
		was = "were not"
	}
	err := zset.Errorf("55000", -1, "materialized view %q was not refreshed because %s %s", m.rep.View, strings.Join(failed, " and "), was)
	err.Object, m.rep.Err = m.rep.View, err
	c.e.begin(m.rep)
	c.e.fail(m.en, m.rep, m.rep.Err)
	c.e.end(m.rep)
	return true
}

// base is what a member reads.
func (c *cascade) base(m *member) *runtime.Base {
	b := &runtime.Base{At: c.at, Below: c.below}
	if len(m.reads) > 0 {
		b.Views = make(map[storage.ID]storage.TSO, len(m.reads))
	}
	for _, in := range m.reads {
		// Where nothing was pending, the rows of the view at the base are those of now:
		// its last commit came before its turn was had.
		for id := in.rep.ID; in != nil; in = in.twin {
			b.Views[id] = max(c.at, in.rep.Commit, b.Views[id])
		}
	}
	return b
}

// still refreshes a member where nothing is pending: not worth another goroutine.
func (c *cascade) still(ctx context.Context, m *member) bool {
	if c.e.tracer != nil { // hears of the refresh as a whole
		return false
	}
	m.rep.Started = c.e.now()
	idle, err := c.e.idle(ctx, m.en, m.rep.Requested, c.base(m), m.rep)
	if idle {
		m.rep.Err, m.rep.Duration = err, c.e.now().Sub(m.rep.Started)
	}
	return idle
}

func (c *cascade) refresh(ctx context.Context, m *member) {
	m.rep.Started = c.e.now()
	m.rep.Err = c.e.move(ctx, m.en, m.rep.Requested, c.base(m), m.rep)
}
