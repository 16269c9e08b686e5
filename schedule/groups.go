package schedule

import (
	"cmp"
	"slices"
)

// groups is the jobs that are due with those below them, taken apart where they
// have nothing in common: in each sources first, and the group first that has
// waited longest.
func (q *Queue) groups() [][]*job {
	var due []*job
	for _, j := range q.order {
		if j.due {
			due = append(due, j)
		}
	}
	slices.SortFunc(due, func(a, b *job) int { return cmp.Compare(a.place, b.place) })
	of := map[uint64]int{} // group by job
	var groups [][]*job
	for _, d := range due {
		members := q.below(d, map[uint64]bool{}, nil)
		to := len(groups)
		for _, m := range members {
			if g, ok := of[m.ID]; ok {
				to = min(to, g)
			}
		}
		if to == len(groups) {
			groups = append(groups, nil)
		}
		for _, m := range members {
			g, ok := of[m.ID]
			switch {
			case !ok:
				groups[to], of[m.ID] = append(groups[to], m), to
			case g != to: // the new one joins two
				for _, x := range groups[g] {
					of[x.ID] = to
				}
				groups[to], groups[g] = append(groups[to], groups[g]...), nil
			}
		}
	}
	groups = slices.DeleteFunc(groups, func(g []*job) bool { return len(g) == 0 })
	for i, g := range groups {
		groups[i] = q.ordered(g)
	}
	return groups
}

// below appends j and what it reads, sources first. A paused view is left as it
// stands, with what only it reads.
func (q *Queue) below(j *job, seen map[uint64]bool, out []*job) []*job {
	if seen[j.ID] {
		return out
	}
	seen[j.ID] = true
	for _, id := range j.Reads {
		if in := q.jobs[id]; in != nil && !in.Paused {
			out = q.below(in, seen, out)
		}
	}
	return append(out, j)
}

func (q *Queue) ordered(group []*job) []*job {
	slices.SortFunc(group, func(a, b *job) int { return cmp.Compare(a.ID, b.ID) })
	member := map[uint64]bool{}
	for _, j := range group {
		member[j.ID] = true
	}
	seen := map[uint64]bool{}
	var out []*job
	for _, j := range group {
		out = q.below(j, seen, out)
	}
	return slices.DeleteFunc(out, func(j *job) bool { return !member[j.ID] })
}
