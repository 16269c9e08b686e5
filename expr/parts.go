package expr

import (
	"bytes"
	"unicode/utf8"

	"github.com/ivmc/ivmc/zset"
)

// partFuncs take a text apart and put it together.
func partFuncs() []Func {
	const t, n = zset.Text, zset.Int4
	split := raising("split_part", t, splitRow, t, t, n)
	split.spares = func(e *Expr) bool { k := e.Args[2]; return k.Op == OpConst && (k.Val.Null || k.Val.I != 0) }
	return []Func{
		split,
		strict("starts_with", zset.Bool, func(f *frame, i int) { f.setBool(i, bytes.HasPrefix(f.b(0, i), f.b(1, i))) }, t, t),
		strict("^@", zset.Bool, func(f *frame, i int) { f.setBool(i, bytes.HasPrefix(f.b(0, i), f.b(1, i))) }, t, t),
		strict("translate", t, translateRow, t, t, t),
		raising("overlay", t, func(f *frame, i int) { overlayRow(f, i, int64(utf8.RuneCount(f.b(1, i)))) }, t, t, n),
		raising("overlay", t, func(f *frame, i int) { overlayRow(f, i, f.i(3, i)) }, t, t, n, n),
		{Name: "concat_ws", Args: []zset.Kind{t, Any}, Variadic: true, Result: t, Costly: true, row: concatWSRow},
		strict("locate", n, func(f *frame, i int) { f.setI(i, position(f.b(1, i), f.b(0, i))) }, t, t).extension(),
	}
}

// splitRow: a negative place counts from the end.
func splitRow(f *frame, i int) {
	s, sep, n := f.b(0, i), f.b(1, i), f.i(2, i)
	switch {
	case n == 0:
		f.fail(i, "22023", "field position must not be zero")
		return
	case len(s) == 0:
		return
	case len(sep) == 0:
		if n == 1 || n == -1 {
			f.put(s)
		}
		return
	}
	if n < 0 {
		f.put(f.partFromEnd(s, sep, -n))
		return
	}
	for ; n > 1; n-- {
		f.tick()
		at := bytes.Index(s, sep)
		if at < 0 {
			return
		}
		s = s[at+len(sep):]
	}
	if at := bytes.Index(s, sep); at >= 0 {
		s = s[:at]
	}
	f.put(s)
}

// partFromEnd counts the separators from the front, as they overlap otherwise
// ("aaa" has one "aa", at its start).
func (f *frame) partFromEnd(s, sep []byte, n int64) []byte {
	skip := int64(bytes.Count(s, sep)) + 1 - n
	if skip < 0 {
		return nil
	}
	for ; skip > 0; skip-- {
		f.tick()
		s = s[bytes.Index(s, sep)+len(sep):]
	}
	if at := bytes.Index(s, sep); at >= 0 {
		s = s[:at]
	}
	return s
}

// translateRow: the first of equal characters in the second text counts; one
// without a partner in the third is dropped.
func translateRow(f *frame, i int) {
	from, to := f.b(1, i), f.b(2, i)
	for s := f.b(0, i); len(s) > 0; {
		_, w := utf8.DecodeRune(s)
		f.step(len(from))
		at := bytes.Index(from, s[:w])
		if at < 0 {
			f.put(s[:w])
		} else if rest := to[charOffset(to, int64(utf8.RuneCount(from[:at]))):]; len(rest) > 0 {
			_, k := utf8.DecodeRune(rest)
			f.put(rest[:k])
		}
		s = s[w:]
	}
}

// overlaid is where n characters or bytes are put over argument 0, from 1.
func overlaid(f *frame, i int, n int64) (start int64, ok bool) {
	start = f.i(2, i)
	switch {
	case start <= 0:
		f.fail(i, "22011", "negative substring length not allowed")
		return 0, false
	case start+n != int64(int32(start+n)):
		f.fail(i, zset.CodeOutOfRange, "integer out of range")
		return 0, false
	}
	return start, true
}

func overlayRow(f *frame, i int, n int64) {
	s := f.b(0, i)
	start, ok := overlaid(f, i, n)
	if !ok {
		return
	}
	f.put(s[:charOffset(s, start-1)])
	f.put(f.b(1, i))
	f.put(s[charOffset(s, start+n-1):])
}

// concatWSRow skips NULLs; a NULL separator makes NULL.
func concatWSRow(f *frame, i int) {
	if f.isNull(0, i) {
		f.setNull(i)
		return
	}
	sep, first := f.b(0, i), true
	for k := 1; k < len(f.args); k++ {
		if f.isNull(k, i) {
			continue
		}
		if !first {
			f.room(len(sep))
			f.put(sep)
		}
		first = false
		a := &f.args[k]
		f.out.Buf = zset.AppendText(f.out.Buf, a.Column, i&a.mask)
	}
}
