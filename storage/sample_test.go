package storage

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A sample has rows of the window alone, those born and those that died in their
// proportion, and each once.
func TestSampleChanges(t *testing.T) {
	s := mustOpen(t, vfs.NewMem(), Options{})
	defer mustClose(t, s)
	r := createTable(t, s, "t", nil)
	some := func(from, to int64) (out []row) {
		for id := from; id < to; id++ {
			out = append(out, row{id: id})
		}
		return out
	}
	lo := mustCommit(t, s, &Commit{Changes: []*Change{insert(r, some(0, 2000)...)}})
	mustCommit(t, s, &Commit{Changes: []*Change{insert(r, some(2000, 5000)...)}})
	dead := &Change{Rel: r.ID()}
	for a := range Addr(1000) {
		dead.Dead, dead.Ops = append(dead.Dead, a), append(dead.Ops, OpDelete)
	}
	hi := mustCommit(t, s, &Commit{Changes: []*Change{dead}})
	mustCommit(t, s, &Commit{Changes: []*Change{insert(r, some(5000, 6000)...)}})
	for _, n := range []int{4, 400, 9000} {
		b := r.SampleChanges(lo, hi, []int{0}, n)
		if b.N != min(n, 4000) {
			t.Fatalf("%d of %d", b.N, n)
		}
		seen, died := map[int64]bool{}, 0
		for _, id := range b.Cols[0].I64 {
			if seen[id] || id >= 5000 || id >= 1000 && id < 2000 {
				t.Fatalf("row %d in a sample of %d", id, n)
			}
			if seen[id] = true; id < 1000 {
				died++
			}
		}
		if died != b.N/4 {
			t.Errorf("%d of %d died", died, b.N)
		}
	}
	if b := r.SampleChanges(hi, hi, []int{0}, 9); b != nil {
		t.Error("of nothing")
	}
}
