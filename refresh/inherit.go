package refresh

import (
	"context"
	"fmt"

	"github.com/ivmc/ivmc/runtime"
	"github.com/ivmc/ivmc/storage"
)

// predecessor is a view that another one takes the place of, with its turn taken.
type predecessor struct {
	en   *entry
	view *runtime.View // nil: it has nothing to leave
}

// predecessor takes the open view out of an entry: it is opened again by the
// definition that stands then.
func (e *Engine) predecessor(en *entry, obj *storage.Object) *predecessor {
	p := &predecessor{en: en}
	if e.open(en, obj) != nil {
		return p
	}
	if reason, _ := en.obstacle(); reason == "" {
		p.view = en.view
	} else {
		en.view.Forget()
	}
	en.view = nil
	return p
}

func (p *predecessor) forget() {
	if p.view != nil {
		p.view.Forget()
	}
}

// inherit lets the build of a new view go on with what its predecessor keeps, at one
// base for both, which is pinned, unless it cannot, or bringing those states to the base
// would cost more than making them.
func (e *Engine) inherit(ctx context.Context, en *entry, of *predecessor, rep *Report) (*runtime.Base, func()) {
	if of == nil || of.view == nil {
		return e.fixedBase(en.view)
	}
	base, unpin := e.fixedBase(of.view, en.view)
	before := &Report{ID: of.view.ID()}
	e.weigh(&entry{view: of.view, past: of.en.past}, base, before)
	if before.dearer() {
		return base, unpin
	}
	n, err := en.view.Inherit(ctx, of.view, base)
	if err != nil || n == 0 { // what is wrong, the build says, or it is no matter any more
		return base, unpin
	}
	rep.Kept = n
	rep.Detail = fmt.Sprintf("%d of %d states were kept", n, len(en.view.Full().States))
	return base, unpin
}
