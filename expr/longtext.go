package expr

import (
	"bytes"
	"io"
	"regexp"
	"unicode/utf8"
)

// What is done with one long text ends with its statement: texts are worked on in
// pieces, and a regular expression reads a long one rune by rune, from a reader
// that stops. Short ones go the fast way.

// pieces calls do with s cut between characters, and polls before each piece.
func (f *frame) pieces(s []byte, do func(piece []byte)) {
	for len(s) > pieceBytes {
		cut := pieceBytes
		for cut > pieceBytes-utf8.UTFMax && !utf8.RuneStart(s[cut]) {
			cut--
		}
		f.watch.poll()
		do(s[:cut])
		s = s[cut:]
	}
	do(s)
}

// find is the leftmost match of re in s and, with groups, theirs; nil without a match.
// Of whether alone only nil or not counts.
func (f *frame) find(re *regexp.Regexp, groups int, whether bool, s []byte) []int {
	if len(s) > pieceBytes && f.watch != nil {
		return f.findLong(re, groups, whether, s)
	}
	switch {
	case whether:
		if re.Match(s) {
			return []int{0, 0}
		}
		return nil
	case groups == 0: // that is faster
		return re.FindIndex(s)
	}
	return re.FindSubmatchIndex(s)
}

// findLong skips to where the match can begin, if that is known: nothing before a
// literal prefix is looked at.
func (f *frame) findLong(re *regexp.Regexp, groups int, whether bool, s []byte) []int {
	skipped := 0
	if prefix, _ := re.LiteralPrefix(); prefix != "" {
		for at := -1; at < 0; {
			f.watch.poll()
			end := min(len(s), skipped+pieceBytes+len(prefix))
			if at = bytes.Index(s[skipped:end], []byte(prefix)); at >= 0 {
				skipped += at
			} else if end == len(s) {
				return nil
			} else {
				skipped += pieceBytes
			}
		}
	}
	r := &stoppedReader{s: s[skipped:], watch: f.watch}
	var loc []int
	switch {
	case whether:
		if re.MatchReader(r) {
			loc = []int{0, 0}
		}
	case groups == 0:
		loc = re.FindReaderIndex(r)
	default:
		loc = re.FindReaderSubmatchIndex(r)
	}
	if r.ended { // it saw the end of the text too early
		f.watch.poll()
	}
	for k := range loc {
		if loc[k] >= 0 {
			loc[k] += skipped
		}
	}
	return loc
}

// stoppedReader gives the runes of a text, and ends early with the statement.
type stoppedReader struct {
	s     []byte
	runes int
	watch *Watch
	ended bool
}

// runesMask: so many runes between two looks at the statement, less one. A pattern
// may take microseconds for each.
const runesMask = 1<<8 - 1

func (r *stoppedReader) ReadRune() (rune, int, error) {
	if r.runes++; r.runes&runesMask == 0 && r.watch.over() {
		r.ended = true
	}
	if r.ended || len(r.s) == 0 {
		return 0, 0, io.EOF
	}
	c, w := utf8.DecodeRune(r.s)
	r.s = r.s[w:]
	return c, w, nil
}
