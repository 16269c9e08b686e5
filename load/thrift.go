package load

// The footer and the page heads of Parquet are structs of Thrift in its compact form.
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md

// The types of fields.
const (
	thriftStop = iota
	thriftTrue
	thriftFalse
	thriftByte
	thriftI16
	thriftI32
	thriftI64
	thriftDouble
	thriftBinary
	thriftList
	thriftSet
	thriftMap
	thriftStruct
	thriftUUID
)

const maxThriftNested = 64

// thrift reads a struct. The law: nothing is believed to be longer than what is left;
// bad says that something was, or that the bytes ended.
type thrift struct {
	b   []byte
	at  int
	bad bool
}

func (t *thrift) left() int { return len(t.b) - t.at }

func (t *thrift) byte() byte {
	if t.bad || t.left() == 0 {
		t.bad = true
		return 0
	}
	t.at++
	return t.b[t.at-1]
}

func (t *thrift) uvarint() (v uint64) {
	for shift := 0; shift < 64; shift += 7 {
		b := t.byte()
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
	t.bad = true
	return 0
}

func (t *thrift) integer() int64 {
	u := t.uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

// pass goes over n bytes.
func (t *thrift) pass(n uint64) {
	if t.bad || n > uint64(t.left()) {
		t.bad = true
		return
	}
	t.at += int(n)
}

// fields calls f for every field of a struct, which goes over it.
func (t *thrift) fields(f func(id int64, kind byte)) {
	for id := int64(0); !t.bad; {
		head := t.byte()
		kind := head & 0xf
		if kind == thriftStop {
			return
		}
		if delta := int64(head >> 4); delta > 0 {
			id += delta
		} else {
			id = t.integer()
		}
		f(id, kind)
	}
}

// skip goes over a field of a kind.
func (t *thrift) skip(kind byte, depth int) {
	if depth > maxThriftNested {
		t.bad = true
	}
	if t.bad {
		return
	}
	switch kind {
	case thriftTrue, thriftFalse:
	case thriftByte:
		t.byte()
	case thriftI16, thriftI32, thriftI64:
		t.uvarint()
	case thriftDouble:
		t.pass(8)
	case thriftUUID:
		t.pass(16)
	case thriftBinary:
		t.pass(t.uvarint())
	case thriftList, thriftSet:
		head := t.byte()
		n := uint64(head >> 4)
		if n == 15 {
			n = t.uvarint()
		}
		t.elements(n, head&0xf, depth+1)
	case thriftMap:
		if n := t.uvarint(); n > 0 {
			kinds := t.byte()
			for range min(n, uint64(t.left())+1) {
				t.elements(1, kinds>>4, depth+1)
				t.elements(1, kinds&0xf, depth+1)
			}
		}
	case thriftStruct:
		t.fields(func(_ int64, kind byte) { t.skip(kind, depth+1) })
	default:
		t.bad = true
	}
}

// elements goes over n elements, each of a byte at least, a boolean too.
func (t *thrift) elements(n uint64, kind byte, depth int) {
	if n > uint64(t.left()) {
		t.bad = true
	}
	for range n {
		if t.bad {
			return
		}
		if kind == thriftTrue || kind == thriftFalse {
			kind = thriftByte
		}
		t.skip(kind, depth)
	}
}
