package expr

import (
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"strings"

	"github.com/ivmc/ivmc/zset"
)

// digestFuncs are digests of bytes, and bytes as texts of three forms.
func digestFuncs() []Func {
	const t, y = zset.Text, zset.Bytea
	return []Func{
		strict("sha224", y, func(f *frame, i int) { s := sha256.Sum224(f.b(0, i)); f.put(s[:]) }, y),
		strict("sha256", y, func(f *frame, i int) { s := sha256.Sum256(f.b(0, i)); f.put(s[:]) }, y),
		strict("sha384", y, func(f *frame, i int) { s := sha512.Sum384(f.b(0, i)); f.put(s[:]) }, y),
		strict("sha512", y, func(f *frame, i int) { s := sha512.Sum512(f.b(0, i)); f.put(s[:]) }, y),
		strict("md5", t, md5Row, y),
		raising("encode", t, encodeRow, y, t),
		raising("decode", y, decodeRow, t, t),
	}
}

func (f *frame) noEncoding(i int, name string) {
	f.fail(i, "22023", "unrecognized encoding: \""+name+"\"")
}

func encodeRow(f *frame, i int) {
	b := f.b(0, i)
	switch name := string(f.b(1, i)); strings.ToLower(name) {
	case "hex":
		f.out.Buf = hex.AppendEncode(f.out.Buf, b)
	case "base64": // in lines of 76, with no end of line behind the last
		const line = 57
		for len(b) > line {
			f.out.Buf = append(base64.StdEncoding.AppendEncode(f.out.Buf, b[:line]), '\n')
			b = b[line:]
		}
		f.out.Buf = base64.StdEncoding.AppendEncode(f.out.Buf, b)
	case "escape":
		for _, c := range b {
			switch {
			case c == 0 || c >= 0x80:
				f.out.Buf = append(f.out.Buf, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
			case c == '\\':
				f.out.Buf = append(f.out.Buf, '\\', '\\')
			default:
				f.out.Buf = append(f.out.Buf, c)
			}
		}
	default:
		f.noEncoding(i, name)
	}
}

func decodeRow(f *frame, i int) {
	s := string(f.b(0, i))
	switch name := string(f.b(1, i)); strings.ToLower(name) {
	case "hex":
		f.parsed(i, `\x`+s)
	case "base64":
		f.base64(i, s)
	case "escape":
		if strings.HasPrefix(s, `\x`) { // is no hexadecimal form here
			f.fail(i, zset.CodeBadText, "invalid input syntax for type bytea")
			return
		}
		f.parsed(i, s)
	default:
		f.noEncoding(i, name)
	}
}

// parsed writes s as the input function of BYTEA reads it.
func (f *frame) parsed(i int, s string) {
	v, err := zset.ParseText(zset.TBytea, s)
	if err != nil {
		f.failWith(i, positioned(err, -1))
		return
	}
	f.out.Buf = append(f.out.Buf, v.S...)
}

// base64 reads as PostgreSQL does: blanks anywhere, groups of four.
func (f *frame) base64(i int, s string) {
	var acc uint32
	pos, end := 0, 0
	for k := 0; k < len(s); k++ {
		c := s[k]
		var v int
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			continue
		case c == '=':
			if end == 0 {
				switch pos {
				case 2:
					end = 1
				case 3:
					end = 2
				default:
					f.fail(i, "22023", "unexpected \"=\" while decoding base64 sequence")
					return
				}
			}
		default:
			if v = strings.IndexByte(base64Digits, c); v < 0 || end > 0 {
				f.fail(i, "22023", "invalid symbol \""+s[k:k+zset.PrefixLen(s[k:], 1)]+"\" found while decoding base64 sequence")
				return
			}
		}
		acc = acc<<6 | uint32(v)
		if pos++; pos == 4 {
			f.out.Buf = append(f.out.Buf, byte(acc>>16))
			if end == 0 || end > 1 {
				f.out.Buf = append(f.out.Buf, byte(acc>>8))
			}
			if end == 0 || end > 2 {
				f.out.Buf = append(f.out.Buf, byte(acc))
			}
			acc, pos = 0, 0
		}
	}
	if pos != 0 {
		f.failWith(i, &zset.Error{Code: "22023", Msg: "invalid base64 end sequence", Hint: "Input data is missing padding, is truncated, or is otherwise corrupted."})
	}
}

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
