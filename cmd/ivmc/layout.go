package main

import (
	"bufio"
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ivmc/ivmc"
)

// records is a result to be laid out: a query's, or one made up by a command.
type records interface {
	Columns() []ivmc.ColumnInfo
	Next() bool
	Cell(c int) (text []byte, null bool)
	Err() error
}

// expansion says when a row is shown with a line for each of its columns.
type expansion uint8

const (
	expandNever expansion = iota
	expandAlways
	expandAuto // where the table is wider than the window
)

// look is how tables are shown. The zero look is that of a pipe: as wide as they
// are, and NULL is nothing.
type look struct {
	null   string
	dim    bool       // NULL is told from the text by a fainter colour
	window func() int // columns of the terminal; nil: no end
	expand expansion
}

// sheet is a result read to its end: widths are known only then.
type sheet struct {
	look
	out    *bufio.Writer
	names  []string
	right  []bool // columns of numbers
	widths []int
	text   []byte
	ends   []int // of every cell in text
	nulls  []bool
}

// table lays rows out and returns their number.
func (l look) table(out *bufio.Writer, rows records) (int, error) {
	s := &sheet{look: l, out: out}
	for _, c := range rows.Columns() {
		name := strings.ReplaceAll(string(appendPrintable(nil, []byte(c.Name))), "\n", `\n`)
		s.names, s.right, s.widths = append(s.names, name), append(s.right, c.Numeric), append(s.widths, width(name))
	}
	n := 0
	for ; rows.Next(); n++ {
		for i := range s.names {
			cell, null := rows.Cell(i)
			from := len(s.text)
			if null {
				cell = []byte(l.null)
			}
			s.text = appendPrintable(s.text, cell)
			s.ends, s.nulls = append(s.ends, len(s.text)), append(s.nulls, null)
			for line := range bytes.SplitSeq(s.text[from:], []byte("\n")) {
				s.widths[i] = max(s.widths[i], width(line))
			}
		}
	}
	if err := rows.Err(); err != nil {
		return n, err
	}
	space := 0
	if l.window != nil {
		space = l.window()
	}
	switch {
	case l.expand == expandAlways, l.expand == expandAuto && space > 0 && s.total() > space, !s.fit(space):
		s.expanded(n, space)
	default:
		s.aligned(n)
	}
	return n, nil
}

// total is the width of the table.
func (s *sheet) total() int {
	sum := max(0, len(s.widths)-1)
	for _, w := range s.widths {
		sum += w + 2
	}
	return sum
}

// leastWidth is what a column is not made narrower than.
const leastWidth = 8

// fit makes the widest columns narrower until the table fits the space, and
// reports whether it can; 0: anything fits. Cells are then broken.
func (s *sheet) fit(space int) bool {
	if space <= 0 || s.total() <= space {
		return true
	}
	widths := slices.Clone(s.widths)
	for over := s.total() - space; over > 0; over-- {
		widest := 0
		for i, w := range widths {
			if w > widths[widest] || w == widths[widest] && s.right[widest] {
				widest = i
			}
		}
		if widths[widest] <= leastWidth {
			return false
		}
		widths[widest]--
	}
	s.widths = widths
	return true
}

// aligned prints a line or more for each row.
func (s *sheet) aligned(n int) {
	heads := make([][]piece, len(s.names))
	height := 1
	for i, name := range s.names {
		heads[i] = pieces(name, s.widths[i])
		height = max(height, len(heads[i]))
	}
	for l := range height {
		for i := range s.names {
			if i > 0 {
				s.out.WriteByte('|')
			}
			p := at(heads[i], l)
			gap := s.widths[i] - width(p.text)
			s.out.WriteString(p.left() + strings.Repeat(" ", gap/2) + p.text + strings.Repeat(" ", gap-gap/2) + p.right())
		}
		s.out.WriteByte('\n')
	}
	for i, w := range s.widths {
		if i > 0 {
			s.out.WriteByte('+')
		}
		s.out.WriteString(strings.Repeat("-", w+2))
	}
	s.out.WriteByte('\n')
	lines := make([][]piece, len(s.names))
	for row := range n {
		height := 1
		for i := range s.names {
			lines[i] = pieces(s.cell(row, i), s.widths[i])
			height = max(height, len(lines[i]))
		}
		for l := range height {
			for i := range s.names {
				s.piece(i, at(lines[i], l), s.nulls[row*len(s.names)+i])
			}
		}
		if len(s.names) == 0 {
			s.out.WriteByte('\n')
		}
	}
}

func (s *sheet) cell(row, col int) string {
	k := row*len(s.names) + col
	from := 0
	if k > 0 {
		from = s.ends[k-1]
	}
	return string(s.text[from:s.ends[k]])
}

// piece writes a piece of column i, and the line end after the last column.
func (s *sheet) piece(i int, p piece, null bool) {
	if i > 0 {
		s.out.WriteByte('|')
	}
	last := i == len(s.names)-1
	pad := strings.Repeat(" ", max(0, s.widths[i]-width(p.text)))
	s.out.WriteString(p.left())
	text := p.text
	if null && s.dim && text != "" {
		text = "\033[2m" + text + "\033[0m"
	}
	switch {
	case s.right[i]:
		s.out.WriteString(pad + text)
	case last && p.more == 0: // no blanks at the end of a line
		s.out.WriteString(text)
	default:
		s.out.WriteString(text + pad)
	}
	if !last || p.more != 0 {
		s.out.WriteString(p.right())
	}
	if last {
		s.out.WriteByte('\n')
	}
}

// piece is what stands of a cell on one line of the screen.
type piece struct {
	text string
	cont bool // goes on from the line above, within a line of the cell
	more byte // '.': the line of the cell goes on below; '+': another one comes
}

func (p piece) left() string {
	if p.cont {
		return "."
	}
	return " "
}

func (p piece) right() string {
	if p.more != 0 {
		return string([]byte{p.more})
	}
	return " "
}

func at(ps []piece, i int) piece {
	if i < len(ps) {
		return ps[i]
	}
	return piece{}
}

// pieces breaks a cell at its line ends, and where a line is wider than w.
func pieces(cell string, w int) []piece {
	var out []piece
	for line := range strings.SplitSeq(cell, "\n") {
		if len(out) > 0 {
			out[len(out)-1].more = '+'
		}
		cont := false
		for width(line) > w {
			n, places := 0, 0
			for n < len(line) {
				r, size := utf8.DecodeRuneInString(line[n:])
				if places += runeWidth(r); places > w && n > 0 {
					break
				}
				n += size
			}
			if n == len(line) {
				break
			}
			out = append(out, piece{line[:n], cont, '.'})
			line, cont = line[n:], true
		}
		out = append(out, piece{line, cont, 0})
	}
	return out
}

// expanded prints a line for each column of each row.
func (s *sheet) expanded(n, space int) {
	names, cells := 0, 0
	for i, name := range s.names {
		names, cells = max(names, width(name)), max(cells, s.widths[i])
	}
	if space > 0 {
		cells = max(leastWidth, min(cells, space-names-4))
	}
	for row := range n {
		head := fmt.Sprintf("-[ RECORD %d ]", row+1)
		rest := names + cells + 3 - len(head)
		if at := names + 1 - len(head); at >= 0 && rest > at { // a cross where the names end
			head += strings.Repeat("-", at) + "+" + strings.Repeat("-", rest-at-1)
		} else {
			head += strings.Repeat("-", max(0, rest))
		}
		s.out.WriteString(head + "\n")
		for i, name := range s.names {
			for l, p := range pieces(s.cell(row, i), cells) {
				if l > 0 {
					name = ""
				}
				text := p.text
				if s.nulls[row*len(s.names)+i] && s.dim && text != "" {
					text = "\033[2m" + text + "\033[0m"
				}
				if p.more != 0 {
					text += strings.Repeat(" ", max(0, cells-width(p.text))) + p.right()
				}
				s.out.WriteString(strings.TrimRight(name+strings.Repeat(" ", names-width(name))+" |"+p.left()+text, " ") + "\n")
			}
		}
	}
}

// made is a result that a command makes up.
type made struct {
	cols []ivmc.ColumnInfo
	rows [][]string
	at   int // of the row that Cell reads, from 1
}

// grid begins one; a name that begins with ">" is a column of numbers.
func grid(names ...string) *made {
	m := &made{}
	for _, n := range names {
		name, number := strings.CutPrefix(n, ">")
		m.cols = append(m.cols, ivmc.ColumnInfo{Name: name, Type: "text", Numeric: number})
	}
	return m
}

func (m *made) add(cells ...string) { m.rows = append(m.rows, cells) }

func (m *made) Columns() []ivmc.ColumnInfo { return m.cols }

func (m *made) Next() bool {
	m.at++
	return m.at <= len(m.rows)
}

func (m *made) Cell(c int) ([]byte, bool) { return []byte(m.rows[m.at-1][c]), false }

func (m *made) Err() error { return nil }
