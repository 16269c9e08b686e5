package load

import (
	"encoding/binary"
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
		return nil, io.EOF
	}
	n, err := m.length()
	if err != nil {
		return nil, err
	}
	meta, err := m.take(n)
	if err != nil {
		return nil, err
	}
	if err := checkHead(meta.Bytes()); err != nil {
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

// alone is io.EOF, unless another stream begins behind the end of this one, whose
// rows would be lost in silence.
func (m *messages) alone() error {
	if m.left < 8 {
		return io.EOF
	}
	b, err := m.take(4)
	if err != nil {
		return err
	}
	if binary.LittleEndian.Uint32(b.Bytes()) == 1<<32-1 {
		return fmt.Errorf("another stream begins behind the end of the first: a file holds one")
	}
	return io.EOF
}

func (m *messages) take(n int64) (*memory.Buffer, error) {
	if n < 0 || n > m.left {
		return nil, fmt.Errorf("a message of %d bytes where %d are left of the file", n, m.left)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(m.r, b); err != nil {
		return nil, err
	}
	m.left -= n
	return memory.NewBufferBytes(b), nil
}
