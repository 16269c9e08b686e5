package load

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// messages reads those of an Arrow stream. The law: no message is longer than what
// is left of the file. The library's own reader takes memory for what a length
// says, 2 GiB of it for six bytes of anything, before it reads.
type messages struct {
	r    io.Reader
	left int64 // bytes of the file behind r
	last *ipc.Message
	of   layout
	over bool // the end was met: another io.EOF comes from within a message
}

func (m *messages) Retain() {}

func (m *messages) Release() {
	if m.last != nil {
		m.last.Release()
		m.last = nil
	}
}

// Message is the next one, valid until the one after it; io.EOF at the end.
func (m *messages) Message() (*ipc.Message, error) {
	m.Release()
	if m.left == 0 { // not every writer marks the end
		m.over = true
		return nil, io.EOF
	}
	n, err := m.length()
	if err != nil {
		m.over = errors.Is(err, io.EOF)
		return nil, err
	}
	meta, err := m.take(n)
	if err != nil {
		return nil, err
	}
	if err := m.of.checkHead(meta.Bytes()); err != nil {
		return nil, err
	}
	none := memory.NewBufferBytes(nil)
	head := ipc.NewMessage(meta, none) // says how long its body is
	defer head.Release()
	body, err := m.take(head.BodyLen())
	if err != nil {
		return nil, err
	}
	m.last = ipc.NewMessage(meta, body)
	return m.last, nil
}

// length reads what stands before a message: its length, since version 0.15 of
// Arrow behind four bytes of ones; 0 is the end.
func (m *messages) length() (int64, error) {
	for range 2 {
		b, err := m.take(4)
		if err != nil {
			return 0, err
		}
		switch n := binary.LittleEndian.Uint32(b.Bytes()); n {
		case 0:
			return 0, m.alone()
		case 1<<32 - 1:
		default:
			return int64(n), nil
		}
	}
	return 0, fmt.Errorf("a message without a length")
}

// alone is io.EOF, unless something stands behind the end of the stream: rows would be
// lost in silence, of another stream, or of this one where its end is damage. Zeros
// fill up a block.
func (m *messages) alone() error {
	b := make([]byte, 64<<10)
	for {
		n, err := m.r.Read(b)
		if bytes.Equal(b[:min(n, 4)], []byte{0xff, 0xff, 0xff, 0xff}) {
			return fmt.Errorf("another stream begins behind the end of the first: a file holds one")
		}
		if len(bytes.Trim(b[:n], "\x00")) > 0 {
			return fmt.Errorf("more stands behind the end of the stream")
		}
		if err != nil {
			return err
		}
	}
}

func (m *messages) take(n int64) (*memory.Buffer, error) {
	if n < 0 || n > m.left {
		return nil, fmt.Errorf("a message of %d bytes where %d are left of the file", n, m.left)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(m.r, b); err != nil { // it became shorter
		return nil, fmt.Errorf("a message of %d bytes: %w", n, io.ErrUnexpectedEOF)
	}
	m.left -= n
	return memory.NewBufferBytes(b), nil
}
