//go:build postgres

package proptest

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
)

// pgConn speaks the few messages of PostgreSQL's protocol that a judge needs:
// simple queries, text in, text out.
type pgConn struct {
	c net.Conn
	r *bufio.Reader
}

// pgResult is what one statement gave.
type pgResult struct {
	cols []pgColumn
	rows [][]pgCell
	tag  string
	code string // SQLSTATE of the error, "" for none
	msg  string
	pos  string // character from 1
}

type pgColumn struct {
	name string
	oid  uint32
	mod  int32
}

type pgCell struct {
	text string
	null bool
}

// dialPostgres takes the path of a Unix socket, or host:port of a server that
// trusts the user postgres.
func dialPostgres(where string) (*pgConn, error) {
	network := "tcp"
	if strings.HasPrefix(where, "/") {
		network = "unix"
	}
	c, err := net.Dial(network, where)
	if err != nil {
		return nil, err
	}
	p := &pgConn{c, bufio.NewReader(c)}
	database := os.Getenv("IVMC_TEST_PG_DATABASE")
	if database == "" {
		database = "postgres"
	}
	start := []byte{0, 0, 0, 0, 0, 3, 0, 0}
	start = append(start, "user\x00postgres\x00database\x00"+database+"\x00\x00"...)
	binary.BigEndian.PutUint32(start, uint32(len(start)))
	if _, err := c.Write(start); err != nil {
		return nil, err
	}
	for {
		kind, body, err := p.read()
		switch {
		case err != nil:
			return nil, err
		case kind == 'E':
			return nil, errors.New(pgFields(body)['M'])
		case kind == 'R' && binary.BigEndian.Uint32(body) != 0:
			return nil, errors.New("postgres wants a password")
		case kind == 'Z':
			return p, nil
		}
	}
}

func (p *pgConn) read() (byte, []byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(p.r, head[:]); err != nil {
		return 0, nil, err
	}
	body := make([]byte, binary.BigEndian.Uint32(head[1:])-4)
	_, err := io.ReadFull(p.r, body)
	return head[0], body, err
}

// exec runs one statement; the error is one of the connection.
func (p *pgConn) exec(sql string) (*pgResult, error) {
	msg := append([]byte{'Q', 0, 0, 0, 0}, sql...)
	msg = append(msg, 0)
	binary.BigEndian.PutUint32(msg[1:], uint32(len(msg)-1))
	if _, err := p.c.Write(msg); err != nil {
		return nil, err
	}
	out := &pgResult{}
	for {
		kind, b, err := p.read()
		if err != nil {
			return nil, fmt.Errorf("%w after %s", err, sql)
		}
		switch kind {
		case 'T':
			n := int(binary.BigEndian.Uint16(b))
			b = b[2:]
			for range n {
				name, rest, _ := strings.Cut(string(b), "\x00")
				f := []byte(rest)
				out.cols = append(out.cols, pgColumn{name, binary.BigEndian.Uint32(f[6:]), int32(binary.BigEndian.Uint32(f[12:]))})
				b = f[18:]
			}
		case 'D':
			row := make([]pgCell, binary.BigEndian.Uint16(b))
			b = b[2:]
			for i := range row {
				n := int32(binary.BigEndian.Uint32(b))
				b = b[4:]
				if n < 0 {
					row[i].null = true
					continue
				}
				row[i].text = string(b[:n])
				b = b[n:]
			}
			out.rows = append(out.rows, row)
		case 'C':
			out.tag = strings.TrimRight(string(b), "\x00")
		case 'E':
			f := pgFields(b)
			out.code, out.msg, out.pos = f['C'], f['M'], f['P']
		case 'Z':
			return out, nil
		}
	}
}

func pgFields(b []byte) map[byte]string {
	out := map[byte]string{}
	for _, f := range strings.Split(string(b), "\x00") {
		if f != "" {
			out[f[0]] = f[1:]
		}
	}
	return out
}

// typeName is what format_type prints.
func (c pgColumn) typeName() string {
	names := map[uint32]string{16: "boolean", 20: "bigint", 21: "smallint", 23: "integer", 25: "text", 700: "real",
		701: "double precision", 1042: "character", 1043: "character varying", 1082: "date",
		1114: "timestamp without time zone", 1700: "numeric", 1186: "interval", 1184: "timestamp with time zone"}
	name, ok := names[c.oid]
	switch {
	case !ok:
		return fmt.Sprint("oid ", c.oid)
	case c.mod < 0:
		return name
	case c.oid == 1700:
		return fmt.Sprintf("numeric(%d,%d)", (c.mod-4)>>16, (c.mod-4)&0x7ff)
	case c.oid == 1043 || c.oid == 1042:
		return fmt.Sprintf("%s(%d)", name, c.mod-4)
	}
	return name
}

func (p *pgConn) close() error { return p.c.Close() }
