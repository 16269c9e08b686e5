package schedule

import (
	"math/rand"
	"testing"
	"time"
)

func day(y int, m time.Month, d, h, min int) time.Time {
	return time.Date(y, m, d, h, min, 0, 0, time.UTC)
}

func TestEvery(t *testing.T) {
	now := day(2026, 3, 1, 12, 7)
	r, err := NewEvery(10, Minute, time.Time{}, now)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ after, want time.Time }{
		{now, day(2026, 3, 1, 12, 17)},
		{day(2026, 3, 1, 12, 17), day(2026, 3, 1, 12, 27)}, // strictly after
		{day(2026, 3, 1, 12, 16), day(2026, 3, 1, 12, 17)},
		{day(2026, 3, 1, 11, 57), day(2026, 3, 1, 12, 7)}, // the grid goes back: the clock may have been ahead
		{day(2026, 3, 1, 11, 52), day(2026, 3, 1, 11, 57)},
		{day(2626, 3, 1, 12, 7), day(2626, 3, 1, 12, 17)}, // beyond what a duration holds
		{day(1426, 3, 1, 12, 7), day(1426, 3, 1, 12, 17)},
	} {
		if got := r.Next(c.after); !got.Equal(c.want) {
			t.Errorf("after %s: %s, wanted %s", c.after, got, c.want)
		}
	}
	starts := day(2026, 3, 2, 0, 0)
	if r, err = NewEvery(1, Week, starts, now); err != nil {
		t.Fatal(err)
	}
	if got := r.Next(now.AddDate(-1, 0, 0)); !got.Equal(starts) {
		t.Errorf("before it starts: %s", got)
	}
	if got := r.Next(starts); !got.Equal(starts.AddDate(0, 0, 7)) {
		t.Errorf("after it started: %s", got)
	}
	for _, bad := range []func() (Rule, error){
		func() (Rule, error) { return NewEvery(0, Second, time.Time{}, now) },
		func() (Rule, error) { return NewEvery(-5, Second, time.Time{}, now) },
		func() (Rule, error) { return NewEvery(1<<62, Week, time.Time{}, now) },
		func() (Rule, error) { return NewEvery(1, Day, now.Add(-time.Microsecond), now) },
		func() (Rule, error) { return NewEvery(1, Day, now.AddDate(200, 0, 0), now) },
		func() (Rule, error) { return NewLag(time.Millisecond) },
		func() (Rule, error) { return NewLag(1 << 62) },
	} {
		if r, err := bad(); err == nil {
			t.Errorf("%+v was taken", r)
		}
	}
}

func TestCron(t *testing.T) {
	for _, c := range []struct{ fields, zone, after, want string }{
		{"* * * * *", "", "2026-03-01T12:07:30Z", "2026-03-01T12:08:00Z"},
		{"*/15 * * * *", "", "2026-03-01T12:45:00Z", "2026-03-01T13:00:00Z"},
		{"5/20 1-3 * * *", "", "2026-03-01T02:25:00Z", "2026-03-01T02:45:00Z"},
		{"0 3 * * mon-fri", "", "2026-03-06T03:00:00Z", "2026-03-09T03:00:00Z"},
		{"0 0 * * 7", "", "2026-03-02T00:00:00Z", "2026-03-08T00:00:00Z"},
		{"0 0 29 FEB *", "", "2024-02-29T00:00:00Z", "2028-02-29T00:00:00Z"},
		{"0 0 29 2 *", "", "2096-03-01T00:00:00Z", "2104-02-29T00:00:00Z"},   // 2100 has none
		{"0 0 13 * fri", "", "2026-03-01T00:00:00Z", "2026-03-06T00:00:00Z"}, // either day will do
		{"0 0 */2 * 1", "", "2026-03-01T00:00:00Z", "2026-03-09T00:00:00Z"},  // * with a step is no day that was named
		{"0 3 * * *", "Europe/Berlin", "2026-03-27T12:00:00Z", "2026-03-28T02:00:00Z"},
		{"0 3 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z"},
		// 02:30 is left out on 2026-03-29 and comes twice on 2026-10-25
		{"30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z"},
		{"30 2 * * *", "Europe/Berlin", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"},
		{"30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z"},
		{"30 2 * * *", "Europe/Berlin", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"},
		// but of every hour there is one more
		{"30 * * * *", "Europe/Berlin", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"},
		{"30 * * * *", "Europe/Berlin", "2026-10-25T01:30:00Z", "2026-10-25T02:30:00Z"},
		{"30 * * * *", "Europe/Berlin", "2026-03-29T00:30:00Z", "2026-03-29T01:00:00Z"},   // for 02:30, which there is not
		{"0 0 * * *", "America/Santiago", "2026-09-05T12:00:00Z", "2026-09-06T04:00:00Z"}, // midnight is left out
		{"15 4 1 1 *", "Asia/Kolkata", "2026-03-01T00:00:00Z", "2026-12-31T22:45:00Z"},
	} {
		r, err := NewCron(c.fields, c.zone)
		if err != nil {
			t.Errorf("%s: %v", c.fields, err)
			continue
		}
		after, _ := time.Parse(time.RFC3339, c.after)
		if got := r.Next(after).Format(time.RFC3339); got != c.want {
			t.Errorf("%q in %q after %s: %s, wanted %s", c.fields, c.zone, c.after, got, c.want)
		}
	}
	for _, bad := range []string{"", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8", "*/0 * * * *",
		"5-1 * * * *", "a * * * *", "1,, * * * *", "-1 * * * *", "+1 * * * *", "*/99 * * * *", "0 0 30 2 *", "0 0 31 apr,jun *", "1- * * * *"} {
		if r, err := NewCron(bad, ""); err == nil {
			t.Errorf("%q was taken: %v", bad, r.Next(day(2026, 1, 1, 0, 0)))
		}
	}
	if _, err := NewCron("* * * * *", "Mars/Olympus"); err == nil {
		t.Error("a time zone that there is not was taken")
	}
}

// TestCronAgainstMinutes compares Next with a walk over all minutes of the wall.
func TestCronAgainstMinutes(t *testing.T) {
	rnd := rand.New(rand.NewSource(7))
	pick := func(words ...string) string { return words[rnd.Intn(len(words))] }
	zones := []string{"", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "America/Santiago"}
	for range 300 {
		fields := pick("*", "0", "30", "*/7", "1,59") + " " + pick("*", "2", "1-3", "*/5", "0,23") + " " + pick("*", "*", "28", "1-7", "*/9") + " " +
			pick("*", "*", "3,10", "4-9") + " " + pick("*", "*", "sun", "1-5")
		zone := pick(zones...)
		r, err := NewCron(fields, zone)
		if err != nil {
			t.Fatal(fields, err)
		}
		c, _ := r.cron()
		t0 := day(2026, time.Month(1+rnd.Intn(12)), 1+rnd.Intn(28), rnd.Intn(24), rnd.Intn(60))
		got := r.Next(t0)
		// Whatever the wall shows at a moment that matches must be found, unless the
		// wall shows it the second time, or an hour that was left out moved it.
		for m := t0.Add(time.Minute); m.Before(got); m = m.Add(time.Minute) {
			w := m.In(c.loc)
			if c.minute&(1<<w.Minute()) != 0 && c.hour&(1<<w.Hour()) != 0 && c.day(w.Year(), w.Month(), w.Day()) &&
				wall(w.Year(), w.Month(), w.Day(), w.Hour(), w.Minute(), c.loc).Equal(m) {
				t.Fatalf("%q in %q after %s: %s, but %s matches", fields, zone, t0, got, w)
			}
			if m.Sub(t0) > 40*24*time.Hour {
				break
			}
		}
		if w := got.In(c.loc); c.minute&(1<<w.Minute()) == 0 || c.hour&(1<<w.Hour()) == 0 || !c.day(w.Year(), w.Month(), w.Day()) {
			_, o1 := got.Add(-time.Second).In(c.loc).Zone()
			_, o2 := got.In(c.loc).Zone()
			if o1 >= o2 { // no gap ends here
				t.Fatalf("%q in %q after %s: %s does not match", fields, zone, t0, w)
			}
		}
	}
}
