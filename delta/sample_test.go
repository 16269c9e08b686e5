package delta

import (
	"math/rand/v2"
	"testing"
)

// What a sample of 2048 of 150 thousand changes says of how many of 150 thousand groups they
// touch is within twice the truth, for changes spread evenly over some groups, or over some often and all seldom.
func TestSpreadOfSamples(t *testing.T) {
	const n, all, size = 150_000, 150_000, 2048
	r := rand.New(rand.NewPCG(1, 2))
	for name, group := range map[string]func() int{
		"one":            func() int { return 0 },
		"ten":            func() int { return r.IntN(10) },
		"a thousand":     func() int { return r.IntN(1000) },
		"ten thousand":   func() int { return r.IntN(10_000) },
		"all":            func() int { return r.IntN(all) },
		"half in one":    func() int { return r.IntN(2) * r.IntN(all) },
		"a tenth in all": func() int { return max(0, r.IntN(10)-8) * r.IntN(all) },
		"half in fifty":  func() int { return r.IntN(50) + r.IntN(2)*r.IntN(all-50) },
	} {
		touched, changes := map[int]bool{}, make([]int, n)
		for i := range changes {
			changes[i] = group()
			touched[changes[i]] = true
		}
		seen := map[int]int{}
		for i := range size {
			seen[changes[i*n/size]]++
		}
		var counts []int
		for _, c := range seen {
			counts = append(counts, c)
		}
		got, want := SpreadOf(counts).groups(n, all), float64(len(touched))
		if got > 2*want || want > 2*got {
			t.Errorf("%s: %.0f groups, and they are %.0f", name, got, want)
		}
	}
	if s := SpreadOf(nil); s.groups(10, 10) != 0 {
		t.Error("of nothing")
	}
}
