package refresh

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/runtime"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/trace"
	"github.com/ivmc/ivmc/zset"
)

// Refresh brings a view to the applied TSO, reading its sources as they stand.
//
// Auto is incremental where there is a plan, a baseline and a state that fits
// the plan; else complete, with the code of what was in the way as the reason.
// Incremental never falls back: it fails with 0A000 and all reasons, and nothing
// moves. Without a baseline, both build the view, and say so: COMPLETE, with
// NO_BASELINE as the reason. Where nothing is
// pending there is no commit; offsets stay, since nothing changed behind them.
// Auto is complete too where that is expected to take less time than the step: then
// the reason is COST.
//
// The commit of a step is not waited for: a crash may take the step, never its
// inputs, and the next refresh does it again (I11).
func (e *Engine) Refresh(ctx context.Context, id storage.ID, mode Mode) (*Report, error) {
	return e.Run(ctx, Target{ID: id, Mode: mode})
}

// Run is [Engine.Refresh] of a target.
func (e *Engine) Run(ctx context.Context, t Target) (*Report, error) {
	start := e.now()
	obj, en, err := e.hold(ctx, t.ID)
	if err != nil {
		return nil, err
	}
	defer en.done()
	rep := &Report{ID: t.ID, View: obj.Name, Trigger: t.Trigger, Configured: e.configured(obj), Requested: t.Mode, Started: start}
	if err := e.move(ctx, en, t.Mode, nil, rep); err != nil {
		return nil, err
	}
	return rep, nil
}

// move runs a refresh to a base, and completes its report.
func (e *Engine) move(ctx context.Context, en *entry, mode Mode, base *runtime.Base, rep *Report) (err error) {
	if e.tracer != nil {
		var end trace.End
		ctx, end = e.traced(ctx, rep)
		defer func() { end(err) }()
	}
	idle, err := e.idle(ctx, en, mode, base, rep)
	if !idle {
		e.begin(rep)
		defer e.end(rep)
		ctx, cancel := e.cancellable(ctx, rep)
		defer cancel()
		if err = e.run(ctx, en, mode, base, rep); err != nil {
			e.fail(en, rep, err)
		}
	}
	rep.Duration = e.now().Sub(rep.Started)
	if _, ok := e.store.Catalog().ByID(rep.ID); !ok && errors.Is(err, storage.ErrConflict) {
		err = errGone(rep.View)
	}
	return err
}

func (e *Engine) run(ctx context.Context, en *entry, mode Mode, base *runtime.Base, rep *Report) error {
	if err := e.filled(en); err != nil {
		return err
	}
	if err := e.decide(en, mode, base, rep); err != nil {
		return err
	}
	rep.Executed = rep.Planned
	if rep.Planned == Complete {
		return e.build(ctx, en, base, rep)
	}
	err := e.step(ctx, en, base, rep)
	if mode != Incremental && isCorrupt(err) {
		en.view.Forget()
		rep.Executed, rep.Reason, rep.Detail = Complete, delta.CodeStateCorrupt, err.Error()
		return e.build(ctx, en, base, rep)
	}
	return err
}

// filled refuses to read views that were never filled (55000): they are not empty.
func (e *Engine) filled(en *entry) error {
	for _, id := range en.view.Inputs() {
		in, ok := e.store.Catalog().ByID(id)
		if !ok || in.Kind != storage.View {
			continue
		}
		if _, ok := e.Frontier(id); !ok {
			err := zset.Errorf("55000", -1, "materialized view %q has not been populated", in.Name)
			err.Hint = "Refresh it first, or refresh this one with CASCADE."
			err.Object = in.Name
			return err
		}
	}
	return nil
}

// idle is a refresh of a view whose inputs stand where it read them: the frontier
// moves, and nothing else is done, not even a task begun. False: it is none.
func (e *Engine) idle(ctx context.Context, en *entry, mode Mode, base *runtime.Base, rep *Report) (bool, error) {
	_, built := en.view.Built()
	if mode == Complete || !built || ctx.Err() != nil {
		return false, nil
	}
	planned := Incremental
	reason, detail := en.obstacle()
	if reason != "" {
		if mode == Incremental || !en.fixed() {
			return false, nil
		}
		planned = Complete
	}
	s, err := en.view.Idle(base)
	if err != nil || s == nil { // what is wrong, the refresh says
		return false, nil
	}
	rep.Planned, rep.Executed, rep.Reason, rep.Detail = planned, planned, reason, detail
	return true, e.commit(ctx, en, s, false, rep)
}

// decide plans a refresh: the one rule, whoever asks for it.
func (e *Engine) decide(en *entry, mode Mode, base *runtime.Base, rep *Report) error {
	_, built := en.view.Built()
	if built {
		e.weigh(en, base, rep)
	}
	reason, detail := en.obstacle()
	switch {
	case mode == Complete:
		rep.Planned = Complete
		return nil
	case reason == "" && !built:
		reason, detail = delta.CodeNoBaseline, "the view was never built"
	case reason == "" && mode == Auto && rep.choice.complete:
		reason, detail = delta.CodeCost, rep.text()
	case reason == "":
		rep.Planned = Incremental
		if mode == Auto && rep.choice.tried {
			rep.Detail = rep.text()
		}
		return nil
	}
	rep.Planned, rep.Reason, rep.Detail = Complete, reason, detail
	if mode == Incremental && reason != delta.CodeNoBaseline {
		rep.Planned, rep.Executed = Incremental, Incremental
		return en.refusal(rep.View, reason, detail)
	}
	return nil
}

// fixed reports whether a view that is not incremental by its definition is yet
// what its inputs are: computed twice from the same rows it is the same.
func (en *entry) fixed() bool {
	_, built := en.view.Built()
	return built && en.marked == nil && len(en.plans.Blockers) > 0 && !en.plans.Full.Custom &&
		!slices.ContainsFunc(en.plans.Blockers, func(b delta.Blocker) bool { return b.Code != delta.CodeNotSupported })
}

// Weigh plans a refresh, with what it would cost, and runs nothing.
func (e *Engine) Weigh(ctx context.Context, id storage.ID, mode Mode) (*Report, error) {
	obj, en, err := e.hold(ctx, id)
	if err != nil {
		return nil, err
	}
	defer en.done()
	if err := e.filled(en); err != nil {
		return nil, err
	}
	rep := &Report{ID: id, View: obj.Name, Configured: e.configured(obj), Requested: mode, Started: e.now()}
	if o, built := en.view.Built(); built {
		rep.From, rep.To = o.Frontier, o.Frontier
	}
	return rep, e.decide(en, mode, nil, rep)
}

func (e *Engine) step(ctx context.Context, en *entry, base *runtime.Base, rep *Report) error {
	within, end := e.stepping(ctx, rep)
	s, err := en.view.Step(within, base)
	end(err)
	if err != nil {
		return err
	}
	return e.commit(ctx, en, s, false, rep)
}

func (e *Engine) build(ctx context.Context, en *entry, base *runtime.Base, rep *Report) error {
	within, end := e.stepping(ctx, rep)
	s, err := en.view.Build(within, base, false)
	end(err)
	if err != nil {
		return err
	}
	return e.commit(ctx, en, s, false, rep)
}

// obstacle is what keeps a built view from an incremental step; "": nothing.
func (en *entry) obstacle() (code, detail string) {
	if bs := en.plans.Blockers; len(bs) > 0 {
		return bs[0].Code, bs[0].String()
	}
	if en.plans.Incremental == nil {
		return delta.CodeNotSupported, "there is no delta plan"
	}
	if s := en.view.Stale(); s != "" {
		return s, "the stored state was built by another plan"
	}
	if k := en.marked; k != nil {
		return delta.CodeMismatch, k.text()
	}
	if name := en.view.Behind(); name != "" {
		return delta.CodeLogBroken, name + ": its retention gave up changes that the view has not read"
	}
	return "", ""
}

// refusal is the error of a strict incremental refresh.
func (en *entry) refusal(view, code, detail string) error {
	err := zset.Errorf("0A000", -1, "materialized view %q cannot be refreshed incrementally", view)
	err.Object = view
	lines := []string{code + ": " + detail}
	if bs := en.plans.Blockers; len(bs) > 0 {
		lines = lines[:0]
		for _, b := range bs {
			lines = append(lines, b.String())
		}
	}
	err.Detail = strings.Join(lines, "\n")
	err.Hint = "Use REFRESH MATERIALIZED VIEW ... COMPLETE."
	return err
}

func isCorrupt(err error) bool {
	var z *zset.Error
	return errors.As(err, &z) && z.Code == zset.CodeCorrupt
}

// diffRows is the most rows that a VerifyReport lists.
const diffRows = 20

// Verify recomputes a view by its full plan, from its inputs as they stood at
// the view's own offsets, and compares the two as bags; then, where the planner
// is a [Definer] and thinks it cheap, by the definition too. Error 55000 for a view
// that was never built.
// A view that differs is marked: see [Mark]. Writers go on meanwhile; a refresh of
// the view waits.
func (e *Engine) Verify(ctx context.Context, id storage.ID) (*VerifyReport, error) {
	return e.verify(ctx, id, nil)
}

func (e *Engine) verify(ctx context.Context, id storage.ID, part *runtime.Sample) (*VerifyReport, error) {
	start := e.now()
	obj, en, err := e.hold(ctx, id)
	if err != nil {
		return nil, err
	}
	defer en.done()
	at, built := en.view.Built()
	if !built {
		return nil, zset.Errorf("55000", -1, "materialized view %q has not been populated", obj.Name)
	}
	d, err := en.view.Verify(ctx, part)
	if err != nil {
		return nil, err
	}
	naive := false
	if def, ok := e.planner.(Definer); ok && d.Delta == nil && part == nil {
		want, err := def.Define(ctx, obj, at)
		if err != nil {
			return nil, err
		}
		if naive = want != nil; naive {
			if d, err = en.view.Compare(ctx, want); err != nil {
				return nil, err
			}
		}
	}
	rep := &VerifyReport{View: obj.Name, Equal: d.Delta == nil, Rows: d.Rows, Expected: d.Expected, Frontier: at.Frontier, Schema: obj.Schema, Naive: naive}
	if d.Delta != nil {
		rep.Differing = int64(d.Delta.N)
		rep.Diff, rep.Delta = runtime.Least(d.Delta, diffRows), d.Delta
		e.mark(id, rep, e.now())
		en.marked = e.Marked(id)
		en.look()
	}
	rep.Duration = e.now().Sub(start)
	return rep, nil
}
