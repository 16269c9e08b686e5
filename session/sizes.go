package session

import (
	"fmt"

	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/explain"
	"github.com/ivmc/ivmc/runtime"
	"github.com/ivmc/ivmc/storage"
)

// sizes measures what the plan p reads, what view (nil: none) keeps, and the
// arrangements of its delta plan, if it has one. Where all that is read is empty
// there is nothing to tell, and it is nil.
func (e *Engine) sizes(view *storage.Object, p, step *delta.Plan) *explain.Sizes {
	if p == nil {
		return nil
	}
	z := &explain.Sizes{Relations: map[uint64]explain.Size{}, States: map[int]explain.Size{}, Arranged: map[int]explain.Size{}}
	hi := e.store.Applied()
	var from storage.Offsets
	if view != nil {
		from, _ = e.store.Offsets(view.ID)
		z.Frontier = e.frontierText(view)
		for i := range p.States {
			if n := runtime.StateBytes(e.store, view.ID, i); n > 0 {
				z.States[i+1] = explain.Size{Bytes: n}
			}
		}
	}
	any := view != nil
	for _, id := range p.Relations() {
		rel, err := e.store.Relation(storage.ID(id))
		if err != nil {
			continue
		}
		size := explain.Size{Rows: rel.Rows(hi), Bytes: rel.MemBytes()}
		if lo, ok := from.Inputs[storage.ID(id)]; ok {
			n := int64(rel.ChangeCount(lo, hi))
			size.Pending = &n
		}
		any = any || size.Rows > 0
		z.Relations[id] = size
	}
	if !any {
		return nil
	}
	if step == nil {
		return z
	}
	for i := range step.Arranged {
		rel, err := e.store.Relation(storage.ID(step.Arranged[i].Rel))
		if err != nil {
			continue
		}
		if a := rel.Arrangement(step.Arranged[i].ID); a != nil {
			z.Arranged[i] = explain.Size{Rows: int64(a.Keys()), Bytes: a.MemBytes()}
		}
	}
	return z
}

func (e *Engine) frontierText(obj *storage.Object) string {
	f, ok := e.views.Frontier(obj.ID)
	if !ok {
		return "none, the view was never filled"
	}
	return fmt.Sprintf("%d (%s)", f, timeText(f))
}
