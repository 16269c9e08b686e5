package session

import (
	"errors"
	"fmt"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/zset"
)

// rowFault is what a rule or a key has against one row of those that are written:
// where they come from a file, its error says which one that is.
type rowFault struct {
	row int
	err error
}

func (f *rowFault) Error() string { return f.err.Error() }

func (f *rowFault) Unwrap() error { return f.err }

// faultAt is err of row row.
func faultAt(row int, err error) error {
	if err == nil {
		return nil
	}
	return &rowFault{row: row, err: err}
}

// later is err about rows of which the first is row from of all.
func later(err error, from int) error {
	var f *rowFault
	if from > 0 && errors.As(err, &f) {
		return &rowFault{row: f.row + from, err: f.err}
	}
	return err
}

// ofFile is err about the rows of a file, named at.
func ofFile(err error, file string, at ast.At) error {
	var f *rowFault
	var e *zset.Error
	if !errors.As(err, &f) || !errors.As(f.err, &e) {
		return err
	}
	x := *e
	x.Pos = int(at.Pos())
	if x.Detail != "" {
		x.Detail += " "
	}
	x.Detail += fmt.Sprintf("File %q, row %d.", file, f.row+1)
	return &x
}
