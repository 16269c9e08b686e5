package load

import (
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/ivmc/ivmc/zset"
)

// The most bytes that one message of an Arrow file, and that the rows of a Parquet file
// that are read at a time, may ask for: themselves, and what is packed in them. The
// latter are gathered in memory that grows, of which the old and the new are there.
const (
	maxClaim     = 768 << 20
	maxClaimRows = 512 << 20
)

// claims counts what their reader asks for. A damaged length, or a
// bomb, would take memory that nobody has, which ends the program; a panic here is
// caught by guard.
type claims struct {
	memory.Allocator
	most  int // bytes
	taken int
	over  bool // more was asked for
}

func (c *claims) take(n int) {
	if n < 0 || n > c.most-c.taken {
		c.over = true
		panic("too long")
	}
	c.taken += n
}

// maxElements is the most of one list, and of a dictionary. Many booleans, or nothing but
// NULLs, take few bytes, or none.
const maxElements = 16 << 20

// roomFor refuses more rows than there can be in the bytes of rec, at a bit for each:
// no columns, and columns of nothing but NULLs or of values of length 0, take none for
// as many as they say, and 3 KB would be rows without end.
func roomFor(rec arrow.Record) error {
	if rec.NumCols() == 0 && rec.NumRows() != 0 {
		return badFile("%d rows without a column", rec.NumRows())
	}
	bits := int64(0)
	for i, c := range rec.Columns() {
		if int64(c.Len()) != rec.NumRows() {
			return badFile("column %q has %d values in a batch of %d rows", rec.ColumnName(i), c.Len(), rec.NumRows())
		}
		bits += 8 * int64(size(c.Data()))
	}
	if rec.NumRows()-maxElements > bits {
		return zset.Errorf(codeTooLong, -1, "a record batch of %d rows in %d bytes", rec.NumRows(), bits/8)
	}
	return nil
}

// fit is up to which row of rec those from `from` on are taken together: so that the
// texts that dictionaries and views stand for, written out, and the elements of lists
// are no more than some MiB.
func fit(rec arrow.Record, from int64) (to int64, err error) {
	const elements = 1 << 20
	to = min(from+16*batchRows, rec.NumRows())
	for i, c := range rec.Columns() {
		rows := to - from // that fit
		switch c := c.(type) {
		case *array.Dictionary:
			if c.Dictionary().Len() > maxElements {
				return 0, zset.Errorf(codeTooLong, -1, "a dictionary of more than %d entries", maxElements)
			}
			rows = maxRow / max(longest(c), 1)
		case *array.FixedSizeBinary:
			rows = maxRow / max(int64(c.DataType().(*arrow.FixedSizeBinaryType).ByteWidth), 1)
		case lengthy:
			if _, again := c.(array.ViewLike); again || size(c.Data()) > maxRow {
				rows = shown(c, from, to, maxRow)
			}
		case array.ListLike:
			if wide(c.ListValues()) {
				return 0, badFile("lists of more than 768 MiB of text in a record batch")
			}
			if listed(c, from, min(from+1, to), maxElements) == 0 && to > from {
				return 0, zset.Errorf(codeTooLong, -1, "a list of more than %d elements", maxElements)
			}
			rows = max(listed(c, from, to, elements), 1)
		}
		if rows == 0 && to > from {
			return 0, zset.Errorf(codeTooLong, -1, "column %q has a value of more than %d bytes", rec.ColumnName(i), maxRow)
		}
		to = min(to, from+rows)
	}
	return to, nil
}

// lengthy is an array of texts or binaries.
type lengthy interface {
	arrow.Array
	ValueLen(int) int
}

// size is the bytes of the buffers of a, and of what is nested in it.
func size(a arrow.ArrayData) (n int) {
	for _, b := range a.Buffers() {
		if b != nil {
			n += b.Len()
		}
	}
	for _, c := range a.Children() {
		n += size(c)
	}
	return n
}

// wide is whether what dictionaries and views stand for is more than a record batch
// may have.
func wide(a arrow.Array) bool {
	switch a := a.(type) {
	case *array.Dictionary:
		return a.Dictionary().Len() > maxElements || int64(a.Len()) > maxClaim/max(longest(a), 1)
	case lengthy:
		return shown(a, 0, int64(a.Len()), maxClaim) < int64(a.Len())
	}
	return false
}

// shown is how many cells of [from, to) show aim bytes together at most.
func shown(a lengthy, from, to, aim int64) int64 {
	for i := from; i < to; i++ {
		if a.IsNull(int(i)) {
			continue
		}
		if aim -= int64(a.ValueLen(int(i))); aim < 0 {
			return i - from
		}
	}
	return to - from
}

// listed is how many rows of [from, to) have no more than aim elements, and lie no
// further apart.
func listed(a array.ListLike, from, to, aim int64) int64 {
	first, last, sum := int64(math.MaxInt64), int64(0), int64(0)
	for i := from; i < to; i++ {
		if a.IsNull(int(i)) {
			continue
		}
		start, end := a.ValueOffsets(int(i))
		if start >= end {
			continue
		}
		first, last, sum = min(first, start), max(last, end), sum+end-start
		if sum > aim || last-first > aim {
			return i - from
		}
	}
	return to - from
}

// longest is the bytes of the longest entry of a dictionary, of texts or binaries.
func longest(d *array.Dictionary) (n int64) {
	if entries, ok := d.Dictionary().(lengthy); ok {
		for i := range entries.Len() {
			n = max(n, int64(entries.ValueLen(i)))
		}
	}
	if w, ok := d.Dictionary().DataType().(*arrow.FixedSizeBinaryType); ok {
		n = int64(w.ByteWidth)
	}
	return n
}

// says is err, or what it comes from.
func (c *claims) says(err error, what Format) error {
	if err == nil || !c.over {
		return err
	}
	e := zset.Errorf("54000", -1, "%s file with more than %d MiB in a record batch, or in rows that are read together", what, c.most>>20)
	e.Hint = "Write the file in smaller batches or row groups."
	return e
}

func (c *claims) Allocate(n int) []byte {
	c.take(n)
	return c.Allocator.Allocate(n)
}

func (c *claims) Reallocate(n int, old []byte) []byte {
	c.take(max(n-len(old), 0))
	return c.Allocator.Reallocate(n, old)
}
