package load

import (
	"bufio"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"

	"github.com/ivmc/ivmc/zset"
)

// batchRows is the most rows of a batch.
const batchRows = 4096

// Source is a file that is being read. One goroutine, but for Progress.
type Source struct {
	reader
	path string
	file *os.File
	size int64
	done atomic.Int64
	more io.Closer // of a decompressor
}

// reader is a format: its columns, then its rows.
type reader interface {
	// Fields is the columns of the file, in their order there. NotNull is not set.
	Fields() zset.Schema
	// Next gives some rows, nil at the end. They are valid until the next call.
	Next(ctx context.Context) (*zset.Batch, error)
}

// sparse is a reader of rows that need not have all columns.
type sparse interface{ has(i int) bool }

// Has tells, when all rows are read, whether column i of Fields is in the file: a
// JSON file has the keys that any of its objects has.
func (s *Source) Has(i int) bool {
	r, ok := s.reader.(sparse)
	return !ok || r.has(i)
}

// Open opens a file whose columns go into want: by name, a CSV without a header by
// position. want nil takes the file's own columns; those of text files get a type that
// keeps all values as they are written, for which the file is read twice; ctx ends the first reading.
//
// Errors: 58P01, 42501, 58030, 42809 (no regular file), 22023 (options), 42703
// (unknown column), 42701, 22P04 (not of its format), 54000.
func Open(ctx context.Context, path string, o Options, want zset.Schema) (*Source, error) {
	given := o
	o, err := o.of(path)
	if err != nil {
		return nil, err
	}
	if want == nil && (o.Format == FormatCSV || o.Format == FormatJSON) {
		if want, err = Infer(ctx, given, path); err != nil {
			return nil, err
		}
	}
	return open(path, o, want)
}

// open is Open with options complete; without want text files yield TEXT.
func open(path string, o Options, want zset.Schema) (*Source, error) {
	if strings.IndexByte(path, 0) >= 0 {
		return nil, zset.Errorf(codeParameter, -1, "a file name has a zero byte")
	}
	info, err := os.Stat(o.at(path)) // before opening: a pipe or device could block
	if err != nil {
		return nil, opening(path, err)
	}
	if !info.Mode().IsRegular() {
		e := zset.Errorf(codeNotFile, -1, "%q is not a regular file", path)
		if info.IsDir() {
			e.Hint = "Name the files in it, one after the other."
		}
		return nil, e
	}
	f, err := os.Open(o.at(path))
	if err != nil {
		return nil, opening(path, err)
	}
	s := &Source{path: path, file: f, size: info.Size()}
	if err := s.start(o, want); err != nil {
		s.Close()
		return nil, place(err, path, 0, "")
	}
	return s, nil
}

func (s *Source) start(o Options, want zset.Schema) (err error) {
	packed := ""
	var begin [4]byte
	if _, err := s.file.ReadAt(begin[:], 0); err != nil && err != io.EOF {
		return err
	}
	for _, c := range compressions {
		if strings.HasSuffix(strings.ToLower(s.path), c.ending) || strings.HasPrefix(string(begin[:]), c.magic) {
			packed = c.ending
		}
	}
	if o.Format == FormatParquet || o.Format == FormatArrow {
		if packed != "" {
			return badFile("files of format %s are compressed inside, not as a whole", o.Format)
		}
		if o.Format == FormatArrow {
			s.reader, err = newArrowReader(s, want)
		} else {
			s.reader, err = newParquetReader(s, want)
		}
		return err
	}
	var in io.Reader = counted{s.file, &s.done}
	switch packed {
	case ".gz":
		z, err := gzip.NewReader(in)
		if err != nil {
			return badFile("damaged gzip file: %v", err)
		}
		in, s.more = z, z
	case ".zst":
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(1<<28))
		if err != nil {
			return badFile("damaged zstd file: %v", err)
		}
		in, s.more = z, z.IOReadCloser()
	}
	if s.more != nil {
		in = unpacked{in}
	}
	if in, err = unmarked(in); err != nil {
		return err
	}
	if o.Format == FormatCSV {
		s.reader, err = newCSVReader(in, s.path, o, want)
	} else {
		s.reader, err = newJSONReader(in, s.path, o, want)
	}
	return err
}

// unmarked is a text behind the mark of its encoding, which has to be UTF-8.
func unmarked(in io.Reader) (io.Reader, error) {
	r := bufio.NewReaderSize(in, 1<<18)
	mark, _ := r.Peek(3) // an error comes again with the first read
	switch {
	case string(mark) == "\xef\xbb\xbf":
		_, _ = r.Discard(3)
	case len(mark) > 1 && (string(mark[:2]) == "\xff\xfe" || string(mark[:2]) == "\xfe\xff"):
		e := zset.Errorf(codeEncoding, -1, "the file is UTF-16, not UTF-8")
		e.Hint = "Convert it first, as by: iconv -f UTF-16 -t UTF-8"
		return nil, e
	}
	return r, nil
}

// Progress is how many bytes of the file are read, and how many it has.
func (s *Source) Progress() (done, size int64) { return s.done.Load(), s.size }

// Close ends the reading.
func (s *Source) Close() error {
	if s.more != nil {
		s.more.Close()
	}
	return s.file.Close()
}

// counted counts what is read of a file.
type counted struct {
	r io.Reader
	n *atomic.Int64
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// unpacked is decompressed data; what the decompressor does not like is a bad file.
type unpacked struct{ r io.Reader }

func (u unpacked) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	if err != nil && err != io.EOF {
		err = badFile("damaged compressed data: %v", err)
	}
	return n, err
}

// parted is the hint that the columns of a CSV, which has one, are parted by something
// else than by; "" if nothing speaks for it.
func parted(names []string, by byte) string {
	if len(names) == 1 {
		if i := strings.IndexAny(names[0], ";\t|,"); i >= 0 && names[0][i] != by {
			return fmt.Sprintf("If %q parts its columns, say so: in COPY by DELIMITER, in ivmc load by --delimiter. If it does not, say what does.", names[0][i])
		}
	}
	return ""
}

// match finds the columns of a file among want: at[i] is the place in want of
// column i. Names that are not there as they stand are folded to lower case.
func match(names []string, want zset.Schema) (at []int, err error) {
	used := make([]bool, len(want))
	for _, name := range names {
		i := column(name, want)
		if i < 0 {
			e := zset.Errorf(zset.CodeNoColumn, -1, "column %q of the file is none of the columns to be filled", name)
			e.Hint = "Its columns go by name: rename the column, or leave it out of the file."
			if other := parted(names, ','); other != "" {
				e.Hint = other
			}
			return nil, e
		}
		if used[i] {
			return nil, zset.Errorf("42701", -1, "column %q is in the file more than once", want[i].Name)
		}
		used[i] = true
		at = append(at, i)
	}
	return at, nil
}

// column is the place of a name in want, as it stands or in lower case; -1: none.
func column(name string, want zset.Schema) int {
	if i := want.Index(name); i >= 0 {
		return i
	}
	return want.Index(strings.ToLower(name))
}

// pick is the columns of want at places at.
func pick(want zset.Schema, at []int) zset.Schema {
	s := make(zset.Schema, len(at))
	for i, a := range at {
		s[i] = zset.Field{Name: want[a].Name, Type: want[a].Type}
	}
	return s
}
