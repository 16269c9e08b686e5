package delta

import (
	"slices"
	"strings"

	"github.com/ivmc/ivmc/expr"
)

func sayAggregate(x *describer, n *Node, d *Description) {
	a, below := n.Aggregate, d.Inputs[0]
	keys := below.keys(a.Keys)
	aggs := make([]string, len(a.Aggs))
	for i, g := range a.Aggs {
		aggs[i] = g.Map(readable).Format(below.name)
	}
	switch {
	case a.Global:
		d.Text = "aggregate " + list(aggs) + " over all rows"
	case len(aggs) > 0:
		d.Text = "aggregate " + list(aggs) + " by " + list(keys)
	case len(keys) == 1 && a.Keys[0].Op == expr.OpConst:
		d.Text, keys = "whether there is a row", []string{"there is a row"}
	case len(keys) == 1 && keys[0] == TheRow:
		d.Text = "distinct rows"
		if cols := pickNames(below.Columns, a.Keys[0].Cols()); cols[0] != TheRow {
			d.Text += ": " + list(cols)
		}
	default:
		d.Text = "distinct " + list(keys)
	}
	d.Columns = slices.Concat(keys, aggs)
	d.OneRow = len(keys) == 0 || len(aggs) == 0 && len(keys) == 1 && a.Keys[0].Op == expr.OpConst // nothing, or one thing
	d.ident = all(len(keys))
	if len(keys) == 0 {
		d.ident = nil
	}
	d.Cost = groupCost(x, a)
	if a.State >= 0 {
		d.Keeps = groupState(x.plan, a, below, aggs)
	}
}

// groupCost is the work of a step, or from empty of a whole run.
func groupCost(x *describer, a *Aggregate) Cost {
	if x.plan.FromEmpty {
		return cost("O(n)", Term{"n", "rows from below"})
	}
	order, where := "O(d)", []Term{changed("changed rows from below")}
	if slices.ContainsFunc(a.Ordered, func(s int) bool { return s >= 0 }) {
		order, where = "O(d × log v)", append(where, Term{"v", "values of one group"})
	}
	if slices.ContainsFunc(a.Aggs, func(g expr.AggCall) bool { return g.Class() == expr.List }) {
		order = strings.TrimSuffix(order, ")") + " + g × v)"
		where = append(where, Term{"g", "groups with a change, whose lists are written anew"})
	}
	return Cost{order, where}
}

func groupState(p *Plan, a *Aggregate, below *Description, aggs []string) (out []Kept) {
	of := "of each group "
	if a.Global {
		of = ""
	}
	var linear []string
	ordered := map[int]string{}
	for i, g := range a.Aggs {
		switch {
		case g.Class() == expr.Linear && g.Arg != nil && !g.Distinct:
			linear = append(linear, aggs[i])
		case a.Ordered[i] >= 0 && g.Class() == expr.List:
			ordered[a.Ordered[i]] = "the elements of " + aggs[i] + " with their counts, in the order of the list"
		case a.Ordered[i] >= 0:
			ordered[a.Ordered[i]] = "the values of " + below.expr(g.Arg) + " with their counts, in order"
		}
	}
	what := of + "the count of its rows"
	if a.Global {
		what = "the count of the rows"
	}
	if len(linear) > 0 {
		what += ", and what adds up to " + strings.Join(linear, ", ")
	}
	out = append(out, Kept{a.State + 1, p.States[a.State].Kind, what})
	for s := range p.States {
		if w, ok := ordered[s]; ok {
			out = append(out, Kept{s + 1, p.States[s].Kind, of + w})
		}
	}
	if a.Least >= 0 {
		out = append(out, Kept{a.Least + 1, p.States[a.Least].Kind, of + "its keys as they were written (equal ones may look different), for the least is shown"})
	}
	return out
}
