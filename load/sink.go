package load

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/ivmc/ivmc/zset"
)

// Sink is a file that is being written. It gets its name only by Commit, so that
// nobody reads half of it; what was under that name before is replaced then.
type Sink struct {
	writer
	path string // as it was given
	at   string // where it is
	file *os.File
	buf  *bufio.Writer
	more io.Closer // of a compressor
}

// writer is a format.
type writer interface {
	// Write adds the rows of b; a row of weight w stands there w times.
	Write(b *zset.Batch) error
	// finish ends the file's content.
	finish() error
}

// Create starts a file for rows of schema s. Errors: 22023 (options), 42809 (no
// regular file), 58P01, 42501, 58030.
func Create(path string, o Options, s zset.Schema) (*Sink, error) {
	o, err := o.of(path)
	if err != nil {
		return nil, err
	}
	if strings.IndexByte(path, 0) >= 0 {
		return nil, zset.Errorf(codeParameter, -1, "a file name has a zero byte")
	}
	at := o.at(path)
	if info, err := os.Stat(at); err == nil && !info.Mode().IsRegular() {
		return nil, zset.Errorf(codeNotFile, -1, "%q is not a regular file", path)
	}
	f, err := unnamed(at)
	if err != nil {
		return nil, opening(path, err)
	}
	k := &Sink{path: path, at: at, file: f, buf: bufio.NewWriterSize(f, 1<<18)}
	if err := k.start(o, s); err != nil {
		k.Abandon()
		return nil, place(err, path, 0, "")
	}
	return k, nil
}

func (k *Sink) start(o Options, s zset.Schema) (err error) {
	out, name := io.Writer(k.buf), strings.ToLower(k.path)
	if o.Format == FormatParquet || o.Format == FormatArrow {
		for _, c := range compressions {
			if strings.HasSuffix(name, c.ending) {
				return zset.Errorf(codeParameter, -1, "files of format %s are compressed inside, not as a whole", o.Format)
			}
		}
		k.writer, err = newRecordWriter(o.Format, out, s)
		return err
	}
	switch {
	case strings.HasSuffix(name, ".gz"):
		z := gzip.NewWriter(out)
		out, k.more = z, z
	case strings.HasSuffix(name, ".zst"):
		z, err := zstd.NewWriter(out, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return err
		}
		out, k.more = z, z
	}
	if o.Format == FormatCSV {
		k.writer, err = newCSVWriter(out, o, s)
	} else {
		k.writer = newJSONWriter(out, o, s)
	}
	return err
}

// unnamed is a new file beside the one that it is to become, with its mode if it
// is there and that of any new file if not.
func unnamed(at string) (*os.File, error) {
	dir, base := filepath.Split(at)
	for {
		f, err := os.OpenFile(fmt.Sprintf("%s.%s.%d", dir, base, rand.Uint32()), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if old, err := os.Stat(at); err == nil {
			if err := f.Chmod(old.Mode().Perm()); err != nil {
				f.Close()
				os.Remove(f.Name())
				return nil, err
			}
		}
		return f, nil
	}
}

// Commit ends the file, syncs it and gives it its name.
func (k *Sink) Commit() error {
	err := k.finish()
	if err == nil && k.more != nil {
		err = k.more.Close()
	}
	if err == nil {
		err = k.buf.Flush()
	}
	if err == nil {
		err = k.file.Sync()
	}
	if err == nil {
		err = k.file.Close()
	}
	if err == nil {
		err = os.Rename(k.file.Name(), k.at)
	}
	if err != nil {
		k.Abandon()
		return place(err, k.path, 0, "")
	}
	return nil
}

// Abandon leaves nothing behind.
func (k *Sink) Abandon() {
	k.file.Close()
	os.Remove(k.file.Name())
}
