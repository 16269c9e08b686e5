package delta

import (
	"fmt"
	"sort"
)

// Blocker is one reason why a query cannot be maintained incrementally. It can
// still be a view that is refreshed by COMPLETE.
type Blocker struct {
	Code      string `json:"code"`
	Severity  string `json:"severity"` // "error": strict INCREMENTAL is refused
	Object    string `json:"object"`   // the operator, function or relation
	Reason    string `json:"reason"`
	Rewrite   string `json:"rewrite"`   // one change that helps; "" if none does
	Pos       int    `json:"pos"`       // char offset in the statement; -1 unknown
	Permanent bool   `json:"permanent"` // until the definition is changed
}

// String is the blocker on one line.
func (b Blocker) String() string {
	s := fmt.Sprintf("%s: %s: %s", b.Code, b.Object, b.Reason)
	if b.Rewrite != "" {
		s += "; " + b.Rewrite
	}
	return s
}

// sortBlockers puts them in the order of the statement, those of unknown place
// last, each once.
func sortBlockers(bs []Blocker) []Blocker {
	sort.SliceStable(bs, func(i, j int) bool { return uint(bs[i].Pos) < uint(bs[j].Pos) })
	out := bs[:0]
	seen := map[Blocker]bool{}
	for _, b := range bs {
		if !seen[b] {
			seen[b] = true
			out = append(out, b)
		}
	}
	return out
}
