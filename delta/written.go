package delta

import (
	"slices"
	"strings"
	"unicode"
)

// moments are the functions that all are now() with a cast, by their names.
func moments() []string {
	return []string{"current_date", "current_time", "current_timestamp", "localtime", "localtimestamp", "now", "transaction_timestamp"}
}

// Written names the functions that bs block on as the text of the query has them:
// current_date is now() with a cast, and who wrote one looks for that. The text begins
// at position from of the statement.
func Written(bs []Blocker, text string, from int) {
	rs := []rune(text)
	for i, b := range bs {
		at := b.Pos - from
		if b.Code != CodeNondeterministic || at < 0 || at >= len(rs) {
			continue
		}
		word := wordAt(rs[at:])
		name := strings.ToLower(word)
		if !slices.Contains(moments(), name) {
			continue
		}
		if strings.HasPrefix(strings.TrimLeft(string(rs[at:])[len(word):], " "), "(") {
			name += "()"
		}
		bs[i].Object = name
	}
}

// wordAt is the word with which rs begins, "" if there is none.
func wordAt(rs []rune) string {
	n := 0
	for n < len(rs) && (rs[n] == '_' || unicode.IsLetter(rs[n])) {
		n++
	}
	return string(rs[:n])
}
