package expr

import (
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ivmc/ivmc/zset"
)

// PostgreSQL's regular expressions (ARE) run on Go's engine, which takes time
// linear in the text. An ARE is read here and written again in Go's syntax, in
// its simplest parts, so that no difference between the two slips through.
// What Go's engine cannot tell (back references, what stands around a match,
// words) is refused by name.

// areFlags are the options of an ARE.
type areFlags struct {
	icase    bool // i
	literal  bool // q
	partial  bool // n, p: . and [^x] stop at a newline
	lines    bool // n, w: ^ and $ match at newlines
	expanded bool // x: white space and comments do not count
	global   bool // g: of the function, not of the pattern
}

func errRegex(msg string) *zset.Error {
	return zset.Errorf("2201B", -1, "invalid regular expression: %s", msg)
}

func refusedRegex(what string) *zset.Error {
	e := zset.Errorf("0A000", -1, "%s in a regular expression is not supported", what)
	e.Hint = "Regular expressions are matched in linear time."
	return e
}

// parseFlags reads the option letters of a function.
func parseFlags(s string) (fl areFlags, err *zset.Error) {
	for i, c := range s {
		if c == 'g' {
			fl.global = true
			continue
		}
		if err := fl.set(c); err != nil {
			return fl, err
		}
		if !strings.ContainsRune("bceimnpqstwx", c) {
			return fl, zset.Errorf("22023", -1, "invalid regular expression option: \"%s\"", s[i:i+utf8.RuneLen(c)])
		}
	}
	return fl, nil
}

// set applies one letter; it leaves letters that are no options alone.
func (fl *areFlags) set(c rune) *zset.Error {
	switch c {
	case 'i':
		fl.icase = true
	case 'c':
		fl.icase = false
	case 'm', 'n':
		fl.partial, fl.lines = true, true
	case 'p':
		fl.partial, fl.lines = true, false
	case 'w':
		fl.partial, fl.lines = false, true
	case 's':
		fl.partial, fl.lines = false, false
	case 'q':
		fl.literal = true
	case 'x':
		fl.expanded = true
	case 't':
		fl.expanded = false
	case 'b', 'e':
		return refusedRegex("the basic or extended syntax (option " + string(c) + ")")
	}
	return nil
}

// regex is a compiled ARE.
type regex struct {
	first  *regexp.Regexp // for a match that may begin at the start of the text
	rest   *regexp.Regexp // for one in a text whose start was cut off: ^ never matches
	groups int
	// split says why the place of a match may differ from PostgreSQL's, and
	// inner why that of a group may; nil: it does not. Whether there is a match
	// is always the same.
	split, inner *zset.Error
}

// compileRegex reads an ARE. Errors: 2201B as PostgreSQL's, 0A000 what cannot be had.
func compileRegex(text string, fl areFlags) (*regex, *zset.Error) {
	if fl.literal {
		if fl.icase {
			r := &areReader{fl: fl}
			for _, c := range text {
				r.literal(c)
			}
			return r.compile()
		}
		re := regexp.MustCompile(regexp.QuoteMeta(text))
		return &regex{first: re, rest: re}, nil
	}
	text, err := areOptions(text, &fl)
	if err != nil {
		return nil, err
	}
	r := &areReader{s: []rune(text), fl: fl}
	if fl.literal {
		for _, c := range r.s {
			r.literal(c)
		}
		return r.compile()
	}
	if err := r.alternatives(0); err != nil {
		return nil, err
	}
	if r.at < len(r.s) {
		return nil, errRegex("parentheses () not balanced")
	}
	return r.compile()
}

// areOptions takes directors and embedded options from the front.
func areOptions(text string, fl *areFlags) (string, *zset.Error) {
	if rest, ok := strings.CutPrefix(text, "***="); ok {
		fl.literal = true
		return rest, nil
	}
	if rest, ok := strings.CutPrefix(text, "***:"); ok {
		text = rest
	} else if strings.HasPrefix(text, "***") {
		return "", errRegex("invalid regexp (reg version 0.8)")
	}
	if len(text) < 3 || text[:2] != "(?" || !isLetter(text[2]) {
		return text, nil
	}
	end := strings.IndexByte(text, ')')
	if end < 0 {
		return "", errRegex("invalid embedded option")
	}
	for _, c := range text[2:end] {
		if err := fl.set(c); err != nil {
			return "", err
		}
		if !strings.ContainsRune("bceimnpqstwx", c) {
			return "", errRegex("invalid embedded option")
		}
	}
	return text[end+1:], nil
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// areReader turns an ARE into Go's syntax.
type areReader struct {
	s      []rune
	at     int
	fl     areFlags
	out    strings.Builder
	groups int

	greedy, lazy, forks bool
}

// textStart and lineStart stand for ^ and \A in the output until it is compiled.
const textStart, lineStart = '\x01', '\x02'

func (r *areReader) compile() (*regex, *zset.Error) {
	text := r.out.String()
	at, cut := `\A`, `[^\x00-\x{10FFFF}]`
	re := &regex{groups: r.groups}
	lines := r.fl.lines && strings.ContainsRune(text, lineStart)
	build := func(start string) (*regexp.Regexp, *zset.Error) {
		s := strings.NewReplacer(string(textStart), start, string(lineStart), "(?m:^)").Replace(text)
		c, err := regexp.Compile("(?s)" + s)
		if err != nil {
			if se, ok := err.(*syntax.Error); ok && (se.Code == syntax.ErrInvalidRepeatSize || se.Code == syntax.ErrLarge) {
				return nil, refusedRegex("so large a repetition")
			}
			return nil, errRegex("quantifier operand invalid")
		}
		if !r.lazy {
			c.Longest()
		}
		return c, nil
	}
	var err *zset.Error
	if re.first, err = build(at); err != nil {
		return nil, err
	}
	re.rest = re.first
	if strings.ContainsRune(text, textStart) {
		if re.rest, err = build(cut); err != nil {
			return nil, err
		}
	}
	switch {
	case r.lazy && r.greedy:
		re.split = refusedRegex("taking out a match of greedy and non-greedy quantifiers together")
	case r.lazy && r.forks:
		re.split = refusedRegex("taking out a match of non-greedy quantifiers and | together")
	case lines:
		re.split = refusedRegex("taking out a match of ^ at newlines")
	}
	if re.inner = re.split; re.inner == nil && !unambiguous(re.first.String()) {
		re.inner = refusedRegex("taking out a group beside alternatives or repetitions that can match alike")
	}
	return re, nil
}

func (r *areReader) peek(c rune) bool { return r.at < len(r.s) && r.s[r.at] == c }

// blanks skips what the expanded syntax does not count, and comments.
func (r *areReader) blanks() *zset.Error {
	for r.at < len(r.s) {
		c := r.s[r.at]
		switch {
		case r.fl.expanded && (c == ' ' || c >= '\t' && c <= '\r'):
			r.at++
		case r.fl.expanded && c == '#':
			for r.at < len(r.s) && r.s[r.at] != '\n' {
				r.at++
			}
		case c == '(' && r.at+2 < len(r.s) && r.s[r.at+1] == '?' && r.s[r.at+2] == '#':
			for r.at < len(r.s) && r.s[r.at] != ')' {
				r.at++
			}
			r.at++
		default:
			return nil
		}
	}
	return nil
}

const maxDepth = 100

// alternatives reads branches up to the end or a closing parenthesis.
func (r *areReader) alternatives(depth int) *zset.Error {
	if depth > maxDepth {
		return refusedRegex("so deep a nesting")
	}
	for {
		if err := r.branch(depth); err != nil {
			return err
		}
		if !r.peek('|') {
			return nil
		}
		r.at++
		r.forks = true
		r.out.WriteByte('|')
	}
}

func (r *areReader) branch(depth int) *zset.Error {
	for {
		if err := r.blanks(); err != nil {
			return err
		}
		if r.at >= len(r.s) || r.s[r.at] == '|' || r.s[r.at] == ')' {
			return nil
		}
		constraint, err := r.atom(depth)
		if err != nil {
			return err
		}
		if err := r.quantifier(constraint); err != nil {
			return err
		}
	}
}

// atom reads one atom; a constraint takes no quantifier.
func (r *areReader) atom(depth int) (constraint bool, err *zset.Error) {
	c := r.s[r.at]
	r.at++
	switch c {
	case '(':
		return false, r.group(depth)
	case '[':
		return r.bracket()
	case '.':
		if r.fl.partial {
			r.out.WriteString(`[^\n]`)
		} else {
			r.out.WriteByte('.')
		}
	case '^':
		if r.fl.lines {
			r.out.WriteByte(lineStart)
		} else {
			r.out.WriteByte(textStart)
		}
		return true, nil
	case '$':
		if r.fl.lines {
			r.out.WriteString("(?m:$)")
		} else {
			r.out.WriteString(`\z`)
		}
		return true, nil
	case '*', '+', '?':
		return false, errRegex("quantifier operand invalid")
	case '{':
		if r.at < len(r.s) && r.s[r.at] >= '0' && r.s[r.at] <= '9' {
			return false, errRegex("quantifier operand invalid")
		}
		r.literal(c)
	case '\\':
		return r.escape()
	default:
		r.literal(c)
	}
	return false, nil
}

func (r *areReader) group(depth int) *zset.Error {
	open := "("
	if r.peek('?') {
		r.at++
		var next rune
		if r.at < len(r.s) {
			next = r.s[r.at]
		}
		switch next {
		case ':':
			r.at++
			open = "(?:"
		case '=', '!':
			return refusedRegex("looking ahead, (?" + string(next) + "),")
		case '<':
			return refusedRegex("looking behind, (?<),")
		default:
			return errRegex("quantifier operand invalid")
		}
	}
	if open == "(" {
		r.groups++
	}
	r.out.WriteString(open)
	if err := r.alternatives(depth + 1); err != nil {
		return err
	}
	if !r.peek(')') {
		return errRegex("parentheses () not balanced")
	}
	r.at++
	r.out.WriteByte(')')
	return nil
}

// quantifier reads what may stand behind an atom.
func (r *areReader) quantifier(constraint bool) *zset.Error {
	if err := r.blanks(); err != nil {
		return err
	}
	if r.at >= len(r.s) {
		return nil
	}
	q, fixed := "", false
	switch c := r.s[r.at]; c {
	case '*', '+', '?':
		q = string(c)
		r.at++
	case '{':
		if r.at+1 >= len(r.s) || r.s[r.at+1] < '0' || r.s[r.at+1] > '9' {
			return nil
		}
		var err *zset.Error
		if q, fixed, err = r.bound(); err != nil {
			return err
		}
	default:
		return nil
	}
	if constraint {
		return errRegex("quantifier operand invalid")
	}
	lazy := r.peek('?')
	if lazy {
		r.at++
	}
	r.out.WriteString(q)
	switch {
	case fixed:
	case lazy:
		r.lazy = true
		r.out.WriteByte('?')
	default:
		r.greedy = true
	}
	if r.at < len(r.s) && strings.ContainsRune("*+?", r.s[r.at]) ||
		r.at+1 < len(r.s) && r.s[r.at] == '{' && r.s[r.at+1] >= '0' && r.s[r.at+1] <= '9' {
		return errRegex("quantifier operand invalid")
	}
	return nil
}

// bound reads {m}, {m,} or {m,n}.
func (r *areReader) bound() (q string, fixed bool, err *zset.Error) {
	const most = 255
	number := func() int {
		n := 0
		for r.at < len(r.s) && r.s[r.at] >= '0' && r.s[r.at] <= '9' {
			n = min(10*n+int(r.s[r.at]-'0'), most+1)
			r.at++
		}
		return n
	}
	r.at++
	low := number()
	high, open := low, false
	fixed = true
	if r.peek(',') {
		fixed = false
		r.at++
		if open = r.peek('}'); !open {
			high = number()
		}
	}
	if !r.peek('}') {
		if r.at >= len(r.s) {
			return "", false, errRegex("braces {} not balanced")
		}
		return "", false, errRegex("invalid repetition count(s)")
	}
	r.at++
	if low > most || high > most || low > high && !open {
		return "", false, errRegex("invalid repetition count(s)")
	}
	switch {
	case open:
		return "{" + strconv.Itoa(low) + ",}", false, nil
	case fixed || low == high:
		return "{" + strconv.Itoa(low) + "}", fixed, nil
	}
	return "{" + strconv.Itoa(low) + "," + strconv.Itoa(high) + "}", false, nil
}

// literal writes one character. Its case is folded here: Go's own folding
// takes the long s for an s.
func (r *areReader) literal(c rune) {
	if r.fl.icase {
		if l, u := unicode.ToLower(c), unicode.ToUpper(c); l != u {
			r.out.WriteByte('[')
			writeRune(&r.out, l)
			writeRune(&r.out, u)
			r.out.WriteByte(']')
			return
		}
	}
	writeRune(&r.out, c)
}

// writeRune writes a character so that it means itself, also in brackets.
func writeRune(b *strings.Builder, c rune) {
	if c < utf8.RuneSelf && (isLetter(byte(c)) || c >= '0' && c <= '9') || c >= 0xA0 {
		b.WriteRune(c)
		return
	}
	b.WriteString(`\x{`)
	b.WriteString(strconv.FormatInt(int64(c), 16))
	b.WriteByte('}')
}
