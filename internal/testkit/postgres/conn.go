package postgres

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
)

// Conn is a connection.
type Conn struct {
	c     net.Conn
	r     *bufio.Reader
	types map[oidMod]string // what format_type said
}

// oidMod is a type as the protocol gives it.
type oidMod struct {
	oid uint32
	mod int32
}

// Result is what one statement gave.
type Result struct {
	Columns []Column
	Rows    [][]Cell
	Tag     string // command tag
	Code    string // SQLSTATE of the error; "" for none
	Message string
}

// Column is a column of a result; Type is what format_type prints.
type Column struct{ Name, Type string }

// Cell is a value as text.
type Cell struct {
	Text string
	Null bool
}

// dial connects to host:port, or to the path of a Unix socket. The password is
// sent to a server that asks for one in clear, as ours on loopback does.
func dial(where, password string) (*Conn, error) {
	network := "tcp"
	if strings.HasPrefix(where, "/") {
		network = "unix"
	}
	nc, err := net.Dial(network, where)
	if err != nil {
		return nil, err
	}
	c := &Conn{nc, bufio.NewReader(nc), map[oidMod]string{}}
	start := []byte{0, 0, 0, 0, 0, 3, 0, 0}
	start = append(start, "user\x00postgres\x00database\x00postgres\x00\x00"...)
	binary.BigEndian.PutUint32(start, uint32(len(start)))
	if _, err := nc.Write(start); err != nil {
		return nil, errors.Join(err, nc.Close())
	}
	for {
		kind, body, err := c.read()
		switch {
		case err != nil:
			return nil, errors.Join(err, nc.Close())
		case kind == 'E':
			return nil, errors.Join(errors.New(fields(body)['M']), nc.Close())
		case kind == 'R' && password != "" && binary.BigEndian.Uint32(body) == 3:
			msg := append([]byte{'p', 0, 0, 0, byte(len(password) + 5)}, password...)
			if _, err := nc.Write(append(msg, 0)); err != nil {
				return nil, errors.Join(err, nc.Close())
			}
		case kind == 'R' && binary.BigEndian.Uint32(body) != 0:
			return nil, errors.Join(errors.New("the server wants a password"), nc.Close())
		case kind == 'Z':
			_, err := c.Exec("SET client_min_messages = error; SET statement_timeout = '20s'")
			return c, err
		}
	}
}

func (c *Conn) read() (byte, []byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(c.r, head[:]); err != nil {
		return 0, nil, err
	}
	body := make([]byte, binary.BigEndian.Uint32(head[1:])-4)
	_, err := io.ReadFull(c.r, body)
	return head[0], body, err
}

// Exec runs a statement; the error is one of the connection. Of several
// statements it gives the rows of all.
func (c *Conn) Exec(sql string) (*Result, error) {
	out, types, err := c.exec(sql)
	if err != nil {
		return nil, fmt.Errorf("%w after %s", err, sql)
	}
	for i, t := range types {
		name, ok := c.types[t]
		if !ok {
			r, _, err := c.exec(fmt.Sprintf("SELECT pg_catalog.format_type(%d, %d)", t.oid, t.mod))
			if err != nil {
				return nil, err
			}
			if len(r.Rows) > 0 {
				name = r.Rows[0][0].Text
				c.types[t] = name
			}
		}
		out.Columns[i].Type = name
	}
	return out, nil
}

func (c *Conn) exec(sql string) (*Result, []oidMod, error) {
	msg := append([]byte{'Q', 0, 0, 0, 0}, sql...)
	msg = append(msg, 0)
	binary.BigEndian.PutUint32(msg[1:], uint32(len(msg)-1))
	if _, err := c.c.Write(msg); err != nil {
		return nil, nil, err
	}
	out := &Result{}
	var types []oidMod
	for {
		kind, b, err := c.read()
		if err != nil {
			return nil, nil, err
		}
		switch kind {
		case 'T':
			out.Columns, types = header(b)
		case 'D':
			out.Rows = append(out.Rows, cells(b))
		case 'C':
			out.Tag = strings.TrimRight(string(b), "\x00")
		case 'E':
			f := fields(b)
			out.Code, out.Message = f['C'], f['M']
		case 'Z':
			return out, types, nil
		}
	}
}

func header(b []byte) (cols []Column, types []oidMod) {
	n := int(binary.BigEndian.Uint16(b))
	b = b[2:]
	for range n {
		name, rest, _ := strings.Cut(string(b), "\x00")
		f := []byte(rest)
		cols = append(cols, Column{Name: name})
		types = append(types, oidMod{binary.BigEndian.Uint32(f[6:]), int32(binary.BigEndian.Uint32(f[12:]))})
		b = f[18:]
	}
	return cols, types
}

func cells(b []byte) []Cell {
	row := make([]Cell, binary.BigEndian.Uint16(b))
	b = b[2:]
	for i := range row {
		n := int32(binary.BigEndian.Uint32(b))
		b = b[4:]
		if n < 0 {
			row[i].Null = true
			continue
		}
		row[i].Text = string(b[:n])
		b = b[n:]
	}
	return row
}

// fields are the parts of an error message.
func fields(b []byte) map[byte]string {
	out := map[byte]string{}
	for _, f := range strings.Split(string(b), "\x00") {
		if f != "" {
			out[f[0]] = f[1:]
		}
	}
	return out
}

// Close ends the connection.
func (c *Conn) Close() error { return c.c.Close() }
