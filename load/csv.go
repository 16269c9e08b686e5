package load

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/ivmc/ivmc/zset"
)

// csvReader reads a CSV as PostgreSQL's COPY does: a quote may stand anywhere and
// switches quoting on and off, a doubled or escaped one is itself, lines end with
// LF or CR LF, or all with CR. An unquoted field that is Options.Null is NULL.
type csvReader struct {
	lines  csvLines
	path   string
	o      Options
	names  []string // of the header, or made up
	fields zset.Schema
	out    *zset.Batch
	row    int64
	first  bool // the first record was read without being a header
}

func newCSVReader(in io.Reader, path string, o Options, want zset.Schema) (*csvReader, error) {
	r := &csvReader{path: path, o: o, lines: csvLines{in: bufio.NewReaderSize(in, 1<<18), o: o}}
	if o.NoHeader && want != nil {
		r.fields = pick(want, all(len(want)))
		r.out = zset.NewBatch(r.fields.Types(), batchRows)
		return r, nil
	}
	ok, err := r.lines.next()
	if err != nil {
		return nil, err
	}
	if !ok && !o.NoHeader {
		return nil, badFile("the file is empty: a CSV starts with the names of its columns")
	}
	for i := range r.lines.spans {
		name := string(r.lines.field(i))
		if o.NoHeader {
			name = fmt.Sprintf("column%d", i+1)
		}
		if name == "" {
			return nil, badFile("column %d of the header has no name", i+1)
		}
		if err := zset.CheckText(name); err != nil {
			return nil, err
		}
		r.names = append(r.names, name)
	}
	r.first = o.NoHeader && ok
	if want == nil {
		for _, n := range r.names {
			want = append(want, zset.Field{Name: n, Type: zset.TText})
		}
	}
	at, err := match(r.names, want)
	if err != nil {
		return nil, err
	}
	r.fields = pick(want, at)
	r.out = zset.NewBatch(r.fields.Types(), batchRows)
	return r, nil
}

func all(n int) []int {
	at := make([]int, n)
	for i := range at {
		at[i] = i
	}
	return at
}

func (r *csvReader) Fields() zset.Schema { return r.fields }

// record goes to the next record with a field for each column; false at the end.
func (r *csvReader) record() (bool, error) {
	if r.first {
		r.first = false
	} else if ok, err := r.lines.next(); !ok || err != nil {
		if err != nil {
			return false, place(err, r.path, r.row+1, "")
		}
		return false, nil
	}
	r.row++
	switch n := len(r.lines.spans); {
	case n < len(r.fields):
		return false, place(badFile("missing data for column %q", r.fields[n].Name), r.path, r.row, r.fields[n].Name)
	case n > len(r.fields):
		return false, place(badFile("extra data after last expected column"), r.path, r.row, "")
	}
	return true, nil
}

func (r *csvReader) Next(ctx context.Context) (*zset.Batch, error) {
	r.out.Reset()
	for size := 0; r.out.N < batchRows && size < maxRow; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		ok, err := r.record()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		for i := range r.fields {
			f := r.lines.field(i)
			if !r.lines.spans[i].quoted && string(f) == r.o.Null {
				r.out.Cols[i].AppendNull()
				continue
			}
			if err := appendText(&r.out.Cols[i], f, r.o.Zone); err != nil {
				return nil, place(err, r.path, r.row, r.fields[i].Name)
			}
		}
		size += len(r.lines.buf)
		r.out.N++
	}
	if r.out.N == 0 {
		return nil, nil
	}
	return r.out, nil
}

func (r *csvReader) guess(ctx context.Context) ([]string, []guess, error) {
	gs := make([]guess, len(r.fields))
	for {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		ok, err := r.record()
		if !ok || err != nil {
			return r.names, gs, err
		}
		for i := range gs {
			if f := r.lines.field(i); r.lines.spans[i].quoted || string(f) != r.o.Null {
				gs[i].see(string(f))
			}
		}
	}
}

// csvLines cuts records into fields.
type csvLines struct {
	in    *bufio.Reader
	o     Options
	buf   []byte // the fields of the record, one after the other, without quotes
	spans []span
	lone  bool // lines end with a CR alone
	ends  int  // of lines, met
}

type span struct {
	from, to int
	quoted   bool
}

func (l *csvLines) field(i int) []byte { return l.buf[l.spans[i].from:l.spans[i].to] }

// next reads a record; false at the end of the file.
func (l *csvLines) next() (bool, error) {
	l.buf, l.spans = l.buf[:0], l.spans[:0]
	at, quoted, inside := 0, false, false
	end := func() {
		l.spans = append(l.spans, span{at, len(l.buf), quoted})
		at, quoted = len(l.buf), false
	}
	for started := false; ; started = true {
		c, err := l.in.ReadByte()
		if err != nil {
			switch {
			case !errors.Is(err, io.EOF):
				return false, err
			case inside:
				return false, badFile("unterminated CSV quoted field")
			case !started:
				return false, nil
			}
			end()
			return true, nil
		}
		switch {
		case inside && c == l.o.Escape && l.escapes():
			c, _ = l.in.ReadByte()
			l.buf = append(l.buf, c)
		case c == l.o.Quote:
			inside, quoted = !inside, true
		case inside:
			l.buf = append(l.buf, c)
		case c == l.o.Delimiter:
			end()
		case c == '\n', c == '\r':
			end()
			return true, l.ended(c)
		default:
			l.buf = append(l.buf, c)
		}
		if len(l.buf) > maxRow {
			return false, zset.Errorf(codeTooLong, -1, "a row of the file is longer than %d bytes", maxRow)
		}
		if len(l.spans) > maxColumns {
			return false, zset.Errorf(codeTooLong, -1, "a row of the file has more than %d fields", maxColumns)
		}
	}
}

// ended takes the end of a line. The first one says whether it is a CR alone in this
// file; a CR among other ends is one of the data that a writer forgot to quote.
func (l *csvLines) ended(c byte) error {
	lone := false
	if c == '\r' {
		b, err := l.in.Peek(1) // an error comes again with the next read
		if lone = err != nil || b[0] != '\n'; !lone {
			_, _ = l.in.Discard(1)
		}
	}
	if l.ends++; l.ends == 1 {
		l.lone = lone
	}
	if lone == l.lone {
		return nil
	}
	what := map[bool]string{false: "newline", true: "carriage return"}[lone]
	e := zset.Errorf(codeBadFile, -1, "unquoted %s found in data", what)
	e.Hint = "Quote the CSV field that has it. Lines of this file end otherwise, as the first one does."
	return e
}

// maxColumns is as many as no table has.
const maxColumns = 10_000

// escapes reports whether the byte behind an escape is one that can be escaped.
func (l *csvLines) escapes() bool {
	b, err := l.in.Peek(1)
	return err == nil && (b[0] == l.o.Quote || b[0] == l.o.Escape)
}
