package refresh_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ivmc/ivmc/refresh"
	"github.com/ivmc/ivmc/storage"
)

// TestSideBySideIsOneByOne: whoever works on a cascade, its reports and the rows are
// those of one worker.
func TestSideBySideIsOneByOne(t *testing.T) {
	worlds := 30
	if testing.Short() {
		worlds = 8
	}
	for seed := range uint64(worlds) {
		var want string
		for _, workers := range []int{0, 1, 4} {
			if got := sideBySide(t, seed, workers); want == "" {
				want = got
			} else if got != want {
				t.Fatalf("seed %d, %d helpers:\n%s\none by one:\n%s", seed, workers, got, want)
			}
		}
	}
}

// sideBySide makes a random graph of views, moves it some times, and tells all.
func sideBySide(t *testing.T, seed uint64, workers int) string {
	r := rand.New(rand.NewPCG(seed, 1))
	d := newDB(t)
	d.engine.Workers(workers)
	tabs := []storage.ID{d.table("t0"), d.table("t1"), d.table("t2")}
	names := []string{"t0", "t1", "t2"}
	var ids []storage.ID
	for i := range 4 + r.IntN(12) {
		a, b := names[r.IntN(len(names))], names[r.IntN(len(names))]
		query := [...]string{
			"SELECT k, sum(v) AS v FROM " + a + " GROUP BY k",
			"SELECT x.k, y.v FROM " + a + " AS x JOIN " + b + " AS y ON x.k = y.k",
			"SELECT k, 100 / (v - 7) AS v FROM " + a, // fails now and then
			"SELECT k, v FROM " + a + " UNION ALL SELECT v, k FROM " + b,
			"SELECT DISTINCT k, min(v) AS v FROM " + a + " GROUP BY k",
		}[r.IntN(5)]
		name := fmt.Sprintf("v%d", i)
		ids, names = append(ids, d.view(name, query)), append(names, name)
	}
	var out strings.Builder
	for range 4 {
		for _, tab := range tabs {
			for range r.IntN(4) {
				d.change(tab, [3]int64{r.Int64N(4), r.Int64N(9), 1})
			}
		}
		for _, rep := range d.cascade(ctx, refresh.Mode(r.IntN(3)), ids...) { // one that failed may move yet
			fmt.Fprintln(&out, rep.View, rep.Executed, rep.Reason, rep.NoOp, rep.RowsIn, rep.RowsOut, rep.Err)
			if rep.Err == nil {
				d.verified(rep.ID)
				fmt.Fprintln(&out, d.rows(rep.ID))
			}
		}
		for _, rep := range d.cascade(ctx, refresh.Incremental, ids...) {
			if rep.Err == nil && !rep.NoOp {
				t.Errorf("seed %d: %s moved again", seed, rep.View)
			}
		}
		for _, tab := range tabs { // nothing fails any more
			for range strings.Count(d.rows(tab), "|7") {
				for k := range int64(4) {
					if strings.Contains(" "+d.rows(tab)+" ", fmt.Sprintf(" %d|7 ", k)) {
						d.change(tab, [3]int64{k, 7, -1})
					}
				}
			}
		}
	}
	return out.String()
}

// met is a context that waits, at its first question, for another that is asked at
// the same time.
type met struct {
	context.Context
	asked, most atomic.Int32
}

func (m *met) Err() error {
	now := m.asked.Add(1)
	defer m.asked.Add(-1)
	for range 1000 {
		if m.most.Load() > 1 {
			break
		}
		if now = m.asked.Load(); now > 1 {
			m.most.Store(now)
		}
		runtime.Gosched()
	}
	return nil
}

// TestSideBySide: independent views of one cascade run at the same time, and under a
// tracer, too; what a helper panics about the caller has.
func TestSideBySide(t *testing.T) {
	d := newDB(t)
	tab := d.table("t")
	var ids []storage.ID
	for i := range 6 {
		ids = append(ids, d.view(fmt.Sprintf("v%d", i), grouped))
	}
	d.engine.Workers(3)
	d.change(tab, [3]int64{1, 1, 1})
	m := &met{Context: ctx}
	d.cascade(m, refresh.Incremental, ids...)
	if m.most.Load() < 2 {
		t.Error("no two views were refreshed at the same time")
	}
	d.engine.Workers(0)
	d.change(tab, [3]int64{1, 1, 1})
	m = &met{Context: ctx}
	d.cascade(m, refresh.Incremental, ids...)
	is(t, "without helpers", m.most.Load(), 0)

	d.engine.Workers(3)
	d.change(tab, [3]int64{1, 1, 1})
	func() {
		defer func() { is(t, "panic", recover(), "asked") }()
		d.cascade(&probed{Context: ctx, n: 2, at: func() error { panic("asked") }}, refresh.Incremental, ids...)
	}()
	d.engine.Workers(3)
	for _, rep := range d.cascade(ctx, refresh.Incremental, ids...) { // all turns were given back
		if rep.Err != nil {
			t.Error(rep.Err)
		}
		d.verified(rep.ID)
	}
}

func BenchmarkCascade(b *testing.B) {
	for _, workers := range []int{0, 1} {
		b.Run(fmt.Sprintf("helpers=%d", workers), func(b *testing.B) {
			d := newDB(&testing.T{})
			defer d.store.Close()
			tab := d.table("t")
			var ids []storage.ID
			for i := range 8 {
				ids = append(ids, d.view(fmt.Sprintf("v%d", i), grouped))
			}
			d.engine.Workers(workers)
			rows := make([][3]int64, 50_000)
			b.ResetTimer()
			for n := range b.N {
				b.StopTimer()
				for i := range rows {
					rows[i] = [3]int64{int64(i % 10_000), int64(n), 1}
				}
				d.change(tab, rows...)
				b.StartTimer()
				d.cascade(ctx, refresh.Incremental, ids...)
			}
		})
	}
}
