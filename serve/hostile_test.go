package serve

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ivmc/ivmc"
)

// TestHostile: whoever speaks something else is sent away, and harms nobody.
func TestHostile(t *testing.T) {
	dir := t.TempDir()
	_, _, st := served(t, dir)
	frame := func(k kind, payload string) string {
		return string(binary.BigEndian.AppendUint32([]byte{byte(k)}, uint32(len(payload)))) + payload
	}
	good := frame(kindHello, `{"protocol":1}`)
	for _, text := range []string{
		"", "GET / HTTP/1.1\r\n\r\n", "H\xff\xff\xff\xff", frame(kindHello, "{"), frame(kindAsk, ""),
		frame(kindHello, `{"protocol":99}`),
		good + frame(kindAsk, ""), good + frame(kindAsk, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), good + frame(kindAsk, "\x05{}"),
		good + frame(kindAsk, "\x02[]"), good + frame('?', "x"), good + "Q\x00\x00", good + frame(kindCancel, "") + frame(kindEnough, "\x80"),
		good + frame(kindAsk, "\x02{}"), good + frame(kindAsk, "\x0d{\"op\":\"load\"}"), good + frame(kindAsk, "\x0d{\"op\":\"poll\"}"),
		good + frame(kindAsk, "\x10{\"op\":\"deliver\"}"),
		good + strings.Repeat(frame(kindAsk, "\x0c{\"op\":\"run\"}SELECT 1"), 3),
	} {
		conn, err := dialSocket(context.Background(), dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, text); err != nil && text == "" {
			t.Fatal(err)
		}
		conn.(*net.UnixConn).CloseWrite()
		_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
		if _, err := io.ReadAll(conn); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%q: the connection stays open", text)
		}
		conn.Close()
	}
	s := session(t, st)
	defer s.Close()
	is(t, "the others", do(t, s, "SELECT 1"), "[1]")
	// Another version is told so.
	conn, err := dialSocket(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, frame(kindHello, `{"protocol":99}`)); err != nil {
		t.Fatal(err)
	}
	k, b, err := newWire(conn).receive()
	if err != nil || k != kindEnd || !strings.Contains(string(b), "08P01") {
		t.Errorf("%c %s %v", k, b, err)
	}
}

// FuzzRows: rows that are cut off or made up are an error, and no panic.
func FuzzRows(f *testing.F) {
	f.Add([]byte("\x02\x02a\x00\x01\x02b"), 2)
	f.Add([]byte("\xff\xff\x03"), 1)
	f.Add([]byte("\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), 1)
	f.Fuzz(func(t *testing.T, b []byte, columns int) {
		if columns < 0 || columns > 9 {
			return
		}
		here, there := net.Pipe()
		defer here.Close()
		go func() {
			w := newWire(there)
			_ = w.send(kindRows, b)
			_ = w.sendJSON(kindEnd, end{})
			there.Close()
		}()
		x := &exchange{l: &link{wire: newWire(here)}, stop: func() bool { return true }}
		r := &remoteRows{x: x, columns: make([]ivmc.ColumnInfo, columns), cells: make([][]byte, columns)}
		for n := 0; r.Next() && n < 1000; n++ {
			for c := range columns {
				r.Cell(c)
			}
		}
	})
}
