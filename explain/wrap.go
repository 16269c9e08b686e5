package explain

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Width is the columns that text takes at most where nothing else is asked for,
// and LeastWidth what can be asked for.
const (
	Width      = 100
	LeastWidth = 40
)

// mostText is how many characters of one text are shown.
const mostText = 1000

// wrapped cuts text at blanks, and longer words anywhere, into lines of at most
// width columns, but of 20 at least.
func wrapped(text string, width int) []string { return cut(text, max(width, 20)) }

// cut is wrapped for any width above 0.
func cut(text string, width int) []string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	if n := utf8.RuneCountInString(text); n > mostText {
		text = string([]rune(text)[:mostText]) + fmt.Sprintf(" .. (%d more characters)", n-mostText)
	}
	var out []string
	line, n := "", 0
	for i, w := range strings.Split(text, " ") {
		k := utf8.RuneCountInString(w)
		if i > 0 && n+1+k <= width {
			line, n = line+" "+w, n+1+k
			continue
		}
		if i > 0 {
			out = append(out, line)
		}
		for k > width {
			rs := []rune(w)
			out, w, k = append(out, string(rs[:width])), string(rs[width:]), k-width
		}
		line, n = w, k
	}
	return append(out, line)
}

// english is a, b and c.
func english(names []string) string {
	switch n := len(names); n {
	case 0:
		return "nothing"
	case 1:
		return names[0]
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}
