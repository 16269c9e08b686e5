package session

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/refresh"
	"github.com/ivmc/ivmc/schedule"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// viewPlan is a definition, bound and planned.
type viewPlan struct {
	schema   zset.Schema
	bound    algebra.Node // as written
	node     algebra.Node // normalised
	plans    refresh.Plans
	blockers []delta.Blocker
	refs     map[string]storage.ID
	widths   map[string]int
	customs  []string // declarations of the custom functions that it calls
	// unordered: the definition sorts rows that are stored without an order.
	unordered bool
}

// createView is CREATE MATERIALIZED VIEW: the entry and the first build, in one commit.
func (st *statement) createView(ctx context.Context, n *ast.CreateMaterializedView) error {
	if err := st.alone("CREATE MATERIALIZED VIEW"); err != nil {
		return err
	}
	st.res.Tag = "CREATE MATERIALIZED VIEW"
	e := st.s.engine
	cat := e.store.Catalog()
	old, err := replaced(cat, n)
	if err != nil {
		return err
	}
	if old == nil {
		if done, err := st.taken(cat, n.Name, n.IfNotExists); done || err != nil {
			return err
		}
	}
	rule, err := st.ruleOf(n.Trigger)
	if err != nil {
		return err
	}
	vp, err := st.planView(cat, n)
	if err != nil {
		return err
	}
	clauses, err := st.clausesOf(cat, n, vp.schema, vp.refs)
	if err != nil {
		return err
	}
	if !n.Deferred {
		if err := st.readable(vp.node); err != nil {
			return err
		}
	}
	mode := modeOf(n.Mode)
	if len(vp.blockers) > 0 {
		switch mode {
		case refresh.Incremental, refresh.Fallback:
			return blocked(vp.blockers)
		case refresh.Auto:
			for _, b := range vp.blockers {
				st.res.notice(b.Code, blockerNotice(n.Name.Text, b))
			}
		}
	}
	if vp.plans.Incremental != nil && mode != refresh.Complete {
		if text := dearText(vp.plans.Incremental); text != "" {
			st.res.notice("INCREMENTAL", fmt.Sprintf("materialized view %q is incremental; not all changes are O(d): %s", n.Name.Text, text))
		}
	}
	moves := rule.Kind == schedule.Commit && !rule.Async
	if moves {
		if err = canMove(cat, n.Trigger, mode, vp.blockers, vp.refs); err == nil {
			err = followsAll(clauses.Excluded, int(n.Name.Pos()))
		}
	}
	if err == nil && old != nil {
		if err = stays(cat, old, int(n.Name.Pos())); !moves && err != nil {
			err = movedBy(cat, old, int(n.Name.Pos()))
		}
	}
	if err != nil {
		return err
	}
	obj := storage.Object{Kind: storage.View, Name: n.Name.Text, Schema: vp.schema, Identity: vp.plans.Full.Describe().Tells()}
	obj.Payload, err = json.Marshal(viewPayload{
		Query: n.QueryText, Columns: names(n.Columns), Refs: vp.refs, Widths: vp.widths, Settings: st.s.settings.ForViews(), Mode: mode,
		Plan: vp.plans.Incremental, Full: vp.plans.Full, Blockers: vp.blockers, Functions: vp.customs, Comment: n.Comment, Rule: rule, Clauses: clauses,
	})
	if err != nil {
		return err
	}
	var rep *refresh.Report
	if old == nil {
		rep, err = e.views.Create(ctx, obj, !n.Deferred)
	} else {
		var admit refresh.Admit
		if moves {
			admit = func(cat *storage.Catalog) error { return canMove(cat, n.Trigger, mode, nil, vp.refs) }
		}
		rep, err = st.replaceView(ctx, cat, old, obj, n, vp.refs, admit)
	}
	if err != nil {
		return err
	}
	if rep == nil {
		return nil
	}
	st.res.TSO, st.res.Affected = rep.Commit, rep.RowsOut
	if rep.Kept > 0 {
		st.res.notice("STATE_KEPT", fmt.Sprintf("materialized view %q: %s", n.Name.Text, rep.Detail))
	}
	if !moves || old != nil {
		return nil
	}
	err = e.catchUp(ctx, rep.ID)
	if err != nil { // it cannot move with commits: nothing is left of it
		_, _ = e.commit(context.WithoutCancel(ctx), &storage.Commit{Catalog: []storage.CatalogChange{{Drop: rep.ID}}})
		e.views.Drop(rep.ID)
	}
	return err
}

func blockerNotice(view string, b delta.Blocker) string {
	s := fmt.Sprintf("materialized view %q is refreshed by COMPLETE: %s", view, blockerText(b))
	if b.Rewrite != "" {
		s += "; " + b.Rewrite
	}
	return s
}

func names(ns []ast.Name) []string {
	var out []string
	for _, n := range ns {
		out = append(out, n.Text)
	}
	return out
}

// modeOf is what a refresh clause asks for; no word is AUTO.
func modeOf(m ast.RefreshMode) refresh.Mode {
	switch m {
	case ast.ModeIncremental:
		return refresh.Incremental
	case ast.ModeComplete:
		return refresh.Complete
	case ast.ModeFallback:
		return refresh.Fallback
	}
	return refresh.Auto
}

// planView binds and plans a definition as written.
func (st *statement) planView(cat *storage.Catalog, n *ast.CreateMaterializedView) (*viewPlan, error) {
	if len(st.params) > 0 {
		return nil, zset.Errorf("0A000", int(n.Pos()), "materialized views may not be defined using bound parameters")
	}
	noted := newNoted(cat)
	vp, err := st.s.engine.planDefinition(n.Query, noted, st.s.settings.TimeZone.String(), maxExpressions, st.stop)
	if err != nil {
		return nil, err
	}
	vp.refs, vp.widths = noted.refs, noted.widths
	delta.Written(vp.blockers, n.QueryText, int(n.Query.Pos()))
	if vp.unordered {
		st.res.notice("ORDER_BY_IGNORED", "the rows of a materialized view have no order; sort in the query that reads it")
	}
	vp.schema, err = viewSchema(vp.schema, n.Columns, n.Name)
	return vp, err
}

// never is the stop of what is planned to the end.
func never() error { return nil }

// maxExpressions bounds the operators, columns and constants of a new view. Both its
// plans hold all of them, and so does what is stored of it and read back: some ten
// kilobytes for each while it is created.
const maxExpressions = 250_000

// planDefinition binds a definition of at most that many expressions and derives
// both plans, unless stop says that none is needed. Names are resolved by cat.
func (e *Engine) planDefinition(q *ast.Query, cat algebra.Catalog, zone string, most int, stop func() error) (*viewPlan, error) {
	node, err := algebra.Bind(q, algebra.Env{Stop: stop, Catalog: cat, TimeZone: zone, Functions: e.opts.Functions})
	if err != nil {
		return nil, err
	}
	if count := algebra.Expressions(node); count > most {
		err := zset.Errorf("54001", int(q.Pos()), "statement too complex")
		err.Hint = fmt.Sprintf("The definition of a materialized view has up to %d operators, columns and constants; this one has %d.", most, count)
		return nil, err
	}
	if err := storedOnly(node); err != nil {
		return nil, err
	}
	if err := algebra.Repeatable(node); err != nil {
		return nil, err
	}
	stored := algebra.Unordered(node) // a view's rows are kept, not listed
	normal, err := algebra.NormalizeUntil(stored, stop)
	if err != nil {
		return nil, err
	}
	vp := &viewPlan{schema: node.Schema(), bound: node, customs: algebra.Customs(node), node: normal,
		unordered: algebra.Ordered(node) && !algebra.Ordered(stored)}
	stats := e.statistics(node, e.store.Applied())
	vp.plans.Full, _ = delta.Derive(vp.node, delta.Options{FromEmpty: true, Rows: stats, Stop: stop})
	vp.plans.Incremental, vp.blockers = delta.Derive(vp.node, delta.Options{Rows: stats, NoLog: e.withoutLog(node), Stop: stop})
	if err := stop(); err != nil {
		return nil, err
	}
	if len(vp.blockers) > 0 {
		vp.plans.Incremental = nil
	}
	vp.plans.Blockers = vp.blockers
	if vp.plans.Full == nil {
		return nil, blocked(vp.blockers)
	}
	return vp, nil
}

// viewSchema applies the column list and refuses names that stand twice. Rows
// of a view have no NOT NULL promise: its definition gives what it gives.
func viewSchema(s zset.Schema, columns []ast.Name, view ast.Name) (zset.Schema, error) {
	if len(columns) > len(s) {
		return nil, zset.Errorf("42601", int(columns[len(s)].Pos()), "too many column names were specified")
	}
	out := make(zset.Schema, len(s))
	seen := map[string]bool{}
	for i, f := range s {
		pos := int(view.Pos())
		if i < len(columns) {
			f.Name, pos = columns[i].Text, int(columns[i].Pos())
		}
		if seen[f.Name] {
			e := zset.Errorf("42701", pos, "column %q specified more than once", f.Name)
			e.Hint = "Name the columns with AS, or by a column list after the name of the view."
			return nil, e
		}
		seen[f.Name] = true
		if f.Type.Kind == zset.Unknown {
			f.Type = zset.TText
		}
		out[i] = f
	}
	if len(out) == 0 {
		return nil, zset.Errorf("42P16", int(view.Pos()), "a materialized view must have at least one column")
	}
	return out, nil
}

// planner makes plans of stored definitions.
type planner struct{ engine *Engine }

// Plans binds the stored query again, against the objects that it was created
// over, and takes the stored plans if they still mean the same (I7).
func (p planner) Plans(obj *storage.Object) (refresh.Plans, error) {
	def, err := payloadOf(obj)
	if err != nil {
		return refresh.Plans{}, err
	}
	vp, err := p.engine.planStored(obj, def)
	if err != nil {
		return refresh.Plans{}, err
	}
	plans := vp.plans
	if _, err := settingsOf(def.Settings); err != nil {
		return refresh.Plans{}, fmt.Errorf("settings of view %q: %w", obj.Name, err)
	}
	if plans.Full.Custom { // what is stored holds names, not functions
		return plans, nil
	}
	if same(plans.Full, def.Full) {
		plans.Full = def.Full
	}
	if same(plans.Incremental, def.Plan) {
		plans.Incremental = def.Plan
	}
	return plans, nil
}

// planStored plans the definition of an existing view.
func (e *Engine) planStored(obj *storage.Object, def *viewPayload) (*viewPlan, error) {
	wrap := func(err error) error { return fmt.Errorf("definition of view %q: %w", obj.Name, err) }
	stmt, err := ast.ParseWith(def.Query, e.opts.Limits)
	if err != nil {
		return nil, wrap(err)
	}
	q, ok := stmt.(*ast.Query)
	if !ok {
		return nil, zset.Errorf("XX001", -1, "the definition of view %q is no query", obj.Name)
	}
	if err := e.known(def.Functions, describe(obj)); err != nil {
		return nil, err
	}
	vp, err := e.planDefinition(q, boundCatalog{cat: e.store.Catalog(), refs: def.Refs, widths: def.Widths, names: def.Names}, def.Settings["TimeZone"], math.MaxInt, never)
	if err != nil {
		return nil, wrap(err)
	}
	vp.schema = obj.Schema
	return vp, nil
}

func same(a, b *delta.Plan) bool {
	return a != nil && b != nil && a.Fingerprint() == b.Fingerprint()
}

// viewOf finds a materialized view.
func viewOf(cat *storage.Catalog, name string, pos int) (*storage.Object, error) {
	obj, ok := cat.ByName(name)
	if !ok || obj.Kind == storage.Private {
		return nil, noSuch("relation", cat, name, pos, storage.View)
	}
	if obj.Kind != storage.View {
		return nil, zset.Errorf("42809", pos, "%q is not a materialized view", strings.ToValidUTF8(name, "?"))
	}
	return obj, nil
}
