package expr

import (
	"bytes"
	"unicode/utf8"

	"github.com/ivmc/ivmc/zset"
)

// likeFuncs are LIKE and ILIKE, with and without ESCAPE.
func likeFuncs() []Func {
	var rows []Func
	for _, v := range []struct {
		name      string
		fold, not bool
	}{{"like", false, false}, {"not like", false, true}, {"ilike", true, false}, {"not ilike", true, true}} {
		for n := 2; n <= 3; n++ {
			for _, k := range []zset.Kind{zset.Text, zset.Char} { // the blanks of a CHAR count
				args := []zset.Kind{k, zset.Text, zset.Text}[:n]
				// A text that is NULL does not hide what is wrong with ESCAPE.
				rows = append(rows, Func{Name: v.name, Args: args, Result: zset.Bool, Strict: n == 2, Raises: true, Costly: true,
					spares: patternSound,
					row:    func(f *frame, i int) { likeRow(f, i, v.fold, v.not) },
					bind:   func(consts []*zset.Value) rowFunc { return bindLike(consts, v.fold, v.not) }})
			}
		}
	}
	return rows
}

// patternSound: a constant pattern that cannot fail.
func patternSound(e *Expr) bool {
	esc := `\`
	for _, a := range e.Args[1:] {
		if a.Op != OpConst {
			return false
		}
	}
	if len(e.Args) == 3 {
		esc = e.Args[2].Val.S
	}
	p, err := parsePattern([]byte(e.Args[1].Val.S), []byte(esc), false)
	return err == nil && !p.dangling
}

// pattern is a LIKE pattern cut at its % signs. Matching takes time
// proportional to the text, except that a middle segment with _ in it is tried
// at every character.
type pattern struct {
	segs     []segment // one more than there are % signs; runs of % count once
	fold     bool
	dangling bool // ends with an escape character: fails where the text goes on there
}

// segment is what has to match without gaps.
type segment struct {
	parts []part
	chars int
}

// part is skip arbitrary characters, then lit.
type part struct {
	skip int
	lit  []byte
}

var (
	errEscape   = &zset.Error{Code: "22025", Msg: "invalid escape string", Hint: "Escape string must be empty or one character.", Pos: -1}
	errDangling = &zset.Error{Code: "22025", Msg: "LIKE pattern must not end with escape character", Pos: -1}
)

// parsePattern cuts a pattern. esc is the escape character, or nothing.
func parsePattern(s, esc []byte, fold bool) (*pattern, *zset.Error) {
	if utf8.RuneCount(esc) > 1 {
		return nil, errEscape
	}
	p := &pattern{fold: fold, segs: make([]segment, 1)}
	for len(s) > 0 {
		_, w := utf8.DecodeRune(s)
		c, rest := s[:w], s[w:]
		seg := &p.segs[len(p.segs)-1]
		switch {
		case len(esc) > 0 && bytes.Equal(c, esc):
			if len(rest) == 0 {
				p.dangling = true
				return p, nil
			}
			_, w = utf8.DecodeRune(rest)
			seg.literal(rest[:w], fold)
			rest = rest[w:]
		case c[0] == '%':
			if len(p.segs) == 1 || seg.chars > 0 {
				p.segs = append(p.segs, segment{})
			}
		case c[0] == '_':
			if k := len(seg.parts); k == 0 || len(seg.parts[k-1].lit) > 0 {
				seg.parts = append(seg.parts, part{})
			}
			seg.parts[len(seg.parts)-1].skip++
			seg.chars++
		default:
			seg.literal(c, fold)
		}
		s = rest
	}
	return p, nil
}

func (s *segment) literal(c []byte, fold bool) {
	if len(s.parts) == 0 {
		s.parts = append(s.parts, part{})
	}
	last := &s.parts[len(s.parts)-1]
	if fold {
		last.lit = appendLower(last.lit, c)
	} else {
		last.lit = append(last.lit, c...)
	}
	s.chars++
}

// wild reports whether the segment holds no literal.
func (s *segment) wild() bool {
	return len(s.parts) == 0 || len(s.parts) == 1 && len(s.parts[0].lit) == 0
}

// at is the rest of text after the segment, matched at its start.
func (s *segment) at(text []byte) (rest []byte, ok bool) {
	for k := range s.parts {
		p := &s.parts[k]
		for range p.skip {
			if len(text) == 0 {
				return nil, false
			}
			_, w := utf8.DecodeRune(text)
			text = text[w:]
		}
		if !bytes.HasPrefix(text, p.lit) {
			return nil, false
		}
		text = text[len(p.lit):]
	}
	return text, true
}

// in is the rest of text after the leftmost match of the segment.
func (s *segment) in(f *frame, text []byte) (rest []byte, ok bool) {
	if len(s.parts) == 0 {
		return text, true
	}
	if len(s.parts) == 1 && s.parts[0].skip == 0 {
		at := bytes.Index(text, s.parts[0].lit)
		if at < 0 {
			return nil, false
		}
		return text[at+len(s.parts[0].lit):], true
	}
	for {
		f.tick()
		if rest, ok = s.at(text); ok {
			return rest, true
		}
		if len(text) == 0 {
			return nil, false
		}
		_, w := utf8.DecodeRune(text)
		text = text[w:]
	}
}

// match matches the whole text: the first segment at its start, the last at
// its end, the others leftmost in between, which is always enough.
func (p *pattern) match(f *frame, text []byte) (bool, *zset.Error) {
	text, ok := p.segs[0].at(text)
	last := len(p.segs) - 1
	if !ok {
		return false, nil
	}
	if last == 0 {
		if p.dangling && len(text) > 0 {
			return false, errDangling
		}
		return len(text) == 0 && !p.dangling, nil
	}
	for k := 1; k < last; k++ {
		f.tick()
		if text, ok = p.segs[k].in(f, text); !ok {
			return false, nil
		}
	}
	seg := &p.segs[last]
	if p.dangling {
		rest, ok := seg.in(f, text)
		if ok && (len(rest) > 0 || len(text) > 0 && seg.wild()) {
			return false, errDangling
		}
		return false, nil
	}
	tail := text
	for range seg.chars {
		if len(tail) == 0 {
			return false, nil
		}
		_, w := utf8.DecodeLastRune(tail)
		tail = tail[:len(tail)-w]
	}
	rest, ok := seg.at(text[len(tail):])
	return ok && len(rest) == 0, nil
}

// likeRow compiles the pattern of the row, unless it is that of the row before.
func likeRow(f *frame, i int, fold, not bool) {
	esc := []byte(`\`)
	if len(f.args) == 3 {
		if f.isNull(1, i) || f.isNull(2, i) {
			f.setNull(i)
			return
		}
		esc = f.b(2, i)
	}
	pat := f.b(1, i)
	if m := f.like; m == nil || !bytes.Equal(f.likeText, pat) || !bytes.Equal(f.likeEsc, esc) {
		p, err := parsePattern(pat, esc, fold)
		if err != nil {
			f.failWith(i, err)
			return
		}
		f.like, f.likeText, f.likeEsc = p, append(f.likeText[:0], pat...), append(f.likeEsc[:0], esc...)
	}
	f.matchRow(i, f.like, not)
}

func (f *frame) matchRow(i int, p *pattern, not bool) {
	if f.isNull(0, i) {
		f.setNull(i)
		return
	}
	s := f.b(0, i)
	if p.fold {
		f.buf = f.buf[:0]
		f.pieces(s, func(piece []byte) { f.buf = appendLower(f.buf, piece) })
		s = f.buf
	}
	ok, err := p.match(f, s)
	if err != nil {
		f.failWith(i, err)
	}
	f.setBool(i, ok != not)
}

// bindLike compiles a constant pattern once.
func bindLike(consts []*zset.Value, fold, not bool) rowFunc {
	esc := `\`
	if consts[1] == nil || len(consts) == 3 && consts[2] == nil {
		return nil
	}
	if len(consts) == 3 {
		if consts[1].Null || consts[2].Null {
			return nil
		}
		esc = consts[2].S
	}
	p, err := parsePattern([]byte(consts[1].S), []byte(esc), fold)
	if err != nil {
		return func(f *frame, i int) { f.failWith(i, err) }
	}
	return func(f *frame, i int) { f.matchRow(i, p, not) }
}
