package refresh

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"time"

	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/runtime"
	"github.com/ivmc/ivmc/storage"
)

// costs is what the refreshes of a view were measured to cost, in nanoseconds for
// a visit of [delta.Plan.Work]; 0: not measured. Steps are kept apart by the number
// of their changes: a small one costs more a change than a large one, of which
// many meet in one group and in one line of the cache. A complete refresh counts as
// nothing but a complete refresh.
type costs struct {
	build float64 // of a view without rows
	full  float64 // of one with rows
	steps [stepClasses]float64
}

const (
	stepClasses = 8    // by powers of 8: up to 8, 64, .. changes
	usual       = 20.0 // nanoseconds for a visit where nothing was measured
	stepBase    = 10 * time.Microsecond
	buildBase   = 30 * time.Microsecond // states and the plan are written anew
	// least is the work, in visits, below which a time says nothing of the rows.
	least = 2000
)

func classOf(pending int64) int {
	return min(max(bits.Len64(uint64(pending))-1, 0)/3, stepClasses-1)
}

// work is what both ways of a refresh would be, in visits.
type work struct{ step, full float64 }

// complete is what a visit of a complete refresh takes.
func (c *costs) complete() float64 {
	switch {
	case c.full > 0:
		return c.full
	case c.build > 0:
		return c.build
	}
	return usual
}

// step is what a visit of a step of so many changes takes: as measured for that many; else as
// measured for the nearest number, which is believed the less the further it is.
func (c *costs) step(pending int64) float64 {
	guess, at := c.complete(), classOf(pending)
	for far := range stepClasses {
		for _, i := range []int{at - far, at + far} {
			if i < 0 || i >= stepClasses || c.steps[i] == 0 {
				continue
			}
			if far <= 1 {
				return c.steps[i]
			}
			part := 1 / float64(far)
			return math.Exp(part*math.Log(c.steps[i]) + (1-part)*math.Log(guess))
		}
	}
	return guess
}

// learn takes a measured time in. Others on the machine make a time longer and
// never shorter, so one that is shorter moves the old measure by half, and one
// that is longer by a quarter, and counts as twice that at most.
func learn(old *float64, visits float64, took time.Duration) bool {
	if visits < least || took <= 0 {
		return false
	}
	k := float64(took.Nanoseconds()) / visits
	if *old > 0 {
		if k < *old {
			k = (*old + k) / 2
		} else {
			k = *old + (min(k, 2**old)-*old)/4
		}
	}
	*old = k
	return true
}

// doubt is for a step that was not taken and so not measured, where that was a near
// thing: its cost is believed a little less each time, until one is tried again.
func (c *costs) doubt(e *Estimates) {
	if e.Delta < e.Complete*3/2 {
		c.steps[classOf(e.Pending)] *= 0.95
	}
}

const costsVersion = 1

func (c *costs) append(b []byte) []byte {
	b = append(b, costsVersion)
	for _, f := range append([]float64{c.build, c.full}, c.steps[:]...) {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(f))
	}
	return b
}

func (c *costs) parse(b []byte) {
	if len(b) != 1+8*(2+stepClasses) || b[0] != costsVersion {
		return // of a later program: measured anew
	}
	all := make([]float64, 2+stepClasses)
	for i := range all {
		f := math.Float64frombits(binary.LittleEndian.Uint64(b[1+8*i:]))
		if !(f >= 0 && f < 1e12) {
			return
		}
		all[i] = f
	}
	c.build, c.full = all[0], all[1]
	copy(c.steps[:], all[2:])
}

// weigh estimates both ways of a refresh to a base. Where nothing is pending, or
// something is in the way of counting, there is nothing to weigh.
func (e *Engine) weigh(en *entry, base *runtime.Base, rep *Report) {
	if e.recall(rep.ID, &en.past) != nil {
		return
	}
	step, full, pending, err := en.view.Counts(base)
	if err != nil || pending == 0 {
		return
	}
	c := &en.past.costs
	rep.work.full = en.view.Full().Work(full)
	rep.Estimates = Estimates{Pending: pending, Complete: buildBase + time.Duration(rep.work.full*c.complete())}
	for i, in := range en.view.Full().Inputs {
		if i == 0 || in.Rel != en.view.Full().Inputs[i-1].Rel {
			rep.Estimates.Rows += int64(full.Rows[i])
		}
	}
	if inc := en.view.Inc(); inc != nil {
		rep.work.step = inc.Work(step)
		rep.Estimates.Delta = stepBase + time.Duration(rep.work.step*c.step(pending))
	}
}

// trifle is what a step may take before another way is thought of.
const trifle = 5 * time.Millisecond

// dearer reports whether a step would cost more than computing the view anew.
func (r *Report) dearer() bool {
	return r.Estimates.Delta > trifle && r.work.step > 5*least && r.Estimates.Delta > r.Estimates.Complete
}

func (e *Estimates) text() string {
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	return fmt.Sprintf("%d changes of %d rows: about %.1f ms by INCREMENTAL, %.1f ms by COMPLETE", e.Pending, e.Rows, ms(e.Delta), ms(e.Complete))
}

// measured takes in what a refresh took, as it goes to its commit.
func (e *Engine) measured(en *entry, rep *Report, step *runtime.Step, now time.Time) bool {
	c, took := &en.past.costs, now.Sub(rep.Started)
	switch {
	case rep.Kept > 0: // it was neither
		return false
	case !step.Built():
		return !step.Cold() && learn(&c.steps[classOf(rep.Estimates.Pending)], rep.work.step, took-stepBase)
	case step.From() != 0 && rep.Trigger != Creation:
		if rep.Reason == delta.CodeCost {
			c.doubt(&rep.Estimates)
		}
		return learn(&c.full, rep.work.full, took)
	}
	_, full, _, err := en.view.Counts(nil)
	if err != nil {
		return false
	}
	full.View = float64(rep.RowsOut)
	return learn(&c.build, en.view.Full().Work(full), took)
}

// costsNote is the record of what was learned.
func (p *past) costsNote(id storage.ID) storage.Note {
	return storage.Note{Object: id, Kind: noteCosts, Value: p.costs.append(nil)}
}
