package expr

import (
	"unicode/utf8"

	"github.com/ivmc/ivmc/zset"
)

// similarFuncs make a regular expression of a pattern of SIMILAR TO.
func similarFuncs() []Func {
	const t = zset.Text
	return []Func{
		raising("similar_to_escape", t, func(f *frame, i int) { f.putSimilar(i, []byte(`\`)) }, t),
		raising("similar_to_escape", t, func(f *frame, i int) { f.putSimilar(i, f.b(1, i)) }, t, t),
	}
}

var errSimilarPart = zset.Errorf("0A000", -1, "a pattern of SIMILAR TO with parts, %s, is not supported", `\"`)

// putSimilar writes the pattern of argument 0: % and _ are those of LIKE, ( ) | * + ? { }
// and brackets those of regular expressions, and all of the text must match.
func (f *frame) putSimilar(i int, esc []byte) {
	if utf8.RuneCount(esc) > 1 {
		f.failWith(i, errEscape)
		return
	}
	s := f.b(0, i)
	f.put([]byte("^(?:"))
	inClass, escaped := false, false
	for len(s) > 0 {
		f.tick()
		_, w := utf8.DecodeRune(s)
		c := s[:w]
		s = s[w:]
		switch {
		case escaped && c[0] == '"' && !inClass:
			f.failWith(i, errSimilarPart)
			return
		case escaped:
			f.put([]byte(`\`))
			f.put(c)
			escaped = false
		case len(esc) > 0 && string(c) == string(esc):
			escaped = true
		case inClass:
			if c[0] == '\\' {
				f.put([]byte(`\`))
			}
			f.put(c)
			inClass = c[0] != ']'
		case c[0] == '[':
			f.put(c)
			inClass = true
		case c[0] == '%':
			f.put([]byte(".*"))
		case c[0] == '_':
			f.put([]byte("."))
		case c[0] == '(':
			f.put([]byte("(?:"))
		case c[0] == '\\' || c[0] == '.' || c[0] == '^' || c[0] == '$':
			f.put([]byte(`\`))
			f.put(c)
		default:
			f.put(c)
		}
	}
	f.put([]byte(")$"))
}
