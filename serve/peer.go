package serve

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ivmc/ivmc"
)

// helloTime is how long a connection may take to say hello.
const helloTime = 10 * time.Second

// severTime is how long the last words to a client may take that is ended by force.
const severTime = time.Second

// peer is a connection from the server's end: a session, and a stream that it reads,
// if it does.
type peer struct {
	srv *Server
	*wire
	log *slog.Logger

	session *ivmc.Session
	dir     string // of the client
	stream  Consumer
	last    Delivery // of it

	ctx    context.Context // ends with the connection
	cancel context.CancelFunc

	mu      sync.Mutex
	now     *request // that was asked and is not answered
	telling bool     // the end of an answer is under way
	handed  bool     // a delivery was handed over and is not acknowledged
	retired bool     // no more requests, but for that delivery
}

// request is one that was asked.
type request struct {
	*ask
	text   string
	ctx    context.Context
	cancel context.CancelFunc
	enough atomic.Bool
}

func newPeer(s *Server, c net.Conn, n uint64) *peer {
	p := &peer{srv: s, wire: newWire(c), log: s.log.With("connection", n)}
	p.ctx, p.cancel = context.WithCancel(s.ctx)
	return p
}

// retire ends the connection now, or when the request that runs is answered, and the
// delivery that the client works on acknowledged. Who only waits for changes is told.
func (p *peer) retire() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.retired = true
	switch {
	case p.now != nil && p.now.Op == opNext:
		p.now.cancel()
	case p.now == nil && !p.telling && !p.handed:
		p.Conn.Close()
	}
}

// admits reports whether a request may be done. Under mu.
func (p *peer) admits(op string) bool {
	if p.now != nil { // one at a time is what a client of ours asks
		return false
	}
	return !p.retired || p.handed && (op == opDeliver || op == opAcknowledge)
}

// hand notes that there is, or is no more, a delivery that the client works on.
func (p *peer) hand(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.handed = on
}

// sever ends it whatever runs: nobody waits for a client that does not read.
func (p *peer) sever() { _ = p.SetDeadline(time.Now().Add(severTime)) }

// serve answers until the connection ends.
func (p *peer) serve() {
	defer p.cancel()
	defer p.Conn.Close()
	_ = p.SetDeadline(time.Now().Add(helloTime))
	h, err := p.greeted()
	if err != nil {
		p.log.Warn("connection refused", "error", err)
		return
	}
	_ = p.SetDeadline(time.Time{})
	p.log = p.log.With("client", h.Process)
	p.log.Debug("connected")
	p.dir = h.Dir
	p.session = p.srv.db.Session()
	p.session.SetDir(h.Dir)
	defer p.session.Close()
	asked := make(chan *request)
	go p.listen(asked)
	for r := range asked {
		if !p.answer(r) {
			break
		}
	}
	p.cancel()
	p.Conn.Close()
	for range asked { // until listen has ended
	}
	p.log.Debug("disconnected")
}

// greeted waits for the client's hello, and answers it.
func (p *peer) greeted() (h hello, err error) {
	k, b, err := p.receive()
	if err != nil {
		return h, err
	}
	if k != kindHello || json.Unmarshal(b, &h) != nil {
		return h, errFrame{"who connects is no ivmc"}
	}
	if h.Protocol != protocol {
		e := &ivmc.Error{Code: "08P01", Message: fmt.Sprintf("the database is served by another version of ivmc: protocol %d, and this one speaks %d", protocol, h.Protocol),
			Hint: "Stop the server and start it with the version of the client."}
		return h, errors.Join(e, p.sendJSON(kindEnd, end{Error: e}))
	}
	return h, p.sendJSON(kindHello, hello{Protocol: protocol, Process: os.Getpid()})
}

// listen receives what the client says. A request is handed over; words about the
// one that runs have their effect at once, and the end of the connection too.
func (p *peer) listen(asked chan<- *request) {
	defer close(asked)
	defer p.cancel()
	for {
		k, b, err := p.receive()
		if err != nil {
			return
		}
		switch k {
		case kindAsk:
			a, text, err := unpackAsk(b)
			if err != nil {
				p.log.Warn("connection ended", "error", err)
				return
			}
			r := &request{ask: a, text: text}
			r.ctx, r.cancel = context.WithCancel(p.ctx)
			p.mu.Lock()
			if !p.admits(a.Op) {
				p.mu.Unlock()
				r.cancel()
				return
			}
			p.now = r
			p.mu.Unlock()
			asked <- r
		case kindCancel, kindEnough:
			id, n := binary.Uvarint(b)
			p.mu.Lock()
			if r := p.now; n > 0 && r != nil && r.ID == id {
				if k == kindCancel {
					r.cancel()
				} else {
					r.enough.Store(true)
				}
			}
			p.mu.Unlock()
		default:
			return
		}
	}
}

// answer does a request; false: the connection is of no more use.
func (p *peer) answer(r *request) bool {
	start := time.Now()
	v, err := p.do(r)
	r.cancel()
	e := end{Open: p.session.InTransaction(), Failed: p.session.Failed()}
	if err == nil && v != nil {
		e.Value, err = json.Marshal(v)
	}
	if err != nil {
		p.mu.Lock()
		stopping := p.srv.ctx.Err() != nil || p.retired && r.Op == opNext
		p.mu.Unlock()
		if stopping {
			err = errStopping(err)
		}
		e.Error, e.Other = wordsOf(err)
	}
	level, words := slog.LevelDebug, []any{"operation", r.Op, "ms", float64(time.Since(start).Microseconds()) / 1000}
	if r.Name != "" {
		words = append(words, "name", r.Name)
	}
	if err != nil {
		words = append(words, "error", err.Error())
	}
	p.log.Log(context.Background(), level, "request", words...)
	if p.srv.ctx.Err() != nil { // it may have been long in hearing that it is to end
		p.sever()
	}
	p.mu.Lock()
	p.now, p.telling = nil, true // before the end is sent: the next request may follow at once
	p.mu.Unlock()
	err = p.sendJSON(kindEnd, e)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.telling = false
	return err == nil && (!p.retired || p.handed || p.now != nil)
}

// errStopping is the error of a request that the end of the server cancelled.
func errStopping(err error) error {
	var e *ivmc.Error
	if !errors.As(err, &e) || e.Code != "57014" {
		return err
	}
	return &ivmc.Error{Code: "57P01", Message: "the process that serves the database is stopped", Hint: "What was not committed is rolled back."}
}

// wordsOf is an error for another process.
func wordsOf(err error) (*ivmc.Error, string) {
	if e, ok := err.(*ivmc.Error); ok {
		return e, ""
	}
	var e *ivmc.Error
	if errors.As(err, &e) && e.Error() == err.Error() {
		return e, ""
	}
	return nil, err.Error()
}

// do runs a request. A panic is its error, and nobody else's.
func (p *peer) do(r *request) (v any, err error) {
	defer func() {
		if x := recover(); x != nil {
			p.log.Error("panic", "operation", r.Op, "panic", x, "stack", string(debug.Stack()))
			err = &ivmc.Error{Code: "XX000", Message: fmt.Sprintf("internal error: %v", x)}
		}
	}()
	f, ok := operations[r.Op]
	if !ok {
		return nil, &ivmc.Error{Code: "08P01", Message: fmt.Sprintf("the server knows no operation %q", r.Op)}
	}
	return f(p, r)
}
