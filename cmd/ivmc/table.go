package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/ivmc/ivmc"
	"github.com/ivmc/ivmc/serve"
)

// tablePrinter writes results as psql's aligned output does.
type tablePrinter struct {
	out *bufio.Writer
	err io.Writer
	look
}

func (p *tablePrinter) outcome(o *serve.Outcome) error {
	if o.Rows == nil {
		fmt.Fprintln(p.out, o.Tag)
		printRefreshes(p.out, o)
		return p.notices(o.Notices)
	}
	n, err := p.table(p.out, o.Rows)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "(%s)\n\n", rowCount(int64(n)))
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

// printRefreshes prints a line for every view that the statement refreshed.
func printRefreshes(out io.Writer, o *serve.Outcome) {
	if len(o.Cascade) == 0 {
		printRefresh(out, o.Refresh)
	}
	for _, r := range o.Cascade {
		printRefresh(out, r)
	}
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

// appendPrintable appends a cell so that it cannot steer a terminal: control
// bytes as psql shows them, tabs as blanks. Line ends stay; they break the cell.
func appendPrintable(dst, cell []byte) []byte {
	line := len(dst) // where the line of the cell begins
	for i, c := range cell {
		switch {
		case c == 0xc2 && i+1 < len(cell) && cell[i+1] >= 0x80 && cell[i+1] < 0xa0: // controls of 8 bits
			dst = fmt.Appendf(dst, `\u%04X`, cell[i+1])
		case c >= 0x80 && c < 0xa0 && i > 0 && cell[i-1] == 0xc2:
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
		mark := "  "
		switch {
		case src.name == "": // a person who sees what was typed
			mark = fmt.Sprintf("LINE %d: ", x.Line)
		case x.Line > 0:
			name, line := src.place(x.Line)
			fmt.Fprintf(errw, "%s:%d:%d: ", name, line, x.Column)
		default:
			fmt.Fprintf(errw, "%s: ", src.name)
		}
		fmt.Fprintf(errw, "ERROR:  %s (%s)\n", x.Message, x.Code)
		if x.Line > 0 {
			if line, ok := src.text(x.Line); ok {
				shown, gap := excerpt(line, x.Column-1, src.room-len(mark)-1)
				fmt.Fprintf(errw, "%s%s\n%*s%s^\n", mark, shown, len(mark), "", gap)
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

// excerpt is up to room characters of a line around character col (120 where
// that is too few to be any), and the blanks that bring a caret under it.
func excerpt(line string, col, room int) (shown, mark string) {
	if room < 20 {
		room = 120
	}
	rs := []rune(strings.ToValidUTF8(line, "?"))
	from := 0
	if len(rs) > room {
		from = max(0, min(col-room*2/3, len(rs)-room))
		rs = rs[from:min(len(rs), from+room)]
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
