package session

import (
	"context"
	"sync"
)

// life is what Close needs to know of the calls that run: they are counted, and
// their contexts end with it. A call is counted only while it computes, not
// while rows of it are held between two calls, so that whoever reads rows may
// close the engine meanwhile.
type life struct {
	ctx   context.Context // its end is that of every statement
	end   context.CancelCauseFunc
	mu    sync.Mutex
	over  bool
	calls sync.WaitGroup
	lost  func() error // of the store
}

func newLife(lost func() error) *life {
	l := &life{lost: lost}
	l.ctx, l.end = context.WithCancelCause(context.Background())
	return l
}

// enter counts a call, which leaves with calls.Done; [ErrClosed] after close. Nobody
// enters whose reads would see what the disk has not got.
func (l *life) enter() error {
	if err := l.lost(); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return ErrClosed
	}
	l.calls.Add(1)
	return nil
}

// bind is ctx, ended also by close, with [ErrClosed] for a cause.
func (l *life) bind(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(l.ctx, func() { cancel(ErrClosed) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// close ends all contexts and waits for the calls; false: it was closed before.
func (l *life) close() bool {
	l.mu.Lock()
	over := l.over
	l.over = true
	l.mu.Unlock()
	if over {
		return false
	}
	l.end(ErrClosed)
	l.calls.Wait()
	return true
}
