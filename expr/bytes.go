package expr

import (
	"bytes"
	"fmt"
	"math/bits"
	"slices"

	"github.com/ivmc/ivmc/zset"
)

// bytesFuncs are the functions of BYTEA. Places count bytes, from 1, and bits
// within a byte from the lowest, from 0, as in PostgreSQL.
func bytesFuncs() []Func {
	const by, n, n8, b = zset.Bytea, zset.Int4, zset.Int8, zset.Bool
	trim := func(name string, left, right bool) Func {
		return strict(name, by, func(f *frame, i int) { f.put(trimBytes(f.b(0, i), f.b(1, i), left, right)) }, by, by)
	}
	rows := []Func{
		strict("position", n, func(f *frame, i int) { f.setI(i, int64(bytes.Index(f.b(0, i), f.b(1, i))+1)) }, by, by),
		trim("btrim", true, true), trim("ltrim", true, false), trim("rtrim", false, true),
		raising("overlay", by, func(f *frame, i int) { overlayBytes(f, i, int64(len(f.b(1, i)))) }, by, by, n),
		raising("overlay", by, func(f *frame, i int) { overlayBytes(f, i, f.i(3, i)) }, by, by, n, n),
		strict("bit_length", n, func(f *frame, i int) { f.setI(i, 8*int64(len(f.b(0, i)))) }, by),
		strict("bit_count", n8, func(f *frame, i int) {
			sum := 0
			for _, c := range f.b(0, i) {
				sum += bits.OnesCount8(c)
			}
			f.setI(i, int64(sum))
		}, by),
		raising("get_byte", n, func(f *frame, i int) {
			if f.inBytes(i, f.i(1, i), 1) {
				f.setI(i, int64(f.b(0, i)[f.i(1, i)]))
			}
		}, by, n),
		raising("set_byte", by, func(f *frame, i int) {
			if at := f.i(1, i); f.inBytes(i, at, 1) {
				start := len(f.out.Buf)
				f.put(f.b(0, i))
				f.out.Buf[start+int(at)] = byte(f.i(2, i))
			}
		}, by, n, n),
		raising("get_bit", n, func(f *frame, i int) {
			if at := f.i(1, i); f.inBytes(i, at, 8) {
				f.setI(i, int64(f.b(0, i)[at/8]>>(at%8)&1))
			}
		}, by, n8),
		raising("set_bit", by, setBitRow, by, n8, n),
	}
	for _, name := range []string{"substring", "substr"} {
		rows = append(rows,
			strict(name, by, func(f *frame, i int) { f.put(f.b(0, i)[min(max(f.i(1, i)-1, 0), int64(len(f.b(0, i)))):]) }, by, n),
			Func{Name: name, Args: []zset.Kind{by, n, n}, Result: by, Strict: true, Raises: true, Costly: true, spares: lengthGiven, row: substringBytes})
	}
	for _, not := range []bool{false, true} {
		name := "like"
		if not {
			name = "not like"
		}
		rows = append(rows, raising(name, b, likeBytes(not), by, by), raising(name, b, likeBytes(not), by, by, by))
	}
	return rows
}

// trimBytes takes the bytes of set from the ends of s.
func trimBytes(s, set []byte, left, right bool) []byte {
	for left && len(s) > 0 && slices.Contains(set, s[0]) {
		s = s[1:]
	}
	for right && len(s) > 0 && slices.Contains(set, s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

// substringBytes is substringRow of bytes.
func substringBytes(f *frame, i int) {
	s, start, n := f.b(0, i), f.i(1, i), f.i(2, i)
	if n < 0 {
		f.fail(i, "22011", "negative substring length not allowed")
		return
	}
	size := int64(len(s))
	from, to := min(max(start-1, 0), size), min(max(start+n-1, 0), size)
	f.put(s[from:max(from, to)])
}

func overlayBytes(f *frame, i int, n int64) {
	s := f.b(0, i)
	start, ok := overlaid(f, i, n)
	if !ok {
		return
	}
	size := int64(len(s))
	f.put(s[:min(start-1, size)])
	f.put(f.b(1, i))
	f.put(s[min(max(start+n-1, 0), size):])
}

// inBytes reports whether a byte, or bit (of is 8), is one of the first argument; if not it fails.
func (f *frame) inBytes(i int, at, of int64) bool {
	if size := of * int64(len(f.b(0, i))); at < 0 || at >= size {
		f.fail(i, "2202E", fmt.Sprintf("index %d out of valid range, 0..%d", at, size-1))
		return false
	}
	return true
}

func setBitRow(f *frame, i int) {
	at, to := f.i(1, i), f.i(2, i)
	if !f.inBytes(i, at, 8) {
		return
	}
	if to != 0 && to != 1 {
		f.fail(i, "22023", "new bit must be 0 or 1")
		return
	}
	start := len(f.out.Buf)
	f.put(f.b(0, i))
	c := &f.out.Buf[start+int(at/8)]
	*c = *c&^(1<<(at%8)) | byte(to)<<(at%8)
}

// likeBytes is LIKE of bytes: each is taken for the character of its number, and
// so matched as texts are.
func likeBytes(not bool) rowFunc {
	return func(f *frame, i int) {
		var cells [3][]byte
		for k := range f.args {
			for _, c := range f.b(k, i) {
				cells[k] = append(cells[k], string(rune(c))...)
			}
		}
		esc := []byte(`\`)
		if len(f.args) == 3 {
			esc = cells[2]
		}
		p, err := parsePattern(cells[1], esc, false)
		ok := false
		if err == nil {
			ok, err = p.match(f, cells[0])
		}
		if err != nil {
			f.failWith(i, err)
		}
		f.setBool(i, ok != not)
	}
}
