package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
)

// recorded passes a stream on and keeps it, so that an error can show its line.
type recorded struct {
	io.ReadCloser
	seen    []byte
	dropped bool // the stream grew too long to be kept
}

// keepBytes is how much of a stream is kept.
const keepBytes = 64 << 20

func record(r io.ReadCloser, name string) (io.ReadCloser, *source, error) {
	rec := &recorded{ReadCloser: r}
	return rec, &source{name: name, text: rec.line}, nil
}

func (r *recorded) Read(b []byte) (int, error) {
	n, err := r.ReadCloser.Read(b)
	if !r.dropped {
		r.seen = append(r.seen, b[:n]...)
		if len(r.seen) > keepBytes {
			r.seen, r.dropped = nil, true
		}
	}
	return n, err
}

// line is line n of what was read, counted from 1.
func (r *recorded) line(n int) (string, bool) {
	b := r.seen
	for ; n > 1; n-- {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			return "", false
		}
		b = b[i+1:]
	}
	if r.dropped {
		return "", false
	}
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		b = b[:i]
	}
	return string(bytes.TrimSuffix(b, []byte("\r"))), true
}

// place is what a person calls a line of all that was read: "-c 2" and the line there,
// where several were given.
func (s *source) place(line int) (string, int) {
	if len(s.from) < 2 {
		return s.name, line
	}
	k, found := slices.BinarySearch(s.from, line)
	if found {
		k++
	}
	return fmt.Sprintf("%s %d", s.name, k), line - s.from[k-1] + 1
}

// lineOf gives line n of a text, counted from 1.
func lineOf(text string) func(n int) (string, bool) {
	lines := strings.Split(text, "\n")
	return func(n int) (string, bool) {
		if n < 1 || n > len(lines) {
			return "", false
		}
		return lines[n-1], true
	}
}
