package schedule

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// cron is five fields: minutes, hours, days of the month, months, days of the week,
// each a set of bits. Where both kinds of days are given, either will do.
//
// A time of the wall that a change to summer time leaves out counts for the
// minute after the gap; one that comes twice counts the first time, but where
// every hour is meant.
type cron struct {
	minute, hour, dom, month, dow uint64
	anyDom, anyDow                bool
	loc                           *time.Location
}

// field is one of the five.
type field struct {
	name     string
	min, max int
	names    []string // of the values from min on
}

func fields() [5]field {
	return [5]field{
		{"minute", 0, 59, nil},
		{"hour", 0, 23, nil},
		{"day of the month", 1, 31, nil},
		{"month", 1, 12, []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
		{"day of the week", 0, 7, []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}},
	}
}

// horizon is how far a next tick is looked for: February 29 may be 8 years away.
const horizonYears = 9

func parseCron(text string, loc *time.Location) (*cron, error) {
	parts := strings.Fields(text)
	all := fields()
	if len(parts) != len(all) {
		return nil, fmt.Errorf("a cron schedule has 5 fields (minute, hour, day of the month, month, day of the week); here are %d", len(parts))
	}
	var sets [5]uint64
	for i, f := range all {
		set, err := f.parse(parts[i])
		if err != nil {
			return nil, err
		}
		sets[i] = set
	}
	c := &cron{minute: sets[0], hour: sets[1], dom: sets[2], month: sets[3], dow: sets[4], loc: loc}
	if c.dow&(1<<7) != 0 { // Sunday, as 0
		c.dow |= 1
	}
	c.anyDom, c.anyDow = strings.HasPrefix(parts[2], "*"), strings.HasPrefix(parts[4], "*")
	if c.next(time.Date(2000, 1, 1, 0, 0, 0, 0, loc)).IsZero() {
		return nil, fmt.Errorf("cron schedule %q names a day that never comes", text)
	}
	return c, nil
}

// parse reads a list of values, ranges and steps.
func (f field) parse(text string) (set uint64, err error) {
	for _, item := range strings.Split(text, ",") {
		span, step, stepped := strings.Cut(item, "/")
		by := 1
		if stepped {
			if by, err = strconv.Atoi(step); err != nil || by < 1 || by > f.max {
				return 0, fmt.Errorf("step %q of the field %s is no number from 1 to %d", step, f.name, f.max)
			}
		}
		lo, hi := f.min, f.max
		if span != "*" {
			from, to, ranged := strings.Cut(span, "-")
			if lo, err = f.value(from); err != nil {
				return 0, err
			}
			switch {
			case ranged:
				if hi, err = f.value(to); err != nil {
					return 0, err
				}
			case !stepped:
				hi = lo
			}
			if hi < lo {
				return 0, fmt.Errorf("range %q of the field %s runs backwards", span, f.name)
			}
		} else if f.max == 7 {
			hi = 6 // Sunday is there once
		}
		for v := lo; v <= hi; v += by {
			set |= 1 << v
		}
	}
	return set, nil
}

func (f field) value(text string) (int, error) {
	for i, name := range f.names {
		if strings.EqualFold(text, name) {
			return f.min + i, nil
		}
	}
	v, err := strconv.Atoi(text)
	if err != nil || v < f.min || v > f.max || text[0] == '+' || text[0] == '-' {
		return 0, fmt.Errorf("%q in the field %s is none of %d to %d", text, f.name, f.min, f.max)
	}
	return v, nil
}

func (c *cron) day(year int, month time.Month, day int) bool {
	if c.month&(1<<month) == 0 {
		return false
	}
	wd := time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Weekday()
	dom, dow := c.dom&(1<<day) != 0, c.dow&(1<<wd) != 0
	if c.anyDom || c.anyDow {
		return dom && dow
	}
	return dom || dow
}

// next is the first moment after t that the fields name; zero: none for years.
func (c *cron) next(t time.Time) time.Time {
	local := t.In(c.loc)
	year, month, day := local.Date()
	// From the day before: what a gap of tonight moves may be of yesterday.
	for d := -1; d < horizonYears*366; d++ {
		at := time.Date(year, month, day+d, 0, 0, 0, 0, time.UTC)
		y, m, dd := at.Date()
		if !c.day(y, m, dd) {
			continue
		}
		if next := c.within(y, m, dd, t); !next.IsZero() {
			return next.UTC()
		}
	}
	return time.Time{}
}

// within is the first moment of a day of the calendar after t; zero: none.
func (c *cron) within(y int, m time.Month, d int, t time.Time) (first time.Time) {
	consider := func(at time.Time) {
		if at.After(t) && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	for hours := c.hour; hours != 0; hours &= hours - 1 {
		h := bits.TrailingZeros64(hours)
		if !first.IsZero() && wall(y, m, d, h, 0, c.loc).After(first) {
			break
		}
		for minutes := c.minute; minutes != 0; minutes &= minutes - 1 {
			at := wall(y, m, d, h, bits.TrailingZeros64(minutes), c.loc)
			consider(at)
			if c.hour == 1<<24-1 { // every hour: also the one that the clock shows again
				for _, shift := range []time.Duration{30 * time.Minute, time.Hour} {
					if again := at.Add(shift); again.Hour() == at.Hour() && again.Minute() == at.Minute() && again.Day() == at.Day() {
						consider(again)
					}
				}
			}
		}
	}
	return first
}

// wall is the moment when a clock on the wall shows a time: the first one of two;
// of a time that is left out, the one when the gap ends.
func wall(y int, m time.Month, d, h, min int, loc *time.Location) time.Time {
	t := time.Date(y, m, d, h, min, 0, 0, loc)
	if t.Hour() != h || t.Minute() != min || t.Day() != d { // left out: find where the offset changes
		lo, hi := t.Add(-4*time.Hour), t.Add(4*time.Hour)
		_, before := lo.Zone()
		for hi.Sub(lo) > time.Second {
			mid := lo.Add(hi.Sub(lo) / 2)
			if _, o := mid.Zone(); o == before {
				lo = mid
			} else {
				hi = mid
			}
		}
		return hi.Truncate(time.Second)
	}
	for _, shift := range []time.Duration{time.Hour, 30 * time.Minute} {
		if e := t.Add(-shift); e.Hour() == h && e.Minute() == min && e.Day() == d {
			return e
		}
	}
	return t
}
