package querygen

import "testing"

// TestSameSeedSameText: a failing case is its seed.
func TestSameSeedSameText(t *testing.T) {
	text := func(seed uint64) (out string) {
		g := New(seed, Options{Raise: true, Joined: true, Order: true, Distinct: true})
		ts := g.Tables(3)
		for _, tab := range ts {
			out += tab.DDL() + g.Row(tab)
		}
		return out + g.Query(ts) + g.Query(ts) + g.Statement(ts)
	}
	for seed := range uint64(50) {
		if text(seed) != text(seed) {
			t.Fatalf("seed %d gives two texts", seed)
		}
		if text(seed) == text(seed+1000) {
			t.Fatalf("seeds %d and %d give one text", seed, seed+1000)
		}
	}
}
