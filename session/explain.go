package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/refresh"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// explainOptions are the parsed options of EXPLAIN.
type explainOptions struct {
	stage   string // "" the plan; "algebra", "normalized", "plan", "all"
	format  string // "text"; of plans also "json", "dot", "mermaid"
	analyze bool
}

func parseExplain(opts []ast.ExplainOption) (explainOptions, error) {
	o := explainOptions{format: "text"}
	var es Errors
	for _, opt := range opts {
		var ok bool
		switch opt.Name {
		case "stage":
			o.stage = opt.Value
			ok = oneOf(opt.Value, "algebra", "normalized", "plan", "delta", "full", "all")
		case "format":
			o.format = opt.Value
			ok = oneOf(opt.Value, "text", "json", "dot", "mermaid")
		case "analyze":
			o.analyze = opt.Value == "" || oneOf(opt.Value, "true", "on", "1")
			ok = o.analyze || oneOf(opt.Value, "false", "off", "0")
		default:
			es = append(es, zset.Errorf("42601", int(opt.Pos()), "unrecognized EXPLAIN option %q", opt.Name))
			continue
		}
		if !ok {
			es = append(es, zset.Errorf("22023", int(opt.Pos()), "unrecognized value for EXPLAIN option %q: %q", opt.Name, opt.Value))
		}
	}
	if o.format != "text" && oneOf(o.stage, "algebra", "normalized", "all") {
		e := zset.Errorf("0A000", -1, "FORMAT %s of STAGE %s is not supported", o.format, o.stage)
		e.Hint = "STAGE delta and STAGE full have every format; the others are text."
		es = append(es, e)
	}
	if len(es) > 0 {
		return o, es
	}
	return o, nil
}

// legend says how a delta plan is read.
const legend = `  read from below; lo: the last refresh, hi: this one, (lo, hi]: what was committed between
  t @lo, t @hi: t as it stood then; arrangement: an index that views share
  [D]: works on the changes that come from below; [R]: computes the keys that they touch anew
  {state}: what is kept between refreshes; O(..): the cost, where input is what comes from below
`

func oneOf(s string, set ...string) bool {
	for _, x := range set {
		if s == x {
			return true
		}
	}
	return false
}

// explain is EXPLAIN: rows of one column "QUERY PLAN".
func (st *statement) explain(ctx context.Context, n *ast.Explain) error {
	o, err := parseExplain(n.Options)
	if err != nil {
		return err
	}
	var text string
	switch q := n.Stmt.(type) {
	case *ast.Query:
		text, err = st.explainQuery(ctx, q, o)
	case *ast.CreateMaterializedView:
		text, err = st.explainCreate(q, o)
	case *ast.Refresh:
		text, err = st.explainRefresh(ctx, q, o)
	default:
		err = zset.Errorf("0A000", int(n.Stmt.Pos()), "EXPLAIN of this statement is not supported")
	}
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

func (st *statement) explainQuery(ctx context.Context, q *ast.Query, o explainOptions) (string, error) {
	t, own := st.transaction()
	if own {
		defer t.end()
	}
	node, err := algebra.Bind(q, st.env(t.cat))
	if err != nil {
		return "", err
	}
	plan, err := st.s.engine.fullPlan(node, t.at)
	if err != nil {
		return "", err
	}
	text, err := stages(node, algebra.Normalize(node), []*delta.Plan{plan}, o)
	if err != nil || !o.analyze {
		return text, err
	}
	n, took, err := st.timed(ctx, q)
	if err != nil {
		return "", err
	}
	return text + fmt.Sprintf("Rows: %d\nExecution time: %.3f ms\n", n, took), nil
}

// stages prints the stages asked for.
func stages(bound, normal algebra.Node, plans []*delta.Plan, o explainOptions) (string, error) {
	var b strings.Builder
	head := func(s string) {
		if o.stage == "all" {
			fmt.Fprintf(&b, "-- %s\n", s)
		}
	}
	if oneOf(o.stage, "algebra", "all") {
		head("algebra")
		b.WriteString(line(algebra.Format(bound)))
	}
	if oneOf(o.stage, "normalized", "all") {
		head("normalized")
		b.WriteString(line(algebra.Format(normal)))
	}
	if oneOf(o.stage, "", "plan", "delta", "full", "all") {
		for _, p := range plans {
			if p == nil || p.FromEmpty && o.stage == "delta" || !p.FromEmpty && o.stage == "full" {
				continue
			}
			name := "delta plan"
			if p.FromEmpty {
				name = "full plan"
			}
			head(name)
			b.WriteString(line(p.Format(o.format)))
		}
	}
	return b.String(), nil
}

func line(s string) string { return strings.TrimRight(s, "\n") + "\n" }

func (st *statement) explainCreate(n *ast.CreateMaterializedView, o explainOptions) (string, error) {
	vp, err := st.planView(st.s.engine.store.Catalog(), n)
	if err != nil {
		return "", err
	}
	return explainView(vp, o)
}

// explainView prints the delta plan, or why there is none and what runs instead.
func explainView(vp *viewPlan, o explainOptions) (string, error) {
	plans := []*delta.Plan{vp.plans.Incremental}
	if vp.plans.Incremental == nil || oneOf(o.stage, "full", "all") {
		plans = append(plans, vp.plans.Full)
	}
	text, err := stages(vp.node, vp.node, plans, o)
	if err != nil || o.format != "text" {
		return text, err
	}
	var b strings.Builder
	if len(vp.blockers) == 0 {
		b.WriteString("Incremental: yes\n")
		if o.stage == "" {
			b.WriteString(legend)
		}
	} else {
		b.WriteString("Incremental: no\n")
		for _, bl := range vp.blockers {
			b.WriteString("  " + bl.String() + "\n")
		}
	}
	return b.String() + text, nil
}

func (st *statement) explainRefresh(ctx context.Context, n *ast.Refresh, o explainOptions) (string, error) {
	e := st.s.engine
	cat := e.store.Catalog()
	obj, err := viewOf(cat, n.View.Text, int(n.View.Pos()))
	if err != nil {
		return "", err
	}
	def, err := payloadOf(obj)
	if err != nil {
		return "", err
	}
	vp, err := e.planStored(obj, def)
	if err != nil {
		return "", err
	}
	text, err := explainView(vp, o)
	if err != nil || o.format != "text" {
		return text, err
	}
	text = fmt.Sprintf("View: %s\n%s\n", obj.Name, e.frontierLine(obj)) + text
	if !o.analyze {
		return text, nil
	}
	if err := st.alone("EXPLAIN ANALYZE REFRESH"); err != nil {
		return "", err
	}
	rep, err := e.Refresh(ctx, obj, n.Mode)
	if err != nil {
		return "", err
	}
	return text + reportText(rep), nil
}

func (e *Engine) frontierLine(obj *storage.Object) string {
	f, ok := e.views.Frontier(obj.ID)
	if !ok {
		return "Frontier: none, not populated"
	}
	return fmt.Sprintf("Frontier: %d (%s)", f, timeText(f))
}

func reportText(rep *refresh.Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Executed: %s (requested %s)\n", rep.Executed, rep.Requested)
	if rep.Reason != "" {
		fmt.Fprintf(&b, "Reason: %s %s\n", rep.Reason, rep.Detail)
	}
	fmt.Fprintf(&b, "Rows in: %d, rows out: %d\n", rep.RowsIn, rep.RowsOut)
	for _, op := range rep.Operators {
		fmt.Fprintf(&b, "  %s: %d rows, %.3f ms\n", op.Name, op.Rows, float64(op.Time.Microseconds())/1000)
	}
	fmt.Fprintf(&b, "Execution time: %.3f ms\n", float64(rep.Duration.Microseconds())/1000)
	return b.String()
}

// Explain is the plan of a statement as one text. The statement may begin with
// EXPLAIN and its options.
func (s *Session) Explain(ctx context.Context, text string, args ...any) (string, error) {
	stmt, params, err := s.parse(text, args)
	if err != nil {
		return "", err
	}
	if _, ok := stmt.(*ast.Explain); !ok {
		stmt = &ast.Explain{At: ast.At{Start: stmt.Pos()}, Stmt: stmt}
	}
	res, err := s.start(ctx, stmt, params)
	if err != nil {
		return "", err
	}
	defer res.Rows.Close()
	var out []byte
	for {
		b, err := res.Rows.Next(ctx)
		if errors.Is(err, io.EOF) {
			return string(out), nil
		}
		if err != nil {
			return "", err
		}
		for i := range b.N {
			out = append(zset.AppendText(out, &b.Cols[0], i), '\n')
		}
	}
}
