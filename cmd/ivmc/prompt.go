package main

import (
	"fmt"
	"io"
	"os"

	"github.com/ivmc/ivmc"
)

// prompted asks a terminal for a line before it reads one.
type prompted struct {
	io.ReadCloser
	out    io.Writer
	script *ivmc.Script // set before the first read
}

func (p *prompted) Read(b []byte) (int, error) {
	prompt := "ivmc=> "
	if p.script != nil && p.script.Partial() {
		prompt = "ivmc-> " // the statement goes on
	}
	fmt.Fprint(p.out, prompt)
	n, err := p.ReadCloser.Read(b)
	if err == io.EOF {
		fmt.Fprintln(p.out)
	}
	return n, err
}

// terminal reports whether f is one. The null device, a character device too,
// is none.
func terminal(f any) bool {
	file, ok := f.(*os.File)
	if !ok {
		return false
	}
	st, err := file.Stat()
	if err != nil || st.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(st, null)
}
