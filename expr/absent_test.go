package expr

import (
	"slices"
	"strings"
	"testing"
)

// TestElsewhere: what is said not to be there is not, and what is to be written in
// its place stands alone. That it means something, the binder's test says.
func TestElsewhere(t *testing.T) {
	seen := []string{}
	for name := range absent {
		if name == "random" || name == "setseed" {
			continue // refused by forms of their own
		}
		if IsFunction(name) || IsAggregate(name) || IsOrderedSet(name) || FindWindowFunction(name) != nil {
			t.Errorf("%s is there", name)
		}
	}
	for _, e := range elsewhere {
		for _, name := range strings.Fields(e.names) {
			if slices.Contains(seen, name) {
				t.Errorf("%s stands twice", name)
			}
			seen = append(seen, name)
		}
	}
}
