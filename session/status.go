package session

import (
	"context"
	"strings"
	"time"

	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/refresh"
	"github.com/ivmc/ivmc/schedule"
	"github.com/ivmc/ivmc/storage"
)

// RelationStatus is what is known of a table or view without loading it.
type RelationStatus struct {
	Name    string
	Kind    storage.ObjectKind
	Columns int
	Size    storage.Size
	Memory  storage.Stats // of one that was not touched, nothing

	// Of materialized views.
	Mode     refresh.Mode
	Blockers []string // codes of why it is not incremental
	Built    bool
	Frontier storage.TSO
	Behind   time.Duration   // for how long it has lacked the first of these
	Pending  int64           // changes of what it reads that it has not, those further down a chain too
	Trigger  string          // the clause of what refreshes it; "": nothing but REFRESH
	Job      *schedule.State // nil: no scheduler runs, or none knows it

	Stream *StreamStatus // of a stream, which has a Frontier and Pending too
}

// StreamStatus is how a stream stands.
type StreamStatus struct {
	Base  string // "" if it was dropped
	Type  string // min_delta, append_only or detail
	Stale string // why it cannot be read; "" if it can
}

// Status is the state of a store.
type Status struct {
	Applied   storage.TSO
	DiskBytes int64
	Relations []RelationStatus // by name
}

// Status looks at everything that has a name. It loads nothing.
func (e *Engine) Status(ctx context.Context) (out *Status, err error) {
	defer e.guard(&err)
	if err := e.life.enter(); err != nil {
		return nil, err
	}
	defer e.life.calls.Done()
	at, cat, unpin := e.snapshot()
	defer unpin()
	out = &Status{Applied: at, DiskBytes: e.store.DiskBytes()}
	for _, obj := range named(cat, storage.Table, storage.View, storage.Query, storage.Stream) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r := RelationStatus{Name: obj.Name, Kind: obj.Kind, Columns: len(obj.Schema)}
		if obj.Kind == storage.Stream {
			if err := e.streamStatus(cat, obj, &r); err != nil {
				return nil, worded(err)
			}
		} else if obj.Kind != storage.Query {
			if r.Size, err = e.store.Size(obj.ID); err != nil {
				return nil, worded(err)
			}
			if r.Memory, err = e.store.Stats(obj.ID); err != nil {
				return nil, worded(err)
			}
		}
		if obj.Kind == storage.View {
			if err := e.viewStatus(obj, &r); err != nil {
				return nil, worded(err)
			}
		}
		out.Relations = append(out.Relations, r)
	}
	return out, nil
}

func (e *Engine) viewStatus(obj *storage.Object, r *RelationStatus) error {
	def, err := payloadOf(obj)
	if err != nil {
		return err
	}
	r.Mode = def.Mode
	r.Trigger = triggerText(def.Rule, time.Time{})
	if job, ok := e.JobState(obj.ID); ok && r.Trigger != "" {
		r.Job = &job
	}
	for _, b := range def.Blockers {
		r.Blockers = append(r.Blockers, b.Code)
	}
	if r.Frontier, r.Built = e.views.Frontier(obj.ID); !r.Built {
		return nil
	}
	if r.Pending, err = e.views.Pending(obj.ID); err == nil {
		r.Behind, err = e.behind(obj.ID)
	}
	return err
}

// behind is for how long a built view has lacked a change.
func (e *Engine) behind(id storage.ID) (time.Duration, error) {
	first, err := e.views.Lacks(id)
	return e.sinceCommit(first), err
}

// sinceCommit is how long ago a commit was; 0 for none.
func (e *Engine) sinceCommit(tso storage.TSO) time.Duration {
	if tso == 0 {
		return 0
	}
	return max(e.opts.Clock().Sub(tso.Time()), 0)
}

// streamStatus is health and place of a stream by what is known without loading
// its base.
func (e *Engine) streamStatus(cat *storage.Catalog, obj *storage.Object, r *RelationStatus) error {
	s, err := streamOf(cat, obj)
	if err != nil {
		return err
	}
	rd := e.readings(cat, time.UTC)
	r.Stream = &StreamStatus{Type: s.Type, Stale: rd.broken(s)}
	if s.base == nil {
		return nil
	}
	r.Stream.Base, r.Columns = s.base.Name, len(s.base.Schema)
	from := rd.offsets[obj.ID].Inputs[s.Base]
	if r.Frontier, r.Built = from, from != 0; !r.Built { // all of the rows are to come
		size, err := e.store.Size(s.Base)
		r.Pending = size.Rows
		return err
	}
	if r.Pending, err = e.store.Since(s.Base, from); err != nil {
		return err
	}
	gone, err := e.store.Expired(s.Base)
	if err != nil || gone <= from || !s.base.Retention.Unpinned {
		return err
	}
	kept, err := e.store.Since(s.Base, gone)
	if kept < r.Pending {
		r.Stream.Stale = brokenLog(from, s.base.Name)
	}
	return err
}

// Check looks for damage: of the store, and of the definitions in its catalog,
// each of which must still mean something.
func (e *Engine) Check(ctx context.Context) (rep *storage.CheckReport, err error) {
	defer e.guard(&err)
	if err := e.life.enter(); err != nil {
		return nil, err
	}
	defer e.life.calls.Done()
	ctx, cancel := e.life.bind(ctx)
	defer cancel()
	rep, err = e.store.Check(ctx)
	if err != nil {
		return nil, worded(ctxErr(ctx, err))
	}
	for _, obj := range named(e.store.Catalog(), storage.Table, storage.View, storage.Query) {
		if err := e.checkDefinition(obj); err != nil {
			rep.Faults = append(rep.Faults, storage.Fault{Object: obj.Name, Text: strings.ToValidUTF8(err.Error(), "?")})
		}
	}
	return rep, nil
}

func (e *Engine) checkDefinition(obj *storage.Object) (err error) {
	defer e.guard(&err)
	if e.lacks(obj) { // no fault of the store
		return nil
	}
	switch obj.Kind {
	case storage.Table:
		_, err = e.rulesOf(obj)
	case storage.View:
		_, err = planner{e}.Plans(obj)
	default:
		_, err = define(e.store.Catalog(), obj)(algebra.Env{Now: e.opts.Clock(), Functions: e.opts.Functions,
			Read: e.readings(e.store.Catalog(), time.UTC).read})
	}
	return err
}
