package load

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/ivmc/ivmc/zset"
)

// member is a key of an object with its value as it stands there.
type member struct {
	key string
	raw json.RawMessage
}

// members are those of an object in their order, also where a key stands twice.
// The decoder has been over the object: it is well formed, and is only cut here.
type members struct {
	list []member
	keys map[string]string // so that a key of many rows is one string
}

// keptKeys and keptKey bound how many different keys are kept, and of how many bytes.
const keptKeys, keptKey = 4096, 256

// cut reads an object; its values are parts of it.
func (m *members) cut(object []byte) error {
	m.list = m.list[:0]
	for i := blanks(object, 1); object[i] != '}'; {
		end := stringEnd(object, i)
		key, err := m.key(object[i:end])
		if err != nil {
			return err
		}
		i = blanks(object, blanks(object, end)+1) // the colon
		end = valueEnd(object, i)
		m.list = append(m.list, member{key, object[i:end]})
		if i = blanks(object, end); object[i] == ',' {
			i = blanks(object, i+1)
		}
	}
	return nil
}

// wrong is the key of the value that wellEncoded refuses; "": it refuses a key.
func (m *members) wrong() string {
	for _, v := range m.list {
		if wellEncoded(v.raw) != nil {
			return v.key
		}
	}
	return ""
}

func (m *members) key(raw []byte) (string, error) {
	if k, ok := m.keys[string(raw)]; ok {
		return k, nil
	}
	text, err := unquoted(raw)
	if err != nil {
		return "", err
	}
	k := string(text)
	if m.keys == nil {
		m.keys = map[string]string{}
	}
	if len(m.keys) < keptKeys && len(raw) <= keptKey {
		m.keys[string(raw)] = k
	}
	return k, nil
}

// unquoted is the text of a string, of raw itself where it stands there as it is.
func unquoted(raw []byte) ([]byte, error) {
	if text := raw[1 : len(raw)-1]; bytes.IndexByte(text, '\\') < 0 && utf8.Valid(text) {
		return text, nil
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, syntax(err)
	}
	return []byte(s), nil
}

// wellEncoded refuses what the decoder makes U+FFFD of: bytes that are not UTF-8, and
// halves of surrogate pairs. raw is well formed.
func wellEncoded(raw []byte) error {
	if !utf8.Valid(raw) {
		return encoded(zset.CheckText(string(raw)))
	}
	for i := 0; ; {
		k := bytes.IndexByte(raw[i:], '\\')
		if k < 0 {
			return nil
		}
		if i += k + 2; raw[i-1] != 'u' {
			continue
		}
		i += 4
		switch surrogate(raw[i-4 : i]) {
		case high:
			if raw[i] == '\\' && raw[i+1] == 'u' && surrogate(raw[i+2:i+6]) == low {
				i += 6
				continue
			}
			return badFile("\\u%s is the first half of a surrogate pair without the second", raw[i-4:i])
		case low:
			return badFile("\\u%s is the second half of a surrogate pair without the first", raw[i-4:i])
		}
	}
}

const high, low = 1, 2

// surrogate is which half of a pair four hexadecimal digits are; 0: none.
func surrogate(digits []byte) int {
	if digits[0]|' ' != 'd' {
		return 0
	}
	switch c := digits[1] | ' '; {
	case c == '8' || c == '9' || c == 'a' || c == 'b':
		return high
	case c >= 'c' && c <= 'f':
		return low
	}
	return 0
}

// blanks is where the blanks from i on end.
func blanks(b []byte, i int) int {
	for b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r' {
		i++
	}
	return i
}

// stringEnd is behind the string that begins at i.
func stringEnd(b []byte, i int) int {
	for i++; b[i] != '"'; i++ {
		if b[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// valueEnd is behind the value that begins at i.
func valueEnd(b []byte, i int) int {
	switch b[i] {
	case '"':
		return stringEnd(b, i)
	case '{', '[':
		for deep := 0; ; {
			switch b[i] {
			case '"':
				i = stringEnd(b, i)
				continue
			case '{', '[':
				deep++
			case '}', ']':
				deep--
			}
			if i++; deep == 0 {
				return i
			}
		}
	}
	for bytes.IndexByte([]byte(",}] \n\t\r"), b[i]) < 0 {
		i++
	}
	return i
}
