package main

import (
	"bufio"
	"os"
	"strconv"
	"unicode/utf8"

	"github.com/ivmc/ivmc"
	"github.com/ivmc/ivmc/serve"
)

// jsonPrinter writes one object a line for every statement. A line is written
// when it is complete, because a query may fail after its first rows.
type jsonPrinter struct {
	out     *bufio.Writer
	buf     []byte
	spillAt int // bytes of a line that are held in memory; 0: spillBytes
}

func (p *jsonPrinter) outcome(o *serve.Outcome) error {
	p.buf = append(p.buf[:0], '{')
	spill := &spill{}
	defer spill.close()
	if o.Rows == nil {
		p.buf = append(p.buf, `"tag":`...)
		p.buf = appendString(p.buf, o.Tag)
	} else if err := p.rows(o.Rows, spill); err != nil {
		return err
	}
	p.buf = appendNotices(p.buf, o.Notices)
	if o.Refresh != nil {
		p.buf = appendRefresh(append(p.buf, `,"refresh":`...), o.Refresh)
	}
	for i, r := range o.Cascade {
		p.buf = appendRefresh(append(p.buf, []string{`,"cascade":[`, ","}[min(i, 1)]...), r)
	}
	if len(o.Cascade) > 0 {
		p.buf = append(p.buf, ']')
	}
	p.buf = append(p.buf, "}\n"...)
	if err := spill.copyTo(p.out); err != nil {
		return err
	}
	_, err := p.out.Write(p.buf)
	return err
}

func (p *jsonPrinter) rows(rows serve.Rows, spill *spill) error {
	cols := rows.Columns()
	p.buf = append(p.buf, `"columns":[`...)
	for i, c := range cols {
		if i > 0 {
			p.buf = append(p.buf, ',')
		}
		p.buf = append(p.buf, `{"name":`...)
		p.buf = appendString(p.buf, c.Name)
		p.buf = append(p.buf, `,"type":`...)
		p.buf = appendString(p.buf, c.Type)
		p.buf = append(p.buf, '}')
	}
	p.buf = append(p.buf, `],"rows":[`...)
	limit := p.spillAt
	if limit == 0 {
		limit = spillBytes
	}
	for n := 0; rows.Next(); n++ {
		if n > 0 {
			p.buf = append(p.buf, ',')
		}
		p.buf = append(p.buf, '[')
		for i := range cols {
			if i > 0 {
				p.buf = append(p.buf, ',')
			}
			cell, null := rows.Cell(i)
			if null {
				p.buf = append(p.buf, "null"...)
				continue
			}
			p.buf = appendString(p.buf, cell)
		}
		p.buf = append(p.buf, ']')
		if len(p.buf) > limit {
			if err := spill.write(p.buf); err != nil {
				return err
			}
			p.buf = p.buf[:0]
		}
	}
	p.buf = append(p.buf, ']')
	return rows.Err()
}

func (p *jsonPrinter) failed(e *ivmc.Error, _ *source) error {
	b := append(p.buf[:0], `{"error":`...)
	b = appendError(b, e)
	b = append(b, `,"errors":[`...)
	for i, x := range e.Errors {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendError(b, x)
	}
	if len(e.Errors) == 0 {
		b = appendError(b, e)
	}
	b = append(b, "]}\n"...)
	p.buf = b
	_, err := p.out.Write(b)
	return err
}

// appendError writes one error. Line and column are null where there is no
// place; detail and hint stand only where there are some.
func appendError(b []byte, e *ivmc.Error) []byte {
	b = append(b, `{"code":`...)
	b = appendString(b, e.Code)
	b = append(b, `,"message":`...)
	b = appendString(b, e.Message)
	b = append(b, `,"line":`...)
	b = appendPlace(b, e.Line)
	b = append(b, `,"column":`...)
	b = appendPlace(b, e.Column)
	if e.Detail != "" {
		b = appendString(append(b, `,"detail":`...), e.Detail)
	}
	if e.Hint != "" {
		b = appendString(append(b, `,"hint":`...), e.Hint)
	}
	return append(b, '}')
}

func appendPlace(b []byte, n int) []byte {
	if n == 0 {
		return append(b, "null"...)
	}
	return strconv.AppendInt(b, int64(n), 10)
}

func appendNotices(b []byte, ns []ivmc.Notice) []byte {
	if len(ns) == 0 {
		return b
	}
	b = append(b, `,"notices":[`...)
	for i, n := range ns {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(append(b, `{"code":`...), n.Code)
		b = appendString(append(b, `,"message":`...), n.Message)
		b = append(b, '}')
	}
	return append(b, ']')
}

func appendRefresh(b []byte, r *ivmc.RefreshReport) []byte {
	b = appendString(append(b, `{"view":`...), r.View)
	b = appendString(append(b, `,"requested":`...), r.Requested.String())
	b = appendString(append(b, `,"executed":`...), r.Executed.String())
	b = append(b, `,"reason":`...)
	if r.Reason == "" {
		b = append(b, "null"...)
	} else {
		b = appendString(b, r.Reason)
	}
	b = strconv.AppendInt(append(b, `,"rows_in":`...), r.RowsIn, 10)
	b = strconv.AppendInt(append(b, `,"rows_out":`...), r.RowsOut, 10)
	b = strconv.AppendUint(append(b, `,"from_tso":`...), uint64(r.From), 10)
	b = strconv.AppendUint(append(b, `,"to_tso":`...), uint64(r.To), 10)
	b = strconv.AppendFloat(append(b, `,"ms":`...), float64(r.Duration.Microseconds())/1000, 'f', -1, 64)
	if e := r.Estimates; e.Pending > 0 {
		b = strconv.AppendInt(append(b, `,"estimates":{"pending":`...), e.Pending, 10)
		b = strconv.AppendFloat(append(b, `,"incremental_ms":`...), float64(e.Incremental.Microseconds())/1000, 'f', -1, 64)
		b = strconv.AppendFloat(append(b, `,"complete_ms":`...), float64(e.Complete.Microseconds())/1000, 'f', -1, 64)
		b = append(b, '}')
	}
	return append(b, '}')
}

// appendString appends s as a JSON string. Bytes that are no UTF-8 become the
// replacement character.
func appendString[T string | []byte](b []byte, s T) []byte {
	start := len(b)
	b = append(b, '"')
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return appendEscaped(b[:start], string(s))
		}
	}
	b = append(b, s...)
	return append(b, '"')
}

func appendEscaped(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for _, r := range s { // invalid bytes come as the replacement character
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r < ' ':
			b = append(b, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		case r == '\u2028' || r == '\u2029': // line ends to some readers
			b = append(b, '\\', 'u', '2', '0', '2', hex[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}

// spillBytes is how much of a line is held in memory.
const spillBytes = 16 << 20

// spill is the beginning of a long line, in a temporary file.
type spill struct{ f *os.File }

func (s *spill) write(b []byte) error {
	if s.f == nil {
		f, err := os.CreateTemp("", "ivmc-*.json")
		if err != nil {
			return err
		}
		s.f = f
		_ = os.Remove(f.Name()) // gone with the file's last handle; where that cannot be, close removes it
	}
	_, err := s.f.Write(b)
	return err
}

func (s *spill) copyTo(out *bufio.Writer) error {
	if s.f == nil {
		return nil
	}
	if _, err := s.f.Seek(0, 0); err != nil {
		return err
	}
	_, err := out.ReadFrom(s.f)
	return err
}

func (s *spill) close() {
	if s.f != nil {
		s.f.Close()
		os.Remove(s.f.Name())
	}
}
