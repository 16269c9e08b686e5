package ivmc

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/ivmc/ivmc/load"
)

// Envelope is how changes are written as lines of JSON.
type Envelope uint8

// The envelopes.
const (
	// PlainRows: {"op":"APPEND","tso":"..","lsn":0,"row":{..}}; an update is a line
	// UPDATE_BEFORE and a line UPDATE_AFTER.
	PlainRows Envelope = iota
	// SignedRows: {"weight":1,"tso":"..","lsn":0,"row":{..}}, with -1 for rows that went.
	SignedRows
	// DebeziumRows: {"op":"u","before":{..},"after":{..},"source":{..},"ts_ms":0}, as
	// Debezium's readers take them; r is a row that was there first.
	DebeziumRows
)

var envelopes = [...]string{PlainRows: "rows", SignedRows: "weights", DebeziumRows: "debezium"}

// String is "rows", "weights" or "debezium".
func (e Envelope) String() string { return envelopes[e] }

// ParseEnvelope reads one of them.
func ParseEnvelope(s string) (Envelope, error) {
	for e, name := range envelopes {
		if s == name {
			return Envelope(e), nil
		}
	}
	return 0, fmt.Errorf("ivmc: %q is no envelope: there are rows, weights and debezium", s)
}

// WriteJSON writes the changes of d to w, an object a line, and returns their
// number. A TSO is a string, because it has more digits than a double holds.
func (d *Delivery) WriteJSON(ctx context.Context, w io.Writer, e Envelope) (n int, err error) {
	x := enveloped{d: d}
	for _, f := range d.d.Schema {
		x.names = append(x.names, append(load.AppendJSONString(nil, f.Name), ':'))
	}
	for ch, err := range d.Changes(ctx) {
		if err != nil {
			return n, err
		}
		n++
		x.line = x.line[:0]
		switch e {
		case DebeziumRows:
			x.debezium(ch)
		default:
			x.rows(ch, e == SignedRows)
		}
		if _, err := w.Write(x.line); err != nil {
			return n, err
		}
	}
	return n, nil
}

// enveloped makes lines.
type enveloped struct {
	d     *Delivery
	names [][]byte // of columns, with quotes and colon
	line  []byte
}

func (x *enveloped) rows(ch Change, weights bool) {
	gone, come := "DELETE", "APPEND"
	if ch.Op == Update {
		gone, come = "UPDATE_BEFORE", "UPDATE_AFTER"
	}
	half := func(op, weight string, r Row) {
		if !r.Exists() {
			return
		}
		if weights {
			x.line = append(append(x.line, `{"weight":`...), weight...)
		} else {
			x.line = append(append(append(x.line, `{"op":"`...), op...), '"')
		}
		x.line = append(x.line, `,"tso":"`...)
		x.line = strconv.AppendUint(x.line, uint64(ch.TSO), 10)
		x.line = append(x.line, `","lsn":`...)
		x.line = strconv.AppendUint(x.line, uint64(ch.LSN), 10)
		x.line = append(x.line, `,"row":`...)
		x.row(r)
		x.line = append(x.line, "}\n"...)
	}
	half(gone, "-1", ch.Before)
	half(come, "1", ch.After)
}

func (x *enveloped) debezium(ch Change) {
	op := [...]string{Insert: "c", Update: "u", Delete: "d"}[ch.Op]
	if x.d.Rows {
		op = "r"
	}
	ms := strconv.AppendInt(nil, ch.TSO.Time().UnixMilli(), 10)
	x.line = append(append(x.line, `{"op":"`...), op...)
	x.line = append(x.line, `","before":`...)
	x.row(ch.Before)
	x.line = append(x.line, `,"after":`...)
	x.row(ch.After)
	x.line = append(x.line, `,"source":{"connector":"ivmc","schema":"public","table":`...)
	x.line = load.AppendJSONString(x.line, x.d.d.Base)
	x.line = append(x.line, `,"tso":"`...)
	x.line = strconv.AppendUint(x.line, uint64(ch.TSO), 10)
	x.line = append(x.line, `","lsn":`...)
	x.line = strconv.AppendUint(x.line, uint64(ch.LSN), 10)
	x.line = append(append(x.line, `,"ts_ms":`...), ms...)
	x.line = append(append(x.line, `},"ts_ms":`...), ms...)
	x.line = append(x.line, "}\n"...)
}

func (x *enveloped) row(r Row) {
	if !r.Exists() {
		x.line = append(x.line, "null"...)
		return
	}
	x.line = append(x.line, '{')
	for c, name := range x.names {
		if c > 0 {
			x.line = append(x.line, ',')
		}
		x.line = append(x.line, name...)
		x.line = load.AppendJSON(x.line, &r.b.Cols[c], r.i)
	}
	x.line = append(x.line, '}')
}

// WriteJSON writes the rows that are left to w, an object a line, with the names
// of the columns: numbers and booleans are such, everything else is its text.
func (t *Text) WriteJSON(w io.Writer) error {
	var names [][]byte
	for _, f := range t.rows.Schema {
		names = append(names, append(load.AppendJSONString(nil, f.Name), ':'))
	}
	var line []byte
	for t.Next() {
		line = append(line[:0], '{')
		for c, name := range names {
			if c > 0 {
				line = append(line, ',')
			}
			line = load.AppendJSON(append(line, name...), &t.b.Cols[c], t.row)
		}
		if _, err := w.Write(append(line, "}\n"...)); err != nil {
			return err
		}
	}
	return t.Err()
}
