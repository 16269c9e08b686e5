package refresh

import (
	"cmp"
	"context"
	"slices"

	"github.com/ivmc/ivmc/storage"
)

// Target is a view of a cascade, and how it is to be refreshed.
type Target struct {
	ID      storage.ID
	Mode    Mode
	Trigger Trigger
}

// Cascade refreshes views, given sources first, from one base TSO: tables are
// read as of the moment when all turns were had, and a view as its own refresh in
// the cascade left it, so that all come to stand for the same frontier. Views that
// do not read each other are refreshed side by side, see [Engine.Workers].
//
// There is a report for each, in the order given. One that fails has its error in
// the report, and stops those that read it, directly or not, and no other.
func (e *Engine) Cascade(ctx context.Context, targets []Target) []*Report {
	c := &cascade{e: e, entries: map[storage.ID]*entry{}}
	reports := make([]*Report, len(targets))
	for i, t := range targets {
		reports[i] = &Report{ID: t.ID, Trigger: t.Trigger, Requested: t.Mode, Started: e.now(), Queued: e.now()}
	}
	defer c.done()
	c.turns(ctx, reports)
	c.below = c.behind()
	at, unpin := e.store.PinApplied()
	defer unpin()
	c.at = at
	c.run(ctx, reports)
	return reports
}

// cascade is one run of [Engine.Cascade].
type cascade struct {
	e       *Engine
	at      storage.TSO
	below   map[storage.ID]storage.TSO // see [runtime.Base]
	entries map[storage.ID]*entry      // whose turns it has
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

// behind is what the views that are read and have no turn here stand for. They may
// move meanwhile; what is read of them is as of the base, which comes later.
func (c *cascade) behind() map[storage.ID]storage.TSO {
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
