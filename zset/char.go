package zset

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf8"
)

// A CHAR(n) cell holds its padding: exactly n characters. A CHAR without length,
// which only casts and unions make, holds the blanks that its value brought.
// Blanks at the end count neither in a comparison nor in a key.

// TrimChar is s without the blanks at its end: what counts of a CHAR.
func TrimChar(s []byte) []byte { return bytes.TrimRight(s, " ") }

// FitChar is s as a CHAR(n), 0 for no length: blanks beyond n characters are
// cut, missing ones added. Error 22001.
func FitChar(s string, n int) (string, error) {
	if n <= 0 {
		return s, nil
	}
	if have := utf8.RuneCountInString(s); have <= n {
		return s + strings.Repeat(" ", n-have), nil
	}
	end := PrefixLen(s, n)
	if strings.TrimLeft(s[end:], " ") != "" {
		return "", Errorf(CodeTooLong, -1, "value too long for type character(%d)", n)
	}
	return s[:end], nil
}

// appendCharKey appends the text without its blanks; the row encoding has their
// number after it.
func appendCharKey(dst, s []byte, row bool) []byte {
	t := TrimChar(s)
	dst = appendText(append(dst, markValue), t)
	if row {
		dst = binary.BigEndian.AppendUint32(dst, uint32(len(s)-len(t)))
	}
	return dst
}

func decodeCharKey(b []byte, c *Column, row bool) ([]byte, error) {
	one := Column{Type: TText}
	rest, err := decodeText(b, &one)
	if err != nil {
		return nil, err
	}
	s := one.Bytes(0)
	if !row {
		fit, err := FitChar(string(s), int(c.Type.Prec))
		if err != nil {
			return nil, errEncoding()
		}
		c.AppendBytes([]byte(fit))
		return rest, nil
	}
	if len(rest) < 4 {
		return nil, errEncoding()
	}
	blanks := binary.BigEndian.Uint32(rest)
	n := uint32(c.Type.Prec) // a few bytes must not promise a cell of a gigabyte
	if n == 0 && blanks > 1<<30 || n > 0 && uint64(utf8.RuneCount(s))+uint64(blanks) > uint64(n) {
		return nil, errEncoding()
	}
	c.AppendBytes(append(s, bytes.Repeat([]byte{' '}, int(blanks))...))
	return rest[4:], nil
}
