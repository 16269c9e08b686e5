package load

import (
	"encoding/binary"
	"io"

	flatbuffers "github.com/google/flatbuffers/go"
)

// The reader of Arrow files believes every length in them and takes the memory before
// it looks, so that one wrong byte of a schema asks for gigabytes. What stands here
// looks first. Heads of messages and the footer are flat buffers: tables whose parts
// are found by slots, lists by a length and the size of an element.
// https://arrow.apache.org/docs/format/Columnar.html

// The slots of the tables that are looked at.
const (
	footerSchema, footerDictionaries, footerBatches = 6, 8, 10
	messageKind, messageHead                        = 6, 8
	dictionaryID, dictionaryBatch                   = 4, 6
	batchNodes, batchBuffers, batchViews            = 6, 8, 12
	schemaFields, schemaMetadata                    = 6, 8
	fieldKind, fieldType, fieldDictionary           = 8, 10, 12
	fieldChildren, fieldExtras                      = 14, 16
	encodingID                                      = 4
	unionIDs                                        = 6
)

// Kinds of messages.
const kindOfSchema, kindOfDictionary, kindOfBatch = 1, 2, 3

const (
	footerTail  = 10 // its length, and the magic
	blockBytes  = 24 // an offset, the length of the head, of the body
	offsetBytes = 4  // an element that is a table is the way to it
	kindOfUnion = 14 // of a field
	kindOfViews = 23 // of binaries; behind it of texts
	nodeBytes   = 16 // of an array: its length, how many of it are NULL; of a buffer: where, how long
	countBytes  = 8
	maxNested   = 64
)

// checkFooter refuses a file whose footer points outside of it, or promises more than
// it has room for.
func checkFooter(f io.ReaderAt, size int64) error {
	tail := make([]byte, footerTail)
	if size < footerTail {
		return badFile("damaged arrow file: it has no footer")
	}
	if _, err := f.ReadAt(tail, size-footerTail); err != nil {
		return err
	}
	n := int64(binary.LittleEndian.Uint32(tail))
	if n < 4 || n > size-footerTail {
		return badFile("damaged arrow file: it has no footer")
	}
	footer := make([]byte, n)
	if _, err := f.ReadAt(footer, size-footerTail-n); err != nil {
		return err
	}
	c := flatCheck{left: len(footer) / 8}
	t := root(footer)
	l, err := c.schema(t, footerSchema)
	if err != nil {
		return err
	}
	left := size // blocks lie beside each other
	for kind, slot := range map[byte]flatbuffers.VOffsetT{kindOfDictionary: footerDictionaries, kindOfBatch: footerBatches} {
		err := c.list(t, slot, blockBytes, func(o flatbuffers.UOffsetT) error {
			from, head, body := t.GetInt64(o), int64(t.GetInt32(o+8)), t.GetInt64(o+16)
			if from < 0 || head < 0 || body < 0 || from > size || head > size-from || body > size-from-head {
				return badFile("damaged arrow file: a block lies outside of it")
			}
			if left -= head + body; left < 0 {
				return badFile("damaged arrow file: its blocks lie over each other")
			}
			b := make([]byte, head)
			if _, err := f.ReadAt(b, from); err != nil {
				return err
			}
			b = unprefixed(b)
			if root(b).GetByteSlot(messageKind, 0) != kind { // the library does not look
				return badFile("damaged arrow file: a block is not of the kind that it stands under")
			}
			return l.checkHead(b)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// parts are how many arrays a batch is made of, of how many buffers, without those of
// the texts of views, and how many of the arrays are views.
type parts struct{ nodes, buffers, views int }

// layout is of which parts the batches of a schema are: that of the rows, and that of
// each dictionary by its id.
type layout struct {
	rows         parts
	dictionaries map[int64]parts
}

// buffersOf are those of an array, by the kind of its field: its bits of NULLs, and what
// it has beside its children.
// https://arrow.apache.org/docs/format/Columnar.html#buffer-listing-for-each-layout
var buffersOf = map[byte]int{
	1: 0, 2: 2, 3: 2, 4: 3, 5: 3, 6: 2, 7: 2, 8: 2, 9: 2, 10: 2, 11: 2, 12: 2, 13: 1, kindOfUnion: 1, 15: 2, 16: 1, 17: 2, 18: 2, 19: 3, 20: 3, 21: 2, 22: 0,
	kindOfViews: 2, kindOfViews + 1: 2, 25: 3, 26: 3,
}

// unprefixed is the head of a block without its length, which since version 0.15 of
// Arrow stands behind four bytes of ones.
func unprefixed(b []byte) []byte {
	switch binary.LittleEndian.Uint32(b) {
	case 0:
		return b
	case 1<<32 - 1:
		return b[8:]
	}
	return b[4:]
}

// checkHead refuses the head of a message that promises more than it has room for; it
// takes in that of the schema.
func (l *layout) checkHead(head []byte) (err error) {
	t := root(head)
	c := flatCheck{left: len(head) / 8}
	switch t.GetByteSlot(messageKind, 0) {
	case kindOfSchema:
		*l, err = c.schema(t, messageHead)
		return err
	case kindOfDictionary:
		if d := table(t, messageHead); d != nil {
			return c.batch(table(d, dictionaryBatch), l.dictionaries[d.GetInt64Slot(dictionaryID, 0)])
		}
	case kindOfBatch:
		return c.batch(table(t, messageHead), l.rows)
	default:
		return badFile("damaged arrow file: a message of a kind that has no rows")
	}
	return nil
}

// table is the one in a slot of t, nil if there is none.
func table(t *flatbuffers.Table, slot flatbuffers.VOffsetT) *flatbuffers.Table {
	o := flatbuffers.UOffsetT(t.Offset(slot))
	if o == 0 {
		return nil
	}
	return &flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(o + t.Pos)}
}

func root(b []byte) *flatbuffers.Table {
	return &flatbuffers.Table{Bytes: b, Pos: flatbuffers.GetUOffsetT(b)}
}

// flatCheck walks a flat buffer. Panics are those of a damaged one.
type flatCheck struct {
	left         int             // tables that there is room for: each is met once
	dictionaries map[int64]parts // see layout
}

// list calls f with where each element of a list stands, in a slot of t.
func (c *flatCheck) list(t *flatbuffers.Table, slot flatbuffers.VOffsetT, bytes int, f func(flatbuffers.UOffsetT) error) error {
	o := flatbuffers.UOffsetT(t.Offset(slot))
	if o == 0 {
		return nil
	}
	n, at := t.VectorLen(o), t.Vector(o)
	if n < 0 || uint64(n)*uint64(bytes)+uint64(at) > uint64(len(t.Bytes)) {
		return badFile("damaged arrow file: a list of %d elements where there is no room for them", n)
	}
	for i := range n {
		if f == nil {
			break
		}
		if err := f(at + flatbuffers.UOffsetT(i*bytes)); err != nil {
			return err
		}
	}
	return nil
}

// batch checks the lists of a record batch. The texts of views lie in as many buffers
// as it says for each of them. The library reads on behind a list that is short.
func (c *flatCheck) batch(t *flatbuffers.Table, of parts) error {
	if t == nil {
		return nil
	}
	for slot, least := range map[flatbuffers.VOffsetT]int{batchNodes: of.nodes, batchBuffers: of.buffers, batchViews: of.views} {
		if o := flatbuffers.UOffsetT(t.Offset(slot)); o != 0 && t.VectorLen(o) < least {
			return badFile("damaged arrow file: a batch of %d parts where its schema has %d", t.VectorLen(o), least)
		}
	}
	if err := c.list(t, batchNodes, nodeBytes, nil); err != nil {
		return err
	}
	buffers := int64(-of.buffers)
	if err := c.list(t, batchBuffers, nodeBytes, func(flatbuffers.UOffsetT) error { buffers++; return nil }); err != nil {
		return err
	}
	return c.list(t, batchViews, countBytes, func(at flatbuffers.UOffsetT) error {
		n := t.GetInt64(at)
		if n < 0 || n > buffers {
			return badFile("damaged arrow file: texts in %d buffers where there is no room for them", n)
		}
		buffers -= n
		return nil
	})
}

// schema checks that in a slot of t.
func (c *flatCheck) schema(t *flatbuffers.Table, slot flatbuffers.VOffsetT) (l layout, err error) {
	s := table(t, slot)
	if s == nil {
		return l, nil
	}
	if err := c.list(s, schemaMetadata, offsetBytes, nil); err != nil {
		return l, err
	}
	c.dictionaries = map[int64]parts{}
	l.rows, err = c.fields(s, schemaFields, 0)
	l.dictionaries = c.dictionaries
	return l, err
}

// fields checks a list of them, and what is nested in them, and counts the parts of
// their arrays; those that a dictionary stands for are in its batches.
func (c *flatCheck) fields(t *flatbuffers.Table, slot flatbuffers.VOffsetT, depth int) (sum parts, err error) {
	if depth > maxNested {
		return sum, badFile("damaged arrow file: fields are nested deeper than %d", maxNested)
	}
	err = c.list(t, slot, offsetBytes, func(at flatbuffers.UOffsetT) error {
		if c.left--; c.left < 0 {
			return badFile("damaged arrow file: more fields than there is room for")
		}
		f := &flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(at)}
		if err := c.list(f, fieldExtras, offsetBytes, nil); err != nil {
			return err
		}
		if o := flatbuffers.UOffsetT(f.Offset(fieldType)); o != 0 && f.GetByteSlot(fieldKind, 0) == kindOfUnion {
			u := &flatbuffers.Table{Bytes: t.Bytes, Pos: f.Indirect(o + f.Pos)}
			if err := c.list(u, unionIDs, 4, nil); err != nil {
				return err
			}
		}
		n, err := c.fields(f, fieldChildren, depth+1)
		kind := f.GetByteSlot(fieldKind, 0)
		n.nodes++
		n.buffers += buffersOf[kind]
		if kind == kindOfViews || kind == kindOfViews+1 {
			n.views++
		}
		if d := table(f, fieldDictionary); d != nil {
			c.dictionaries[d.GetInt64Slot(encodingID, 0)] = n
			n = parts{nodes: 1, buffers: 2}
		}
		sum = parts{sum.nodes + n.nodes, sum.buffers + n.buffers, sum.views + n.views}
		return err
	})
	return sum, err
}
