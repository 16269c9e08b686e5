package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/refresh"
	"github.com/ivmc/ivmc/schedule"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// alterView is ALTER MATERIALIZED VIEW, but for RENAME.
func (st *statement) alterView(ctx context.Context, n *ast.AlterView) error {
	st.res.Tag = "ALTER MATERIALIZED VIEW"
	if err := st.alone(st.res.Tag); err != nil {
		return err
	}
	cat := st.s.engine.store.Catalog()
	if _, ok := cat.ByName(n.View.Text); !ok && n.IfExists {
		st.res.notice("00000", fmt.Sprintf("relation %q does not exist, skipping", n.View.Text))
		return nil
	}
	obj, err := viewOf(cat, n.View.Text, int(n.View.Pos()))
	if err != nil {
		return err
	}
	switch {
	case n.With.Text != "":
		return st.replaceWith(ctx, cat, obj, n)
	case len(n.Properties) > 0:
		return st.setClauses(ctx, cat, obj, n)
	}
	next, err := st.rescheduled(cat, obj, n)
	if err != nil {
		return err
	}
	return st.moved(ctx, cat, obj, next)
}

// moved puts next in the place of obj. A view that is to move with commits from now
// on is brought up before, and moves with the commit that says so: what was written in
// between is followed, or all is as it was.
func (st *statement) moved(ctx context.Context, cat *storage.Catalog, obj, next *storage.Object) error {
	e := st.s.engine
	var old, now rule
	if err := errors.Join(json.Unmarshal(obj.Payload, &old), json.Unmarshal(next.Payload, &now)); err != nil {
		return err
	}
	if !now.moves() || old.moves() {
		return st.put(ctx, cat, next)
	}
	_, err := e.views.Refresh(ctx, obj.ID, now.Mode)
	if err != nil {
		return err
	}
	c := &storage.Commit{CatalogVersion: cat.Version(), Catalog: []storage.CatalogChange{{Put: next}}}
	st.res.TSO, err = e.views.Commit(ctx, c, storage.CommitOptions{Sync: !e.opts.NoSync}, []refresh.Target{{ID: obj.ID, Mode: now.Mode, Trigger: refresh.OnCommit}})
	if errors.Is(err, storage.ErrReplan) { // dropped meanwhile
		err = storage.ErrConflict
	}
	return err
}

// put commits another entry of an object.
func (st *statement) put(ctx context.Context, cat *storage.Catalog, next *storage.Object) (err error) {
	st.res.TSO, err = st.s.engine.commit(ctx, &storage.Commit{CatalogVersion: cat.Version(), Catalog: []storage.CatalogChange{{Put: next}}})
	return err
}

// setClauses is SET (..): what is not named stays.
func (st *statement) setClauses(ctx context.Context, cat *storage.Catalog, obj *storage.Object, n *ast.AlterView) error {
	def, err := payloadOf(obj)
	if err != nil {
		return err
	}
	for _, p := range n.Properties {
		if strings.EqualFold(p.Name, fullKeys) {
			return zset.Errorf("0A000", int(p.Pos()), "Property '%s' cannot be altered. It is fixed at creation time.", fullKeys)
		}
	}
	if errs := def.Clauses.set(st, cat, n.Properties, def.Refs); len(errs) > 0 {
		return errs
	}
	if def.Rule.Kind == schedule.Commit && !def.Rule.Async {
		if err := followsAll(def.Clauses.Excluded, int(n.View.Pos())); err != nil {
			return err
		}
	}
	next := *obj
	if err := setPayload(&next, "clauses", def.Clauses); err != nil {
		return err
	}
	return st.put(ctx, cat, &next)
}

// rescheduled is obj with another mode, or trigger, or both.
func (st *statement) rescheduled(cat *storage.Catalog, obj *storage.Object, n *ast.AlterView) (*storage.Object, error) {
	def, err := payloadOf(obj)
	if err != nil {
		return nil, err
	}
	next := *obj
	if n.Mode != ast.ModeDefault {
		mode := modeOf(n.Mode)
		if len(def.Blockers) > 0 && (n.Mode == ast.ModeIncremental || n.Mode == ast.ModeFallback) {
			return nil, blocked(def.Blockers)
		}
		if err := setPayload(&next, "mode", mode); err != nil {
			return nil, err
		}
	}
	rule := def.Rule
	if n.Trigger != nil {
		if rule, err = st.ruleOf(n.Trigger); err != nil {
			return nil, err
		}
	}
	if rule.Kind == schedule.Commit && !rule.Async {
		at := n.Trigger
		if at == nil {
			at = &ast.Trigger{At: n.At}
		}
		mode := def.Mode
		if n.Mode != ast.ModeDefault {
			mode = modeOf(n.Mode)
		}
		if err = canMove(cat, at, mode, def.Blockers, def.Refs); err == nil {
			err = followsAll(def.Clauses.Excluded, int(n.View.Pos()))
		}
	} else {
		err = movedBy(cat, obj, int(n.View.Pos()))
	}
	if err != nil {
		return nil, err
	}
	if rule.Kind == schedule.Manual || rule.Kind == schedule.Commit && !rule.Async {
		if err := setPayload(&next, "paused", false); err != nil { // there is no job that could rest
			return nil, err
		}
	}
	return &next, setPayload(&next, "rule", rule)
}

// cancelTask ends a refresh that runs (57014): its view stays as it was.
func (st *statement) cancelTask(n *ast.Job) error {
	obj, err := viewOf(st.s.engine.store.Catalog(), n.View.Text, int(n.View.Pos()))
	if err != nil {
		return err
	}
	id, err := strconv.ParseUint(n.Task.Text, 10, 64)
	if err != nil || !st.s.engine.views.Cancel(obj.ID, id) {
		e := zset.Errorf("42704", int(n.Task.Pos()), "task %s of materialized view %q does not run", n.Task.Text, obj.Name)
		e.Hint = "Those that run: SELECT taskid, mvname FROM tasks(\"type\" = \"mv\") WHERE status = 'RUNNING'."
		return e
	}
	return nil
}

// job is PAUSE, RESUME and CANCEL.
func (st *statement) job(ctx context.Context, n *ast.Job) error {
	words := [...]string{"PAUSE MATERIALIZED VIEW JOB", "RESUME MATERIALIZED VIEW JOB", "CANCEL MATERIALIZED VIEW TASK"}
	st.res.Tag = words[n.Action]
	if err := st.alone(st.res.Tag); err != nil {
		return err
	}
	if n.Action == ast.CancelTask {
		return st.cancelTask(n)
	}
	return st.ddl(ctx, func() error {
		cat := st.s.engine.store.Catalog()
		obj, err := viewOf(cat, n.View.Text, int(n.View.Pos()))
		if err != nil {
			return err
		}
		def, err := payloadOf(obj)
		if err != nil {
			return err
		}
		pause := n.Action == ast.PauseJob
		switch {
		case !def.Rule.Automatic() && (pause || !def.Paused): // one that was paused before its rule went may be resumed
			e := zset.Errorf("55000", int(n.View.Pos()), "materialized view %q has no job: it is refreshed %s", obj.Name,
				map[bool]string{true: "ON MANUAL", false: "ON COMMIT SYNC"}[def.Rule.Kind == schedule.Manual])
			e.Hint = "Give it one: ALTER MATERIALIZED VIEW " + ast.QuoteIdent(obj.Name) + " REFRESH ON SCHEDULE EVERY 1 HOUR."
			return e
		case pause == def.Paused:
			st.res.notice("00000", fmt.Sprintf("the job of materialized view %q is %s already", obj.Name, map[bool]string{true: "paused", false: "running"}[pause]))
			return nil
		}
		next := *obj
		if err := setPayload(&next, "paused", pause); err != nil {
			return err
		}
		return st.put(ctx, cat, &next)
	})
}
