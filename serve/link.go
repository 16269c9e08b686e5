package serve

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/ivmc/ivmc"
)

// link is a client's end of a connection.
type link struct {
	*wire
	last   uint64 // request
	open   bool   // a transaction
	failed bool   // which takes nothing more but its end
	tick   func(done, size int64)
}

// greet begins the connection.
func (l *link) greet() error {
	dir, err := os.Getwd()
	if err != nil {
		dir = "" // names from the root are found all the same
	}
	if err := l.sendJSON(kindHello, hello{protocol, os.Getpid(), dir}); err != nil {
		return lost(err)
	}
	k, b, err := l.receive()
	if err != nil {
		return lost(err)
	}
	if k == kindEnd {
		_, err := endOf(b)
		return err
	}
	if k != kindHello {
		return errFrame{"who answers at the socket is no ivmc"}
	}
	return nil
}

// lost is the error of a connection that broke.
func lost(err error) error {
	var f errFrame
	if errors.As(err, &f) {
		return err
	}
	e := &ivmc.Error{Code: "08006", Message: "the connection to the process that serves the database is lost",
		Hint: "It was stopped, or killed. What was not committed is rolled back."}
	if !errors.Is(err, io.EOF) {
		e.Detail = err.Error()
	}
	return e
}

// exchange is a request under way.
type exchange struct {
	l     *link
	id    uint64
	stop  func() bool // no more cancelling
	value json.RawMessage
	over  bool
}

// start sends a request. It is cancelled with ctx, and then still answered.
func (l *link) start(ctx context.Context, a *ask, text string) (*exchange, error) {
	l.last++
	a.ID = l.last
	b, err := packAsk(a)
	if err != nil {
		return nil, err
	}
	if err := l.send(kindAsk, b, []byte(text)); err != nil {
		return nil, lost(err)
	}
	x := &exchange{l: l, id: a.ID}
	x.stop = context.AfterFunc(ctx, func() { x.say(kindCancel) })
	return x, nil
}

// say sends a word about the request; if it cannot be sent, the answer does not
// come either.
func (x *exchange) say(k kind) { _ = x.l.send(k, binary.AppendUvarint(nil, x.id)) }

func (x *exchange) enough() { x.say(kindEnough) }

// next is the next frame of the answer. The last one is kindEnd, or an error.
func (x *exchange) next() (kind, []byte, error) {
	for {
		k, b, err := x.l.receive()
		if err != nil {
			x.stop()
			return 0, nil, lost(err)
		}
		switch k {
		case kindTick:
			var t tick
			if err := json.Unmarshal(b, &t); err == nil && x.l.tick != nil {
				x.l.tick(t.Done, t.Size)
			}
			continue
		case kindEnd:
			x.stop()
			e, err := endOf(b)
			if e != nil {
				x.l.open, x.l.failed, x.value = e.Open, e.Failed, e.Value
			}
			return k, nil, err
		}
		return k, b, nil
	}
}

// endOf reads the end of an answer; the error is what it says.
func endOf(b []byte) (*end, error) {
	e := &end{}
	if err := json.Unmarshal(b, e); err != nil {
		return nil, errFrame{"an answer that cannot be read: " + err.Error()}
	}
	switch {
	case e.Error != nil:
		return e, e.Error
	case e.Other != "":
		return e, errors.New(e.Other)
	}
	return e, nil
}

// call does a request whose answer is value, with bytes that go to w; both may be nil.
func (l *link) call(ctx context.Context, a *ask, text string, w io.Writer, value any) error {
	x, err := l.start(ctx, a, text)
	if err != nil {
		return err
	}
	var werr error
	for {
		k, b, err := x.next()
		if werr != nil && (k == kindEnd || err != nil) {
			return werr
		}
		if err != nil {
			return err
		}
		switch k {
		case kindBytes:
			if w != nil && werr == nil {
				if _, werr = w.Write(b); werr != nil {
					x.say(kindCancel)
				}
			}
		case kindEnd:
			if value == nil || len(x.value) == 0 {
				return nil
			}
			return json.Unmarshal(x.value, value)
		}
	}
}
