package serve

import (
	"encoding/binary"
	"errors"

	"github.com/ivmc/ivmc"
)

// rowBytes is how many bytes of rows make a frame, about.
const rowBytes = 32 << 10

// sendRows sends the rows: in every frame their number, then the cells, each with its
// length plus one before it; 0 is NULL. It stops early when enough says so.
func sendRows(w *wire, rows Rows, enough func() bool) error {
	columns := len(rows.Columns())
	var buf []byte
	var n uint64
	flush := func() error {
		if n == 0 {
			return nil
		}
		err := w.send(kindRows, binary.AppendUvarint(nil, n), buf)
		buf, n = buf[:0], 0
		return err
	}
	for rows.Next() {
		for c := range columns {
			cell, null := rows.Cell(c)
			if null {
				buf = append(buf, 0)
				continue
			}
			buf = append(binary.AppendUvarint(buf, uint64(len(cell))+1), cell...)
		}
		n++
		if len(buf) < rowBytes && n < rowBytes {
			continue
		}
		if err := flush(); err != nil {
			return err
		}
		if enough() {
			return nil
		}
	}
	return errors.Join(flush(), rows.Err())
}

// remoteRows are rows that arrive.
type remoteRows struct {
	x       *exchange
	columns []ivmc.ColumnInfo
	rest    []byte   // of the frame
	left    uint64   // rows of it
	cells   [][]byte // of this row; nil is NULL
	err     error
	done    func() // called once, when the last frame was read
}

func (r *remoteRows) Columns() []ivmc.ColumnInfo { return r.columns }

func (r *remoteRows) Next() bool {
	for r.left == 0 {
		if r.x == nil {
			return false
		}
		k, b, err := r.x.next()
		if err != nil || k == kindEnd {
			r.finish(err)
			return false
		}
		if k != kindRows {
			continue
		}
		n, size := binary.Uvarint(b)
		if size <= 0 {
			r.finish(errCut)
			return false
		}
		r.left, r.rest = n, b[size:]
	}
	r.left--
	for c := range r.columns {
		n, size := binary.Uvarint(r.rest)
		if size <= 0 || n > uint64(len(r.rest)-size)+1 {
			r.finish(errCut)
			return false
		}
		r.rest = r.rest[size:]
		r.cells[c] = nil
		if n > 0 {
			r.cells[c] = r.rest[: n-1 : n-1]
			r.rest = r.rest[n-1:]
		}
	}
	return true
}

// errCut is that of rows that do not fill their frame.
var errCut = errFrame{"rows that are cut off"}

func (r *remoteRows) finish(err error) {
	if r.x == nil {
		return
	}
	r.x, r.left, r.err = nil, 0, err
	if r.done != nil {
		r.done()
	}
}

func (r *remoteRows) Cell(c int) (text []byte, null bool) { return r.cells[c], r.cells[c] == nil }
func (r *remoteRows) Err() error                          { return r.err }

// Close gives up the rows that are left.
func (r *remoteRows) Close() {
	if r.x == nil {
		return
	}
	r.x.enough()
	for {
		if k, _, err := r.x.next(); err != nil || k == kindEnd {
			r.finish(nil)
			return
		}
	}
}
