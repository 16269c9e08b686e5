package expr

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/ivmc/ivmc/zset"
)

// codeFuncs turn characters into numbers and back, and texts into SQL.
func codeFuncs() []Func {
	const t, n = zset.Text, zset.Int4
	return []Func{
		strict("ascii", n, asciiRow, t),
		raising("chr", t, chrRow, n),
		strict("md5", t, md5Row, t),
		strict("bit_length", n, func(f *frame, i int) { f.setI(i, 8*int64(len(f.b(0, i)))) }, t),
		strict("to_hex", t, func(f *frame, i int) { f.out.Buf = strconv.AppendUint(f.out.Buf, uint64(uint32(f.i(0, i))), 16) }, n),
		strict("to_hex", t, func(f *frame, i int) { f.out.Buf = strconv.AppendUint(f.out.Buf, uint64(f.i(0, i)), 16) }, zset.Int8),
		strict("current_schema", t, func(f *frame, _ int) { f.out.Buf = append(f.out.Buf, "public"...) }),
		strict("quote_ident", t, func(f *frame, i int) { f.out.Buf = appendIdent(f.out.Buf, f.b(0, i)) }, t),
		raising("factorial", zset.Numeric, factorialRow, zset.Int8),
		strict("quote_literal", t, func(f *frame, i int) { f.out.Buf = appendLiteral(f.out.Buf, f.b(0, i)) }, t),
		{Name: "quote_nullable", Args: []zset.Kind{t}, Result: t, Costly: true, row: quoteNullableRow},
	}
}

func asciiRow(f *frame, i int) {
	r := rune(0)
	if s := f.b(0, i); len(s) > 0 {
		r, _ = utf8.DecodeRune(s)
	}
	f.setI(i, int64(r))
}

func chrRow(f *frame, i int) {
	r := f.i(0, i)
	switch {
	case r < 0:
		f.fail(i, "22023", "character number must be positive")
	case r == 0:
		f.fail(i, "54000", "null character not permitted")
	case r > utf8.MaxRune:
		f.fail(i, "54000", fmt.Sprintf("requested character too large for encoding: %d", r))
	case r >= 0xD800 && r < 0xE000:
		f.fail(i, "54000", fmt.Sprintf("requested character not valid for encoding: %d", r))
	default:
		f.out.Buf = utf8.AppendRune(f.out.Buf, rune(r))
	}
}

func md5Row(f *frame, i int) {
	sum := md5.Sum(f.b(0, i))
	f.out.Buf = hex.AppendEncode(f.out.Buf, sum[:])
}

// appendIdent writes s as a name of SQL, in quotes where it has to be.
func appendIdent(dst, s []byte) []byte {
	plain := len(s) > 0 && !(s[0] >= '0' && s[0] <= '9')
	for _, c := range s {
		plain = plain && (c >= 'a' && c <= 'z' || c == '_' || c >= '0' && c <= '9')
	}
	if plain && !keywords[string(s)] {
		return append(dst, s...)
	}
	dst = append(dst, '"')
	for _, c := range s {
		if c == '"' {
			dst = append(dst, c)
		}
		dst = append(dst, c)
	}
	return append(dst, '"')
}

// appendLiteral writes s as a string of SQL; with a backslash in it, as E'..'.
func appendLiteral(dst, s []byte) []byte {
	for _, c := range s {
		if c == '\\' {
			dst = append(dst, 'E')
			break
		}
	}
	dst = append(dst, '\'')
	for _, c := range s {
		if c == '\'' || c == '\\' {
			dst = append(dst, c)
		}
		dst = append(dst, c)
	}
	return append(dst, '\'')
}

func quoteNullableRow(f *frame, i int) {
	if f.isNull(0, i) {
		f.put([]byte("NULL"))
		return
	}
	f.out.Buf = appendLiteral(f.out.Buf, f.b(0, i))
}

// bindQuoted binds quote_literal and quote_nullable, which take the text of any value.
func bindQuoted(name string, args []*Expr, pos int) (*Expr, error) {
	if len(args) != 1 {
		return nil, unresolved(name, args, false, pos)
	}
	text, err := Cast(args[0], zset.TText, Assignment, pos)
	if err != nil {
		return nil, err
	}
	return callRow(name, []*Expr{text}, pos)
}
