package algebra

import (
	"slices"

	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// Rule is a rewriting that keeps the meaning of every query: the rewritten one
// has the same value wherever the original has one. It may spare errors (a row
// is dropped before an expression that would have failed on it) but adds none:
//
//   - no expression that can raise moves below a filter, a join or an aggregate,
//     and none is evaluated for a row that was spared before;
//   - no computed expression is written twice, and none that reads the clock moves;
//   - columns that nobody reads go, with the errors that computing them would raise.
//
// Apply looks at one node, whose inputs have been looked at before; it returns
// the node itself where it does not fire. Whole rules look at the whole tree.
type Rule struct {
	Name  string
	Apply func(n Node) Node
	Whole bool
}

// Rules lists the rules in the order in which they are tried. Their names are
// those of tests and traces.
func Rules() []Rule {
	return []Rule{
		{Name: "FoldConstants", Apply: foldConstants},
		{Name: "SplitConjuncts", Apply: splitConjuncts},
		{Name: "DropTrueFilter", Apply: dropTrueFilter},
		{Name: "MergeFilters", Apply: mergeFilters},
		{Name: "PushFilterThroughProject", Apply: pushFilterThroughProject},
		{Name: "PushFilterIntoUnionAll", Apply: pushFilterIntoUnionAll},
		{Name: "PushFilterThroughAggregate", Apply: pushFilterThroughAggregate},
		{Name: "PushFilterBelowUnnest", Apply: pushFilterBelowUnnest},
		{Name: "PushFilterIntoJoin", Apply: pushFilterIntoJoin},
		{Name: "PushConjunctIntoInput", Apply: pushConjunctIntoInput},
		{Name: "LiftRaisingConjunct", Apply: liftRaisingConjunct},
		{Name: "LiftProjectOverJoin", Apply: liftProjectOverJoin},
		{Name: "FlattenJoins", Apply: flattenJoins},
		{Name: "PushConjunctIntoOuter", Apply: pushConjunctIntoOuter},
		{Name: "PushFilterBelowOuter", Apply: pushFilterBelowOuter},
		{Name: "FlattenUnionAll", Apply: flattenUnionAll},
		{Name: "MergeProjects", Apply: mergeProjects},
		{Name: "DropIdentity", Apply: dropIdentity},
		{Name: "DropUnreadSort", Apply: dropUnreadSort, Whole: true},
		{Name: "PruneColumns", Apply: pruneColumns, Whole: true},
	}
}

// maxRounds stops rules that undo each other. It is never reached: each rule
// moves filters down, projections up, or makes the tree smaller.
const maxRounds = 1000

// Normalize rewrites n, without [Apply] by [Decorrelate], by [Rules] until none fires. What is left is filters
// right above scans (or above what they cannot pass), joins flat with their
// conjuncts in On, projections above joins, and only columns that are read.
func Normalize(n Node) Node {
	n, _ = NormalizeUntil(n, nil)
	return n
}

// NormalizeUntil is [Normalize], and asks stop now and then whether to go on; what
// that says is the error.
func NormalizeUntil(n Node, stop func() error) (Node, error) {
	return normalize(Decorrelate(n), Rules(), stop)
}

func normalize(n Node, rules []Rule, stop func() error) (Node, error) {
	names := n.Schema()
	asked := 0
	var err error
	ended := func() bool {
		if asked++; err == nil && stop != nil && asked%64 == 0 {
			err = stop()
		}
		return err != nil
	}
	for range maxRounds {
		before := n
		for _, r := range rules {
			if ended() {
				return nil, err
			}
			if r.Whole {
				n = r.Apply(n)
				continue
			}
			n = rewrite(n, func(n Node) Node {
				if ended() {
					return n
				}
				return r.Apply(n)
			})
		}
		if n == before {
			break
		}
	}
	return renamed(n, names), err
}

// renamed gives the columns of n the names of s.
func renamed(n Node, s zset.Schema) Node {
	p, now := identity(n), n.Schema()
	same := true
	for i := range s {
		p.Names[i] = s[i].Name
		same = same && s[i].Name == now[i].Name
	}
	if same {
		return n
	}
	if top, ok := n.(*Project); ok {
		return &Project{Input: top.Input, Exprs: top.Exprs, Names: p.Names}
	}
	return p
}

// rewrite applies f to every node, inputs first, and again as long as f fires.
// What does not change is shared.
func rewrite(n Node, f func(Node) Node) Node {
	n = mapInputs(n, func(in Node) Node { return rewrite(in, f) })
	if m := f(n); m != n {
		return rewrite(m, f)
	}
	return n
}

// mapInputs is n over f of each input; n itself if f changes none.
func mapInputs(n Node, f func(Node) Node) Node {
	ins := n.Inputs()
	var out []Node
	for i, in := range ins {
		m := f(in)
		if m != in && out == nil {
			out = slices.Clone(ins)
		}
		if out != nil {
			out[i] = m
		}
	}
	if out == nil {
		return n
	}
	return n.with(out)
}

// conjunction is the AND of cs.
func conjunction(cs []*expr.Expr) *expr.Expr {
	if len(cs) == 1 {
		return cs[0]
	}
	e := *cs[0]
	return &expr.Expr{Op: expr.OpAnd, Typ: e.Typ, Args: cs, Pos: e.Pos}
}

// filtered is n filtered by cs; n itself if there are none.
func filtered(n Node, cs []*expr.Expr) Node {
	if len(cs) == 0 {
		return n
	}
	return &Filter{Input: n, Pred: conjunction(cs)}
}

// fixed reports whether e may be moved and evaluated for more rows: it cannot
// raise and does not read the clock.
func fixed(e *expr.Expr) bool { return !e.Raises() && !e.Volatile() }

// plain reports whether e costs nothing to write twice.
func plain(e *expr.Expr) bool { return e.Op == expr.OpCol || e.Op == expr.OpConst }

// split parts cs in two by f.
func split(cs []*expr.Expr, f func(*expr.Expr) bool) (yes, no []*expr.Expr) {
	for _, c := range cs {
		if f(c) {
			yes = append(yes, c)
		} else {
			no = append(no, c)
		}
	}
	return yes, no
}
