package zset

import (
	"bytes"
	"testing"
)

// FuzzCodecs: no bytes bring a decoder of keys or rows down, and a cell that
// decodes encodes to something that decodes to itself.
func FuzzCodecs(f *testing.F) {
	types := []Type{TInt4, TInt8, TFloat8, {Kind: Numeric}, {Kind: Numeric, Prec: 10, Scale: 2}, TText, {Kind: Char, Prec: 4}, TBytea, TDate, TTimestamp,
		TTimestampTZ, TInterval, TBool, {Kind: Time}, {Kind: UUID}, ArrayBounded(TText), ArrayBounded(TInt8)}
	texts := []string{"1", "-7", "1.5", "12345678901234567890.123", "-0.50", "a\x00b", "ab", "\\x00ff", "2024-02-29", "2024-02-29 12:30:00.5", "infinity",
		"1 mon -3 days 04:05:06.7", "t", "12:30:00", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", `{"a,b",NULL,""}`, "{1,NULL,-3}"}
	for k, typ := range types {
		c := NewColumn(typ, 1)
		if v, err := ParseText(typ, texts[k]); err == nil {
			c.AppendValue(v)
			f.Add(uint8(k), AppendKey(nil, &c, 0))
			f.Add(uint8(k), AppendRow(nil, &c, 0))
		}
	}
	f.Fuzz(func(t *testing.T, k uint8, b []byte) {
		typ := types[int(k)%len(types)]
		for _, row := range []bool{false, true} {
			c := NewColumn(typ, 1)
			if _, err := decodeCell(b, &c, row); err != nil {
				continue
			}
			once := appendCell(nil, &c, 0, row)
			d := NewColumn(typ, 1)
			rest, err := decodeCell(once, &d, row)
			if err != nil || len(rest) > 0 {
				t.Fatalf("%s %x: %x does not decode: %v, %d left", typ, b, once, err, len(rest))
			}
			if again := appendCell(nil, &d, 0, row); !bytes.Equal(once, again) {
				t.Fatalf("%s %x: %x and %x", typ, b, once, again)
			}
		}
	})
}
