package explain

import (
	"strings"
	"unicode/utf8"
)

// leastColumn is what a column of a table is not made narrower than.
const leastColumn = 12

// table writes rows with aligned columns, two blanks before each; where they are
// wider than the page, the widest are made narrower and their cells go on below.
func (p *page) table(rows [][]string) {
	var widths []int
	for _, row := range rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(c))
		}
	}
	p.narrow(widths)
	for _, row := range rows {
		cells, height := make([][]string, len(row)), 0
		for i, c := range row {
			cells[i] = cut(c, widths[i])
			height = max(height, len(cells[i]))
		}
		for l := range height {
			var b strings.Builder
			for i, c := range cells {
				text := ""
				if l < len(c) {
					text = c[l]
				}
				b.WriteString("  " + text + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(text)))
			}
			p.line(b.String())
		}
	}
}

// narrow takes from the widest columns until they fit, as far as that goes.
func (p *page) narrow(widths []int) {
	over := -p.width
	for _, w := range widths {
		over += w + 2
	}
	for ; over > 0; over-- {
		widest := 0
		for i, w := range widths {
			if w > widths[widest] {
				widest = i
			}
		}
		if widths[widest] <= leastColumn {
			return
		}
		widths[widest]--
	}
}
