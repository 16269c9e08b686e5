package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/ivmc/ivmc"
)

// tablePrinter writes results as psql's aligned output does.
type tablePrinter struct {
	out *bufio.Writer
	err io.Writer
}

func (p *tablePrinter) outcome(o *ivmc.Outcome) error {
	if o.Rows == nil {
		fmt.Fprintln(p.out, o.Tag)
		printRefresh(p.out, o.Refresh)
		return p.notices(o.Notices)
	}
	if err := p.table(o.Rows); err != nil {
		return err
	}
	return p.notices(o.Notices)
}

// notices stand on standard error, after what standard output has so far.
func (p *tablePrinter) notices(ns []ivmc.Notice) error { return writeNotices(p.out, p.err, ns) }

func writeNotices(out *bufio.Writer, errw io.Writer, ns []ivmc.Notice) error {
	if len(ns) == 0 {
		return nil
	}
	if err := out.Flush(); err != nil {
		return err
	}
	for _, n := range ns {
		fmt.Fprintf(errw, "NOTICE:  %s (%s)\n", n.Message, n.Code)
	}
	return nil
}

// rowCount is "1 row", "2 rows".
func rowCount(n int64) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}

func printRefresh(out io.Writer, r *ivmc.RefreshReport) {
	if r == nil {
		return
	}
	fmt.Fprintf(out, "  %s: %s", r.View, strings.ToLower(r.Executed.String()))
	if r.Reason != "" {
		fmt.Fprintf(out, " (%s)", r.Reason)
	}
	fmt.Fprintf(out, ", %s in, %s out, %.3f ms\n", rowCount(r.RowsIn), rowCount(r.RowsOut), float64(r.Duration.Microseconds())/1000)
}

// table reads all rows first: widths are known at the end.
func (p *tablePrinter) table(rows *ivmc.Text) error {
	cols := rows.Columns()
	widths := make([]int, len(cols))
	names := make([]string, len(cols))
	for i, c := range cols {
		names[i] = strings.ReplaceAll(string(appendPrintable(nil, []byte(c.Name))), "\n", `\n`)
		widths[i] = width(names[i])
	}
	var text []byte
	var ends []int // of every cell in text
	n := 0
	for ; rows.Next(); n++ {
		for i := range cols {
			cell, _ := rows.Cell(i)
			from := len(text)
			text = appendPrintable(text, cell)
			ends = append(ends, len(text))
			for _, l := range bytes.Split(text[from:], []byte("\n")) {
				widths[i] = max(widths[i], width(l))
			}
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for i, name := range names {
		if i > 0 {
			p.out.WriteByte('|')
		}
		gap := widths[i] - width(name)
		p.out.WriteString(strings.Repeat(" ", gap/2+1) + name + strings.Repeat(" ", gap-gap/2+1))
	}
	p.out.WriteByte('\n')
	for i := range cols {
		if i > 0 {
			p.out.WriteByte('+')
		}
		p.out.WriteString(strings.Repeat("-", widths[i]+2))
	}
	p.out.WriteByte('\n')
	from, k := 0, 0
	for range n {
		lines := make([][]string, len(cols))
		height := 1
		for i := range cols {
			lines[i] = strings.Split(string(text[from:ends[k]]), "\n")
			height = max(height, len(lines[i]))
			from = ends[k]
			k++
		}
		for l := range height {
			for i, c := range cols {
				cell, mark := "", byte(' ')
				if l < len(lines[i]) {
					cell = lines[i][l]
				}
				if l+1 < len(lines[i]) {
					mark = '+' // the cell goes on below
				}
				p.cell(i, len(cols), cell, widths[i], c.Numeric, mark)
			}
		}
		if len(cols) == 0 {
			p.out.WriteByte('\n')
		}
	}
	_, err := fmt.Fprintf(p.out, "(%s)\n\n", rowCount(int64(n)))
	return err
}

// cell writes cell i of n, and the line end after the last one.
func (p *tablePrinter) cell(i, n int, s string, w int, right bool, mark byte) {
	if i > 0 {
		p.out.WriteByte('|')
	}
	pad := strings.Repeat(" ", max(0, w-width(s)))
	p.out.WriteByte(' ')
	switch {
	case right:
		p.out.WriteString(pad + s)
	case i == n-1 && mark == ' ': // no blanks at the end of a line
		p.out.WriteString(s)
	default:
		p.out.WriteString(s + pad)
	}
	if i < n-1 || mark != ' ' {
		p.out.WriteByte(mark)
	}
	if i == n-1 {
		p.out.WriteByte('\n')
	}
}

// appendPrintable appends a cell so that it cannot steer a terminal: control
// bytes as psql shows them, tabs as blanks. Line ends stay; they break the cell.
func appendPrintable(dst, cell []byte) []byte {
	line := len(dst) // where the line of the cell begins
	for _, c := range cell {
		switch {
		case c == '\n':
			dst = append(dst, c)
			line = len(dst)
		case c == '\t':
			dst = append(dst, "        "[width(dst[line:])%8:]...)
		case c == '\r':
			dst = append(dst, `\r`...)
		case c < ' ' || c == 0x7f:
			dst = fmt.Appendf(dst, `\x%02X`, c)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

func (p *tablePrinter) failed(e *ivmc.Error, src *source) error {
	return writeErrors(p.out, p.err, e, src)
}

// writeErrors writes every error with its place, its line and a caret.
func writeErrors(out *bufio.Writer, errw io.Writer, e *ivmc.Error, src *source) error {
	if err := out.Flush(); err != nil {
		return err
	}
	all := e.Errors
	if len(all) == 0 {
		all = []*ivmc.Error{e}
	}
	for _, x := range all {
		if x.Line > 0 {
			fmt.Fprintf(errw, "%s:%d:%d: ", src.name, x.Line, x.Column)
		} else {
			fmt.Fprintf(errw, "%s: ", src.name)
		}
		fmt.Fprintf(errw, "ERROR:  %s (%s)\n", x.Message, x.Code)
		if x.Line > 0 {
			if line, ok := src.text(x.Line); ok {
				shown, mark := excerpt(line, x.Column-1)
				fmt.Fprintf(errw, "  %s\n  %s^\n", shown, mark)
			}
		}
		if x.Detail != "" {
			fmt.Fprintf(errw, "DETAIL:  %s\n", x.Detail)
		}
		if x.Hint != "" {
			fmt.Fprintf(errw, "HINT:  %s\n", x.Hint)
		}
	}
	return nil
}

// excerpt is up to 120 characters of a line around character col, and the
// blanks that bring a caret under it.
func excerpt(line string, col int) (shown, mark string) {
	rs := []rune(strings.ToValidUTF8(line, "?"))
	from := 0
	if len(rs) > 120 {
		from = max(0, min(col-80, len(rs)-120))
		rs = rs[from:min(len(rs), from+120)]
	}
	var m strings.Builder
	for i, r := range rs {
		if r != '\t' && (r < ' ' || r == 0x7f) {
			rs[i], r = '?', '?'
		}
		switch {
		case from+i >= col:
		case r == '\t':
			m.WriteByte('\t')
		default:
			m.WriteString("  "[:runeWidth(r)])
		}
	}
	return string(rs), m.String()
}
