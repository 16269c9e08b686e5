package main

import (
	"testing"
	"time"

	"github.com/ivmc/ivmc"
)

func TestHowAViewIsRefreshed(t *testing.T) {
	at := time.Date(2026, 3, 1, 7, 0, 0, 0, time.FixedZone("", 3600))
	for _, c := range []struct {
		trigger string
		job     *ivmc.Job
		want    string
	}{
		{"", nil, ""},
		{"ON COMMIT SYNC", nil, "on commit"},
		{"ON COMMIT ASYNC", nil, "not now: no server runs"},
		{"ON COMMIT ASYNC", &ivmc.Job{}, "on commit"},
		{"ON COMMIT ASYNC", &ivmc.Job{Next: at, Failures: 3}, "on commit, failed 3 in a row, next 2026-03-01 06:00:00"},
		{"WITH LAG '1 minute'", &ivmc.Job{}, "nothing to do"},
		{"ON SCHEDULE EVERY 1 HOUR", nil, "not now: no server runs"},
		{"ON SCHEDULE EVERY 1 HOUR", &ivmc.Job{Next: at}, "next 2026-03-01 06:00:00"},
		{"ON SCHEDULE EVERY 1 HOUR", &ivmc.Job{Next: at, Failures: 3}, "failed 3 in a row, next 2026-03-01 06:00:00"},
		{"ON SCHEDULE EVERY 1 HOUR", &ivmc.Job{Next: at, Failures: 1, Running: true}, "failed 1 in a row, running"},
		{"WITH LAG '1 minute'", &ivmc.Job{Waiting: true}, "waiting"},
		{"WITH LAG '1 minute'", &ivmc.Job{Paused: true, Next: at}, "paused"},
	} {
		if got := refreshed(&ivmc.ViewStatus{Trigger: c.trigger, Job: c.job}); got != c.want {
			t.Errorf("%s %+v: %q, and not %q", c.trigger, c.job, got, c.want)
		}
	}
	if refreshed(nil) != "" {
		t.Error("of a table")
	}
}
