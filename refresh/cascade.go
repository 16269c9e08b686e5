package refresh

import (
	"cmp"
	"context"
	"slices"

	"github.com/ivmc/ivmc/runtime"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// Target is a view of a cascade, and how it is to be refreshed.
type Target struct {
	ID      storage.ID
	Mode    Mode
	Trigger Trigger
}

// Cascade refreshes views, given sources first, from one base TSO: tables are
// read as of the moment when all turns were had, and a view as its own refresh in
// the cascade left it, so that all come to stand for the same frontier.
//
// There is a report for each, in the order given. One that fails has its error in
// the report, and stops those that read it, directly or not, and no other.
func (e *Engine) Cascade(ctx context.Context, targets []Target) []*Report {
	c := &cascade{e: e, base: runtime.Base{Views: map[storage.ID]storage.TSO{}}, failed: map[storage.ID]string{}, entries: map[storage.ID]*entry{}}
	reports := make([]*Report, len(targets))
	for i, t := range targets {
		reports[i] = &Report{ID: t.ID, Trigger: t.Trigger, Requested: t.Mode, Started: e.now(), Queued: e.now()}
	}
	defer c.done()
	c.turns(ctx, reports)
	c.base.Below = c.below()
	at, unpin := e.store.PinApplied()
	defer unpin()
	c.base.At = at
	for _, rep := range reports {
		if rep.Err == nil {
			rep.Err = c.refresh(ctx, rep)
		}
		if rep.Err != nil {
			c.failed[rep.ID] = rep.View
		}
	}
	return reports
}

// cascade is one run of [Engine.Cascade].
type cascade struct {
	e       *Engine
	base    runtime.Base
	entries map[storage.ID]*entry // whose turns it has
	failed  map[storage.ID]string // names of views that are not at the base
}

// turns takes the turns of all views by their ids, so that two cascades never
// wait for each other. With all of them had, no view can be ahead of the base.
func (c *cascade) turns(ctx context.Context, reports []*Report) {
	byID := slices.Clone(reports)
	slices.SortFunc(byID, func(a, b *Report) int { return cmp.Compare(a.ID, b.ID) })
	for _, rep := range byID {
		obj, err := c.e.object(rep.ID)
		if err == nil {
			rep.View, rep.Configured = obj.Name, c.e.configured(obj)
			if c.entries[rep.ID] == nil {
				var en *entry
				if en, err = c.e.opened(ctx, obj); err == nil {
					c.entries[rep.ID] = en
				}
			}
		}
		rep.Err = err
	}
}

// below is what the views that are read and have no turn here stand for. They may
// move meanwhile; what is read of them is as of the base, which comes later.
func (c *cascade) below() map[storage.ID]storage.TSO {
	out := map[storage.ID]storage.TSO{}
	for _, en := range c.entries {
		for _, in := range en.view.Inputs() {
			if o, view := c.e.store.Offsets(in); view && c.entries[in] == nil {
				out[in] = o.Frontier
			}
		}
	}
	return out
}

func (c *cascade) done() {
	for _, en := range c.entries {
		en.done()
	}
}

func (c *cascade) refresh(ctx context.Context, rep *Report) error {
	en := c.entries[rep.ID]
	for _, in := range en.view.Inputs() {
		if parent, ok := c.failed[in]; ok {
			err := zset.Errorf("55000", -1, "materialized view %q was not refreshed because %q was not", rep.View, parent)
			err.Object = rep.View
			c.e.begin(rep)
			defer c.e.end(rep)
			c.e.fail(en, rep, err)
			return err
		}
	}
	rep.Started = c.e.now()
	if err := c.e.move(ctx, en, rep.Requested, &c.base, rep); err != nil {
		return err
	}
	// Where nothing was pending, the rows of the view at the base are those of now:
	// its last commit came before its turn was had.
	c.base.Views[rep.ID] = max(c.base.At, rep.Commit)
	return nil
}
