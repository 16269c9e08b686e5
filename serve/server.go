package serve

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"

	"github.com/ivmc/ivmc"
)

// Options of [NewServer]. The zero Options are the defaults.
type Options struct {
	// Logger hears of connections and of what they ask. nil: silence.
	Logger *slog.Logger
}

// Server answers at sockets for a database of this process.
type Server struct {
	store Store
	db    *ivmc.DB
	log   *slog.Logger

	ctx    context.Context // of all requests
	cancel context.CancelFunc

	mu      sync.Mutex
	peers   map[*peer]bool
	sockets []net.Listener
	closing bool
	running sync.WaitGroup
	made    uint64 // connections, for the log
}

// NewServer returns a server of db, which stays the caller's: it is to be closed
// after [Server.Shutdown].
func NewServer(db *ivmc.DB, o Options) *Server {
	s := &Server{store: Local(db), db: db, log: o.Logger, peers: map[*peer]bool{}}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// ErrStopped is what Serve returns after Shutdown.
var ErrStopped = errors.New("ivmc: the server was stopped")

// Serve answers whoever connects, until Shutdown or until l fails. It closes l.
func (s *Server) Serve(l net.Listener) error {
	defer l.Close()
	s.mu.Lock()
	if s.closing {
		s.mu.Unlock()
		return ErrStopped
	}
	s.sockets = append(s.sockets, l)
	s.mu.Unlock()
	for {
		c, err := l.Accept()
		s.mu.Lock()
		if s.closing {
			s.mu.Unlock()
			if err == nil {
				c.Close()
			}
			return ErrStopped
		}
		if err != nil {
			s.mu.Unlock()
			return err
		}
		s.made++
		p := newPeer(s, c, s.made)
		s.peers[p] = true
		s.running.Add(1)
		s.mu.Unlock()
		go func() {
			defer s.running.Done()
			p.serve()
			s.mu.Lock()
			delete(s.peers, p)
			s.mu.Unlock()
		}()
	}
}

// Shutdown takes no more connections, ends those that ask for nothing, waits for the
// requests that run, and cancels them when ctx ends. Open transactions are rolled
// back. When it returns, nothing of the server runs any more. The error is that of
// ctx if something had to be cancelled.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	s.closing = true
	for _, l := range s.sockets {
		l.Close()
	}
	for p := range s.peers {
		p.retire()
	}
	s.mu.Unlock()
	done := make(chan struct{})
	go func() {
		s.running.Wait()
		close(done)
	}()
	var err error
	select {
	case <-done:
	case <-ctx.Done():
		err = ctx.Err()
		s.cancel()
		s.mu.Lock()
		for p := range s.peers {
			p.sever()
		}
		s.mu.Unlock()
		<-done
	}
	s.cancel()
	return err
}

// Connections is the number of those that are open.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.peers)
}
