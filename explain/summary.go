package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ivmc/ivmc/delta"
)

// summary is one sentence: whether the statement is incremental, and why.
func (r *Report) summary() string {
	names := r.relations()
	switch {
	case r.Incremental == nil && len(names) == 0:
		return "The query reads no table."
	case r.Incremental == nil:
		return "The query is computed from " + english(names) + "."
	case !*r.Incremental:
		return r.whyNot(names)
	case len(names) == 0:
		return "Incremental: yes. The view reads no table, so nothing ever changes it."
	}
	return "Incremental: yes. " + r.whyYes(names)
}

func (r *Report) whyNot(names []string) string {
	var who []string
	for _, b := range r.Blockers {
		if !slices.Contains(who, b.Object) {
			who = append(who, b.Object)
		}
	}
	verb := "cannot follow changes"
	if len(who) > 1 {
		verb = "cannot follow changes, each for its own reason"
	}
	from := "."
	if len(names) > 0 {
		from = " from " + english(names) + ", whatever changed."
	}
	return fmt.Sprintf("Incremental: no. %s %s, so a refresh computes the whole view anew%s", english(who), verb, from)
}

func (r *Report) whyYes(names []string) string {
	var whole, kept, once, looked []string
	lists := false
	add := func(to *[]string, name string) {
		if !slices.Contains(*to, name) {
			*to = append(*to, name)
		}
	}
	r.step.walk(func(o *Operator) {
		if o.Reads != nil && o.Op == string(delta.OpLookup) && !o.still() {
			switch o.Reads.How {
			case "every row", "every kept row":
				if o.once {
					add(&once, cmp.Or(o.Reads.Relation, fmt.Sprintf("state %d", o.Reads.State)))
					return
				}
			}
			switch o.Reads.How {
			case "every row":
				add(&whole, o.Reads.Relation)
			case "every kept row":
				add(&kept, fmt.Sprintf("state %d", o.Reads.State))
			case "primary key", "arrangement":
				add(&looked, o.Reads.Relation)
			}
		}
	})
	for _, s := range r.Sources {
		if s.Inserts != nil {
			for _, t := range s.Inserts.Cost.Where {
				lists = lists || t.Letter == "g"
			}
		}
	}
	what := "A refresh works through the rows that changed in " + english(names)
	if len(looked) > 0 {
		what += " and looks up the rows of " + english(looked) + " that match them"
	}
	if len(kept) > 0 {
		whole = append(whole, "what it keeps ("+english(kept)+")")
	}
	if len(whole) > 0 {
		r.Notices = append(r.Notices, "An equality of columns in ON or WHERE, where the data has one, would let a refresh look up the rows that match instead.")
		return what + ", but for each of them reads every row of " + english(whole) + ", for no equality of columns connects them."
	}
	if len(once) > 0 {
		return what + "; where a value that is one for all rows changes (an aggregate over all rows, or whether a query has any), it reads every row of " + english(once) + " once."
	}
	if lists {
		return what + "; the lists of the groups that they touch are written anew."
	}
	if len(looked) == 0 {
		return what + ", and never through a whole table."
	}
	return what + "; it never reads a whole table."
}

// still reports that nothing ever comes from below: constants do not change.
func (o *Operator) still() bool {
	if len(o.Inputs) == 0 {
		return o.Op == string(delta.OpNothing)
	}
	for _, in := range o.Inputs {
		if !in.still() {
			return false
		}
	}
	return true
}

// title names the statement.
func (r *Report) title() string {
	switch {
	case r.View == nil && r.Incremental != nil:
		return "Query, taken as the definition of a view"
	case r.View == nil:
		return "Query"
	}
	cols := make([]string, len(r.Columns))
	for i, c := range r.Columns {
		cols[i] = c.Name
	}
	return "Materialized view " + *r.View + " (" + strings.Join(cols, ", ") + ")"
}
