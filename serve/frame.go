package serve

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"sync"

	"github.com/ivmc/ivmc"
)

// protocol is the version of what is spoken. Two that differ do not understand each
// other, and say so.
const protocol = 1

// kind is what a frame is.
type kind byte

// Frames of the client, then those of the server.
const (
	kindHello  kind = 'H' // of both: [hello]
	kindAsk    kind = 'Q' // [ask] and text
	kindCancel kind = 'C' // the request of this id is to fail
	kindEnough kind = 'X' // the request of this id need not give more rows

	kindHead  kind = 'h' // [head]
	kindRows  kind = 'r' // see rowWriter
	kindBytes kind = 'b'
	kindTick  kind = 't' // [tick]
	kindEnd   kind = 'e' // [end]
)

// hello begins a connection.
type hello struct {
	Protocol int    `json:"protocol"`
	Process  int    `json:"process"`
	Dir      string `json:"dir,omitempty"` // where the client looks up names of files
}

// ask is a request.
type ask struct {
	ID       uint64               `json:"id"`
	Op       string               `json:"op"`
	Name     string               `json:"name,omitempty"` // of a view, table or stream
	Names    []string             `json:"names,omitempty"`
	Below    bool                 `json:"below,omitempty"`
	Mode     ivmc.Mode            `json:"mode,omitempty"`
	Explain  *ivmc.ExplainOptions `json:"explain,omitempty"`
	Load     *loading             `json:"load,omitempty"`
	Batch    int                  `json:"batch,omitempty"`
	Envelope ivmc.Envelope        `json:"envelope,omitempty"`
}

// loading is [ivmc.LoadOptions] with its files.
type loading struct {
	Format    string   `json:"format,omitempty"`
	NoHeader  bool     `json:"no_header,omitempty"`
	Null      string   `json:"null,omitempty"`
	Delimiter byte     `json:"delimiter,omitempty"`
	Key       []string `json:"key,omitempty"`
	Files     []string `json:"files"`
}

// head begins rows.
type head struct {
	Columns []ivmc.ColumnInfo `json:"columns"`
	Result  ivmc.Result       `json:"result"`
	Open    bool              `json:"open"`             // a transaction
	Failed  bool              `json:"failed,omitempty"` // it takes nothing more but its end
}

// tick is how much of a file is read, in bytes.
type tick struct {
	Done int64 `json:"done"`
	Size int64 `json:"size"`
}

// end ends the answer to a request.
type end struct {
	Error  *ivmc.Error     `json:"error,omitempty"`
	Other  string          `json:"other,omitempty"` // the text of an error that is no [ivmc.Error]
	Value  json.RawMessage `json:"value,omitempty"`
	Open   bool            `json:"open"`             // a transaction
	Failed bool            `json:"failed,omitempty"` // it takes nothing more but its end
}

// maxFrame is the longest payload, in bytes. What a statement may have is for the
// database to say.
const maxFrame = 1 << 30

// errFrame is that of a peer that speaks something else.
type errFrame struct{ text string }

func (e errFrame) Error() string { return "ivmc: " + e.text }

// wire sends and receives frames. Any number of goroutines may send, one receives.
type wire struct {
	net.Conn
	r  *bufio.Reader
	mu sync.Mutex
	w  *bufio.Writer
}

func newWire(c net.Conn) *wire {
	return &wire{Conn: c, r: bufio.NewReaderSize(c, 32<<10), w: bufio.NewWriterSize(c, 32<<10)}
}

// send sends one frame of what parts are together.
func (w *wire) send(k kind, parts ...[]byte) error {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	if n > maxFrame {
		return errFrame{fmt.Sprintf("%d bytes are more than can be sent at once", n)}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var h [5]byte
	h[0] = byte(k)
	binary.BigEndian.PutUint32(h[1:], uint32(n))
	if _, err := w.w.Write(h[:]); err != nil {
		return err
	}
	for _, p := range parts {
		if _, err := w.w.Write(p); err != nil {
			return err
		}
	}
	return w.w.Flush()
}

// sendJSON sends v.
func (w *wire) sendJSON(k kind, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return w.send(k, b)
}

// receive waits for the next frame. The payload is the caller's.
func (w *wire) receive() (kind, []byte, error) {
	var h [5]byte
	if _, err := io.ReadFull(w.r, h[:]); err != nil {
		return 0, nil, err
	}
	n := binary.BigEndian.Uint32(h[1:])
	if n > maxFrame {
		return 0, nil, errFrame{fmt.Sprintf("a frame of %d bytes is none", n)}
	}
	if n <= 1<<20 {
		b := make([]byte, n)
		_, err := io.ReadFull(w.r, b)
		return kind(h[0]), b, err
	}
	var b bytes.Buffer // grows with what arrives: a length alone takes no memory
	_, err := io.CopyN(&b, w.r, int64(n))
	return kind(h[0]), b.Bytes(), err
}

// packAsk is the payload of a request.
func packAsk(a *ask) ([]byte, error) {
	b, err := json.Marshal(a)
	if err != nil {
		return nil, err
	}
	return append(binary.AppendUvarint(nil, uint64(len(b))), b...), nil
}

// unpackAsk reads a request and its text, which is sent as it stands: it need not be
// UTF-8.
func unpackAsk(b []byte) (*ask, string, error) {
	n, k := binary.Uvarint(b)
	if k <= 0 || n > uint64(len(b)-k) {
		return nil, "", errFrame{"a request that is cut off"}
	}
	b = b[k:]
	a := &ask{}
	if err := json.Unmarshal(b[:n], a); err != nil {
		return nil, "", errFrame{"a request that cannot be read: " + err.Error()}
	}
	return a, string(b[n:]), nil
}
