package schedule

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"
	"time"
)

// world runs a queue in time that is made up: refreshes take as long as they are
// said to, clocks jump, and what the laws promise is looked at all the while.
type world struct {
	*testing.T
	q     *Queue
	now   time.Time // of the clock, which jumps
	real  time.Duration
	took  func(id uint64) time.Duration
	fails func(id uint64) bool
	jobs  map[uint64]Job

	running map[uint64]uint64 // pass by job
	ends    []ending
	starts  map[uint64][]time.Duration // real times, by job
	causes  map[uint64][]Cause
	lacks   map[uint64]time.Duration // real time of the first change that a job lacks
	begun   map[uint64]time.Duration // of the pass that runs: what it will have seen
	worst   map[uint64]time.Duration // lag seen
}

type ending struct {
	at   time.Duration
	pass Pass
}

func newWorld(t *testing.T, o Options, jobs ...Job) *world {
	w := &world{T: t, q: NewQueue(o), now: day(2026, 3, 1, 0, 0), jobs: map[uint64]Job{}, running: map[uint64]uint64{}, starts: map[uint64][]time.Duration{},
		causes: map[uint64][]Cause{}, lacks: map[uint64]time.Duration{}, begun: map[uint64]time.Duration{}, worst: map[uint64]time.Duration{},
		took: func(uint64) time.Duration { return time.Second }, fails: func(uint64) bool { return false }}
	for i := range jobs {
		if jobs[i].Last.IsZero() {
			jobs[i].Last = w.now
		}
		w.jobs[jobs[i].ID] = jobs[i]
	}
	w.q.Set(w.now, jobs)
	return w
}

func every(t *testing.T, n int64, u Unit) Rule {
	r, err := NewEvery(n, u, time.Time{}, day(2026, 3, 1, 0, 0))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// step lets what is due start, and checks it.
func (w *world) step() {
	for _, p := range w.q.Start(w.now) {
		end := w.real
		seen := map[uint64]bool{}
		for _, t := range p.Targets {
			if other, ok := w.running[t.ID]; ok {
				w.Fatalf("job %d starts in pass %d and runs in pass %d", t.ID, p.ID, other)
			}
			for _, r := range w.jobs[t.ID].Reads {
				if slices.ContainsFunc(p.Targets, func(x Target) bool { return x.ID == r }) && !seen[r] {
					w.Fatalf("pass %d: job %d comes before %d, which it reads", p.ID, t.ID, r)
				}
			}
			seen[t.ID] = true
			w.running[t.ID] = p.ID
			w.starts[t.ID] = append(w.starts[t.ID], w.real)
			w.causes[t.ID] = append(w.causes[t.ID], t.Cause)
			w.begun[t.ID] = w.real
			end += w.took(t.ID)
		}
		w.ends = append(w.ends, ending{end, p})
		if len(w.ends) > w.q.opts.Workers {
			w.Fatalf("%d passes run", len(w.ends))
		}
	}
}

// forward lets real time go by up to a moment, with all that happens in it.
func (w *world) forward(to time.Duration) {
	for {
		w.step()
		next := min(to, w.real+20*time.Second) // as the loop does, to notice jumps
		if wake := w.q.Wake(); !wake.IsZero() {
			next = min(next, w.real+max(wake.Sub(w.now), 0))
		}
		slices.SortFunc(w.ends, func(a, b ending) int { return int(a.at - b.at) })
		var done *ending
		if len(w.ends) > 0 && w.ends[0].at <= next {
			next, done = w.ends[0].at, &w.ends[0]
		}
		if next == w.real && done == nil && next < to {
			w.Fatalf("at %s: nothing starts, and yet it is time", w.now)
		}
		w.now = w.now.Add(next - w.real)
		w.real = next
		if done != nil {
			w.finish(done.pass)
			w.ends = w.ends[1:]
			continue
		}
		if w.real == to {
			w.step()
			return
		}
	}
}

func (w *world) finish(p Pass) {
	var outs []Outcome
	for _, t := range p.Targets {
		delete(w.running, t.ID)
		failed := w.fails(t.ID)
		outs = append(outs, Outcome{ID: t.ID, Failed: failed, Took: w.real - w.starts[t.ID][len(w.starts[t.ID])-1]})
		if at, ok := w.lacks[t.ID]; ok && !failed {
			w.worst[t.ID] = max(w.worst[t.ID], w.real-at)
			if at <= w.begun[t.ID] {
				delete(w.lacks, t.ID)
			}
		}
	}
	w.q.Done(w.now, p.ID, outs)
}

// change is a commit to what a job reads.
func (w *world) change(id uint64) {
	if _, ok := w.lacks[id]; !ok {
		w.lacks[id] = w.real
	}
	w.q.Touch(w.now, w.now, id)
}

func (w *world) jump(d time.Duration) { w.now = w.now.Add(d) }

// TestMonth is 30 days of schedules of all kinds, with failures, slow refreshes and
// clocks that jump: no view runs twice at a time, what it reads comes first, no lag
// is missed and no schedule sleeps in.
func TestMonth(t *testing.T) {
	seeds := int64(8)
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		rnd := rand.New(rand.NewSource(seed))
		cron, err := NewCron("*/20 * * * *", "Europe/Berlin")
		if err != nil {
			t.Fatal(err)
		}
		jobs := []Job{{ID: 1}, {ID: 2, Rule: every(t, 10, Minute), Reads: []uint64{1}}, {ID: 3, Rule: Rule{Kind: Lag, Lag: 5 * time.Minute}, Reads: []uint64{2}},
			{ID: 4, Rule: Rule{Kind: Lag, Lag: 20 * time.Minute}}, {ID: 5, Rule: cron, Reads: []uint64{4}}, {ID: 6, Rule: Rule{Kind: Commit, Async: true}},
			{ID: 7, Rule: every(t, 3, Hour), Reads: []uint64{6, 3}}, {ID: 8, Rule: every(t, 1, Minute), Paused: true}, {ID: 9, Rule: every(t, 1, Day)}}
		w := newWorld(t, Options{Workers: 4, Jitter: 20 * time.Second}, jobs...)
		w.took = func(uint64) time.Duration { return time.Duration(rnd.Intn(4000)) * time.Millisecond }
		w.fails = func(id uint64) bool { return id == 9 && rnd.Intn(2) == 0 || id == 2 && rnd.Intn(20) == 0 }
		const month = 30 * 24 * time.Hour
		var jumps []time.Duration
		for w.real < month {
			w.forward(w.real + time.Duration(rnd.Intn(120_000))*time.Millisecond)
			for _, id := range []uint64{3, 4, 6} {
				if rnd.Intn(3) == 0 {
					w.change(id)
				}
			}
			if rnd.Intn(1500) == 0 {
				d := time.Duration(rnd.Int63n(int64(48*time.Hour))) - 24*time.Hour
				w.jump(d)
				jumps = append(jumps, w.real)
			}
		}
		for id, most := range map[uint64]time.Duration{3: 5 * time.Minute, 4: 20 * time.Minute, 6: time.Minute} {
			if got := w.worst[id]; got > most || got == 0 {
				t.Errorf("seed %d: job %d was %s behind, allowed are %s", seed, id, got, most)
			}
		}
		if len(w.starts[8]) != 0 {
			t.Errorf("a paused job ran")
		}
		// Between two runs there is no more than the interval, jitter and what other
		// passes take; where the clock went back in between, its grid begins again.
		for id, most := range map[uint64]time.Duration{2: 10 * time.Minute, 5: 20 * time.Minute, 7: 3 * time.Hour, 9: 24 * time.Hour} {
			last := time.Duration(0)
			for _, at := range append(w.starts[id], month) {
				allowed := most + time.Minute
				for _, j := range jumps {
					if last < j && j <= at {
						allowed += most
					}
				}
				if at-last > allowed {
					t.Fatalf("seed %d: job %d did not run from %s to %s; the clock jumped at %v", seed, id, last, at, jumps)
				}
				last = at
			}
		}
		// and a day is no more than a few runs, however often the clock went back
		if n := len(w.starts[7]); n > 30*8+3*len(jumps)+60 {
			t.Errorf("seed %d: job 7 ran %d times", seed, n)
		}
	}
}

// TestMissed: whatever was missed, by a stop or a jump, runs once.
func TestMissed(t *testing.T) {
	rule := every(t, 1, Hour)
	w := newWorld(t, Options{}, Job{ID: 1, Rule: rule, Last: day(2026, 2, 20, 0, 0)})
	w.forward(10 * time.Second)
	if len(w.starts[1]) != 1 {
		t.Fatalf("after a stop: %v", w.starts[1])
	}
	w.forward(time.Hour)
	w.jump(72 * time.Hour)
	w.forward(time.Hour + 30*time.Minute)
	if len(w.starts[1]) != 3 {
		t.Fatalf("after a jump: %v", w.starts[1])
	}
	w.jump(-1000 * 24 * time.Hour)
	w.forward(4 * time.Hour)
	if n := len(w.starts[1]); n < 5 || n > 6 {
		t.Fatalf("after a jump back: %v", w.starts[1])
	}
	fresh := newWorld(t, Options{}, Job{ID: 1, Rule: rule, Last: day(2030, 1, 1, 0, 0)}) // a TSO of a clock that was ahead
	fresh.forward(2 * time.Hour)
	if len(fresh.starts[1]) != 2 {
		t.Fatalf("of the future: %v", fresh.starts[1])
	}
}

// TestSurplus: one runs, one waits, and the rest is counted.
func TestSurplus(t *testing.T) {
	w := newWorld(t, Options{}, Job{ID: 1, Rule: every(t, 1, Second)})
	w.took = func(uint64) time.Duration { return 10 * time.Second }
	w.forward(11*time.Second - 1)
	s, _ := w.q.State(1)
	if len(w.starts[1]) != 1 || !s.Running || !s.Waiting || s.Skipped != 8 {
		t.Fatalf("%v %+v", w.starts[1], s)
	}
	w.forward(12 * time.Second)
	if s, _ = w.q.State(1); len(w.starts[1]) != 2 || w.starts[1][1] != 11*time.Second {
		t.Fatalf("%v %+v", w.starts[1], s)
	}
}

// TestBackoff: a view that fails is tried again, ever later, and ticks do not push.
func TestBackoff(t *testing.T) {
	w := newWorld(t, Options{Longest: 8 * time.Second}, Job{ID: 1, Rule: every(t, 1, Second)})
	w.took = func(uint64) time.Duration { return 0 }
	broken := true
	w.fails = func(uint64) bool { return broken }
	w.forward(33 * time.Second)
	want := []time.Duration{1, 2, 4, 8, 16, 24, 32}
	for i := range want {
		want[i] *= time.Second
	}
	if !slices.Equal(w.starts[1], want) {
		t.Fatalf("%v", w.starts[1])
	}
	broken = false
	w.forward(42 * time.Second)
	if got := w.starts[1][len(want):]; len(got) != 3 || got[0] != 40*time.Second || got[1] != 41*time.Second {
		t.Fatalf("%v", got)
	}
	if w.causes[1][0] != ByTick || w.causes[1][1] != ByRetry {
		t.Fatal(w.causes[1])
	}
}

// TestLagIsLazy: a view is refreshed as rarely as its lag allows, and not at all
// where nothing changes; one that is read with a tighter lag comes along.
func TestLagIsLazy(t *testing.T) {
	w := newWorld(t, Options{Workers: 2}, Job{ID: 1, Rule: Rule{Kind: Lag, Lag: time.Hour}}, Job{ID: 2, Rule: Rule{Kind: Lag, Lag: 10 * time.Minute}, Reads: []uint64{1}},
		Job{ID: 3, Rule: Rule{Kind: Lag, Lag: time.Hour}})
	w.took = func(uint64) time.Duration { return 2 * time.Second }
	for w.real < 10*time.Hour {
		w.forward(w.real + 7*time.Second)
		for id := range uint64(3) {
			w.change(id + 1)
		}
	}
	w.forward(w.real + time.Hour)
	for id, most := range map[uint64]int{1: 68, 2: 68, 3: 12} {
		if n := len(w.starts[id]); n > most || n < most*8/10 {
			t.Errorf("job %d ran %d times, wanted about %d", id, n, most)
		}
	}
	if c := w.causes[1]; slices.Contains(c, ByLag) || !slices.Contains(c, ByCascade) {
		t.Errorf("what is read by a tighter one: %v", c)
	}
	before := fmt.Sprint(w.starts)
	w.forward(w.real + 1000*time.Hour)
	if fmt.Sprint(w.starts) != before {
		t.Error("nothing changed, and yet something ran")
	}
}

// TestFairness: with one worker and always somebody due, all have their turn.
func TestFairness(t *testing.T) {
	var jobs []Job
	for id := range uint64(20) {
		jobs = append(jobs, Job{ID: id + 1, Rule: every(t, 1, Second)})
	}
	w := newWorld(t, Options{Workers: 1}, jobs...)
	w.forward(201 * time.Second)
	for id := range uint64(20) {
		if n := len(w.starts[id+1]); n < 9 || n > 11 {
			t.Errorf("job %d ran %d times of 200", id+1, n)
		}
	}
}

// TestGroups: views with something in common are of one pass, others side by side.
func TestGroups(t *testing.T) {
	r := every(t, 1, Minute)
	w := newWorld(t, Options{Workers: 9}, Job{ID: 1}, Job{ID: 2, Rule: r, Reads: []uint64{1}}, Job{ID: 3, Rule: r}, Job{ID: 4, Rule: r, Reads: []uint64{1, 3}}, Job{ID: 5, Rule: r},
		Job{ID: 6, Rule: r, Paused: true, Reads: []uint64{5}}, Job{ID: 7, Rule: r, Reads: []uint64{6}})
	got := fmt.Sprint(w.q.Start(w.now.Add(time.Minute)))
	if want := fmt.Sprint([]Pass{{1, []Target{{1, ByCascade}, {2, ByTick}, {3, ByTick}, {4, ByTick}}}, {2, []Target{{5, ByTick}}}, {3, []Target{{7, ByTick}}}}); got != want {
		t.Fatalf("%s, wanted %s", got, want)
	}
	// A view that joins another pass waits for it.
	w.q.Done(w.now.Add(61*time.Second), 2, nil)
	if p := w.q.Start(w.now.Add(2 * time.Minute)); len(p) != 1 || p[0].Targets[0].ID != 5 {
		t.Fatalf("%v", p)
	}
}

// TestSet: what is known stays, and another rule begins from now.
func TestSet(t *testing.T) {
	r := every(t, 1, Minute)
	w := newWorld(t, Options{}, Job{ID: 1, Rule: r})
	w.forward(90 * time.Second)
	w.q.Set(w.now, []Job{{ID: 1, Rule: r, Last: day(2000, 1, 1, 0, 0)}})
	w.forward(119 * time.Second)
	if len(w.starts[1]) != 1 {
		t.Fatal("the same rule began anew")
	}
	w.q.Set(w.now, []Job{{ID: 1, Rule: every(t, 1, Hour), Last: day(2000, 1, 1, 0, 0)}})
	w.forward(50 * time.Minute)
	if len(w.starts[1]) != 1 {
		t.Fatal("another rule took ticks of the past for its own")
	}
	w.q.Set(w.now, []Job{{ID: 1, Rule: r, Paused: true}})
	w.forward(100 * time.Minute)
	w.q.Set(w.now, []Job{{ID: 1, Rule: r, Last: w.now.Add(-50 * time.Minute)}})
	w.forward(100*time.Minute + time.Second)
	if len(w.starts[1]) != 2 {
		t.Fatal("what was missed in the pause did not run once")
	}
	w.q.Set(w.now, nil)
	w.forward(200 * time.Minute)
	if len(w.starts[1]) != 2 {
		t.Fatal("a job that is gone ran")
	}
}
