package runtime_test

import (
	"testing"
)

// TestMutations switches one delta rule off at a time: the property must notice,
// or it proves nothing.
func TestMutations(t *testing.T) {
	for _, rule := range []string{"filter", "union all", "join", "join side", "join condition", "least",
		"any scan", "any filter", "any project", "any join", "any union all", "any aggregate",
		"anti", "outer join", "limit", "any limit", "any outer join", "any match", "any combine", "any grouping sets"} {
		t.Run(rule, func(t *testing.T) {
			for seed := range uint64(400) {
				if err := runWorld(t, seed, map[string]bool{rule: true}, map[string][2]int{}); err != nil {
					t.Logf("noticed at seed %d", seed)
					return
				}
				if t.Failed() {
					return
				}
			}
			t.Fatalf("rule %q switched off, and nothing noticed", rule)
		})
	}
}
