package refresh

import (
	"math"
	"time"
)

// sizes are the classes of numbers of changes, two to each power of two; the last is of
// all that are larger.
const sizes = 56

func sizeOf(pending int64) int {
	return min(int(2*math.Log2(float64(max(pending, 1)))), sizes-1)
}

// curve is what one way to refresh a view was measured to cost, in nanoseconds for a
// visit of [delta.Plan.Work], by the number of changes: what a visit takes differs with
// it, and with much that is fixed it differs by a multiple.
type curve [sizes]measure

// measure is of one class. Zero: none.
type measure struct {
	cost  float64
	times int     // measured, 255 at most
	faith float64 // what part of the cost is believed, see [measure.doubt]
}

// far is the distance of a guess that stands on no measure at all.
const far = sizes

// at is what a visit costs at a size: as measured there; else between the nearest classes
// that were measured, or beyond the last of them as the last two go; else the guess. With
// it comes how many classes away the measure is.
func (c *curve) at(size int, guess float64) (cost float64, away int) {
	if c[size].times > 0 {
		return c[size].cost, 0
	}
	lo, hi := c.next(size, -1), c.next(size, 1)
	switch {
	case lo < 0 && hi < 0:
		return guess, far
	case lo < 0:
		return c.beyond(size, hi, c.next(hi, 1)), hi - size
	case hi < 0:
		return c.beyond(size, lo, c.next(lo, -1)), size - lo
	}
	part := float64(size-lo) / float64(hi-lo)
	return math.Exp((1-part)*math.Log(c[lo].cost) + part*math.Log(c[hi].cost)), min(size-lo, hi-size)
}

// next is the nearest class that was measured, up or down of one; -1: none.
func (c *curve) next(size, by int) int {
	for size += by; size >= 0 && size < sizes; size += by {
		if c[size].times > 0 {
			return size
		}
	}
	return -1
}

// beyond follows the way from one class to a nearer one on to a size. Two classes further,
// all is twice as much: what is fixed costs half of that a visit, and what grows as the
// changes do twice.
func (c *curve) beyond(size, near, from int) float64 {
	if from < 0 {
		return c[near].cost
	}
	abs := func(n int) float64 { return math.Abs(float64(n)) }
	slope := math.Log(c[near].cost/c[from].cost) / abs(near-from)
	slope = max(-math.Ln2/2, min(slope, math.Ln2/2)) * abs(size-near)
	return c[near].cost * math.Exp(max(-math.Log(mostOff), min(slope, math.Log(mostOff))))
}

// By how much what a visit costs may be off where it was not measured: mostOff between
// numbers of changes, and of a step that is guessed by a complete refresh; buildOff of a
// complete refresh that is guessed by the first build, which is the same plan.
const (
	mostOff  = 4
	buildOff = 1.5
)

// margin is how many times dearer than the other way this one may seem and yet be tried,
// to be measured. An estimate is off by most at most, and by less where a class nearby
// was measured: what seems dearer than that and is not tried is within 1.3 of the other. A
// single measure may have been held up by others on the machine.
func (c *curve) margin(size, away int, most float64) float64 {
	switch {
	case away > 0:
		return min(math.Pow(1.3, float64(away)/2), most/1.3)
	case c[size].times == 1:
		return max(1.3, 1/c[size].faith)
	}
	return 1 / c[size].faith
}

// least is the work, in visits, below which a time says nothing of the rows.
const least = 2000

// learn takes a measured time in. Others on the machine make a time longer and
// never shorter: of the first two the shorter counts, later a shorter one moves the
// measure by half, and a longer one by a quarter, and counts as twice that at most.
func (m *measure) learn(visits float64, took time.Duration) bool {
	if visits < least || took <= 0 {
		return false
	}
	k := float64(took.Nanoseconds()) / visits
	switch {
	case m.times == 0:
	case m.times == 1:
		k = min(k, m.cost)
	case k < m.cost:
		k = (m.cost + k) / 2
	default:
		k = m.cost + (min(k, 2*m.cost)-m.cost)/4
	}
	*m = measure{cost: k, times: min(m.times+1, 255), faith: 1}
	return true
}

// doubt is for a way that was not taken and so not measured, and was ratio times as dear:
// it is believed a little less each time, until it is tried again. A near thing sooner,
// for that costs little; one that is far from it never.
func (m *measure) doubt(ratio float64) {
	switch {
	case m.times == 0 || ratio > 3:
	case ratio < 1.3:
		m.faith *= 0.95
	default:
		m.faith *= 0.97
	}
}
