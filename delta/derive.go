package delta

import (
	"fmt"
	"reflect"

	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// Options steer Derive. The zero value derives the plan of a step.
type Options struct {
	// FromEmpty takes lo for empty: the plan of a first build, of COMPLETE, of a SELECT.
	FromEmpty bool
	// Rows estimates the rows of relations by id; it decides which input of a
	// join is streamed. Nil: no statistics. Never part of the fingerprint.
	Rows map[uint64]int64
	// NoLog has the relations that keep no change log.
	NoLog map[uint64]bool
	// Stop is asked now and then whether to go on. When it says why not, the plan is of no
	// use: whoever gave it asks it again. Nil: nobody will say so.
	Stop func() error
	// Off switches rules off, by name: the plan is then wrong. Only for tests,
	// which must notice.
	Off map[string]bool
}

// Derive makes the plan of n, which algebra.Normalize has been over. Without
// FromEmpty it returns either a plan or every reason why there is none; from
// empty there always is a plan, and the blockers say why it has no states.
func Derive(n algebra.Node, opts Options) (*Plan, []Blocker) {
	step := newDeriver(opts, false, nil)
	plan := step.derive(n)
	blockers := sortBlockers(step.blockers)
	if !opts.FromEmpty {
		if len(blockers) > 0 {
			return nil, blockers
		}
		return plan, nil
	}
	if len(blockers) > 0 {
		step.states, step.keeps = nil, nil
	}
	full := newDeriver(opts, true, step)
	plan = full.derive(n)
	return plan, blockers
}

// deriver is one run of Derive.
type deriver struct {
	opts     Options
	full     bool
	plan     *Plan
	blockers []Blocker
	states   map[string]int   // path and role -> position in plan.States
	keeps    map[string]*Keep // path of a join input -> its private relation
	scans    map[string]int   // path of a scan -> position in plan.Inputs
	arranged map[string]int   // id and relation -> position in plan.Arranged
	shared   map[algebra.Node]*shared
	shares   int
	top      algebra.Node // what gives the rows, below projections
	limits   int          // LIMITs above: what is in the way is they, not their ORDER BY
	asked    int          // nodes since the beginning
	ended    bool         // Stop said so
	fixed    bool         // states are those of the step's derivation; no new ones
}

// newDeriver starts a run. From empty, the states are those that the plan of a
// step would have: both work on the same ones.
func newDeriver(opts Options, full bool, step *deriver) *deriver {
	d := &deriver{opts: opts, full: full, plan: &Plan{Layout: Layout, FromEmpty: full},
		states: map[string]int{}, keeps: map[string]*Keep{}, shared: map[algebra.Node]*shared{}, scans: map[string]int{}, arranged: map[string]int{}}
	if step != nil {
		d.fixed, d.states, d.keeps = true, step.states, step.keeps
		if len(step.states) > 0 {
			d.plan.States = step.plan.States
		}
	}
	return d
}

func (d *deriver) derive(n algebra.Node) *Plan {
	for d.top = n; ; {
		p, ok := d.top.(*algebra.Project)
		if !ok {
			break
		}
		d.top = p.Input
	}
	s := d.node(n, nil, "0")
	d.plan.Root = s.arrange(all(len(n.Schema())))
	d.plan.Output = n.Schema()
	d.plan.Print, d.plan.Custom = fingerprint(n), len(algebra.Customs(n)) > 0
	return d.plan
}

// stream is a plan node that yields the delta of an algebra node (from empty:
// its rows). Columns that no reader needs may be missing.
type stream struct {
	node *Node
	at   []int // position of each algebra column in the node's output, -1: not there; nil: as they are
	// unique says that no two rows of the node's output are identical, and no weight is 0.
	unique bool
}

// col is the position of algebra column i.
func (s stream) col(i int) int {
	if s.at == nil {
		return i
	}
	return s.at[i]
}

// expr is e over the node's output.
func (s stream) expr(e *expr.Expr) *expr.Expr {
	if s.at == nil {
		return e
	}
	return e.MapCols(s.col)
}

func (s stream) exprs(es []*expr.Expr) []*expr.Expr {
	out := make([]*expr.Expr, len(es))
	for i, e := range es {
		out[i] = s.expr(e)
	}
	return out
}

// arrange is the node with exactly the algebra columns cols, in that order.
func (s stream) arrange(cols []int) *Node {
	at := make([]int, len(cols))
	for i, c := range cols {
		at[i] = s.col(c)
	}
	return pick(s.node, at)
}

// pick is n with the columns at, in that order.
func pick(n *Node, at []int) *Node {
	same := len(at) == len(n.Types)
	for i, c := range at {
		same = same && c == i
	}
	if same {
		return n
	}
	es := make([]*expr.Expr, len(at))
	for i, c := range at {
		es[i] = expr.Col(c, n.Types[c])
	}
	return &Node{Op: OpProject, Class: ClassDelta, Types: typesOf(es), Ins: []*Node{n}, Project: &Project{Exprs: es}}
}

// settled is s consolidated, for what may raise for rows that cancel (I4). From empty
// nothing cancels. The runtime does it only in a step that has raised.
func (d *deriver) settled(s stream) stream {
	if d.full || s.unique || d.opts.Off["consolidate"] {
		return s
	}
	s.node = &Node{Op: OpConsolidate, Class: ClassDelta, Types: s.node.Types, Ins: []*Node{s.node}}
	s.unique = true
	return s
}

// rule derives one operator of the algebra. need tells which of its columns are
// read (nil: all); path is its place in the tree.
type rule struct {
	name   string
	node   reflect.Type
	derive func(d *deriver, n algebra.Node, need []bool, path string) stream
	// print writes what counts for the meaning, the inputs excluded.
	print func(c *canon, n algebra.Node)
}

func row[N algebra.Node](name string, derive func(*deriver, N, []bool, string) stream, print func(*canon, N)) rule {
	return rule{
		name: name, node: reflect.TypeFor[N](),
		derive: func(d *deriver, n algebra.Node, need []bool, path string) stream { return derive(d, n.(N), need, path) },
		print:  func(c *canon, n algebra.Node) { print(c, n.(N)) },
	}
}

// rules is the one table of operators. A function, not a variable: the rules call it.
func rules() []rule {
	return []rule{
		row("scan", deriveScan, printScan),
		row("filter", deriveFilter, printFilter),
		row("project", deriveProject, printProject),
		row("join", deriveJoin, printJoin),
		row("outer join", deriveOuter, printOuter),
		row("match", deriveMatch, printMatch),
		row("combine", deriveCombine, printCombine),
		row("union all", deriveUnion, printUnion),
		row("aggregate", deriveAggregate, printAggregate),
		row("grouping sets", deriveGroupingSets, printGroupingSets),
		row("sort", deriveSort, printSort),
		row("window", deriveWindow, printWindow),
		row("limit", deriveLimit, printLimit),
		row("unnest", deriveUnnest, printUnnest),
		row("values", deriveValues, printValues),
	}
}

// ruleOf finds the rule of n's operator.
func ruleOf(n algebra.Node) *rule { return ruleIn(rules(), n) }

func ruleIn(rs []rule, n algebra.Node) *rule {
	t := reflect.TypeOf(n)
	for i := range rs {
		if rs[i].node == t {
			return &rs[i]
		}
	}
	return nil
}

func (d *deriver) node(n algebra.Node, need []bool, path string) stream {
	if d.stopped() {
		return stream{node: nothing(n.Schema())}
	}
	r := ruleOf(n)
	if r == nil {
		d.block(Blocker{Code: CodeNotSupported, Object: fmt.Sprintf("%T", n), Reason: "there is no delta rule for this operator", Pos: -1})
		return stream{node: nothing(n.Schema())}
	}
	var s stream
	if sh := d.shared[n]; sh != nil {
		s = d.reuse(r, n, sh)
	} else {
		s = r.derive(d, n, need, path)
	}
	if d.opts.Off["any "+r.name] { // as if its input never changed
		s.node = &Node{Op: OpNothing, Class: ClassDelta, Types: s.node.Types}
	}
	return s
}

// stopped asks now and then whether to go on; what is left is then derived as nothing.
func (d *deriver) stopped() bool {
	if d.asked++; !d.ended && d.opts.Stop != nil && d.asked%16 == 0 {
		d.ended = d.opts.Stop() != nil
	}
	return d.ended
}

func (d *deriver) block(b Blocker) {
	b.Severity = "error"
	d.blockers = append(d.blockers, b)
}

// volatile blocks on every volatile function of es.
func (d *deriver) volatile(es ...*expr.Expr) {
	for _, e := range es {
		if e == nil || !e.Volatile() {
			continue
		}
		e.Walk(func(x *expr.Expr) bool {
			if x.Op == expr.OpCall && x.Volatile() && !anyVolatile(x.Args) {
				d.block(Blocker{Code: CodeNondeterministic, Object: x.Fn, Pos: int(x.Pos), Permanent: true,
					Reason:  "its value changes without any change of the data, so no delta can tell what changed",
					Rewrite: "store the value in a column when the row is written, or apply the function in the query that reads the view"})
			}
			return true
		})
	}
}

func anyVolatile(es []*expr.Expr) bool {
	for _, e := range es {
		if e.Volatile() {
			return true
		}
	}
	return false
}

// state is the number of a state of the plan; of says what it holds.
func (d *deriver) state(kind StateKind, path, role string, of func() string) int {
	key := path + ":" + role
	if i, ok := d.states[key]; ok {
		return i
	}
	if d.fixed {
		return -1
	}
	d.plan.States = append(d.plan.States, State{Kind: kind, Path: key, Of: of()})
	d.states[key] = len(d.plan.States) - 1
	return d.states[key]
}

// all is the columns 0..n-1.
func all(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// wanted lists the columns of need, of n columns in all.
func wanted(need []bool, n int) []int {
	if need == nil {
		return all(n)
	}
	out := []int{}
	for i, w := range need {
		if w {
			out = append(out, i)
		}
	}
	return out
}

// marks is the set of n columns that es read.
func marks(n int, es ...*expr.Expr) []bool {
	m := make([]bool, n)
	mark(m, es...)
	return m
}

func mark(m []bool, es ...*expr.Expr) {
	for _, e := range es {
		if e != nil {
			for _, c := range e.Cols() {
				m[c] = true
			}
		}
	}
}

func raises(es []*expr.Expr) bool {
	for _, e := range es {
		if e != nil && e.Raises() {
			return true
		}
	}
	return false
}

func conjuncts(e *expr.Expr) []*expr.Expr {
	if e.Op != expr.OpAnd {
		return []*expr.Expr{e}
	}
	var out []*expr.Expr
	for _, a := range e.Args {
		out = append(out, conjuncts(a)...)
	}
	return out
}

func nothing(s zset.Schema) *Node {
	return &Node{Op: OpNothing, Class: ClassDelta, Types: s.Types()}
}

// RuleNames lists the operators that have a rule.
func RuleNames() []string {
	var out []string
	for _, r := range rules() {
		out = append(out, r.name)
	}
	return out
}

// HasRule reports whether n's operator has a rule.
func HasRule(n algebra.Node) bool { return ruleOf(n) != nil }
