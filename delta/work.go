package delta

import "math"

// Counts are what a run will meet, as far as it is known before.
type Counts struct {
	Pending []float64             // by input: rows born and died that are read
	Rows    []float64             // by input: rows that stand
	Keys    []float64             // by arrangement: its keys; 0: not known
	View    float64               // rows of the view
	Spread  map[*Aggregate]Spread // of the changes over the groups, where it is known
}

// Work estimates what a run of the plan costs, in visits of rows: a number that is
// the measure of two plans of one view, and of two runs of one plan, and of nothing
// else. What a visit takes is measured, see package refresh.
//
// It follows the rows up the plan: a scan gives all, a change its own; a look-up
// gives as many as there are rows for a key; groups are touched as a sample of
// the changes says, or else as balls fall into bins, so that many changes of few groups are cheap. The rows are those that the plan
// hands on: of a step, those of the view that go and come.
func (p *Plan) Work(c Counts) (visits, rows float64) {
	w := &worker{plan: p, c: c, shares: map[int]float64{}}
	out := w.rows(p.Root)
	if p.FromEmpty { // the rows that stand are taken from the new ones
		return w.sum + visitWritten*w.c.View + visitWritten*min(out, w.c.View), out
	}
	if !w.grouped && w.c.View > 0 { // filters let as many through as they did
		all := (&worker{plan: p, c: Counts{Pending: c.Rows, Rows: c.Rows, Keys: c.Keys, View: c.View}, shares: map[int]float64{}}).rows(p.Root)
		if all > w.c.View {
			out *= w.c.View / all
		}
	}
	return w.sum + visitWritten*out, out
}

// What a row costs at an operator, where passing a plain one on is 1. Measured on
// the flights of docs/benchmarks.md; who runs it corrects the whole, not the parts.
const (
	visitChange  = 3 // a change is gathered from the log
	visitLookup  = 3
	visitTable   = 3  // put into a table of this run, and found there
	visitKept    = 4  // the same in a table that is kept
	visitGroup   = 12 // a touched group: read, written, gone and come
	visitSorted  = 4
	visitWritten = 6 // a row of the view

	listLength = 8 // of lists that nobody has looked at
)

type worker struct {
	plan    *Plan
	c       Counts
	shares  map[int]float64
	sum     float64
	grouped bool
}

func known(list []float64, i int) float64 {
	if i < 0 || i >= len(list) {
		return 0
	}
	return list[i]
}

func sum(list []float64) (all float64) {
	for _, x := range list {
		all += x
	}
	return all
}

// rows is how many rows n hands on; what it and those below cost is added up.
func (w *worker) rows(n *Node) float64 {
	in := 0.0
	most := 0.0
	for _, below := range n.Ins {
		r := w.rows(below)
		in += r
		most = max(most, r)
	}
	out := in
	switch n.Op {
	case OpChanges:
		out = known(w.c.Pending, n.Input)
		w.sum += visitChange * out
	case OpScan:
		out = known(w.c.Rows, n.Input)
		w.sum += out
	case OpFind:
		out = 1
		w.sum += visitLookup
	case OpNothing:
		out = 0
	case OpValues:
		out = float64(len(n.Values.Rows))
	case OpLookup:
		w.sum += visitLookup * in
		out = in * w.fan(n.Lookup)
		w.sum += out
	case OpHashJoin:
		w.sum += visitTable * in
		out = most
		if len(n.HashJoin.Probe) == 0 && len(n.Ins) == 2 && !n.HashJoin.Anti { // a product
			out = most * max(in-most, 1)
			w.sum += out
		}
	case OpConsolidate: // only in a step that has raised
	case OpKeep:
		w.sum += visitKept * in
	case OpShare:
		if len(n.Ins) == 0 {
			out = w.shares[n.Share.ID]
		}
		w.shares[n.Share.ID] = out
	case OpAggregate:
		out = w.groups(n.Aggregate, in)
	case OpUnnest:
		out = listLength * in
		w.sum += out
	case OpLimit:
		if l := n.Limit; l.Kept > 0 {
			walked := float64(l.Count + l.Offset)
			if len(w.c.Rows) > 0 {
				walked = min(walked, most+sum(w.c.Rows))
			}
			w.sum += visitKept*in + walked/4 // most of them not looked at
			out = min(in, float64(2*l.Count))
			break
		}
		w.sum += visitSorted * in
	case OpSort, OpWindow:
		w.sum += visitSorted * in
	default:
		w.sum += in / 4
	}
	return out
}

// fan is how many rows a look-up finds for one.
func (w *worker) fan(l *Lookup) float64 {
	if l.State >= 0 || l.Anti {
		return 1
	}
	rows := known(w.c.Rows, l.Input)
	switch {
	case l.Arranged < 0:
		return 1
	case len(l.Keys) == 0:
		return rows
	}
	keys := known(w.c.Keys, l.Arranged)
	if keys == 0 { // not built yet
		keys = math.Sqrt(rows)
	}
	return max(rows/max(keys, 1), 1)
}

// groups is what an aggregate hands on: its groups, or those touched, each gone and come.
func (w *worker) groups(a *Aggregate, in float64) float64 {
	w.grouped = true
	ordered := 0.0
	for _, s := range a.Ordered {
		if s >= 0 {
			ordered++
		}
	}
	all := max(w.c.View, 1)
	if len(a.Keys) == 0 {
		all = 1
	}
	if w.plan.FromEmpty {
		w.sum += (2 + ordered) * in
		return min(in, all)
	}
	n := touched(all, in)
	if s, ok := w.c.Spread[a]; ok {
		n = s.groups(in, all)
	}
	w.sum += (2+ordered)*in + visitGroup*n
	return 2 * n
}
