package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ivmc/ivmc"
)

// standardInput is the file name that means it.
const standardInput = "-"

// spool is standard input as a file, for files are read twice, and some from their end.
type spool struct{ dir, path string }

// spooled puts what standard input has in the place of "-" among files.
func (a *app) spooled(ctx context.Context, files []string, format string) ([]string, *spool, error) {
	at := slices.Index(files, standardInput)
	switch {
	case at < 0:
		return files, &spool{}, nil
	case slices.Contains(files[at+1:], standardInput):
		return nil, nil, &exit{exitUsage, errors.New("standard input, -, can be read once")}
	case format == "":
		return nil, nil, &exit{exitUsage, errors.New("standard input has no ending that tells what it is: give --format")}
	}
	dir, err := os.MkdirTemp("", "ivmc-load-")
	if err != nil {
		return nil, nil, &exit{exitFailed, err}
	}
	s := &spool{dir, filepath.Join(dir, "input")}
	if err := copyUntil(ctx, s.path, a.in); err != nil {
		s.remove()
		return nil, nil, &exit{exitFailed, fmt.Errorf("standard input: %w", err)}
	}
	files = slices.Clone(files)
	files[at] = s.path
	return files, s, nil
}

// copyUntil copies to a file, and leaves a reader that waits when ctx ends.
func copyUntil(ctx context.Context, path string, in io.Reader) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() {
		_, err := io.Copy(f, in)
		done <- errors.Join(err, f.Close())
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// named is an error about the file with the name that the user knows.
func (s *spool) named(err error) error {
	var e *ivmc.Error
	if s.dir == "" || !errors.As(err, &e) {
		return err
	}
	named := *e
	for _, text := range []*string{&named.Message, &named.Detail, &named.Hint} {
		*text = strings.ReplaceAll(*text, s.path, "standard input")
	}
	return &named
}

func (s *spool) remove() {
	if s.dir != "" {
		_ = os.RemoveAll(s.dir)
	}
}
