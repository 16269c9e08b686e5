package session

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/explain"
	"github.com/ivmc/ivmc/refresh"
	"github.com/ivmc/ivmc/runtime"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// ExplainOptions are the options of EXPLAIN. The zero value is the plan that
// runs, as text.
type ExplainOptions struct {
	// Stage is "algebra", "normalized", "delta", "full" or "all"; "": of a view
	// the delta plan, of a query the plan that runs. A query at stage delta is
	// taken for the definition of a view.
	Stage   string
	Format  string // "text", "json", "dot", "mermaid" or "svg"; "": text
	Analyze bool   // run it, and show what every operator did
	// Line and Column are where the text begins in its file, from 1; 0: at the beginning.
	Line, Column int
}

// stageAll is every stage, as text.
const stageAll = "all"

func parseExplain(opts []ast.ExplainOption) (ExplainOptions, error) {
	var o ExplainOptions
	var es Errors
	for _, opt := range opts {
		var ok bool
		switch opt.Name {
		case "stage":
			o.Stage = opt.Value
			ok = opt.Value != ""
		case "format":
			o.Format = opt.Value
			ok = opt.Value != ""
		case "analyze":
			o.Analyze = opt.Value == "" || oneOf(opt.Value, "true", "on", "1")
			ok = o.Analyze || oneOf(opt.Value, "false", "off", "0")
		default:
			es = append(es, zset.Errorf("42601", int(opt.Pos()), "unrecognized EXPLAIN option %q", opt.Name))
			continue
		}
		if !ok || o.Validate() != nil {
			es = append(es, zset.Errorf("22023", int(opt.Pos()), "unrecognized value for EXPLAIN option %q: %q", opt.Name, opt.Value))
			o.Stage, o.Format = "", ""
		}
	}
	if len(es) > 0 {
		return o, es
	}
	return o, nil
}

// Validate reports a value that no option takes.
func (o ExplainOptions) Validate() error {
	if o.Stage != "" && o.Stage != stageAll && !slices.Contains(explain.Stages(), o.Stage) {
		e := zset.Errorf("22023", -1, "unknown stage %q", o.Stage)
		e.Hint = "Stages: " + strings.Join(explain.Stages(), ", ") + ", " + stageAll + "."
		return e
	}
	if o.Format != "" && !slices.Contains(explain.Formats(), o.Format) {
		e := zset.Errorf("22023", -1, "unknown format %q", o.Format)
		e.Hint = "Formats: " + strings.Join(explain.Formats(), ", ") + "."
		return e
	}
	return nil
}

func oneOf(s string, set ...string) bool { return slices.Contains(set, s) }

// explain is EXPLAIN: rows of one column "QUERY PLAN".
func (st *statement) explain(ctx context.Context, n *ast.Explain) error {
	o, err := parseExplain(n.Options)
	if err != nil {
		return err
	}
	text, err := st.explained(ctx, n.Stmt, o)
	if err != nil {
		return err
	}
	var lines [][]string
	for _, l := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		lines = append(lines, []string{l})
	}
	st.res.Rows = textRows([]string{"QUERY PLAN"}, lines)
	return nil
}

// explained is the text of EXPLAIN.
func (st *statement) explained(ctx context.Context, stmt ast.Statement, o ExplainOptions) (string, error) {
	if n, ok := stmt.(*ast.Refresh); ok && n.Cascade {
		return st.explainCascade(ctx, n, o)
	}
	var e explain.Statement
	var err error
	switch n := stmt.(type) {
	case *ast.Query:
		e, err = st.explainQuery(ctx, n, o)
	case *ast.CreateMaterializedView:
		e, err = st.explainCreate(n, o)
	case *ast.Refresh:
		e, err = st.explainRefresh(ctx, n, o, nil)
	default:
		err = zset.Errorf("0A000", int(stmt.Pos()), "EXPLAIN of this statement is not supported")
	}
	if err != nil {
		return "", err
	}
	return st.staged(e, o)
}

// staged is the text of a statement that is explained, at the stage asked for.
func (st *statement) staged(e explain.Statement, o ExplainOptions) (string, error) {
	e.Width = st.s.settings.ExplainWidth
	if o.Stage != stageAll {
		e.Stage = o.Stage
		return explain.New(e).Format(o.Format)
	}
	if o.Format != "" && o.Format != "text" {
		err := zset.Errorf("0A000", -1, "FORMAT %s of STAGE all is not supported", o.Format)
		err.Hint = "Ask for one stage, or for text."
		return "", err
	}
	return explain.All(e), nil
}

func (st *statement) explainQuery(ctx context.Context, q *ast.Query, o ExplainOptions) (explain.Statement, error) {
	e := explain.Statement{Kind: explain.Query, Text: st.s.text, Line: st.s.line, Column: st.s.column}
	t, own := st.transaction()
	if own {
		defer t.end()
	}
	if o.Stage == explain.StageDelta && !o.Analyze {
		vp, err := st.s.engine.planDefinition(q, newNoted(t.cat), st.s.settings.TimeZone.String(), maxExpressions, st.stop)
		if err != nil {
			return e, err
		}
		return st.s.engine.explainView(e, vp), nil
	}
	node, err := algebra.Bind(q, st.env(t))
	if err != nil {
		return e, err
	}
	e.Schema, e.Bound, e.Normal = node.Schema(), node, algebra.Normalize(node)
	if e.Full, err = t.engine.fullPlan(node, t.at, st.stop); err != nil {
		return e, err
	}
	if o.Analyze {
		e.Sizes = t.engine.sizes(nil, e.Full, nil)
		e.Run, err = st.timed(ctx, t, node, e.Full)
	}
	return e, err
}

// timed runs a query to its end.
func (st *statement) timed(ctx context.Context, t *txn, node algebra.Node, plan *delta.Plan) (*explain.Run, error) {
	if err := st.readable(node); err != nil {
		return nil, err
	}
	start := time.Now()
	rows, err := runtime.Query(ctx, plan, t.source())
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	rows.Account(t.engine.budget)
	rows.Time(time.Now)
	run := &explain.Run{Plan: plan}
	for {
		b, err := rows.Next(ctx)
		if err != nil {
			return nil, err
		}
		if b == nil {
			break
		}
		run.RowsOut += RowCount(b)
	}
	run.Millis = millis(time.Since(start))
	for _, op := range rows.Operators() {
		run.Operators = append(run.Operators, explain.Share{Rows: op.Rows, Millis: millis(op.Time)})
	}
	return run, nil
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func (st *statement) explainCreate(n *ast.CreateMaterializedView, o ExplainOptions) (explain.Statement, error) {
	e := explain.Statement{Kind: explain.Create, View: n.Name.Text, Text: st.s.text, Line: st.s.line, Column: st.s.column}
	if o.Analyze {
		err := zset.Errorf("0A000", int(n.Pos()), "EXPLAIN ANALYZE of CREATE MATERIALIZED VIEW is not supported")
		err.Hint = "Create the view, and EXPLAIN ANALYZE its query or its REFRESH."
		return e, err
	}
	vp, err := st.planView(st.s.engine.store.Catalog(), n)
	if err != nil {
		return e, err
	}
	if (n.Mode == ast.ModeIncremental || n.Mode == ast.ModeFallback) && len(vp.blockers) > 0 {
		e.Notices = append(e.Notices, "CREATE is refused, for REFRESH "+n.Mode.String()+" is of incremental views only; REFRESH AUTO, the default, does.")
	}
	return st.s.engine.explainView(e, vp), nil
}

// explainView fills in what is known of a planned view.
func (e *Engine) explainView(s explain.Statement, vp *viewPlan) explain.Statement {
	s.AsView, s.Schema, s.Bound, s.Normal = true, vp.schema, vp.bound, vp.node
	s.Delta, s.Full, s.Blockers = vp.plans.Incremental, vp.plans.Full, vp.blockers
	if vp.unordered {
		s.Notices = append(s.Notices, "ORDER BY is ignored: the rows of a view have no order; sort in the query that reads it.")
	}
	if s.Sizes == nil {
		s.Sizes = e.sizes(nil, s.Full, s.Delta)
	}
	return s
}

// explainRefresh explains a refresh, under ANALYZE that which is done here or was: ran.
func (st *statement) explainRefresh(ctx context.Context, n *ast.Refresh, o ExplainOptions, ran *refresh.Report) (explain.Statement, error) {
	s := explain.Statement{Kind: explain.Refresh, Done: o.Analyze && n.DryRun == nil, Pending: n.Mode == ast.ModeIncremental && n.AllStreams == nil && !o.Analyze}
	if n.DryRun != nil {
		s.Notices = append(s.Notices, "A dry run gives the rows that would change, and writes nothing.")
	}
	e := st.s.engine
	obj, err := viewOf(e.store.Catalog(), n.View.Text, int(n.View.Pos()))
	if err != nil {
		return s, err
	}
	def, err := payloadOf(obj)
	if err != nil {
		return s, err
	}
	vp, err := e.planStored(obj, def)
	if err != nil {
		return s, err
	}
	s.View, s.Text = obj.Name, def.Query
	if n.Mode == ast.ModeIncremental && len(vp.blockers) > 0 && o.Analyze {
		return s, blocked(vp.blockers)
	}
	if o.Analyze {
		rep := ran
		if rep == nil {
			if rep, err = st.analyzed(ctx, n, obj); err != nil {
				return s, err
			}
		}
		s.Run, s.Decision = ranRefresh(rep), decisionOf(rep)
		if rep.Plan != nil && rep.Plan.FromEmpty {
			vp.plans.Full = rep.Plan
		} else if rep.Plan != nil {
			vp.plans.Incremental = rep.Plan
		}
	}
	if !o.Analyze {
		rep, err := e.views.Weigh(ctx, obj.ID, e.modeFor(obj, n.Mode))
		if rep == nil || ctx.Err() != nil {
			return s, err
		}
		s.Decision = decisionOf(rep) // with an error, it is a refusal, and says why
		s.RunsFull = rep.Planned == refresh.Complete
	}
	s = e.explainView(s, vp)
	s.Sizes = e.sizes(obj, s.Full, s.Delta)
	if n.Mode == ast.ModeComplete || def.Mode == refresh.Complete && n.Mode == ast.ModeDefault || s.Run != nil && s.Run.Plan != nil && s.Run.Plan.FromEmpty {
		s.RunsFull = true
	}
	return s, nil
}

// explainCascade explains the refresh of what a view reads, and then its own.
func (st *statement) explainCascade(ctx context.Context, n *ast.Refresh, o ExplainOptions) (string, error) {
	json := o.Format == "json"
	if !json && o.Format != "" && o.Format != "text" {
		err := zset.Errorf("0A000", int(n.Pos()), "a picture of a REFRESH with CASCADE is not supported")
		err.Hint = "Draw the refresh of each view by itself, or the views by ivmc graph."
		return "", err
	}
	e := st.s.engine
	obj, err := viewOf(e.store.Catalog(), n.View.Text, int(n.View.Pos()))
	if err != nil {
		return "", err
	}
	ran := map[string]*refresh.Report{}
	if o.Analyze {
		if err := st.alone("EXPLAIN ANALYZE REFRESH"); err != nil {
			return "", err
		}
		reps, err := e.cascade(ctx, obj, n.Mode)
		if err != nil {
			return "", err
		}
		for _, rep := range reps {
			ran[rep.View] = rep
		}
	}
	var out []string
	for _, name := range append(e.Sources(obj.Name), obj.Name) {
		one := &ast.Refresh{At: n.At, View: ast.Name{At: n.View.At, Text: name}}
		if name == obj.Name {
			one.Mode = n.Mode
		}
		s, err := st.explainRefresh(ctx, one, o, ran[name])
		if err != nil {
			return "", err
		}
		text, err := st.staged(s, o)
		if err != nil {
			return "", err
		}
		out = append(out, text)
	}
	if json {
		return "[" + strings.Join(out, ",\n") + "]", nil
	}
	return strings.Join(out, "\n\n"), nil
}

// analyzed runs the refresh of one view, or rehearses it.
func (st *statement) analyzed(ctx context.Context, n *ast.Refresh, obj *storage.Object) (*refresh.Report, error) {
	if n.DryRun != nil {
		_, rep, err := st.s.engine.views.Preview(ctx, obj.ID)
		return rep, err
	}
	if err := st.alone("EXPLAIN ANALYZE REFRESH"); err != nil {
		return nil, err
	}
	return st.s.engine.Refresh(ctx, obj, n.Mode)
}

// decisionOf is how a refresh was planned.
func decisionOf(rep *refresh.Report) *explain.Decision {
	d := &explain.Decision{Requested: rep.Requested.String(), Planned: rep.Planned.String(), Reason: rep.Reason, Detail: rep.Detail, Tried: rep.Tried(),
		Pending: rep.Estimates.Pending, Rows: rep.Estimates.Rows}
	if rep.Estimates.Delta > 0 {
		ms := millis(rep.Estimates.Delta)
		d.Incremental = &ms
	}
	if rep.Estimates.Complete > 0 {
		ms := millis(rep.Estimates.Complete)
		d.Complete = &ms
	}
	return d
}

func ranRefresh(rep *refresh.Report) *explain.Run {
	run := &explain.Run{Requested: rep.Requested.String(), Executed: rep.Executed.String(), Reason: rep.Reason, Detail: rep.Detail,
		NoOp: rep.NoOp, Loaded: rep.Loaded, RowsIn: rep.RowsIn, RowsOut: rep.RowsOut, Millis: millis(rep.Duration), Plan: rep.Plan}
	for _, op := range rep.Operators {
		run.Operators = append(run.Operators, explain.Share{Rows: op.Rows, Millis: millis(op.Time)})
	}
	return run
}
