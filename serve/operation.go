package serve

import (
	"bufio"
	"errors"
	"io"
	"time"

	"github.com/ivmc/ivmc"
)

// The operations that the end of a server knows apart.
const (
	opNext        = "next"
	opDeliver     = "deliver"
	opAcknowledge = "acknowledge"
)

// operations is what may be asked. The value is the answer, nil for none.
var operations = map[string]func(p *peer, r *request) (any, error){
	"run": (*peer).run,
	"text": func(p *peer, r *request) (any, error) {
		rows, err := p.srv.store.Text(r.ctx, r.text)
		if err != nil {
			return nil, err
		}
		return nil, p.give(r, rows, ivmc.Result{})
	},
	"json": func(p *peer, r *request) (any, error) {
		return nil, p.bytes(func(w io.Writer) error { return p.srv.store.WriteJSON(r.ctx, r.text, w) })
	},
	"arrow": func(p *peer, r *request) (any, error) {
		return nil, p.bytes(func(w io.Writer) error { return p.srv.store.WriteArrow(r.ctx, r.text, w) })
	},
	"dump": func(p *peer, r *request) (any, error) {
		return nil, p.bytes(func(w io.Writer) error { return p.srv.db.Dump(r.ctx, w) })
	},
	"explain": func(p *peer, r *request) (any, error) {
		return p.session.ExplainWith(r.ctx, r.Explain, r.text)
	},
	"rehearse": func(p *peer, r *request) (any, error) {
		text, ok, err := p.session.Rehearse(r.ctx, r.Explain, r.text)
		return rehearsed{text, ok}, err
	},
	"refresh": func(p *peer, r *request) (any, error) { return p.srv.db.Refresh(r.ctx, r.Name, r.Mode) },
	"refresh views": func(p *peer, r *request) (any, error) {
		return p.srv.db.RefreshViews(r.ctx, r.Mode, r.Below, r.Names...)
	},
	"verify":  func(p *peer, r *request) (any, error) { return p.srv.db.Verify(r.ctx, r.Name) },
	"status":  func(p *peer, r *request) (any, error) { return p.srv.db.Status(r.ctx) },
	"graph":   func(p *peer, r *request) (any, error) { return p.srv.db.Graph(r.ctx, r.Name) },
	"check":   func(p *peer, r *request) (any, error) { return p.srv.db.Check(r.ctx) },
	"views":   func(p *peer, r *request) (any, error) { return p.srv.db.Views(), nil },
	"sources": func(p *peer, r *request) (any, error) { return p.srv.db.Sources(r.Name), nil },
	"load":    (*peer).load,
	"consumer": func(p *peer, r *request) (_ any, err error) {
		p.stream, err = p.srv.store.Consumer(r.ctx, r.Name, ivmc.ConsumerOptions{BatchRows: r.Batch})
		return nil, err
	},
	"poll": func(p *peer, r *request) (any, error) {
		return p.deliver(func(c Consumer) (Delivery, error) { return c.Poll(r.ctx) })
	},
	opNext: func(p *peer, r *request) (any, error) {
		return p.deliver(func(c Consumer) (Delivery, error) { return c.Next(r.ctx) })
	},
	opDeliver: func(p *peer, r *request) (n any, err error) {
		if p.last == nil {
			return nil, errOrder
		}
		err = p.bytes(func(w io.Writer) (err error) {
			n, err = p.last.WriteJSON(r.ctx, w, r.Envelope)
			return err
		})
		return n, err
	},
	opAcknowledge: func(p *peer, r *request) (any, error) {
		if p.last == nil {
			return nil, errOrder
		}
		defer p.hand(false)
		return nil, p.stream.Acknowledge(r.ctx, p.last)
	},
}

// errOrder is that of a client that asks for a delivery before it has one.
var errOrder = errFrame{"there is no delivery"}

// run runs a statement of the session.
func (p *peer) run(r *request) (any, error) {
	p.session.OnProgress(p.ticks())
	o, err := p.session.Run(r.ctx, r.text)
	if err != nil {
		return nil, err
	}
	if o.Rows == nil {
		return o.Result, nil
	}
	return nil, p.give(r, o.Rows, o.Result)
}

// give sends rows and closes them.
func (p *peer) give(r *request, rows Rows, res ivmc.Result) error {
	defer rows.Close()
	if err := p.sendJSON(kindHead, head{rows.Columns(), res, p.session.InTransaction(), p.session.Failed()}); err != nil {
		return err
	}
	return sendRows(p.wire, rows, r.enough.Load)
}

func (p *peer) load(r *request) (any, error) {
	if r.Load == nil {
		return nil, errOrder
	}
	o := ivmc.LoadOptions{Format: r.Load.Format, NoHeader: r.Load.NoHeader, Null: r.Load.Null, Delimiter: r.Load.Delimiter, Key: r.Load.Key,
		Dir: p.dir, Progress: p.ticks()}
	return p.srv.db.Load(r.ctx, r.Name, o, r.Load.Files...)
}

// tickTime is how often a client hears how far its file is.
const tickTime = 50 * time.Millisecond

// ticks passes progress on. What cannot be sent is not missed.
func (p *peer) ticks() func(done, size int64) {
	var last time.Time
	return func(done, size int64) {
		if now := time.Now(); now.Sub(last) >= tickTime {
			last = now
			_ = p.sendJSON(kindTick, tick{done, size})
		}
	}
}

// deliver remembers what the stream gave.
func (p *peer) deliver(f func(Consumer) (Delivery, error)) (any, error) {
	if p.stream == nil {
		return nil, errOrder
	}
	d, err := f(p.stream)
	if d == nil || err != nil {
		return nil, err
	}
	p.last = d
	p.hand(true)
	from, to := d.Bounds()
	return bounds{from, to}, nil
}

// bytes sends what f writes.
func (p *peer) bytes(f func(w io.Writer) error) error {
	w := bufio.NewWriterSize(byteWriter{p.wire}, rowBytes)
	return errors.Join(f(w), w.Flush())
}

// byteWriter sends what is written.
type byteWriter struct{ w *wire }

func (b byteWriter) Write(p []byte) (int, error) {
	if err := b.w.send(kindBytes, p); err != nil {
		return 0, err
	}
	return len(p), nil
}
