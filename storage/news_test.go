package storage

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"
)

// TestWait: who waits is woken by what is applied after its TSO, at once where
// that has happened already, and by the end of its context.
func TestWait(t *testing.T) {
	s := &Store{}
	s.publish(5)
	ctx, cancel := context.WithCancel(context.Background())
	if err := s.Wait(ctx, 4); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for at := TSO(5); at < 9; at++ {
		for range 3 {
			wg.Go(func() {
				if err := s.Wait(ctx, at); err != nil || s.Applied() <= at {
					t.Errorf("after %d: applied %d, %v", at, s.Applied(), err)
				}
			})
		}
	}
	for at := TSO(6); at < 10; at++ {
		s.publish(at)
		time.Sleep(time.Millisecond)
	}
	wg.Wait()
	cancel()
	if err := s.Wait(ctx, 100); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
