package main

import (
	"bytes"
	"errors"
	"io"

	"github.com/ivmc/ivmc"
)

// commandLines passes a script on to what cuts it into statements, and keeps back
// what stands behind a backslash outside quotes and comments, to the end of the
// line: that is a command.
//
// The cutter reads only when all that it was given has been run, so it knows by
// then whether a quote is open, if what it is given ends before the backslash.
type commandLines struct {
	r      io.Reader
	script *ivmc.Script // that reads from here
	chunk  []byte
	buf    []byte // of chunk, not passed on
	err    error  // that came with it
	line   int    // ends of lines passed on
	text   string // the command, after [errCommand]
}

// errCommand says that a command is to be run before the script is read on.
var errCommand = errors.New("a command")

func (c *commandLines) Read(b []byte) (int, error) {
	if len(c.buf) == 0 {
		c.fill()
		if len(c.buf) == 0 {
			return 0, c.err
		}
	}
	if c.buf[0] == '\\' && c.script.Open() == 0 {
		c.take()
		return 0, errCommand
	}
	n := len(c.buf)
	if i := bytes.IndexByte(c.buf[1:], '\\'); i >= 0 {
		n = i + 1
	}
	n = copy(b, c.buf[:n])
	c.line += bytes.Count(c.buf[:n], []byte("\n"))
	c.buf = c.buf[n:]
	return n, nil
}

func (c *commandLines) fill() {
	if c.err != nil {
		return
	}
	if c.chunk == nil {
		c.chunk = make([]byte, 64<<10)
	}
	n, err := c.r.Read(c.chunk)
	c.buf, c.err = c.chunk[:n], err
}

// take takes the command, and leaves the end of its line.
func (c *commandLines) take() {
	var text []byte
	for {
		if i := bytes.IndexByte(c.buf, '\n'); i >= 0 {
			text, c.buf = append(text, c.buf[:i]...), c.buf[i:]
			break
		}
		text = append(text, c.buf...)
		if c.buf = nil; c.err != nil {
			break
		}
		c.fill()
	}
	c.text = string(bytes.TrimRight(text, "\r"))
}

// begun reports whether more than blanks and comments of a statement was read.
func begun(script *ivmc.Script) bool {
	if open := script.Open(); open != 0 && open != '-' || !script.Partial() {
		return script.Partial()
	}
	whole := ivmc.NewScript(nil)
	whole.Feed(script.Pending() + "\n;")
	_, ok := whole.Take()
	return ok
}
