package expr

import (
	"bytes"
	"math"
	"unicode"
	"unicode/utf8"

	"github.com/ivmc/ivmc/zset"
)

// textFuncs are the functions of text. Positions and lengths count characters.
func textFuncs() []Func {
	const t, n = zset.Text, zset.Int4
	ks := func(k ...zset.Kind) []zset.Kind { return k }
	fn := func(name string, args []zset.Kind, result zset.Kind, row rowFunc) Func {
		return Func{Name: name, Args: args, Result: result, Strict: true, Costly: true, row: row}
	}
	trim := func(name string, left, right bool) []Func {
		return []Func{
			fn(name, ks(t), t, func(f *frame, i int) { f.put(f.trimSet(f.b(0, i), []byte(" "), left, right)) }),
			fn(name, ks(t, t), t, func(f *frame, i int) { f.put(f.trimSet(f.b(0, i), f.b(1, i), left, right)) }),
		}
	}
	rows := []Func{
		fn("||", ks(t, t), t, func(f *frame, i int) { f.put(f.b(0, i)); f.put(f.b(1, i)) }),
		fn("length", ks(t), n, func(f *frame, i int) { f.setI(i, int64(utf8.RuneCount(f.b(0, i)))) }),
		fn("octet_length", ks(t), n, func(f *frame, i int) { f.setI(i, int64(len(f.b(0, i)))) }),
		fn("octet_length", ks(zset.Char), n, func(f *frame, i int) { f.setI(i, int64(len(f.b(0, i)))) }),
		fn("octet_length", ks(zset.Bytea), n, func(f *frame, i int) { f.setI(i, int64(len(f.b(0, i)))) }),
		fn("length", ks(zset.Bytea), n, func(f *frame, i int) { f.setI(i, int64(len(f.b(0, i)))) }),
		fn("||", ks(zset.Bytea, zset.Bytea), zset.Bytea, func(f *frame, i int) { f.put(f.b(0, i)); f.put(f.b(1, i)) }),
		fn("lower", ks(t), t, func(f *frame, i int) { f.mapped(f.b(0, i), unicode.ToLower) }),
		fn("upper", ks(t), t, func(f *frame, i int) { f.mapped(f.b(0, i), unicode.ToUpper) }),
		fn("strpos", ks(t, t), n, func(f *frame, i int) { f.setI(i, position(f.b(0, i), f.b(1, i))) }),
		fn("position", ks(t, t), n, func(f *frame, i int) { f.setI(i, position(f.b(0, i), f.b(1, i))) }),
		fn("left", ks(t, n), t, func(f *frame, i int) {
			s := f.b(0, i)
			f.put(s[:charOffset(s, fromEnd(s, f.i(1, i)))])
		}),
		fn("right", ks(t, n), t, func(f *frame, i int) {
			s, k := f.b(0, i), f.i(1, i)
			drop := -k
			switch {
			case k >= 0:
				drop = int64(utf8.RuneCount(s)) - k
			case k == math.MinInt32: // PostgreSQL's int has no -k
				drop = 0
			}
			f.put(s[charOffset(s, drop):])
		}),
		fn("replace", ks(t, t, t), t, replaceRow),
		{Name: "concat", Args: ks(Any), Variadic: true, Result: t, Costly: true, row: concatRow},
	}
	for _, name := range []string{"substring", "substr"} { // a pattern is an argument of the first alone
		rows = append(rows,
			fn(name, ks(t, n), t, func(f *frame, i int) {
				s := f.b(0, i)
				f.put(s[charOffset(s, f.i(1, i)-1):])
			}),
			Func{Name: name, Args: ks(t, n, n), Result: t, Strict: true, Raises: true, Costly: true, spares: lengthGiven, row: substringRow})
	}
	rows = append(rows, trim("btrim", true, true)...)
	rows = append(rows, trim("ltrim", true, false)...)
	return append(rows, trim("rtrim", false, true)...)
}

// maxText is the most bytes that a text may have, as in PostgreSQL.
const maxText = 1<<30 - 1

// put appends to the cell being written.
func (f *frame) put(b []byte) { f.out.Buf = append(f.out.Buf, b...) }

// charOffset is the byte offset of character n of s, counted from 0, within s.
func charOffset(s []byte, n int64) int {
	off := 0
	for ; n > 0 && off < len(s); n-- {
		if s[off] < utf8.RuneSelf {
			off++
			continue
		}
		_, w := utf8.DecodeRune(s[off:])
		off += w
	}
	return off
}

// fromEnd turns a negative number of characters into all but so many.
func fromEnd(s []byte, n int64) int64 {
	if n < 0 {
		return int64(utf8.RuneCount(s)) + n
	}
	return n
}

func (f *frame) mapped(s []byte, to func(rune) rune) {
	f.room(len(s))
	f.pieces(s, func(piece []byte) { f.out.Buf = appendMapped(f.out.Buf, piece, to) })
}

func appendLower(dst, s []byte) []byte { return appendMapped(dst, s, unicode.ToLower) }

func appendMapped(dst, s []byte, to func(rune) rune) []byte {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			dst = append(dst, byte(to(rune(c))))
			i++
			continue
		}
		r, w := utf8.DecodeRune(s[i:])
		if r == utf8.RuneError && w == 1 {
			dst = append(dst, c)
		} else {
			dst = utf8.AppendRune(dst, to(r))
		}
		i += w
	}
	return dst
}

// position is the place of the first sub in s, from 1; 0 if there is none.
func position(s, sub []byte) int64 {
	at := bytes.Index(s, sub)
	if at < 0 {
		return 0
	}
	return int64(utf8.RuneCount(s[:at])) + 1
}

func (f *frame) trimSet(s, set []byte, left, right bool) []byte {
	in := func(r []byte) bool {
		f.step(len(set))
		return len(r) > 0 && bytes.Contains(set, r)
	}
	for left && len(s) > 0 {
		_, w := utf8.DecodeRune(s)
		if !in(s[:w]) {
			break
		}
		s = s[w:]
	}
	for right && len(s) > 0 {
		_, w := utf8.DecodeLastRune(s)
		if !in(s[len(s)-w:]) {
			break
		}
		s = s[:len(s)-w]
	}
	return s
}

// replaceRow computes the length first: the result may be huge.
func replaceRow(f *frame, i int) {
	s, from, to := f.b(0, i), f.b(1, i), f.b(2, i)
	if len(from) == 0 {
		f.put(s)
		return
	}
	n := bytes.Count(s, from)
	if len(s)+n*(len(to)-len(from)) > maxText {
		f.fail(i, "54000", "string exceeds the maximum length of 1073741823 bytes")
		return
	}
	f.room(len(s) + n*(len(to)-len(from)))
	for {
		f.tick()
		at := bytes.Index(s, from)
		if at < 0 {
			f.put(s)
			return
		}
		f.put(s[:at])
		f.put(to)
		s = s[at+len(from):]
	}
}

// lengthGiven: a constant length that is not negative.
func lengthGiven(e *Expr) bool {
	n := e.Args[2]
	return n.Op == OpConst && (n.Val.Null || n.Val.I >= 0)
}

// substringRow: the window [start, start+length) is cut to the text, and may
// begin before it.
func substringRow(f *frame, i int) {
	s, start, n := f.b(0, i), f.i(1, i), f.i(2, i)
	if n < 0 {
		f.fail(i, "22011", "negative substring length not allowed")
		return
	}
	end := start + n
	if end <= 1 {
		return
	}
	s = s[charOffset(s, start-1):]
	f.put(s[:charOffset(s, end-max(start, 1))])
}

// concatRow skips NULLs and prints every type as a client would see it.
func concatRow(f *frame, i int) {
	for k := range f.args {
		if !f.isNull(k, i) {
			a := &f.args[k]
			f.out.Buf = zset.AppendText(f.out.Buf, a.Column, i&a.mask)
		}
	}
}
