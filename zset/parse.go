package zset

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

func errSyntax(t Type, s string) error {
	code := CodeBadText
	switch t.Kind {
	case Date, Time, Timestamp, TimestampTZ, Interval:
		code = CodeBadDatetime
	}
	name := kinds[t.Kind].name
	switch t.Kind { // as PostgreSQL words these messages
	case Timestamp:
		name = "timestamp"
	case Time:
		name = "time"
	}
	return Errorf(code, -1, "invalid input syntax for type %s: \"%s\"", name, s)
}

// trimSpace cuts the blanks that C's isspace knows.
func trimSpace(s string) string { return strings.Trim(s, " \t\n\v\f\r") }

// ParseText reads s as PostgreSQL's input function of t does, with blanks
// around where PostgreSQL lets them, and a TIMESTAMPTZ that names no zone as one
// in UTC. Errors 22P02, 22003, 22001, 22007, 22008, 22009, 22015, 22021,
// 22023.
func ParseText(t Type, s string) (Value, error) { return ParseTextIn(t, s, nil) }

// ParseTextIn is as ParseText, with a TIMESTAMPTZ that names no zone in zone z.
func ParseTextIn(t Type, s string, z *Zone) (Value, error) {
	switch t.Kind {
	case Bool:
		return parseBool(s)
	case Int2:
		i, err := parseInt(t, s, 16)
		return Value{Type: t, I: i}, err
	case Int4:
		i, err := parseInt(t, s, 32)
		return Value{Type: t, I: i}, err
	case Int8:
		i, err := parseInt(t, s, 64)
		return Value{Type: t, I: i}, err
	case Float8:
		f, err := parseFloat(t, s, 64)
		return Value{Type: t, F: f}, err
	case Float4:
		f, err := parseFloat(t, s, 32)
		return Value{Type: t, F: f}, err
	case Numeric:
		d, err := ParseDecimal(s)
		if err != nil {
			return Value{Type: t}, err
		}
		return DecimalValue(d, t)
	case Date:
		i, err := parseDate(s)
		return Value{Type: t, I: i}, err
	case Timestamp:
		i, err := parseTimestamp(s)
		return Value{Type: t, I: i}.fraction(t), err
	case Time:
		i, err := parseTime(s)
		return Value{Type: t, I: i}.fraction(t), err
	case TimestampTZ:
		i, err := parseTimestampTZ(s, z)
		return Value{Type: t, I: i}.fraction(t), err
	case Interval:
		v, err := parseInterval(s)
		if err != nil {
			return Value{Type: t}, err
		}
		return v.Value().fraction(t), nil
	case Bytea:
		return parseBytea(s)
	case UUID:
		return parseUUID(s)
	case Array:
		return parseArray(t, s, z)
	}
	if err := CheckText(s); err != nil {
		return Value{Type: t}, err
	}
	var err error
	switch t.Kind {
	case Varchar:
		s, err = FitVarchar(s, int(t.Prec))
	case Char:
		s, err = FitChar(s, int(t.Prec))
	}
	if err != nil {
		return Value{Type: t}, err
	}
	return Value{Type: t, S: s}, nil
}

func parseBool(s string) (Value, error) {
	t := strings.ToLower(trimSpace(s))
	is := func(word string, least int) bool { return len(t) >= least && strings.HasPrefix(word, t) }
	switch {
	case is("true", 1), is("yes", 1), is("on", 2), t == "1":
		return BoolValue(true), nil
	case is("false", 1), is("no", 1), is("off", 2), t == "0":
		return BoolValue(false), nil
	}
	return Value{Type: TBool}, errSyntax(TBool, s)
}

func parseInt(t Type, s string, bits int) (int64, error) {
	d := trimSpace(s)
	digits := d
	if d != "" && (d[0] == '-' || d[0] == '+') {
		digits = d[1:]
	}
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, errSyntax(t, s)
	}
	i, err := strconv.ParseInt(d, 10, bits)
	if err != nil {
		return 0, Errorf(CodeOutOfRange, -1, "value \"%s\" is out of range for type %s", s, kinds[t.Kind].name)
	}
	return i, nil
}

func parseFloat(t Type, s string, bits int) (float64, error) {
	d := trimSpace(s)
	body := strings.TrimLeft(d, "+-")
	if len(d)-len(body) > 1 || body == "" {
		return 0, errSyntax(t, s)
	}
	hex := len(body) > 2 && strings.EqualFold(body[:2], "0x")
	switch {
	case hex && strings.Trim(body[2:], "0123456789abcdefABCDEF.pP+-") != "":
		return 0, errSyntax(t, s)
	case hex && !strings.ContainsAny(body, "pP"):
		d += "p0" // the C library takes one without an exponent
	case !hex && strings.Trim(body, "0123456789.eE+-") != "":
		switch {
		case strings.EqualFold(body, "nan"):
			return math.NaN(), nil
		case strings.EqualFold(body, "inf"), strings.EqualFold(body, "infinity"):
			if d[0] == '-' {
				return math.Inf(-1), nil
			}
			return math.Inf(1), nil
		}
		return 0, errSyntax(t, s)
	}
	f, err := strconv.ParseFloat(d, bits)
	switch {
	case err != nil && !math.IsInf(f, 0):
		return 0, errSyntax(t, s)
	case math.IsInf(f, 0), f == 0 && underflowed(body, hex):
		return 0, Errorf(CodeOutOfRange, -1, "\"%s\" is out of range for type %s", trimSpace(s), kinds[t.Kind].name)
	}
	return f, nil
}

// underflowed reports whether a number that read as 0 has a digit that is not 0.
func underflowed(s string, hex bool) bool {
	exponent, digits := "eE", "123456789"
	if hex {
		s, exponent, digits = s[2:], "pP", "123456789abcdefABCDEF"
	}
	if i := strings.IndexAny(s, exponent); i >= 0 {
		s = s[:i]
	}
	return strings.ContainsAny(s, digits)
}

// CheckText refuses what a text cannot hold: byte 0, and bytes that are no
// UTF-8. Error 22021.
func CheckText(s string) error {
	if strings.IndexByte(s, 0) >= 0 {
		return Errorf("22021", -1, "invalid byte sequence for encoding \"UTF8\": 0x00")
	}
	if utf8.ValidString(s) {
		return nil
	}
	for i := 0; ; {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			return Errorf("22021", -1, "invalid byte sequence for encoding \"UTF8\": 0x%02x", s[i])
		}
		i += n
	}
}

// FitVarchar is s as a VARCHAR of at most n characters, 0 for no limit; spaces
// beyond the limit are cut. Error 22001.
func FitVarchar(s string, n int) (string, error) {
	if n <= 0 || len(s) <= n {
		return s, nil
	}
	end := PrefixLen(s, n)
	if strings.TrimLeft(s[end:], " ") != "" {
		return "", Errorf(CodeTooLong, -1, "value too long for type character varying(%d)", n)
	}
	return s[:end], nil
}

// PrefixLen is the length in bytes of the first n characters of s.
func PrefixLen(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}
