package ivmc

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ivmc/ivmc/refresh"
	"github.com/ivmc/ivmc/schedule"
	"github.com/ivmc/ivmc/session"
)

// ScheduleOptions of [DB.Schedule]. The zero ScheduleOptions are the defaults.
type ScheduleOptions struct {
	// Workers bounds the refreshes that run side by side. Views that read each
	// other are refreshed together, one after another. Default: 2.
	Workers int
	// Jitter spreads the ticks of many views: each comes up to so much later, always
	// by the same, and by a tenth of its interval at most. Default: none.
	Jitter time.Duration
	// Retry is how long after a failure a view is refreshed again. Each further
	// failure doubles it, up to MaxRetry. Default: a second, and five minutes.
	Retry, MaxRetry time.Duration
	// Grace is how long refreshes that run may go on when the context has ended;
	// then they are cancelled, which leaves their views as they were. Default: none.
	Grace time.Duration
	// Timer gives a channel that receives when the clock, which is [Options].Clock,
	// shows a time, and what stops it. Default: by time.NewTimer.
	Timer func(at time.Time) (<-chan time.Time, func() bool)
	// OnRefresh hears of each refresh: the report, and the error of one that failed,
	// whose report says what was wanted. It is called by one goroutine at a time,
	// and nothing new starts while it runs.
	OnRefresh func(*RefreshReport, error)
	// OnVerify hears of each verification of a view with the property verify_interval: the
	// report, of a part of its rows, and the error of one that could not be made, whose
	// report names the view. It is called as OnRefresh is.
	OnVerify func(*VerifyReport, error)
}

// Validate says everything that is wrong with o.
func (o *ScheduleOptions) Validate() error {
	var es []error
	if o.Workers < 0 {
		es = append(es, fmt.Errorf("ivmc: option Workers is negative: %d", o.Workers))
	}
	for _, d := range []struct {
		name string
		d    time.Duration
	}{{"Jitter", o.Jitter}, {"Retry", o.Retry}, {"MaxRetry", o.MaxRetry}, {"Grace", o.Grace}} {
		if d.d < 0 {
			es = append(es, fmt.Errorf("ivmc: option %s is negative: %s", d.name, d.d))
		}
	}
	return errors.Join(es...)
}

// EnsureDefaults fills in what is zero. Schedule works on a copy.
func (o *ScheduleOptions) EnsureDefaults() {
	set := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	if o.Workers == 0 {
		o.Workers = 2
	}
	set(&o.Retry, time.Second)
	set(&o.MaxRetry, 5*time.Minute)
}

// String lists the options with their defaults, one line.
func (o *ScheduleOptions) String() string {
	var with ScheduleOptions
	if o != nil {
		with = *o
	}
	with.EnsureDefaults()
	return fmt.Sprintf("workers=%d jitter=%s retry=%s max_retry=%s grace=%s", with.Workers, with.Jitter, with.Retry, with.MaxRetry, with.Grace)
}

// Schedule refreshes views as their definitions say (ON SCHEDULE, WITH LAG, ON
// COMMIT ASYNC) until ctx ends; then it returns nil, after the refreshes that run
// have ended. Without it nothing refreshes by itself. One runs at a time (55006).
// Errors: [ErrClosed] where the database is closed first, or what
// [ScheduleOptions.Validate] says. Views with the property verify_interval are verified
// as [DB.VerifySample] does. A refresh that fails is no error of Schedule:
// it is tried again.
//
// A view is refreshed by the mode of its definition, and brings along what it
// reads, so that all come to stand for one moment.
//
//	go db.Schedule(ctx, nil)
//	_, err := db.Exec(ctx, `CREATE MATERIALIZED VIEW by_state REFRESH WITH LAG '1 minute'
//		AS SELECT state, count(*) AS n FROM orders GROUP BY state`)
func (db *DB) Schedule(ctx context.Context, opts *ScheduleOptions) error {
	ctx = orBackground(ctx)
	var o ScheduleOptions
	if opts != nil {
		o = *opts
	}
	if err := o.Validate(); err != nil {
		return err
	}
	o.EnsureDefaults()
	so := session.ScheduleOptions{
		Options: schedule.Options{Workers: o.Workers, Jitter: o.Jitter, Retry: o.Retry, Longest: o.MaxRetry},
		Grace:   o.Grace, Timer: o.Timer,
	}
	if o.OnRefresh != nil {
		so.Done = func(r *refresh.Report) { o.OnRefresh(reportOf(r), publish(r.Err, "")) }
	}
	if o.OnVerify != nil {
		so.Verified = func(r *refresh.VerifyReport, err error) {
			rep, _ := verifyReport(r, nil)
			o.OnVerify(rep, publish(err, ""))
		}
	}
	return publish(db.engine.Schedule(ctx, so), "")
}
