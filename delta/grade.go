package delta

import (
	"fmt"
	"slices"
	"strings"
)

// The grades of a view by what changes in a source.
const (
	GradeIncremental = "incremental"     // work follows the change
	GradeGroups      = "group recompute" // the touched groups are computed anew
	GradeComplete    = "complete"        // the view is computed anew
)

// Grade says how a view follows one of its sources.
type Grade struct {
	Rel      uint64
	Relation string
	IsView   bool
	// Inserts is for a change that only adds rows, Changes for one that also
	// updates or deletes.
	Inserts Follow
	Changes Follow
}

// Follow is how a kind of change is followed, and at what cost.
type Follow struct {
	Grade string `json:"grade"`
	Cost  Cost   `json:"cost"`
}

// Grades lists the sources of a plan, in the order of the query. Of a full plan
// every source is graded complete.
//
// An update is a row that goes and one that comes, and every rule takes both
// alike, so the two columns differ only where an operator of the way says so.
func (p *Plan) Grades() []Grade {
	w := &ways{plan: p, shares: map[int]map[int][]way{}}
	found := map[int][]way{}
	if !p.FromEmpty {
		found = w.of(p.Describe())
	}
	var out []Grade
	var ids []uint64
	l := &letters{of: map[string]string{}}
	for i := range p.Inputs {
		in := &p.Inputs[i]
		if slices.Contains(ids, in.Rel) {
			continue
		}
		ids = append(ids, in.Rel)
		f := Follow{Grade: GradeComplete, Cost: cost("O(n)", Term{"n", "rows of all sources"})}
		if !p.FromEmpty {
			var all []way
			for k := range p.Inputs {
				if p.Inputs[k].Rel == in.Rel {
					all = append(all, found[k]...)
				}
			}
			f = l.follow(worst(all))
		}
		out = append(out, Grade{in.Rel, in.Name, in.IsView, f, f})
	}
	if len(l.of) == 1 { // one needs no number
		for i := range out {
			for _, c := range []*Cost{&out[i].Inserts.Cost, &out[i].Changes.Cost} {
				c.Order = strings.ReplaceAll(c.Order, "m1", "m")
				for k := range c.Where {
					if c.Where[k].Letter == "m1" {
						c.Where[k].Letter = "m"
					}
				}
			}
		}
	}
	return out
}

// way is what the changed rows of an input meet on their way up.
type way struct {
	factors []string // each changed row becomes so many
	whole   []string // so many rows are read, once
	ordered bool     // they go into ordered values
	kept    bool     // they go into rows that are kept in order
	lists   bool     // lists are written anew
	groups  bool     // partitions are computed anew: from there on it is their rows that go up
	later   []string // the factors behind that
}

// within reports whether w costs no more than o.
func (w way) within(o way) bool {
	for _, f := range w.factors {
		if !slices.Contains(o.factors, f) {
			return false
		}
	}
	for _, f := range w.whole {
		if !slices.Contains(o.whole, f) {
			return false
		}
	}
	for _, f := range w.later {
		if !slices.Contains(o.later, f) {
			return false
		}
	}
	return (o.ordered || !w.ordered) && (o.kept || !w.kept) && (o.lists || !w.lists) && (o.groups || !w.groups)
}

type ways struct {
	plan   *Plan
	shares map[int]map[int][]way
}

// of gives, by input, the ways from its changes up to d.
func (s *ways) of(d *Description) map[int][]way {
	out := map[int][]way{}
	if d.Op == OpChanges {
		out[d.node.Input] = []way{{}}
		return out
	}
	for _, in := range d.Inputs {
		for i, ws := range s.of(in) {
			for _, w := range ws {
				out[i] = append(out[i], w.up(d))
			}
		}
	}
	if d.Op == OpShare {
		if len(d.Inputs) > 0 {
			s.shares[d.node.Share.ID] = out
		} else if made := s.shares[d.node.Share.ID]; made != nil {
			return made
		}
	}
	for i := range out {
		out[i] = worst(out[i])
	}
	return out
}

// up is w one operator further.
func (w way) up(d *Description) way {
	w.groups = w.groups || d.Class == ClassKeys
	factors := &w.factors
	if w.groups {
		factors = &w.later
	}
	if d.factor != "" && !slices.Contains(*factors, d.factor) {
		*factors = append(slices.Clone(*factors), d.factor)
	}
	if d.whole != "" && !slices.Contains(w.whole, d.whole) {
		w.whole = append(slices.Clone(w.whole), d.whole)
	}
	w.kept = w.kept || d.Op == OpLimit && len(d.Keeps) > 0
	for _, t := range d.Cost.Where {
		if d.Op == OpAggregate {
			w.ordered = w.ordered || t.Letter == "v"
			w.lists = w.lists || t.Letter == "g"
		}
	}
	return w
}

// worst drops the ways that cost no more than another.
func worst(ws []way) (out []way) {
	for i, w := range ws {
		needed := true
		for k, o := range ws {
			if i != k && w.within(o) && (k < i || !o.within(w)) {
				needed = false
			}
		}
		if needed {
			out = append(out, w)
		}
	}
	return out
}

// mostWays is how many ways a cost shows.
const mostWays = 3

// letters names the factors of a plan: m1, m2 ..
type letters struct{ of map[string]string }

func (l *letters) letter(what string) string {
	if l.of[what] == "" {
		l.of[what] = fmt.Sprintf("m%d", len(l.of)+1)
	}
	return l.of[what]
}

func (l *letters) follow(ws []way) Follow {
	f := Follow{Grade: GradeIncremental}
	var where []Term
	add := func(t Term) {
		if !slices.Contains(where, t) {
			where = append(where, t)
		}
	}
	add(changed("changed rows"))
	var sums []string
	for i, w := range ws {
		if w.groups {
			f.Grade = GradeGroups
		}
		if i >= mostWays {
			sums = append(sums, "..")
			break
		}
		sum := "d"
		for _, what := range w.factors {
			add(Term{l.letter(what), what})
			sum += " × " + l.letter(what)
		}
		if w.groups {
			add(Term{"p", "rows of the partitions with a change"})
			sum += " + p × log p"
		}
		for _, what := range w.later {
			add(Term{l.letter(what), what})
			sum += " × " + l.letter(what)
		}
		if w.ordered {
			sum += " × log v"
			add(Term{"v", "values of one group"})
		}
		if w.kept {
			sum += " × log n"
			add(Term{"n", "rows kept in order"})
		}
		for _, what := range w.whole {
			add(Term{l.letter(what), what + ", read once"})
			sum += " + " + l.letter(what)
		}
		if w.lists {
			sum += " + g × v"
			add(Term{"g", "groups with a change"})
		}
		if i > 0 { // the way before it has passed the changed rows already
			sum = strings.TrimPrefix(sum, "d + ")
		}
		if !slices.Contains(sums, sum) {
			sums = append(sums, sum)
		}
	}
	if len(sums) == 0 {
		sums = []string{"d"}
	}
	f.Cost = Cost{"O(" + strings.Join(sums, " + ") + ")", where}
	return f
}
