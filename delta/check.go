package delta

import (
	"slices"

	"github.com/ivmc/ivmc/zset"
)

// check reports a plan, read back from storage, in which something points
// outside of the plan.
func (p *Plan) check() error {
	if p.Root == nil {
		return badPlan("no root")
	}
	var err error
	p.Root.Walk(func(n *Node) {
		if err == nil {
			err = p.checkNode(n)
		}
	})
	return err
}

func badPlan(what string) error {
	return zset.Errorf(zset.CodeCorrupt, -1, "delta: stored plan is broken: %s", what)
}

// arity is the number of inputs of each operator; -1: one or more; -2: none or one.
func arity() map[Op]int {
	return map[Op]int{
		OpChanges: 0, OpScan: 0, OpFind: 0, OpNothing: 0, OpValues: 0,
		OpFilter: 1, OpProject: 1, OpConsolidate: 1, OpLookup: 1, OpKeep: 1, OpAggregate: 1, OpSort: 1, OpWindow: 1, OpLimit: 1, OpUnnest: 1,
		OpHashJoin: 2, OpUnion: -1, OpNegate: 1, OpRepeat: 1, OpShare: -2,
	}
}

// Ops lists the operators of plans.
func Ops() []Op {
	var out []Op
	for o := range arity() {
		out = append(out, o)
	}
	slices.Sort(out)
	return out
}

func (p *Plan) checkNode(n *Node) error {
	k, known := arity()[n.Op]
	if !known {
		return badPlan("unknown operator " + string(n.Op))
	}
	if k >= 0 && len(n.Ins) != k || k == -1 && len(n.Ins) == 0 || k == -2 && len(n.Ins) > 1 {
		return badPlan("inputs of " + string(n.Op))
	}
	state := func(i int) bool { return i >= -1 && i < len(p.States) }
	ok := true
	switch n.Op {
	case OpChanges, OpScan, OpFind:
		ok = n.Input >= 0 && n.Input < len(p.Inputs) && (n.Op != OpFind || n.Find != nil)
	case OpValues:
		ok = n.Values != nil
	case OpFilter:
		ok = n.Filter != nil && n.Filter.Pred != nil
	case OpProject:
		ok = n.Project != nil
	case OpHashJoin:
		ok = n.HashJoin != nil
	case OpShare:
		ok = n.Share != nil
	case OpRepeat:
		ok = n.Repeat != nil && len(n.Ins[0].Types) > max(n.Repeat.Of, n.Repeat.Than) && min(n.Repeat.Of, n.Repeat.Than) >= 0
	case OpSort:
		ok = n.Sort != nil && state(n.Sort.Kept-1)
	case OpWindow:
		ok = n.Window != nil && n.Window.check() && state(n.Window.State)
	case OpLimit:
		ok = n.Limit != nil && state(n.Limit.Kept-1)
	case OpUnnest:
		u := n.Unnest
		ok = u != nil && len(u.Lists) > 0 && len(u.Names) >= len(u.Lists) && len(n.Types) >= len(n.Ins[0].Types)+len(u.Lists)
		if ok && u.Placed {
			ok = len(u.Names) > len(u.Lists) && len(n.Types) > len(n.Ins[0].Types)+len(u.Lists)
		}
	case OpKeep:
		ok = n.Keep != nil
		for i := 0; ok && i < len(n.Keep.By); i++ {
			ok = state(n.Keep.By[i].State)
		}
	case OpLookup:
		l := n.Lookup
		ok = l != nil && state(l.State) && l.Arranged >= -1 && l.Arranged < len(p.Arranged) &&
			(l.State >= 0 || l.Input >= 0 && l.Input < len(p.Inputs))
	case OpAggregate:
		a := n.Aggregate
		ok = a != nil && state(a.State) && state(a.Least) && len(a.Ordered) == len(a.Aggs)
		for i := 0; ok && i < len(a.Ordered); i++ {
			ok = state(a.Ordered[i])
		}
	}
	if !ok {
		return badPlan("fields of " + string(n.Op))
	}
	return nil
}
