package ivmc

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"
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
}

func startScheduler(t *testing.T, script string) *scheduled {
	t.Helper()
	w := newWall()
	db, err := Open("", &Options{InMemory: true, Clock: w.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	s := &scheduled{T: t, db: db, wall: w, reports: make(chan *RefreshReport, 1000), errs: make(chan error, 1000), ended: make(chan error, 1)}
	s.exec(script)
	var ctx context.Context
	ctx, s.stop = context.WithCancel(context.Background())
	t.Cleanup(s.stop)
	go func() {
		s.ended <- db.Schedule(ctx, &ScheduleOptions{Timer: w.Timer, OnRefresh: func(r *RefreshReport, err error) {
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
	return s.next()
}

func (s *scheduled) next() *RefreshReport {
	s.Helper()
	select {
	case r := <-s.reports:
		if err := <-s.errs; err != nil {
			s.Fatal(err)
		}
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
	s.stop()
	if err := <-s.ended; err != nil {
		t.Fatal(err)
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
