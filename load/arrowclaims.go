package load

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/ivmc/ivmc/zset"
)

// maxClaim is the most bytes that one message of an Arrow file, or the rows of a
// Parquet file that are read at a time, may ask for: themselves, and what is packed
// in them.
const maxClaim = 768 << 20

// claims counts what their reader asks for. A damaged length, or a
// bomb, would take memory that nobody has, which ends the program; a panic here is
// caught by guard.
type claims struct {
	memory.Allocator
	taken int
	over  bool // more was asked for
}

func (c *claims) take(n int) {
	if n < 0 || n > maxClaim-c.taken {
		c.over = true
		panic("too long")
	}
	c.taken += n
}

// fit is up to which row of rec those from `from` on are taken together: so that the
// texts that a dictionary stands for, written out, are no more than some MiB.
func fit(rec arrow.Record, from int64) (to int64, err error) {
	const aim = 64 << 20
	rows := int64(16 * batchRows)
	for _, c := range rec.Columns() {
		if d, ok := c.(*array.Dictionary); ok {
			rows = min(rows, aim/max(longest(d), 1))
		} else if l, ok := c.(array.ListLike); ok {
			if d, ok := l.ListValues().(*array.Dictionary); ok && int64(d.Len()) > maxClaim/max(longest(d), 1) {
				return 0, badFile("lists of more than 768 MiB of text in a record batch")
			}
		}
	}
	return min(from+max(rows, 1), rec.NumRows()), nil
}

// longest is the bytes of the longest text of a dictionary.
func longest(d *array.Dictionary) (n int64) {
	switch texts := d.Dictionary().(type) {
	case *array.String:
		for i := range texts.Len() {
			n = max(n, int64(texts.ValueLen(i)))
		}
	case *array.LargeString:
		for i := range texts.Len() {
			n = max(n, int64(texts.ValueLen(i)))
		}
	}
	return n
}

// says is err, or what it comes from.
func (c *claims) says(err error, what Format) error {
	if err == nil || !c.over {
		return err
	}
	e := zset.Errorf("54000", -1, "%s file with more than 768 MiB in a record batch, or in rows that are read together", what)
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
