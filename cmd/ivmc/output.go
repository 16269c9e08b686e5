package main

import "io"

// output is standard output. It remembers that a write failed, so that a command
// that did not look is no success.
type output struct {
	io.Writer
	failed error
}

func (o *output) Write(b []byte) (int, error) {
	n, err := o.Writer.Write(b)
	if err != nil && o.failed == nil {
		o.failed = err
	}
	return n, err
}

// below is the file or buffer that f writes to.
func below(f any) any {
	if o, ok := f.(*output); ok {
		return o.Writer
	}
	return f
}
