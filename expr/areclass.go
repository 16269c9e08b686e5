package expr

import (
	"fmt"
	"regexp/syntax"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/ivmc/ivmc/zset"
)

// Escapes and bracket expressions of an ARE.

// controls are the escapes for one character.
var controls = map[rune]rune{'a': 7, 'b': 8, 'B': '\\', 'e': 27, 'f': 12, 'n': 10, 'r': 13, 't': 9, 'v': 11}

// hexDigits are the escapes that take so many hexadecimal digits.
var hexDigits = map[rune]int{'u': 4, 'U': 8}

// escape reads what follows a backslash outside of brackets.
func (r *areReader) escape() (constraint bool, err *zset.Error) {
	if r.at >= len(r.s) {
		return false, errRegex("invalid escape \\ sequence")
	}
	c := r.s[r.at]
	switch c {
	case 'A':
		r.at++
		r.out.WriteByte(textStart)
		return true, nil
	case 'Z':
		r.at++
		r.out.WriteString(`\z`)
		return true, nil
	case 'm', 'M', 'y', 'Y':
		return false, refusedRegex(`the border of a word, \` + string(c) + `,`)
	case 'd', 's', 'w', 'D', 'S', 'W':
		r.at++
		not := ""
		if unicode.IsUpper(c) {
			not = "^" // a newline too, whatever the flags
		}
		r.out.WriteString("[" + not + shorthand(unicode.ToLower(c)) + "]")
		return false, nil
	}
	ch, err := r.character()
	if err != nil {
		return false, err
	}
	r.literal(ch)
	return false, nil
}

// character reads the escape of one character.
func (r *areReader) character() (rune, *zset.Error) {
	bad := errRegex("invalid escape \\ sequence")
	if r.at >= len(r.s) {
		return 0, bad
	}
	c := r.s[r.at]
	r.at++
	if v, ok := controls[c]; ok {
		return v, nil
	}
	switch {
	case c == 'c':
		if r.at >= len(r.s) {
			return 0, bad
		}
		r.at++
		return r.s[r.at-1] & 0x1f, nil
	case c == 'x':
		return r.hex(1, 255)
	case hexDigits[c] > 0:
		return r.hex(hexDigits[c], hexDigits[c])
	case c >= '1' && c <= '9':
		return 0, refusedRegex(`a back reference, \` + string(c) + `,`)
	case c == '0':
		return 0, refusedRegex("an octal escape")
	case c < 0x80 && isLetter(byte(c)):
		return 0, bad
	}
	return c, nil
}

func (r *areReader) hex(low, high int) (rune, *zset.Error) {
	v, n := rune(0), 0
	for ; n < high && r.at < len(r.s); n++ {
		d := strings.IndexRune("0123456789abcdef", unicode.ToLower(r.s[r.at]))
		if d < 0 {
			break
		}
		if v = v<<4 | rune(d); v > unicode.MaxRune || v < 0 {
			return 0, errRegex("invalid escape \\ sequence")
		}
		r.at++
	}
	if n < low {
		return 0, errRegex("invalid escape \\ sequence")
	}
	return v, nil
}

func shorthand(c rune) string {
	switch c {
	case 'd':
		return classNames["digit"]
	case 's':
		return classNames["space"]
	}
	return classTables()["word"]
}

// classNames are the named classes in Go's syntax, as the C library has them
// for UTF-8; the empty ones are in classTables.
var classNames = map[string]string{
	"digit":  `0-9`,
	"space":  `\x{9}-\x{d}\x{20}\x{1680}\x{2000}-\x{2006}\x{2008}-\x{200a}\x{2028}\x{2029}\x{205f}\x{3000}`,
	"xdigit": `0-9A-Fa-f`,
	"blank":  `\x{9}\x{20}`,
	"cntrl":  `\x{0}-\x{1f}\x{7f}-\x{9f}`,
	"alpha":  "", "alnum": "", "word": "", "upper": "", "lower": "", "punct": "",
}

// classTables are the classes that are made of Unicode's tables, in Go's syntax.
var classTables = sync.OnceValue(func() map[string]string {
	alpha := writeClass("\\p{L}\\p{Nl}", nil, unicode.Other_Alphabetic, unicode.Nd)
	return map[string]string{
		"alpha": alpha,
		"alnum": alpha + "0-9",
		"word":  alpha + "0-9_",
		"upper": writeClass("\\p{Lu}\\p{Lt}", nil, unicode.Other_Uppercase),
		// The first four letters are of two, the second of which is small.
		"lower": writeClass("\\x{1c5}\\x{1c8}\\x{1cb}\\x{1f2}\\p{Ll}", nil, unicode.Other_Lowercase),
		"punct": writeClass("!-/:-@\\x{5b}-`\\x{7b}-~\\x{a0}\\x{2007}\\x{202f}\\p{Co}", isAlpha, unicode.P, unicode.S, unicode.M, unicode.No, unicode.Cf),
	}
})

// writeClass appends the characters of tables beyond ASCII to head, but those that skip takes.
func writeClass(head string, skip func(rune) bool, tables ...*unicode.RangeTable) string {
	var b strings.Builder
	b.WriteString(head)
	for _, t := range tables {
		for _, x := range t.R16 {
			writeTable(&b, skip, rune(x.Lo), rune(x.Hi), rune(x.Stride))
		}
		for _, x := range t.R32 {
			writeTable(&b, skip, rune(x.Lo), rune(x.Hi), rune(x.Stride))
		}
	}
	return b.String()
}

func writeTable(b *strings.Builder, skip func(rune) bool, lo, hi, stride rune) {
	if skip == nil && stride == 1 && lo >= utf8.RuneSelf {
		fmt.Fprintf(b, `\x{%x}-\x{%x}`, lo, hi)
		return
	}
	for ; lo <= hi; lo += stride {
		if lo >= utf8.RuneSelf && (skip == nil || !skip(lo)) {
			fmt.Fprintf(b, `\x{%x}`, lo)
		}
	}
}

// class is the named class in Go's syntax, for use in brackets.
func (r *areReader) class(name string) (string, *zset.Error) {
	body, ok := classNames[name]
	switch {
	case name == "print" || name == "graph":
		return "", refusedRegex("the class [:" + name + ":]")
	case !ok:
		return "", errRegex("invalid character class")
	case r.fl.icase && (name == "upper" || name == "lower"):
		name = "alpha" // PostgreSQL takes both for it
	}
	if body == "" {
		body = classTables()[name]
	}
	return body, nil
}

// bracket reads a bracket expression behind its [.
func (r *areReader) bracket() (constraint bool, err *zset.Error) {
	unbalanced := errRegex("brackets [] not balanced")
	var b strings.Builder
	b.WriteByte('[')
	if r.peek('^') {
		r.at++
		b.WriteByte('^')
		if r.fl.partial {
			b.WriteString(`\n`)
		}
	}
	for first := true; ; first = false {
		if r.at >= len(r.s) {
			return false, unbalanced
		}
		if r.peek(']') && !first {
			r.at++
			b.WriteByte(']')
			r.out.WriteString(b.String())
			return false, nil
		}
		class, lo, err := r.member()
		if err != nil {
			return false, err
		}
		isRange := r.at+1 < len(r.s) && r.s[r.at] == '-' && r.s[r.at+1] != ']'
		if class != "" {
			if isRange {
				return false, errRegex("invalid character range")
			}
			b.WriteString(class)
			continue
		}
		hi := lo
		if isRange {
			r.at++
			if class, hi, err = r.member(); err != nil {
				return false, err
			}
			if class != "" || hi < lo {
				return false, errRegex("invalid character range")
			}
		}
		r.writeRange(&b, lo, hi)
	}
}

// member reads a class or a character within brackets.
func (r *areReader) member() (class string, c rune, err *zset.Error) {
	if r.at >= len(r.s) {
		return "", 0, errRegex("brackets [] not balanced")
	}
	c = r.s[r.at]
	r.at++
	switch {
	case c == '[' && r.at < len(r.s) && strings.ContainsRune(":.=", r.s[r.at]):
		return r.named()
	case c == '\\' && r.at < len(r.s):
		switch e := r.s[r.at]; e {
		case 'd', 's', 'w':
			r.at++
			return shorthand(e), 0, nil
		case 'D', 'S', 'W', 'A', 'Z', 'm', 'M', 'y', 'Y':
			return "", 0, errRegex("invalid escape \\ sequence")
		}
		c, err = r.character()
		return "", c, err
	}
	return "", c, nil
}

// named reads [:class:]; collating elements and equivalence classes are refused.
func (r *areReader) named() (class string, c rune, err *zset.Error) {
	kind := r.s[r.at]
	end := r.at + 1
	for end+1 < len(r.s) && !(r.s[end] == kind && r.s[end+1] == ']') {
		end++
	}
	if end+1 >= len(r.s) {
		return "", 0, errRegex("brackets [] not balanced")
	}
	name := string(r.s[r.at+1 : end])
	r.at = end + 2
	switch {
	case kind == '.':
		return "", 0, refusedRegex("a collating element, [.x.],")
	case kind == '=':
		return "", 0, refusedRegex("an equivalence class, [=x=],")
	case name == "<" || name == ">":
		return "", 0, refusedRegex("the border of a word, [[:" + name + ":]],")
	}
	class, err = r.class(name)
	return class, 0, err
}

// writeRange writes lo to hi with, if case does not count, the partners.
func (r *areReader) writeRange(b *strings.Builder, lo, hi rune) {
	writeRune(b, lo)
	if hi > lo {
		b.WriteByte('-')
		writeRune(b, hi)
	}
	if !r.fl.icase {
		return
	}
	const lastCased = 0x1E943
	for c := lo; c <= min(hi, lastCased); c++ {
		for _, p := range []rune{unicode.ToLower(c), unicode.ToUpper(c)} {
			if p < lo || p > hi {
				writeRune(b, p)
			}
		}
	}
}

// unambiguous reports whether a match of pattern can be cut into its groups in
// one way only, or in one that any engine would choose: alternatives begin with
// different characters, what is repeated is not empty, and where one alternative
// is empty, what comes behind them begins with another character than the rest.
func unambiguous(pattern string) bool {
	re, err := syntax.Parse(pattern, syntax.Perl)
	return err == nil && unambiguousNode(re, nil, true)
}

// unambiguousNode is [unambiguous] of re, behind which stands what begins with one
// of follow, or, with open, perhaps nothing of the pattern.
func unambiguousNode(re *syntax.Regexp, follow []rune, open bool) bool {
	switch re.Op {
	case syntax.OpAlternate:
		var seen []rune
		empties := 0
		for _, sub := range re.Sub {
			set, empty := firsts(sub)
			if empty {
				empties++
			}
			if overlap(seen, set) || !unambiguousNode(sub, follow, open) {
				return false
			}
			seen = append(seen, set...)
		}
		return empties == 0 || empties == 1 && !open && !overlap(seen, follow)
	case syntax.OpConcat:
		for i := len(re.Sub) - 1; i >= 0; i-- {
			if !unambiguousNode(re.Sub[i], follow, open) {
				return false
			}
			set, empty := firsts(re.Sub[i])
			if !empty {
				follow, open = nil, false
			}
			follow = append(follow[:len(follow):len(follow)], set...)
		}
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		set, empty := firsts(re.Sub[0])
		return !empty && unambiguousNode(re.Sub[0], append(follow[:len(follow):len(follow)], set...), open)
	case syntax.OpCapture:
		return unambiguousNode(re.Sub[0], follow, open)
	}
	return true
}

// firsts are the ranges of characters that a match may begin with, and whether
// it may be empty.
func firsts(re *syntax.Regexp) (set []rune, empty bool) {
	everything := []rune{0, unicode.MaxRune}
	switch re.Op {
	case syntax.OpLiteral:
		return []rune{re.Rune[0], re.Rune[0]}, false
	case syntax.OpCharClass:
		return re.Rune, false
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return everything, false
	case syntax.OpCapture, syntax.OpPlus:
		return firsts(re.Sub[0])
	case syntax.OpStar, syntax.OpQuest:
		set, _ = firsts(re.Sub[0])
		return set, true
	case syntax.OpRepeat:
		set, empty = firsts(re.Sub[0])
		return set, empty || re.Min == 0
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			s, e := firsts(sub)
			if set = append(set, s...); !e {
				return set, false
			}
		}
		return set, true
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			s, e := firsts(sub)
			set, empty = append(set, s...), empty || e
		}
		return set, empty
	}
	return nil, true // anchors and the empty match
}

func overlap(a, b []rune) bool {
	for i := 0; i < len(a); i += 2 {
		for j := 0; j < len(b); j += 2 {
			if a[i] <= b[j+1] && b[j] <= a[i+1] {
				return true
			}
		}
	}
	return false
}
