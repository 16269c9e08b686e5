// Package schedule says when views are to be refreshed by themselves. It is pure:
// it knows no engine, starts nothing and reads no clock; every moment is handed in.
//
// Main types: [Rule], the trigger of a view's definition (on a grid of time, by
// cron fields, on commit, by a lag), and [Queue], which holds what is due, what
// runs and what waits, and says what may start.
//
// Laws: a view is in at most one pass at a time, and at most once in line behind
// it; triggers beyond are dropped and counted, for what waits takes everything
// that has come up. A tick that was missed, however often, runs once. A view is
// refreshed together with the views below it, so that all come to stand for one
// moment. Where the clock goes back, nothing waits for the time that it showed
// before.
//
//	q := schedule.NewQueue(schedule.Options{Workers: 2})
//	q.Set(now, jobs)
//	for _, pass := range q.Start(now) {
//		// refresh pass.Targets in their order, then
//		q.Done(now, pass.ID, outcomes)
//	}
//	time.Sleep(q.Wake(now))
package schedule
