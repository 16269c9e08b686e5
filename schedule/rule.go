package schedule

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Kind is what triggers a refresh.
type Kind uint8

// The kinds of rules. The zero one is of a view that nobody refreshes but users.
const (
	Manual Kind = iota
	Every
	Cron
	Commit
	Lag
)

// Unit is a unit of a grid of time. A day is 24 hours, whatever a clock on the
// wall does in between.
type Unit time.Duration

// The units.
const (
	Second = Unit(time.Second)
	Minute = Unit(time.Minute)
	Hour   = Unit(time.Hour)
	Day    = Unit(24 * time.Hour)
	Week   = Unit(7 * 24 * time.Hour)
)

// Units gives the units by their words.
func Units() map[string]Unit {
	return map[string]Unit{"second": Second, "minute": Minute, "hour": Hour, "day": Day, "week": Week}
}

// String is the word of u.
func (u Unit) String() string {
	for word, v := range Units() {
		if u == v {
			return strings.ToUpper(word)
		}
	}
	return time.Duration(u).String()
}

// maxLength bounds intervals and lags, so that no sum of times overflows.
const maxLength = 100 * 366 * 24 * time.Hour

// Rule is the trigger of a view's definition. Its JSON lies in catalogs.
type Rule struct {
	Kind  Kind  `json:"kind"`
	N     int64 `json:"n,omitempty"`
	Unit  Unit  `json:"unit,omitempty"`
	Async bool  `json:"async,omitempty"` // of Commit: behind the commit, not with it

	Starts time.Time     `json:"starts,omitzero"` // as given; zero: it was not
	Anchor time.Time     `json:"anchor,omitzero"` // of Every: the first tick
	Fields string        `json:"fields,omitempty"`
	Zone   string        `json:"zone,omitempty"` // of Cron; "": UTC
	Lag    time.Duration `json:"lag,omitempty"`
}

// NewEvery is a grid of every n units, first at starts, which must not be before
// now; zero: one interval after now.
func NewEvery(n int64, unit Unit, starts, now time.Time) (Rule, error) {
	r := Rule{Kind: Every, N: n, Unit: unit, Starts: starts.UTC(), Anchor: starts.UTC()}
	if n <= 0 {
		return r, errors.New("the interval must be at least 1")
	}
	if n > int64(maxLength)/int64(unit) {
		return r, errors.New("the interval is longer than 100 years")
	}
	if starts.IsZero() {
		r.Starts, r.Anchor = time.Time{}, now.Add(r.Interval()).UTC()
		return r, nil
	}
	if starts.Before(now) {
		return r, fmt.Errorf("the start %s is in the past", starts.Format("2006-01-02 15:04:05.999999Z07:00"))
	}
	if starts.Sub(now) > maxLength {
		return r, errors.New("the start is more than 100 years away")
	}
	return r, nil
}

// NewCron reads five fields and the name of a time zone.
func NewCron(fields, zone string) (Rule, error) {
	r := Rule{Kind: Cron, Fields: strings.Join(strings.Fields(fields), " "), Zone: zone}
	_, err := r.cron()
	return r, err
}

// NewLag is a view that is never further behind than lag.
func NewLag(lag time.Duration) (Rule, error) {
	if lag < time.Second {
		return Rule{}, errors.New("a lag is at least 1 second")
	}
	if lag > maxLength {
		return Rule{}, errors.New("the lag is longer than 100 years")
	}
	return Rule{Kind: Lag, Lag: lag}, nil
}

// Interval is the distance of the ticks of Every.
func (r Rule) Interval() time.Duration { return time.Duration(r.N) * time.Duration(r.Unit) }

// Restarted is r with its grid laid anew from now, if it has no start of its own
// to come.
func (r Rule) Restarted(now time.Time) Rule {
	if r.Kind == Every && r.Starts.IsZero() {
		r.Anchor = now.Add(r.Interval()).UTC()
	}
	return r
}

// Next is the first tick after a moment; zero: there is none, as r goes by no clock.
func (r Rule) Next(after time.Time) time.Time {
	switch r.Kind {
	case Every:
		if !r.Starts.IsZero() && after.Before(r.Starts) {
			return r.Starts
		}
		return r.grid(after)
	case Cron:
		c, err := r.cron()
		if err != nil { // it was read when it was made
			return time.Time{}
		}
		return c.next(after)
	}
	return time.Time{}
}

// ticks counts those from a tick on, up to a moment; of cron no more than a thousand.
func (r Rule) ticks(tick, to time.Time) (n int64) {
	if r.Kind == Every {
		return int64(to.Sub(tick)/r.Interval()) + 1
	}
	for ; n < 1000 && !tick.IsZero() && !tick.After(to); n++ {
		tick = r.Next(tick)
	}
	return n
}

// grid is the first moment of the grid after another. It has no first moment: the
// clock may have been ahead when it was laid.
func (r Rule) grid(after time.Time) time.Time {
	step, at := r.Interval(), r.Anchor
	far := maxLength / step * step // a duration holds 292 years only
	for after.Sub(at) > far {
		at = at.Add(far)
	}
	for at.Sub(after) > far {
		at = at.Add(-far)
	}
	d := after.Sub(at)
	k := d / step
	if d%step >= 0 {
		k++
	}
	return at.Add(k * step)
}

// Automatic tells the rules by which a view is refreshed behind the scenes; one
// that moves with the commits of others is not.
func (r Rule) Automatic() bool {
	return r.Kind == Every || r.Kind == Cron || r.Kind == Lag || r.Kind == Commit && r.Async
}

// Follows tells the rules that look at the changes of sources.
func (r Rule) Follows() bool { return r.Kind == Lag || r.Kind == Commit && r.Async }

func (r Rule) cron() (*cron, error) {
	loc := time.UTC
	if r.Zone != "" {
		var err error
		if loc, err = time.LoadLocation(r.Zone); err != nil {
			return nil, fmt.Errorf("time zone %q is not known", r.Zone)
		}
	}
	return parseCron(r.Fields, loc)
}
