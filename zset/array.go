package zset

import "strings"

// A cell of an array is the row encodings of its elements, one after the other:
// canonical, exact, and read with DecodeRow. The key encoding has their keys and
// an end byte that is below every mark, so that a shorter array comes before its
// continuations, and a NULL element after all values, as in PostgreSQL.

// AppendElement appends cell i of c as one more element of the array cell dst.
// The array has the type ArrayOf(c.Type).
func AppendElement(dst []byte, c *Column, i int) []byte {
	if c.Type.Fixed() && !c.IsNull(i) {
		return appendDecimalKey(dst, c.Decimal(i), true)
	}
	return AppendRow(dst, c, i)
}

// AppendElementKey appends the key encoding that cell i of c has as an element.
func AppendElementKey(dst []byte, c *Column, i int) []byte {
	if c.Type.Fixed() && !c.IsNull(i) {
		return appendDecimalKey(dst, c.Decimal(i), false)
	}
	return AppendKey(dst, c, i)
}

// Elements appends the elements of the array cell b to c, which has the type
// Element() of the array. Error XX001.
func Elements(b []byte, c *Column) error {
	for len(b) > 0 {
		var err error
		if b, err = DecodeRow(b, c); err != nil {
			return err
		}
	}
	return nil
}

// elementsOf is the elements of an array cell; what cannot be read, which no
// cell holds, is left out.
func elementsOf(t Type, b []byte) Column {
	c := NewColumn(t.Element(), 0)
	if Elements(b, &c) != nil {
		return NewColumn(t.Element(), 0)
	}
	return c
}

func appendArrayKey(dst []byte, t Type, b []byte, row bool) []byte {
	dst = append(dst, markValue)
	if KeyExact(t) {
		return append(append(dst, b...), textEnd)
	}
	c := elementsOf(t, b)
	for i := range c.Len() {
		dst = AppendKey(dst, &c, i)
	}
	dst = append(dst, textEnd)
	if row { // behind the whole key, which must decide first
		dst = append(append(dst, b...), textEnd)
	}
	return dst
}

func decodeArrayKey(b []byte, c *Column, row bool) ([]byte, error) {
	exact := KeyExact(c.Type)
	cells := NewColumn(c.Type.Element(), 0)
	rest, err := decodeElements(b, &cells, exact)
	if err == nil && row && !exact {
		cells.Reset()
		rest, err = decodeElements(rest, &cells, true)
	}
	if err != nil {
		return nil, err
	}
	var out []byte
	for i := range cells.Len() {
		out = AppendRow(out, &cells, i)
	}
	c.AppendBytes(out)
	return rest, nil
}

// decodeElements reads cells up to the end byte.
func decodeElements(b []byte, c *Column, row bool) (rest []byte, err error) {
	for {
		if len(b) == 0 {
			return nil, errEncoding()
		}
		if b[0] == textEnd {
			return b[1:], nil
		}
		if b, err = decodeCell(b, c, row); err != nil {
			return nil, err
		}
	}
}

// appendArray appends an array as PostgreSQL prints it: {a,"b c",NULL}.
func appendArray(dst []byte, t Type, b []byte, z *Zone) []byte {
	c := elementsOf(t, b)
	dst = append(dst, '{')
	for i := range c.Len() {
		if i > 0 {
			dst = append(dst, ',')
		}
		if c.IsNull(i) {
			dst = append(dst, "NULL"...)
			continue
		}
		at := len(dst)
		dst = AppendTextIn(dst, &c, i, z)
		dst = quoteElement(dst, at)
	}
	return append(dst, '}')
}

const arrayBlanks = " \t\n\r\v\f"

// quoteElement puts dst[at:] in quotes where it could be read as something else.
func quoteElement(dst []byte, at int) []byte {
	s := string(dst[at:])
	if s != "" && !strings.EqualFold(s, "null") && !strings.ContainsAny(s, `{},"\`+arrayBlanks) {
		return dst
	}
	return AppendQuoted(dst[:at], s)
}

// AppendQuoted appends s in double quotes, as an element of the text of an array.
func AppendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := range len(s) {
		if s[i] == '"' || s[i] == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, s[i])
	}
	return append(dst, '"')
}

func errArray(s, detail string) error {
	e := Errorf(CodeBadText, -1, "malformed array literal: \"%s\"", s)
	e.Detail = detail
	return e
}

func errDimensions(what, hint string) error {
	e := Errorf("0A000", -1, "%s is not supported", what)
	e.Hint = hint
	return e
}

// parseArray reads {a,"b c",NULL}: one dimension, which begins at 1. Elements fit
// what was declared of them as an assignment makes them.
func parseArray(t Type, s string, z *Zone) (Value, error) {
	v := Value{Type: t}
	body := strings.Trim(s, arrayBlanks)
	if body != "" && body[0] == '[' {
		return v, errDimensions("an array with bounds of its own", "Leave them out: arrays begin at 1.")
	}
	if body == "" || body[0] != '{' {
		return v, errArray(s, "Array value must start with \"{\" or dimension information.")
	}
	body = body[1:]
	type item struct {
		word string
		null bool
	}
	var items []item // the whole is looked at before any element
	for first := true; ; first = false {
		body = strings.TrimLeft(body, arrayBlanks)
		if body == "" {
			return v, errArray(s, "Unexpected end of input.")
		}
		if body[0] == '}' && first {
			body = body[1:]
			break
		}
		word, quoted, rest, err := arrayWord(s, body)
		if err != nil {
			return v, err
		}
		items = append(items, item{word, !quoted && strings.EqualFold(word, "null")})
		body = rest[1:]
		if rest[0] == '}' {
			break
		}
	}
	if strings.Trim(body, arrayBlanks) != "" {
		return v, errArray(s, "Junk after closing right brace.")
	}
	cells := NewColumn(t.Bounded(), len(items))
	for _, it := range items {
		if it.null {
			cells.AppendNull()
			continue
		}
		x, err := ParseTextIn(t.Bounded(), it.word, z)
		if err != nil {
			return v, err
		}
		cells.AppendValue(x)
	}
	var out []byte
	for i := range cells.Len() {
		out = AppendElement(out, &cells, i)
	}
	v.S = string(out)
	return v, nil
}

// arrayWord reads one element; rest begins with the comma or brace behind it.
func arrayWord(s, body string) (word string, quoted bool, rest string, err error) {
	var out []byte
	solid := 0 // length of out without blanks at its end that are not quoted
	for i := 0; i < len(body); i++ {
		switch ch := body[i]; ch {
		case '\\':
			if i++; i == len(body) {
				return "", false, "", errArray(s, "Unexpected end of input.")
			}
			out = append(out, body[i])
			solid = len(out)
		case '"':
			if quoted || solid > 0 {
				return "", false, "", errArray(s, "Unexpected array element.")
			}
			quoted = true
			for i++; ; i++ {
				if i >= len(body) || body[i] == '\\' && i+1 == len(body) {
					return "", false, "", errArray(s, "Unexpected end of input.")
				}
				if body[i] == '"' {
					break
				}
				if body[i] == '\\' {
					i++
				}
				out = append(out, body[i])
			}
			solid = len(out)
		case '{':
			if !quoted && solid == 0 {
				return "", false, "", errDimensions("an array of more than one dimension", "")
			}
			return "", false, "", errArray(s, "Unexpected \"{\" character.")
		case ',', '}':
			if !quoted && solid == 0 {
				return "", false, "", errArray(s, "Unexpected \""+string(ch)+"\" character.")
			}
			return string(out[:solid]), quoted, body[i:], nil
		default:
			blank := strings.IndexByte(arrayBlanks, ch) >= 0
			if quoted && !blank {
				return "", false, "", errArray(s, "Unexpected array element.")
			}
			out = append(out, ch)
			if !blank {
				solid = len(out)
			}
		}
	}
	return "", false, "", errArray(s, "Unexpected end of input.")
}
