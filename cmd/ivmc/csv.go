package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"github.com/ivmc/ivmc"
	"github.com/ivmc/ivmc/serve"
)

// csvPrinter writes rows as psql --csv does: a header, quotes where they are
// needed, NULL as nothing and the empty string as "". Tags are not printed.
type csvPrinter struct {
	out *bufio.Writer
	err io.Writer
}

func (p *csvPrinter) outcome(o *serve.Outcome) error {
	if o.Rows != nil {
		cols := o.Rows.Columns()
		for i, c := range cols {
			p.cell(i, []byte(c.Name), false)
		}
		p.out.WriteByte('\n')
		for o.Rows.Next() {
			for i := range cols {
				cell, null := o.Rows.Cell(i)
				p.cell(i, cell, null)
			}
			p.out.WriteByte('\n')
		}
		if err := o.Rows.Err(); err != nil {
			return err
		}
	}
	if o.Refresh != nil {
		if err := p.out.Flush(); err != nil {
			return err
		}
		fmt.Fprint(p.err, "REFRESH")
		printRefreshes(p.err, o)
	}
	return writeNotices(p.out, p.err, o.Notices)
}

func (p *csvPrinter) cell(i int, b []byte, null bool) {
	if i > 0 {
		p.out.WriteByte(',')
	}
	switch {
	case null:
	case len(b) == 0 || bytes.ContainsAny(b, ",\"\r\n"):
		p.out.WriteByte('"')
		p.out.Write(bytes.ReplaceAll(b, []byte(`"`), []byte(`""`)))
		p.out.WriteByte('"')
	default:
		p.out.Write(b)
	}
}

func (p *csvPrinter) failed(e *ivmc.Error, src *source) error {
	return writeErrors(p.out, p.err, e, src)
}
