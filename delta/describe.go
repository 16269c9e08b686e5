package delta

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ivmc/ivmc/expr"
)

// Description is a plan node for people: what it does in the words of SQL, how
// it follows a change, what it keeps and what it costs.
type Description struct {
	Op    string         `json:"op"`
	Text  string         `json:"text"`
	Class Class          `json:"class,omitempty"`
	State string         `json:"state,omitempty"`
	Cost  string         `json:"cost"`
	Ins   []*Description `json:"inputs,omitempty"`

	names []string // of the columns
}

// Describe describes the plan's operators from the root down.
func (p *Plan) Describe() *Description {
	named := map[int][]string{} // columns of private relations, by state
	return p.describe(p.Root, named)
}

func (p *Plan) describe(n *Node, named map[int][]string) *Description {
	d := &Description{Op: string(n.Op), Class: n.Class}
	if p.FromEmpty {
		d.Class = ""
	}
	for _, in := range n.Ins {
		d.Ins = append(d.Ins, p.describe(in, named))
	}
	if len(d.Ins) > 0 {
		d.names = d.Ins[0].names
	}
	switch n.Op {
	case OpChanges:
		in := &p.Inputs[n.Input]
		d.Text = fmt.Sprintf("Δ%s (lo, hi] reads %s", in.called(), list(fieldNames(in)))
		d.Cost = "O(changes of " + in.Name + ")"
		d.names = qualified(in)
	case OpScan:
		in := &p.Inputs[n.Input]
		d.Text = fmt.Sprintf("scan %s%s reads %s", in.called(), p.atHi(), list(fieldNames(in)))
		d.Cost = "O(rows of " + in.Name + ")"
		d.names = qualified(in)
	case OpFind:
		in := &p.Inputs[n.Input]
		d.Text = fmt.Sprintf("find %s%s by primary key, %s, reads %s", in.called(), p.atHi(), count(len(n.Find.Keys), "key"), list(fieldNames(in)))
		d.Cost = "O(keys)"
		d.names = qualified(in)
	case OpNothing:
		d.Text, d.Cost = "nothing: constants do not change", "none"
		d.names = numbered(len(n.Types))
	case OpValues:
		d.Text, d.Cost = "values, "+count(len(n.Values.Rows), "row"), "O(rows)"
		d.names = numbered(len(n.Types))
	case OpFilter:
		d.Text, d.Cost = "filter "+d.expr(n.Filter.Pred), "O(input)"
	case OpProject:
		d.names = d.exprs(n.Project.Exprs)
		d.Text, d.Cost = "project "+list(d.names), "O(input)"
	case OpUnion:
		d.Text, d.Cost = "union all", "O(input)"
		if n.Union.Terms {
			d.Text = "join: one term per changed input"
		}
	case OpConsolidate:
		d.Text, d.Cost = "consolidate: what came and went is dropped, so that it raises nothing", "O(input)"
	case OpNegate:
		d.Text, d.Cost = "negate: these rows go", "O(input)"
	case OpRepeat:
		d.Text, d.Cost = "repeat "+n.Repeat.text(d.name), "O(input)"
	case OpShare:
		d.Text, d.Cost = fmt.Sprintf("the rows of share %d again", n.Share.ID), "O(input)"
		if len(n.Ins) > 0 {
			d.Text = fmt.Sprintf("share %d: rows that are read more than once", n.Share.ID)
		} else {
			d.names = numbered(len(n.Types))
		}
	case OpLookup:
		p.describeLookup(d, n, named)
	case OpHashJoin:
		p.describeHashJoin(d, n)
	case OpKeep:
		var by []string
		for _, k := range n.Keep.By {
			by = append(by, fmt.Sprintf("state %d by (%s)", k.State+1, strings.Join(d.exprs(k.Keys), ", ")))
			named[k.State] = d.names
		}
		d.Text, d.Cost = "keep as a private relation", "O(input × log rows)"
		d.State = strings.Join(by, ", ")
	case OpAggregate:
		p.describeAggregate(d, n)
	case OpSort:
		by := d.sorted(n.Sort.By)
		d.Text, d.Cost = "sort by all columns", "O(input × log input)"
		if len(by) > 0 {
			d.Text = "sort by " + strings.Join(by, ", ") + ", then all columns"
		}
		if n.Sort.First > 0 {
			d.Text += fmt.Sprintf(", the first %d", n.Sort.First)
			d.Cost = "O(input × log limit)"
		}
	case OpWindow:
		d.Text, d.Cost = "window", "O(input × log input)"
		for i, c := range n.Window.Calls {
			d.Text += []string{" ", ", "}[min(i, 1)] + c.Name + "() over ("
			if len(c.Partition) > 0 {
				d.Text += "partition by " + list(d.exprs(c.Partition))
			}
			if len(c.By) > 0 {
				d.Text += []string{"", " "}[min(len(c.Partition), 1)] + "order by " + strings.Join(d.sorted(c.By), ", ")
			}
			d.Text += ")"
		}
		for _, c := range n.Window.Calls {
			d.names = append(d.names[:len(d.names):len(d.names)], c.Name)
		}
	case OpLimit:
		d.Text, d.Cost = "limit", "O(limit)"
		if n.Limit.Count >= 0 {
			d.Text += fmt.Sprintf(" %d", n.Limit.Count)
		}
		if n.Limit.Offset > 0 {
			d.Text += fmt.Sprintf(" offset %d", n.Limit.Offset)
		}
	}
	return d
}

// sorted is the text of sort keys.
func (d *Description) sorted(keys []SortKey) (by []string) {
	for _, k := range keys {
		s := d.expr(k.Expr)
		if k.Desc {
			s += " DESC"
		}
		if k.NullsFirst != k.Desc {
			s += map[bool]string{true: " NULLS FIRST", false: " NULLS LAST"}[k.NullsFirst]
		}
		by = append(by, s)
	}
	return by
}

func (p *Plan) describeLookup(d *Description, n *Node, named map[int][]string) {
	l := n.Lookup
	probe := d.exprs(l.Keys)
	names := pickNames(d.names, l.Keep)
	d.Cost = "O(input × matches)"
	if l.State >= 0 {
		cols := named[l.State]
		if cols == nil {
			cols = numbered(len(n.Types) - len(l.Keep))
		}
		d.Text = fmt.Sprintf("look up private relation @%s (TSO: the last step) by (%s)", l.Side, strings.Join(probe, ", "))
		d.State = fmt.Sprintf("state %d", l.State+1)
		if l.Anti {
			d.Text, d.names = "keep what is not in "+strings.TrimPrefix(d.Text, "look up "), names
			return
		}
		d.names = append(names, cols...)
		return
	}
	in := &p.Inputs[l.Input]
	var cols []string
	for _, c := range l.Cols {
		cols = append(cols, in.relColumn(c))
	}
	d.names = append(names, cols...)
	if l.Arranged < 0 {
		var key []string
		for _, k := range in.Key {
			key = append(key, in.relColumn(k))
		}
		d.Text = fmt.Sprintf("look up %s @%s by its primary key: %s", in.called(), l.Side, equal(key, probe))
		d.Cost = "O(input)"
	} else {
		a := &p.Arranged[l.Arranged]
		over := func(i int) string { return in.relColumn(a.Cols[i]) }
		var key []string
		for _, k := range a.Keys {
			key = append(key, k.Format(over))
		}
		if len(key) == 0 {
			d.Text = fmt.Sprintf("look up %s @%s: every row (nothing connects it)", in.called(), l.Side)
			d.Cost = "O(input × rows of " + in.Name + ")"
		} else {
			d.Text = fmt.Sprintf("look up %s @%s by arrangement %s(%s): %s", in.called(), l.Side, in.Name, strings.Join(key, ", "), equal(key, probe))
		}
	}
	if len(l.Cols) > 0 {
		d.Text += ", reads " + list(cols)
	}
}

func (p *Plan) describeHashJoin(d *Description, n *Node) {
	h := n.HashJoin
	probe, build := d.exprs(h.Probe), d.Ins[1].exprs(h.Build)
	d.Text, d.Cost = "hash join on "+equal(probe, build)+", hashing the second input", "O(inputs + matches)"
	if h.Anti {
		d.Text, d.Cost = "hash anti join on "+equal(probe, build)+", hashing the second input", "O(inputs)"
		d.names = pickNames(d.names, h.Left)
		return
	}
	if len(probe) == 0 {
		d.Text, d.Cost = "cross product", "O(product of the inputs)"
	}
	d.names = append(pickNames(d.names, h.Left), pickNames(d.Ins[1].names, h.Right)...)
}

func (p *Plan) describeAggregate(d *Description, n *Node) {
	a := n.Aggregate
	keys := d.exprs(a.Keys)
	var aggs []string
	linear, ordered, lists := 0, map[int]bool{}, map[int]bool{}
	for i, g := range a.Aggs {
		aggs = append(aggs, g.Format(d.name))
		if g.Class() == expr.Linear {
			linear++
		}
		if a.Ordered[i] >= 0 {
			ordered[a.Ordered[i]] = true
		}
		lists[a.Ordered[i]] = g.Class() == expr.List
	}
	switch {
	case a.Global:
		d.Text = "aggregate " + list(aggs) + " over all rows"
	case len(aggs) == 0:
		d.Text = "distinct " + list(keys)
	default:
		d.Text = "aggregate " + list(aggs) + " by " + list(keys)
	}
	d.names = append(keys, aggs...)
	d.Cost = "O(input + touched groups)"
	if len(ordered) > 0 && !p.FromEmpty {
		d.Cost = "O(input × log values + touched groups)"
	}
	if a.State < 0 {
		return
	}
	st := []string{fmt.Sprintf("state %d: a row count", a.State+1)}
	if linear > 0 {
		st[0] += " and " + count(linear, "accumulator")
	}
	if !a.Global {
		st[0] += " a group"
	}
	var multi []int
	for s := range ordered {
		multi = append(multi, s)
	}
	slices.Sort(multi)
	for _, s := range multi {
		if lists[s] {
			st = append(st, fmt.Sprintf("state %d: the values of a group with their counts, in the order of the list", s+1))
			continue
		}
		st = append(st, fmt.Sprintf("state %d: the values of a group with their counts, in order", s+1))
	}
	if a.Least >= 0 {
		st = append(st, fmt.Sprintf("state %d: the keys of a group as they are, the least shows", a.Least+1))
	}
	d.State = strings.Join(st, "; ")
}

// atHi is the side of what is read as a whole. A plan from empty has one moment
// only, and names none.
func (p *Plan) atHi() string {
	if p.FromEmpty {
		return ""
	}
	return " @hi"
}

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func (d *Description) name(i int) string {
	if i < len(d.names) {
		return d.names[i]
	}
	return fmt.Sprintf("#%d", i)
}

func (d *Description) expr(e *expr.Expr) string { return e.Format(d.name) }

func (d *Description) exprs(es []*expr.Expr) []string {
	out := make([]string, len(es))
	for i, e := range es {
		out[i] = d.expr(e)
	}
	return out
}

func (in *Input) called() string {
	if in.As != "" && in.As != in.Name {
		return in.Name + " AS " + in.As
	}
	return in.Name
}

func (in *Input) alias() string {
	if in.As != "" {
		return in.As
	}
	return in.Name
}

// relColumn is column c of the relation.
func (in *Input) relColumn(c int) string {
	if i := slices.Index(in.Cols, c); i >= 0 {
		return in.alias() + "." + in.Fields[i].Name
	}
	return fmt.Sprintf("%s.#%d", in.alias(), c)
}

func qualified(in *Input) []string {
	out := make([]string, 0, len(in.Cols)+1)
	for _, c := range in.Cols {
		out = append(out, in.relColumn(c))
	}
	if in.Addr {
		out = append(out, in.alias()+"._addr")
	}
	return out
}

func fieldNames(in *Input) []string {
	out := make([]string, len(in.Fields))
	for i, f := range in.Fields {
		out[i] = f.Name
	}
	return out
}

func pickNames(names []string, at []int) []string {
	out := make([]string, 0, len(at))
	for _, i := range at {
		if i < len(names) {
			out = append(out, names[i])
		} else {
			out = append(out, fmt.Sprintf("#%d", i))
		}
	}
	return out
}

func numbered(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("column%d", i+1)
	}
	return out
}

func equal(a, b []string) string {
	out := make([]string, len(a))
	for i := range a {
		out[i] = a[i]
		if i < len(b) {
			out[i] += " = " + b[i]
		}
	}
	return strings.Join(out, " AND ")
}

func list(s []string) string {
	if len(s) == 0 {
		return "no columns"
	}
	return strings.Join(s, ", ")
}
