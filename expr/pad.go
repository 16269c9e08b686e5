package expr

import (
	"unicode"
	"unicode/utf8"

	"github.com/ivmc/ivmc/zset"
)

// strict is a row of the table for a function that is NULL if an argument is.
func strict(name string, result zset.Kind, row rowFunc, args ...zset.Kind) Func {
	return Func{Name: name, Args: args, Result: result, Strict: true, Costly: true, row: row}
}

// raising is strict for a function that may fail.
func raising(name string, result zset.Kind, row rowFunc, args ...zset.Kind) Func {
	f := strict(name, result, row, args...)
	f.Raises = true
	return f
}

// padFuncs are the functions that make a text longer, or turn it round.
func padFuncs() []Func {
	const t, n = zset.Text, zset.Int4
	rows := []Func{
		raising("repeat", t, repeatRow, t, n),
		raising("space", t, func(f *frame, i int) { repeatText(f, i, []byte(" "), f.i(0, i)) }, n).extension(),
		strict("reverse", t, reverseRow, t),
		strict("initcap", t, initcapRow, t),
	}
	for _, left := range []bool{true, false} {
		name := "rpad"
		if left {
			name = "lpad"
		}
		rows = append(rows,
			raising(name, t, func(f *frame, i int) { padRow(f, i, []byte(" "), left) }, t, n),
			raising(name, t, func(f *frame, i int) { padRow(f, i, f.b(2, i), left) }, t, n, t))
	}
	return rows
}

// extension marks a function that PostgreSQL has not.
func (f Func) extension() Func {
	f.Extension = true
	return f
}

// varlenLimit is what a text may take with its header of 4 bytes.
const varlenLimit = maxText - 4

func (f *frame) failLength(i int) { f.fail(i, "54000", "requested length too large") }

func repeatRow(f *frame, i int) { repeatText(f, i, f.b(0, i), f.i(1, i)) }

func repeatText(f *frame, i int, s []byte, n int64) {
	n = max(n, 0)
	if int64(len(s))*n > varlenLimit {
		f.failLength(i)
		return
	}
	f.room(len(s) * int(n))
	for ; n > 0 && len(s) > 0; n-- {
		f.step(len(s))
		f.put(s)
	}
}

// padRow fills up to n characters, or cuts to them. PostgreSQL reserves four
// bytes for each, and so decides what is too long.
func padRow(f *frame, i int, fill []byte, left bool) {
	s, n := f.b(0, i), max(f.i(1, i), 0)
	have := int64(utf8.RuneCount(s))
	if have > n {
		s, have = s[:charOffset(s, n)], n
	}
	if len(fill) == 0 {
		n = have
	}
	if 4*n > varlenLimit {
		f.failLength(i)
		return
	}
	if !left {
		f.put(s)
	}
	if n -= have; n > 0 {
		chars := int64(utf8.RuneCount(fill))
		f.room(int(n/chars+1)*len(fill) + len(s))
		for ; n >= chars; n -= chars {
			f.step(len(fill))
			f.put(fill)
		}
		f.put(fill[:charOffset(fill, n)])
	}
	if left {
		f.put(s)
	}
}

func reverseRow(f *frame, i int) {
	for s := f.b(0, i); len(s) > 0; {
		f.tick()
		_, w := utf8.DecodeLastRune(s)
		f.put(s[len(s)-w:])
		s = s[:len(s)-w]
	}
}

// initcapRow: a word is a run of letters and digits.
func initcapRow(f *frame, i int) {
	inWord := false
	for s := f.b(0, i); len(s) > 0; {
		f.tick()
		r, w := utf8.DecodeRune(s)
		if inWord {
			f.out.Buf = utf8.AppendRune(f.out.Buf, unicode.ToLower(r))
		} else {
			f.out.Buf = utf8.AppendRune(f.out.Buf, unicode.ToUpper(r))
		}
		inWord = isAlpha(r) || r >= '0' && r <= '9'
		s = s[w:]
	}
}

// isAlpha is the class alpha of the C library for UTF-8: letters, and the
// digits of other scripts.
func isAlpha(r rune) bool {
	return unicode.IsLetter(r) || unicode.Is(unicode.Nl, r) || unicode.Is(unicode.Other_Alphabetic, r) ||
		r > unicode.MaxASCII && unicode.Is(unicode.Nd, r)
}
