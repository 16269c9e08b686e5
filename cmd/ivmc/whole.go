package main

import (
	"bufio"
	"os"
	"path/filepath"
)

// writeWhole writes a file under another name and renames it: what is there
// under the name is what was there before, or all of it. A device or pipe is
// written as it is.
func writeWhole(name string, write func(*bufio.Writer) error) (err error) {
	if st, err := os.Stat(name); err == nil && !st.Mode().IsRegular() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		b := bufio.NewWriterSize(f, 64<<10)
		if err := write(b); err != nil {
			return err
		}
		return b.Flush()
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	b := bufio.NewWriterSize(f, 64<<10)
	if err := write(b); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
