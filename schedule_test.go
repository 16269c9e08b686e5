package ivmc

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// wall is a clock that a test moves, with the timers that wait for it.
type wall struct {
	mu     sync.Mutex
	now    time.Time
	timers []*wallTimer
	armed  chan struct{} // receives when a timer is set
}

type wallTimer struct {
	at time.Time
	c  chan time.Time
}

func newWall() *wall {
	return &wall{now: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), armed: make(chan struct{}, 1)}
}

func (w *wall) Now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *wall) Timer(at time.Time) (<-chan time.Time, func() bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := &wallTimer{at, make(chan time.Time, 1)}
	if at.After(w.now) {
		w.timers = append(w.timers, t)
	} else {
		t.c <- w.now
	}
	select {
	case w.armed <- struct{}{}:
	default:
	}
	return t.c, func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		for i, x := range w.timers {
			if x == t {
				w.timers = append(w.timers[:i], w.timers[i+1:]...)
				return true
			}
		}
		return false
	}
}

// move sets the clock by d, and rings what is due.
func (w *wall) move(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
	var rest []*wallTimer
	for _, t := range w.timers {
		if t.at.After(w.now) {
			rest = append(rest, t)
			continue
		}
		t.c <- w.now
	}
	w.timers = rest
}

// scheduled is a database with a scheduler on it whose time is a wall's.
type scheduled struct {
	*testing.T
	db      *DB
	wall    *wall
	reports chan *RefreshReport
	errs    chan error
	stop    context.CancelFunc
	ended   chan error
	err     error // of the last refresh
}

func startScheduler(t *testing.T, script string) *scheduled {
	t.Helper()
	w := newWall()
	db, err := Open("", &Options{InMemory: true, Clock: w.Now})
	if err != nil {
		t.Fatal(err)
	}
	return scheduler(t, w, db, script)
}

func scheduler(t *testing.T, w *wall, db *DB, script string) *scheduled {
	t.Helper()
	t.Cleanup(func() { db.Close() })
	s := &scheduled{T: t, db: db, wall: w, reports: make(chan *RefreshReport, 1000), errs: make(chan error, 1000), ended: make(chan error, 1)}
	if script != "" {
		s.exec(script)
	}
	var ctx context.Context
	ctx, s.stop = context.WithCancel(context.Background())
	t.Cleanup(s.stop)
	go func() {
		s.ended <- db.Schedule(ctx, &ScheduleOptions{Timer: w.Timer, OnRefresh: func(r *RefreshReport, err error) {
			if r.NoOp && err == nil && (r.Trigger == "COMMIT" || r.Trigger == "LAG") {
				return // a look that comes while the view is refreshed takes it for behind
			}
			s.errs <- err
			s.reports <- r
		}})
	}()
	s.settle()
	return s
}

func (s *scheduled) exec(script string) {
	s.Helper()
	if _, err := s.db.Exec(context.Background(), script); err != nil {
		s.Fatal(err)
	}
}

// settle waits until the scheduler waits.
func (s *scheduled) settle() {
	<-s.wall.armed
}

// pass moves the time and gives the next refresh.
func (s *scheduled) pass(d time.Duration) *RefreshReport {
	s.Helper()
	s.wall.move(d)
	r := s.next()
	if s.err != nil {
		s.Fatal(s.err)
	}
	return r
}

// quiet fails if anything is refreshed in some time.
func (s *scheduled) quiet(d time.Duration) {
	s.Helper()
	select { // of before
	case <-s.wall.armed:
	default:
	}
	s.wall.move(d)
	if d < 20*time.Second { // nothing rings
		s.exec("CREATE TABLE ring (a INT); DROP TABLE ring")
	}
	s.settle()
	select {
	case r := <-s.reports:
		s.Fatalf("%+v", r)
	default:
	}
}

func (s *scheduled) next() *RefreshReport {
	s.Helper()
	select {
	case r := <-s.reports:
		s.err = <-s.errs
		return r
	case <-time.After(20 * time.Second):
		s.Fatal("no refresh came")
		return nil
	}
}

func (s *scheduled) rows(query string) string {
	s.Helper()
	text, err := s.db.Text(context.Background(), query)
	if err != nil {
		s.Fatal(err)
	}
	defer text.Close()
	out := ""
	for text.Next() {
		for i := range text.Columns() {
			if i > 0 {
				out += "|"
			}
			c, _ := text.Cell(i)
			out += string(c)
		}
		out += "\n"
	}
	if err := text.Err(); err != nil {
		s.Fatal(err)
	}
	return out
}

// until asks until the scheduler has taken notice of something.
func (s *scheduled) until(query, want string) {
	s.Helper()
	for range 1_000_000 {
		if s.rows(query) == want {
			return
		}
		runtime.Gosched()
	}
	s.Fatalf("%s: %s, wanted %s", query, s.rows(query), want)
}

func TestScheduleEvery(t *testing.T) {
	s := startScheduler(t, `CREATE TABLE t (a INT);
		CREATE MATERIALIZED VIEW v REFRESH AUTO ON SCHEDULE EVERY 10 SECOND AS SELECT count(*) AS n FROM t`)
	s.exec("INSERT INTO t VALUES (1), (2)")
	if r := s.pass(10 * time.Second); r.View != "v" || r.Trigger != "SCHEDULE" || r.Executed != Incremental || r.NoOp {
		t.Fatalf("%+v", r)
	}
	if got := s.rows("SELECT n FROM v"); got != "2\n" {
		t.Fatal(got)
	}
	if r := s.pass(10 * time.Second); !r.NoOp {
		t.Fatalf("%+v", r)
	}
	if got := s.rows("SELECT trigger, status FROM information_schema.refresh_history WHERE view_name = 'v' ORDER BY task_id"); got != "CREATE|SUCCESS\nSCHEDULE|SUCCESS\n" {
		t.Fatal(got)
	}
	s.exec("PAUSE MATERIALIZED VIEW JOB ON v; INSERT INTO t VALUES (3)")
	if got := s.rows(`SELECT recurringstrategy, status FROM jobs("type" = "mv")`); got != "EVERY 10 SECOND|PAUSED\n" {
		t.Fatal(got)
	}
	s.quiet(time.Minute)
	s.exec("RESUME MATERIALIZED VIEW JOB ON v")
	if r := s.next(); r.NoOp { // what was missed
		t.Fatalf("%+v", r)
	}
	s.exec("ALTER MATERIALIZED VIEW v REFRESH COMPLETE ON SCHEDULE CRON '0 * * * *'")
	s.until("SELECT next_at FROM information_schema.materialized_view_jobs", "2026-03-01 01:00:00+00\n")
	s.exec("INSERT INTO t VALUES (4)")
	if r := s.pass(time.Hour); r.Executed != Complete || r.Trigger != "SCHEDULE" {
		t.Fatalf("%+v", r)
	}
	s.exec("DROP MATERIALIZED VIEW v")
	s.quiet(2 * time.Hour)
	s.stop()
	if err := <-s.ended; err != nil {
		t.Fatal(err)
	}
}

func TestScheduleCommitAndLag(t *testing.T) {
	s := startScheduler(t, `CREATE TABLE t (a INT); CREATE TABLE u (a INT);
		CREATE MATERIALIZED VIEW soon REFRESH ON COMMIT ASYNC PROPERTIES ("excluded_trigger_tables" = "u") AS SELECT (SELECT count(*) FROM t) AS t, (SELECT count(*) FROM u) AS u;
		CREATE MATERIALIZED VIEW late REFRESH WITH LAG '1 minute' AS SELECT count(*) AS n FROM t;
		CREATE MATERIALIZED VIEW later REFRESH WITH LAG '1 hour' AS SELECT count(*) AS n FROM u`)
	s.exec("INSERT INTO u VALUES (1)") // excluded: nothing moves
	s.quiet(0)
	s.exec("INSERT INTO t VALUES (1)")
	if r := s.next(); r.View != "soon" || r.Trigger != "COMMIT" || s.rows("SELECT t, u FROM soon") != "1|1\n" {
		t.Fatalf("%+v %s", r, s.rows("SELECT t, u FROM soon"))
	}
	s.quiet(49 * time.Second)
	s.exec("INSERT INTO t VALUES (1)")
	s.next()
	if r := s.pass(5 * time.Second); r.View != "late" || r.Trigger != "LAG" {
		t.Fatalf("%+v", r)
	}
	s.quiet(30 * time.Minute)
	if got := s.rows("SELECT view_name, trigger, allowed_lag_ms, failures, skipped, next_at FROM information_schema.materialized_view_jobs WHERE view_name = 'later'"); got !=
		"later|WITH LAG '01:00:00'|3600000|0|0|2026-03-01 00:54:00+00\n" {
		t.Fatal(got)
	}
	if r := s.pass(24 * time.Minute); r.View != "later" {
		t.Fatalf("%+v", r)
	}
}

// TestScheduleDeferred: views that were not built with their definition are built by
// the schedule that keeps them up to date, without a commit.
func TestScheduleDeferred(t *testing.T) {
	s := startScheduler(t, `CREATE TABLE t (a INT); INSERT INTO t VALUES (1);
		CREATE MATERIALIZED VIEW soon BUILD DEFERRED REFRESH ON COMMIT ASYNC AS SELECT count(*) AS n FROM t;
		CREATE MATERIALIZED VIEW late BUILD DEFERRED REFRESH WITH LAG '1 minute' AS SELECT count(*) AS n FROM t`)
	if r := s.next(); r.View != "soon" || r.Reason != "NO_BASELINE" || s.rows("SELECT n FROM soon") != "1\n" {
		t.Fatalf("%+v", r)
	}
	if r := s.pass(time.Minute); r.View != "late" || s.rows("SELECT n FROM late") != "1\n" {
		t.Fatalf("%+v", r)
	}
	s.quiet(10 * time.Minute)
}

// TestSchedulePass: a chain of 10 levels and a fan of 100 views are one pass, from
// one base.
func TestSchedulePass(t *testing.T) {
	script := "CREATE TABLE t (k INT, a INT);\nCREATE MATERIALIZED VIEW c0 AS SELECT k, a FROM t;\n"
	for i := range 9 {
		script += fmt.Sprintf("CREATE MATERIALIZED VIEW c%d AS SELECT k, a + 1 AS a FROM c%d;\n", i+1, i)
	}
	for i := range 100 {
		script += fmt.Sprintf("CREATE MATERIALIZED VIEW f%d REFRESH ON SCHEDULE EVERY 1 MINUTE AS SELECT k, sum(a) AS a FROM c9 WHERE k <> %d GROUP BY k;\n", i, i)
	}
	s := startScheduler(t, script)
	s.exec("INSERT INTO t VALUES (1, 1), (2, 2)")
	r := s.pass(time.Minute)
	base, seen := r.To, map[string]bool{r.View: true}
	for range 109 {
		r := s.next()
		if r.To != base || s.err != nil || r.NoOp {
			t.Fatalf("%+v, wanted to %d: %v", r, base, s.err)
		}
		if want := map[bool]string{true: "SCHEDULE", false: "CASCADE"}[r.View[0] == 'f']; r.Trigger != want {
			t.Fatalf("%+v", r)
		}
		seen[r.View] = true
	}
	if len(seen) != 110 {
		t.Fatal(len(seen))
	}
	if got := s.rows("SELECT k, a FROM f7 ORDER BY k"); got != "1|10\n2|11\n" {
		t.Fatal(got)
	}
}

// TestScheduleFailure: a view that fails is tried again until it can be refreshed,
// and holds up no other.
func TestScheduleFailure(t *testing.T) {
	s := startScheduler(t, `CREATE TABLE t (a INT);
		CREATE MATERIALIZED VIEW bad REFRESH ON SCHEDULE EVERY 10 SECOND AS SELECT 10 / a AS q FROM t;
		CREATE MATERIALIZED VIEW good REFRESH ON SCHEDULE EVERY 10 SECOND AS SELECT count(*) AS n FROM t`)
	s.exec("INSERT INTO t VALUES (0)")
	s.wall.move(10 * time.Second)
	failed := 0
	for range 2 {
		if r := s.next(); (r.View == "bad") != (s.err != nil) {
			t.Fatalf("%+v: %v", r, s.err)
		}
		if s.err != nil {
			failed++
		}
	}
	if failed != 1 {
		t.Fatal(failed)
	}
	s.wall.move(time.Second)
	var e *Error
	if r := s.next(); r.View != "bad" || !errors.As(s.err, &e) || e.Code != "22012" {
		t.Fatalf("%+v: %v", r, s.err)
	}
	s.exec("UPDATE t SET a = 5")
	if r := s.pass(2 * time.Second); r.View != "bad" || s.rows("SELECT q FROM bad") != "2\n" {
		t.Fatalf("%+v", r)
	}
}

// TestScheduleCrash: what a crash took between the tick and the refresh, and what
// nobody was there for, is made up for once.
func TestScheduleCrash(t *testing.T) {
	w, fs := newWall(), vfs.NewCrashableMem()
	open := func(fs vfs.FS) *DB {
		db, err := Open("db", &Options{FS: fs, Clock: w.Now})
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	s := scheduler(t, w, open(fs), `CREATE TABLE t (a INT);
		CREATE MATERIALIZED VIEW v REFRESH INCREMENTAL ON SCHEDULE EVERY 1 HOUR AS SELECT count(*) AS n FROM t`)
	s.exec("INSERT INTO t VALUES (1)")
	crashed := fs.CrashClone(vfs.CrashCloneCfg{}) // what is synced
	if r := s.pass(time.Hour); r.NoOp {
		t.Fatalf("%+v", r)
	}
	w.move(5*time.Hour + 30*time.Minute)
	s = scheduler(t, w, open(crashed), "")
	if r := s.next(); r.NoOp || s.err != nil || s.rows("SELECT n FROM v") != "1\n" {
		t.Fatalf("%+v %v", r, s.err)
	}
	s.quiet(29 * time.Minute)
	if r := s.pass(time.Minute); !r.NoOp {
		t.Fatalf("%+v", r)
	}
}

// TestCancelTask: a refresh that runs is found and ended, and its view stays.
func TestCancelTask(t *testing.T) {
	entered, leave := make(chan struct{}, 100), make(chan struct{})
	wait := Func1("wait", func(a int64) (int64, error) {
		entered <- struct{}{}
		<-leave
		return a, nil
	})
	db, err := Open("", &Options{InMemory: true, Functions: []Function{wait}})
	if err != nil {
		t.Fatal(err)
	}
	s := &scheduled{T: t, db: db}
	t.Cleanup(func() { db.Close() })
	s.exec("CREATE TABLE t (a BIGINT); CREATE MATERIALIZED VIEW v AS SELECT wait(a) AS a FROM t; INSERT INTO t VALUES (1)")
	ended := make(chan error)
	go func() {
		_, err := db.Refresh(context.Background(), "v", Complete)
		ended <- err
	}()
	<-entered
	id := strings.TrimSpace(s.rows(`SELECT taskid FROM tasks("type" = "mv") WHERE status = 'RUNNING' AND mvname = 'v'`))
	s.exec("CANCEL MATERIALIZED VIEW TASK " + id + " ON v")
	close(leave)
	var e *Error
	if err := <-ended; !errors.As(err, &e) || e.Code != "57014" {
		t.Fatal(err)
	}
	if got := s.rows("SELECT count(*) FROM v"); got != "0\n" {
		t.Fatal(got)
	}
	if _, err := db.Exec(context.Background(), "CANCEL MATERIALIZED VIEW TASK "+id+" ON v"); !errors.As(err, &e) || e.Code != "42704" {
		t.Fatal(err)
	}
	if got := s.rows("SELECT status FROM information_schema.refresh_history WHERE task_id = " + id); got != "CANCELED\n" {
		t.Fatal(got)
	}
}

func TestScheduleOne(t *testing.T) {
	s := startScheduler(t, "")
	var e *Error
	if err := s.db.Schedule(context.Background(), nil); !errors.As(err, &e) || e.Code != "55006" {
		t.Fatal(err)
	}
	if err := s.db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-s.ended; !errors.Is(err, ErrClosed) {
		t.Fatal(err)
	}
}
