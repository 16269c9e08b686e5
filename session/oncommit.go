package session

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/refresh"
	"github.com/ivmc/ivmc/schedule"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// onCommit is the views that move with commits, in one version of the catalog.
type onCommit struct {
	version uint64
	rules   map[*storage.Object]rule // of all materialized views
	order   []refresh.Target         // those that move, sources first
	reads   map[storage.ID][]int     // by table: places in order
}

// rule is what of a definition matters here.
type rule struct {
	Rule    schedule.Rule         `json:"rule"`
	Mode    refresh.Mode          `json:"mode"`
	Refs    map[string]storage.ID `json:"refs"`
	Clauses viewClauses           `json:"clauses"`
}

func (r rule) moves() bool { return r.Rule.Kind == schedule.Commit && !r.Rule.Async }

func (oc *onCommit) has(id storage.ID) bool {
	return slices.ContainsFunc(oc.order, func(t refresh.Target) bool { return t.ID == id })
}

// followers are the views that move with changes, sources first.
func (e *Engine) followers(cat *storage.Catalog, changes []*storage.Change) []refresh.Target {
	oc := e.movers(cat)
	if len(oc.order) == 0 {
		return nil
	}
	var at []int
	for _, c := range changes {
		at = append(at, oc.reads[c.Rel]...)
	}
	slices.Sort(at)
	var out []refresh.Target
	for _, i := range slices.Compact(at) {
		out = append(out, oc.order[i])
	}
	return out
}

// movers finds the views that move in a version of the catalog; what was read for
// the version before counts on.
func (e *Engine) movers(cat *storage.Catalog) *onCommit {
	old := e.onCommit.Load()
	if old != nil && old.version == cat.Version() {
		return old
	}
	oc := &onCommit{version: cat.Version(), rules: map[*storage.Object]rule{}, reads: map[storage.ID][]int{}}
	for _, obj := range cat.Objects() {
		if obj.Kind != storage.View {
			continue
		}
		r, ok := rule{}, false
		if old != nil {
			r, ok = old.rules[obj]
		}
		if !ok {
			_ = json.Unmarshal(obj.Payload, &r) // one that cannot be read is an error of whoever touches it
		}
		oc.rules[obj] = r
	}
	seen := map[storage.ID]bool{}
	var visit func(obj *storage.Object)
	visit = func(obj *storage.Object) {
		r := oc.rules[obj]
		if seen[obj.ID] || !r.moves() {
			return
		}
		seen[obj.ID] = true
		for _, id := range viewsRead(cat, r.Refs) {
			if in, ok := cat.ByID(storage.ID(id)); ok {
				visit(in)
			}
		}
		at := len(oc.order)
		oc.order = append(oc.order, refresh.Target{ID: obj.ID, Mode: r.Mode, Trigger: refresh.OnCommit})
		all, _ := below(cat, r.Refs)
		for id := range all {
			if !slices.Contains(r.Clauses.Excluded, id) {
				oc.reads[id] = append(oc.reads[id], at)
			}
		}
	}
	for _, obj := range cat.Objects() {
		if obj.Kind == storage.View {
			visit(obj)
		}
	}
	e.onCommit.Store(oc)
	return oc
}

// canMove refuses a view that cannot move with commits: it must be incremental,
// and so must be what it reads.
func canMove(cat *storage.Catalog, n *ast.Trigger, mode refresh.Mode, blockers []delta.Blocker, refs map[string]storage.ID) error {
	if len(blockers) > 0 {
		err := blocked(blockers)
		for _, e := range All(err) {
			e.Hint = "Use ON COMMIT ASYNC, or another trigger."
		}
		return err
	}
	if mode == refresh.Complete {
		e := zset.Errorf("0A000", int(n.Pos()), "a view that is refreshed by COMPLETE cannot be refreshed ON COMMIT SYNC")
		e.Hint = "Use ON COMMIT ASYNC, or REFRESH INCREMENTAL."
		return e
	}
	for _, id := range viewsRead(cat, refs) {
		in, ok := cat.ByID(storage.ID(id))
		if !ok {
			continue
		}
		var r rule
		if err := json.Unmarshal(in.Payload, &r); err != nil || !r.moves() {
			e := zset.Errorf("0A000", int(n.Pos()), "a view over materialized view %q cannot be refreshed ON COMMIT SYNC, for that one is not", in.Name)
			e.Hint = "Use ON COMMIT ASYNC, or ALTER MATERIALIZED VIEW " + ast.QuoteIdent(in.Name) + " REFRESH ON COMMIT SYNC first."
			e.Object = in.Name
			return e
		}
	}
	return nil
}

// movedReader is a view that moves with commits and reads obj; nil: there is none.
func movedReader(cat *storage.Catalog, obj *storage.Object) *storage.Object {
	for _, other := range cat.Objects() {
		if other.Kind != storage.View {
			continue
		}
		var r rule
		if err := json.Unmarshal(other.Payload, &r); err != nil || !r.moves() {
			continue
		}
		if slices.Contains(viewsRead(cat, r.Refs), uint64(obj.ID)) {
			return other
		}
	}
	return nil
}

// movedBy refuses to take ON COMMIT SYNC from a view that others need to have it.
func movedBy(cat *storage.Catalog, obj *storage.Object, pos int) error {
	other := movedReader(cat, obj)
	if other == nil {
		return nil
	}
	e := zset.Errorf("2BP01", pos, "materialized view %q must be refreshed ON COMMIT SYNC, for %q reads it and is", obj.Name, other.Name)
	e.Object = obj.Name
	return e
}

// stays refuses another definition for a view that others move with: they would
// stand for the old one until they have followed.
func stays(cat *storage.Catalog, obj *storage.Object, pos int) error {
	other := movedReader(cat, obj)
	if other == nil {
		return nil
	}
	e := zset.Errorf("2BP01", pos, "materialized view %q cannot be replaced while %q reads it and is refreshed ON COMMIT SYNC", obj.Name, other.Name)
	e.Hint = "ALTER MATERIALIZED VIEW " + ast.QuoteIdent(other.Name) + " REFRESH ON MANUAL first, and back afterwards."
	e.Object = obj.Name
	return e
}

// followsAll refuses tables that do not move a view which moves with commits: it
// would not be right when COMMIT returns.
func followsAll(excluded []storage.ID, pos int) error {
	if len(excluded) == 0 {
		return nil
	}
	e := zset.Errorf("0A000", pos, "a view that is refreshed ON COMMIT SYNC follows all tables that it reads: %s has no place", excludedTables)
	e.Hint = "Use ON COMMIT ASYNC, or another trigger."
	return e
}

// catchUp brings a view that moves with commits, and those that do and read it, up
// to what was committed while nobody knew that they would: since its build, or its
// refresh, was begun. From then on each commit does.
func (e *Engine) catchUp(ctx context.Context, id storage.ID) error {
	for try := 0; ; try++ {
		cat := e.store.Catalog()
		oc := e.movers(cat)
		var targets []refresh.Target
		behind := false
		for _, t := range oc.order {
			obj, ok := cat.ByID(t.ID)
			if !ok {
				continue
			}
			all, _ := below(cat, oc.rules[obj].Refs)
			if t.ID != id && !all[id] {
				continue
			}
			targets = append(targets, t)
			_, late := e.views.Behind(t.ID, e.store.Applied())
			behind = behind || late
		}
		if !behind {
			return nil
		}
		c := &storage.Commit{Planned: cat.Version() + 1}
		_, err := e.views.Commit(ctx, c, storage.CommitOptions{Sync: !e.opts.NoSync}, targets)
		if !errors.Is(err, storage.ErrReplan) || try == conflictRetries {
			return err
		}
	}
}
