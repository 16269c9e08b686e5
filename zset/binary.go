package zset

import (
	"encoding/hex"
	"strings"
)

// AppendBytea appends b as PostgreSQL prints a BYTEA: \x and hexadecimal digits.
func AppendBytea(dst, b []byte) []byte { return hex.AppendEncode(append(dst, `\x`...), b) }

// parseBytea reads \x with hexadecimal digits, or the older form, where \\ is a
// backslash and \ooo an octal byte.
func parseBytea(s string) (Value, error) {
	v := Value{Type: TBytea}
	if strings.HasPrefix(s, `\x`) {
		out := make([]byte, 0, len(s)/2)
		for i := 2; i < len(s); {
			if isSpace(s[i]) && s[i] != '\v' && s[i] != '\f' {
				i++
				continue
			}
			hi, ok := hexDigit(s[i])
			if !ok {
				return v, errHexDigit(s[i:])
			}
			if i+1 == len(s) {
				return v, Errorf("22023", -1, "invalid hexadecimal data: odd number of digits")
			}
			lo, ok := hexDigit(s[i+1])
			if !ok {
				return v, errHexDigit(s[i+1:])
			}
			out = append(out, hi<<4|lo)
			i += 2
		}
		v.S = string(out)
		return v, nil
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		switch {
		case s[i] != '\\':
			out = append(out, s[i])
			i++
		case i+1 < len(s) && s[i+1] == '\\':
			out = append(out, '\\')
			i += 2
		case i+3 < len(s) && s[i+1] >= '0' && s[i+1] <= '3' && isOctal(s[i+2]) && isOctal(s[i+3]):
			out = append(out, (s[i+1]-'0')<<6|(s[i+2]-'0')<<3|(s[i+3]-'0'))
			i += 4
		default:
			return v, Errorf(CodeBadText, -1, "invalid input syntax for type bytea")
		}
	}
	v.S = string(out)
	return v, nil
}

func errHexDigit(s string) error {
	return Errorf("22023", -1, "invalid hexadecimal digit: \"%s\"", s[:PrefixLen(s, 1)])
}

func isOctal(c byte) bool { return c >= '0' && c <= '7' }

func hexDigit(c byte) (byte, bool) {
	switch {
	case isDigit(c):
		return c - '0', true
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}

const uuidBytes = 16

// AppendUUID appends the 16 bytes of a UUID as five groups of digits.
func AppendUUID(dst, b []byte) []byte {
	for i, x := range b {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			dst = append(dst, '-')
		}
		dst = append(dst, "0123456789abcdef"[x>>4], "0123456789abcdef"[x&15])
	}
	return dst
}

// parseUUID reads 32 hexadecimal digits, a dash allowed after every group of
// four, braces around.
func parseUUID(s string) (Value, error) {
	v := Value{Type: TUUID}
	body := s
	if strings.HasPrefix(body, "{") {
		if !strings.HasSuffix(body, "}") {
			return v, errSyntax(TUUID, s)
		}
		body = body[1 : len(body)-1]
	}
	out := make([]byte, 0, uuidBytes)
	for len(out) < uuidBytes {
		if len(body) < 2 {
			return v, errSyntax(TUUID, s)
		}
		hi, ok := hexDigit(body[0])
		lo, ok2 := hexDigit(body[1])
		if !ok || !ok2 {
			return v, errSyntax(TUUID, s)
		}
		out = append(out, hi<<4|lo)
		body = body[2:]
		if body != "" && body[0] == '-' && len(out)%2 == 0 && len(out) < uuidBytes {
			body = body[1:]
		}
	}
	if body != "" {
		return v, errSyntax(TUUID, s)
	}
	v.S = string(out)
	return v, nil
}
