package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/refresh"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// refresh is REFRESH MATERIALIZED VIEW.
func (st *statement) refresh(ctx context.Context, n *ast.Refresh) error {
	if err := st.alone("REFRESH MATERIALIZED VIEW"); err != nil {
		return err
	}
	e := st.s.engine
	obj, err := viewOf(e.store.Catalog(), n.View.Text, int(n.View.Pos()))
	if err != nil {
		return err
	}
	if n.AllStreams != nil {
		err := zset.Errorf("42601", int(n.AllStreams.Pos()), "WITH ALL STREAMS is of EXPLAIN REFRESH .. INCREMENTAL")
		err.Hint = "Write EXPLAIN before it, or leave it out."
		return err
	}
	if n.DryRun != nil {
		return st.dryRun(ctx, obj, n.DryRun)
	}
	var reps []*refresh.Report
	if n.Cascade {
		reps, err = e.cascade(ctx, obj, n.Mode)
		st.res.Cascade = reps
	} else {
		var rep *refresh.Report
		if rep, err = e.Refresh(ctx, obj, n.Mode); err == nil {
			reps = []*refresh.Report{rep}
		}
	}
	if err != nil {
		return err
	}
	last := reps[len(reps)-1]
	st.res.Tag, st.res.Refresh, st.res.TSO = "REFRESH MATERIALIZED VIEW", last, last.Commit
	for _, rep := range reps {
		if rep.Reason == "" || rep.Reason == delta.CodeCost || rep.NoOp || rep.Requested == refresh.Incremental || rep.Requested == refresh.Complete {
			continue
		}
		text := fmt.Sprintf("materialized view %q was refreshed by COMPLETE", rep.View)
		if rep.Detail != "" {
			text += ": " + strings.TrimPrefix(rep.Detail, rep.Reason+": ") // the notice has the code
		}
		st.res.notice(rep.Reason, text)
	}
	return nil
}

// modeFor is the mode of a refresh; without a word it is the view's own.
func (e *Engine) modeFor(obj *storage.Object, word ast.RefreshMode) refresh.Mode {
	if word == ast.ModeDefault {
		return e.factsOf(obj).Mode // of one that cannot be read AUTO: it fails when it is opened
	}
	return modeOf(word)
}

// Refresh moves one view; without a word the mode is the view's own.
func (e *Engine) Refresh(ctx context.Context, obj *storage.Object, word ast.RefreshMode) (*refresh.Report, error) {
	mode := e.modeFor(obj, word)
	if reps, err := e.moveTogether(ctx, []refresh.Target{{ID: obj.ID, Mode: mode}}); err != nil || reps != nil {
		return slices.Concat(reps, []*refresh.Report{nil})[0], err
	}
	rep, err := e.views.Refresh(ctx, obj.ID, mode)
	if err == nil && e.movers(e.store.Catalog()).has(obj.ID) {
		err = e.catchUp(ctx, obj.ID)
	}
	return rep, err
}

// moveTogether refreshes views that move with commits, given sources first, and in the
// same commit those that do and read them, so that nobody sees one right and the other
// not. There is a report for each view given. Nil: nothing is to be done that others could
// see, or one of them does not move with commits or was never built; then they are
// refreshed as any other.
func (e *Engine) moveTogether(ctx context.Context, given []refresh.Target) ([]*refresh.Report, error) {
	for try := 0; ; try++ {
		cat := e.store.Catalog()
		oc := e.movers(cat)
		var targets []refresh.Target
		found, anew := 0, false
		for _, g := range given {
			anew = anew || g.Mode == refresh.Complete || e.views.Marked(g.ID) != nil || e.views.Stale(g.ID) != ""
		}
		for _, t := range oc.order {
			if i := slices.IndexFunc(given, func(g refresh.Target) bool { return g.ID == t.ID }); i >= 0 {
				if _, built := e.views.Frontier(t.ID); !built {
					return nil, nil
				}
				targets = append(targets, given[i])
				found++
				continue
			}
			obj, ok := cat.ByID(t.ID)
			if !ok {
				continue
			}
			all, _ := below(cat, oc.rules[obj].Refs)
			if slices.ContainsFunc(given, func(g refresh.Target) bool { return all[g.ID] }) {
				targets = append(targets, t)
			}
		}
		if found < len(given) || len(targets) == 1 || !anew {
			return nil, nil
		}
		c := &storage.Commit{Planned: cat.Version() + 1}
		reps, err := e.views.Move(ctx, c, storage.CommitOptions{Sync: !e.opts.NoSync}, targets)
		if errors.Is(err, storage.ErrReplan) && try < conflictRetries {
			continue
		}
		var out []*refresh.Report
		for _, g := range given {
			for _, rep := range reps {
				if rep.ID == g.ID {
					out = append(out, rep)
				}
			}
		}
		return out, err
	}
}

// cascade moves what a view reads, each by its own mode, and then the view, all
// to one base. The reports come with the error too, which is that of the first
// view that failed by itself: what else was refreshed stays so.
func (e *Engine) cascade(ctx context.Context, obj *storage.Object, word ast.RefreshMode) ([]*refresh.Report, error) {
	cat := e.store.Catalog()
	var targets []refresh.Target
	for _, name := range e.Sources(obj.Name) {
		if in, ok := cat.ByName(name); ok {
			targets = append(targets, refresh.Target{ID: in.ID, Mode: e.modeFor(in, ast.ModeDefault), Trigger: refresh.Cascaded})
		}
	}
	targets = append(targets, refresh.Target{ID: obj.ID, Mode: e.modeFor(obj, word)})
	if reps, err := e.moveTogether(ctx, targets); err != nil || reps != nil {
		return reps, err
	}
	reps := e.views.Cascade(ctx, targets)
	if err := cascadeError(ctx, obj, reps); err != nil {
		return reps, err
	}
	for _, t := range targets {
		if e.movers(e.store.Catalog()).has(t.ID) {
			if err := e.catchUp(ctx, t.ID); err != nil {
				return reps, err
			}
		}
	}
	return reps, nil
}

// together moves views, each of mode word or for ModeDefault by its own, and with
// below what they read by its own mode, all to one base. No names are all views. A name
// that is no view has a report with its error.
func (e *Engine) together(ctx context.Context, names []string, word ast.RefreshMode, below bool) []*refresh.Report {
	cat := e.store.Catalog()
	modes := map[string]ast.RefreshMode{}
	if len(names) == 0 {
		names = e.Views()
	}
	var none []*refresh.Report
	for _, name := range names {
		if _, err := viewOf(cat, name, -1); err != nil {
			none = append(none, &refresh.Report{View: name, Err: worded(err)})
			continue
		}
		modes[name] = word
	}
	lower := map[storage.ID]bool{}
	if below {
		for name := range modes {
			if obj, ok := cat.ByName(name); ok {
				e.below(cat, obj, lower)
			}
		}
	}
	var targets []refresh.Target
	for _, name := range e.Views() {
		word, named := modes[name] // else ModeDefault
		if obj, ok := cat.ByName(name); ok && (named || lower[obj.ID]) {
			targets = append(targets, refresh.Target{ID: obj.ID, Mode: e.modeFor(obj, word)})
		}
	}
	reps, targets := e.repaired(ctx, targets)
	reps = append(reps, e.views.Cascade(ctx, targets)...)
	for _, rep := range reps {
		rep.Err = worded(ctxErr(ctx, rep.Err))
	}
	return append(reps, none...)
}

// repaired moves those of the targets together that move with commits, where one of them
// is computed anew, and gives the rest.
func (e *Engine) repaired(ctx context.Context, targets []refresh.Target) (reps []*refresh.Report, rest []refresh.Target) {
	oc := e.movers(e.store.Catalog())
	var movers []refresh.Target
	for _, t := range targets {
		if _, built := e.views.Frontier(t.ID); built && oc.has(t.ID) {
			movers = append(movers, t)
		} else {
			rest = append(rest, t)
		}
	}
	reps, err := e.moveTogether(ctx, movers)
	if err == nil && reps == nil {
		return nil, targets
	}
	if err != nil {
		reps = nil
		for _, t := range movers {
			rep := &refresh.Report{ID: t.ID, Trigger: t.Trigger, Requested: t.Mode, Err: err}
			if obj, ok := e.store.Catalog().ByID(t.ID); ok {
				rep.View = obj.Name
			}
			reps = append(reps, rep)
		}
	}
	return reps, rest
}

// cascadeError is the error of the first view that failed, with what became of
// all of them as its detail, by name; nil if none did.
func cascadeError(ctx context.Context, obj *storage.Object, reps []*refresh.Report) error {
	i := slices.IndexFunc(reps, func(r *refresh.Report) bool { return r.Err != nil })
	if i < 0 {
		return nil
	}
	err := worded(ctxErr(ctx, reps[i].Err))
	if len(reps) == 1 {
		return err
	}
	z := *All(err)[0]
	if reps[i].ID != obj.ID {
		z.Msg = ofRefresh(reps[i].View, z.Msg)
	}
	var lines []string
	if z.Detail != "" {
		lines = append(lines, z.Detail)
	}
	for j, r := range reps {
		switch {
		case j == i:
		case r.Err != nil:
			for _, e := range All(worded(ctxErr(ctx, r.Err))) {
				lines = append(lines, ofRefresh(r.View, e.Msg))
			}
		case r.NoOp:
			lines = append(lines, fmt.Sprintf("materialized view %q was up to date", r.View))
		default:
			lines = append(lines, fmt.Sprintf("materialized view %q was refreshed by %s", r.View, r.Executed))
		}
	}
	z.Detail = strings.Join(lines, "\n")
	return wordedError{Errors: Errors{&z}, cause: err}
}

// ofRefresh is a message that names the view whose refresh it is of.
func ofRefresh(view, msg string) string {
	if strings.Contains(msg, fmt.Sprintf("materialized view %q", view)) {
		return msg
	}
	return fmt.Sprintf("refresh of materialized view %q: %s", view, msg)
}
