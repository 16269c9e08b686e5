package load

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/ivmc/ivmc/zset"
)

// The SQLSTATEs of files.
const (
	codeParameter = "22023"
	codeBadFile   = "22P04" // bad_copy_file_format
	codeIO        = "58030"
	codeNoFile    = "58P01"
	codeNotFile   = "42809"
	codeTooLong   = "54000"
	codeDenied    = "42501"
	codeEncoding  = "22021"
)

// maxRow is the most bytes that one row of a text file may have.
const maxRow = 64 << 20

// place is where in a file an error is. Row counts from 1, without the header;
// 0: no row. column "": no column.
func place(err error, file string, row int64, column string) error {
	var e *zset.Error
	if !errors.As(err, &e) {
		e = zset.Errorf(codeIO, -1, "%v", err)
	}
	x := *e
	x.Pos = -1
	where := fmt.Sprintf("File %q", file)
	if row > 0 {
		where += fmt.Sprintf(", row %d", row)
	}
	if column != "" {
		where += fmt.Sprintf(", column %q", column)
		x.Object = column
	}
	x.Detail = where + "."
	return &x
}

// opening words an error of the operating system as PostgreSQL does.
func opening(path string, err error) error {
	code := codeIO
	switch {
	case errors.Is(err, fs.ErrNotExist):
		code = codeNoFile
	case errors.Is(err, fs.ErrPermission):
		code = codeDenied
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return zset.Errorf(code, -1, "could not open file %q: %v", path, err)
}

// badFile is 22P04.
func badFile(format string, args ...any) error { return zset.Errorf(codeBadFile, -1, format, args...) }

// guard turns a panic of a library over a damaged file into an error.
func guard(err *error, what Format) {
	if p := recover(); p != nil {
		*err = badFile("damaged %s file: %s", what, wordsOf(p))
	}
}

// wordsOf is what the library says is wrong with a file. What the language says of an
// index says nothing of it.
func wordsOf(p any) string {
	s := fmt.Sprint(p)
	if strings.Contains(s, "runtime error: ") {
		return "its parts do not fit together"
	}
	return s
}
