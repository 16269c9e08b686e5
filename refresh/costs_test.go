package refresh

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestCostsKept: what was learned survives, and what is none is not believed.
func TestCostsKept(t *testing.T) {
	a := costs{build: 1, full: 2, steps: [stepClasses]float64{3, 0, 5}}
	var b costs
	if b.parse(a.append(nil)); a != b {
		t.Errorf("%+v, not %+v", b, a)
	}
	for i := range a.append(nil) {
		bad := a.append(nil)
		bad[i] ^= 0x80
		var c costs
		c.parse(bad)
		for _, f := range append([]float64{c.build, c.full}, c.steps[:]...) {
			if !(f >= 0 && f < 1e12) {
				t.Errorf("byte %d: %+v", i, c)
			}
		}
	}
}

// TestCostsLearn: whatever the true costs are, estimates come to them, and stay
// within their range where they were not measured.
func TestCostsLearn(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		full, step := 1+rng.Float64()*200, 1+rng.Float64()*200
		var c costs
		for range 30 {
			learn(&c.full, 1e6, time.Duration(full*1e6))
			learn(&c.steps[classOf(50_000)], 1e6, time.Duration(step*1e6))
		}
		if k := c.complete(); k < full*0.99 || k > full*1.01 {
			t.Errorf("complete %f, not %f", k, full)
		}
		for _, n := range []int64{1, 50_000, 60_000, 1e9} {
			k := c.step(n)
			near := classOf(n) == classOf(50_000)
			if near && (k < step*0.99 || k > step*1.01) || k < min(full, step)*0.99 || k > max(full, step)*1.01 {
				t.Errorf("step of %d: %f of %f and %f", n, k, step, full)
			}
		}
		if learn(&c.full, 1e6, 100*time.Duration(full*1e6)); c.full > full*1.7 {
			t.Errorf("one time that was held up made %f of %f", c.full, full)
		}
	}
	var c costs
	if learn(&c.full, 10, time.Second) || c.complete() != usual || c.step(1) != usual {
		t.Error("a time of ten rows was believed")
	}
}

// TestTaskRecord: a record is read as it was written, and no other bytes are one.
func TestTaskRecord(t *testing.T) {
	now := time.UnixMicro(1_800_000_000_000_000).UTC()
	a := Task{ID: 7, Trigger: Cascaded, Status: TaskFailed, Configured: Auto, Requested: Fallback, Planned: Incremental, Executed: Complete, Reason: "r", Detail: "d\x00é",
		Code: "c", Error: "e", RowsIn: 1, RowsOut: -2, From: 3, To: 4, Estimates: Estimates{5, 6, 7, 8}, Queued: now, Finished: now.Add(time.Second)}
	text := a.append(nil)
	var b Task
	if !b.parse(text) || a != b {
		t.Errorf("%+v\n%+v", a, b)
	}
	for i := range text {
		if (&Task{}).parse(text[:i]) {
			t.Errorf("%d of %d bytes are a record", i, len(text))
		}
	}
	if (&Task{}).parse(append(text, 0)) {
		t.Error("a record and a byte are a record")
	}
}

// TestCostsDoubt: a step that was measured too dear by a little is tried again,
// one that is much dearer is not.
func TestCostsDoubt(t *testing.T) {
	for _, ratio := range []float64{1.05, 1.4, 1.6, 3} {
		c := costs{full: 10}
		c.steps[classOf(1000)] = 10 * ratio
		tried := false
		for range 20 {
			e := Estimates{Pending: 1000, Delta: time.Duration(c.step(1000) * 1e6), Complete: time.Duration(c.complete() * 1e6)}
			tried = tried || e.Delta <= e.Complete
			c.doubt(&e)
		}
		if tried != (ratio < 1.5) {
			t.Errorf("dearer by %f: tried %v", ratio, tried)
		}
	}
}
