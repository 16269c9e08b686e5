package refresh

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/runtime"
	"github.com/ivmc/ivmc/storage"
)

// costs is what the refreshes of a view were measured to cost. A complete refresh
// counts as nothing but a complete refresh.
type costs struct {
	build measure // of a view without rows
	full  curve   // of one with rows
	steps curve
}

const (
	usual     = 20.0 // nanoseconds for a visit where nothing was measured
	stepBase  = 10 * time.Microsecond
	buildBase = 30 * time.Microsecond // states and the plan are written anew

	// visitDiffers is what a row that differs adds to computing a view anew, whose rows
	// are compared in memory: it is resolved, logged and written.
	visitDiffers = 40
)

// choice is which way AUTO goes.
type choice struct {
	complete bool
	tried    bool // it seems the dearer one, and is to be measured
}

// work is what both ways of a refresh would be, in visits.
type work struct{ step, full float64 }

// estimate is what both ways would take, and which one is to be gone.
func (c *costs) estimate(w work, pending int64) (step, full time.Duration, by choice) {
	size := sizeOf(pending)
	guess := usual
	if c.build.times > 0 {
		guess = c.build.cost
	}
	fullCost, fullAway := c.full.at(size, guess)
	full = buildBase + time.Duration(w.full*fullCost)
	if w.step == 0 {
		return 0, full, choice{} // something else is in the way
	}
	stepCost, stepAway := c.steps.at(size, fullCost)
	step = stepBase + time.Duration(w.step*stepCost)
	if by.complete = step > full; by.complete {
		by.tried = float64(step) < float64(full)*c.steps.margin(size, stepAway, mostOff)
	} else {
		by.tried = float64(full) < float64(step)*c.full.margin(size, fullAway, buildOff)
	}
	by.complete = by.complete != by.tried
	if step <= trifle || w.step <= 5*least {
		by = choice{}
	}
	return step, full, by
}

// sampled is how many changes make it worth while to look how they are spread.
const sampled = 1 << 14

// trifle is what a step may take before another way is thought of.
const trifle = 5 * time.Millisecond

// doubt is for the way that was not gone.
func (c *costs) doubt(e *Estimates, complete bool) {
	if size := sizeOf(e.Pending); complete {
		c.steps[size].doubt(float64(e.Delta) / float64(e.Complete))
	} else {
		c.full[size].doubt(float64(e.Complete) / float64(e.Delta))
	}
}

const costsVersion = 2

// append writes what was measured: the version, and then for each measure its place
// (0: build; from 1 on those of full, then those of steps), times, cost and faith.
func (c *costs) append(b []byte) []byte {
	b = append(b, costsVersion)
	for i, m := range c.all() {
		if m.times == 0 {
			continue
		}
		b = append(b, byte(i), byte(m.times))
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(m.cost))
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(m.faith))
	}
	return b
}

func (c *costs) all() []*measure {
	out := []*measure{&c.build}
	for _, of := range []*curve{&c.full, &c.steps} {
		for i := range of {
			out = append(out, &of[i])
		}
	}
	return out
}

// parse reads what append wrote; nothing of what another program did: it is measured anew.
func (c *costs) parse(b []byte) {
	const each = 2 + 8 + 8
	if len(b) < 1 || len(b)%each != 1 || b[0] != costsVersion {
		return
	}
	var got costs
	all := got.all()
	for b = b[1:]; len(b) > 0; b = b[each:] {
		m := measure{times: int(b[1]), cost: math.Float64frombits(binary.LittleEndian.Uint64(b[2:])), faith: math.Float64frombits(binary.LittleEndian.Uint64(b[10:]))}
		if int(b[0]) >= len(all) || m.times == 0 || !(m.cost > 0 && m.cost < 1e12) || !(m.faith > 0 && m.faith <= 1) {
			return
		}
		*all[b[0]] = m
	}
	*c = got
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
	if pending >= sampled {
		step.Spread = en.view.Spread(base)
	}
	rep.work.full, _ = en.view.Full().Work(full)
	rep.Estimates = Estimates{Pending: pending}
	for i, in := range en.view.Full().Inputs {
		if i == 0 || in.Rel != en.view.Full().Inputs[i-1].Rel {
			rep.Estimates.Rows += int64(full.Rows[i])
		}
	}
	if inc := en.view.Inc(); inc != nil {
		differ := 0.0
		rep.work.step, differ = inc.Work(step)
		rep.work.full += visitDiffers * differ
	}
	rep.Estimates.Delta, rep.Estimates.Complete, rep.choice = en.past.costs.estimate(rep.work, pending)
}

// Tried reports whether AUTO goes the way that seems to take longer, to measure it.
func (r *Report) Tried() bool { return r.Requested == Auto && r.choice.tried }

// dearer reports whether a step would cost more than computing the view anew.
func (r *Report) dearer() bool { return r.choice.complete != r.choice.tried }

func (r *Report) text() string {
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	e := &r.Estimates
	s := fmt.Sprintf("%d changes of %d rows: about %.1f ms by INCREMENTAL, %.1f ms by COMPLETE", e.Pending, e.Rows, ms(e.Delta), ms(e.Complete))
	if r.choice.tried {
		s += fmt.Sprintf("; %s is tried, for it was not measured lately at so many changes", map[bool]Mode{true: Complete, false: Incremental}[r.choice.complete])
	}
	return s
}

// measured takes in what a refresh took, as it goes to its commit.
func (e *Engine) measured(en *entry, rep *Report, step *runtime.Step, now time.Time) bool {
	c, took := &en.past.costs, now.Sub(rep.Started)
	weighed := rep.Requested == Auto && rep.Estimates.Delta > trifle && !rep.choice.tried
	switch {
	case rep.Kept > 0: // it was neither
		return false
	case !step.Built():
		if step.Cold() {
			return false
		}
		if weighed {
			c.doubt(&rep.Estimates, false)
		}
		return c.steps[sizeOf(rep.Estimates.Pending)].learn(rep.work.step, took-stepBase) || weighed
	case step.From() != 0 && rep.Trigger != Creation:
		if weighed && rep.Reason == delta.CodeCost {
			c.doubt(&rep.Estimates, true)
		}
		return c.full[sizeOf(rep.Estimates.Pending)].learn(rep.work.full, took-buildBase)
	}
	_, full, _, err := en.view.Counts(nil)
	if err != nil {
		return false
	}
	full.View = float64(rep.RowsOut)
	visits, _ := en.view.Full().Work(full)
	return c.build.learn(visits, took-buildBase)
}

// costsNote is the record of what was learned.
func (p *past) costsNote(id storage.ID) storage.Note {
	return storage.Note{Object: id, Kind: noteCosts, Value: p.costs.append(nil)}
}
