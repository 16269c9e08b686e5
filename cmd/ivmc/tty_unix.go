//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// sized gives a terminal that does not know its size, as those of containers and
// editors are at first, the usual one: lines cannot be edited without.
func sized(f *os.File) {
	fd := int(f.Fd())
	if w, err := unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ); err == nil && w.Col == 0 {
		_ = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: max(w.Row, 24), Col: 80})
	}
}

// keysOnly makes Ctrl-C on a terminal a key like others, until the function that
// it gives is called. The editor does the same, but when its prompt is already
// shown: who answers a prompt at once would send a signal, which no statement
// takes, and be left with the quote that was to be dropped.
func keysOnly(f *os.File) func() {
	fd := int(f.Fd())
	mode, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil || mode.Lflag&unix.ISIG == 0 {
		return func() {}
	}
	mode.Lflag &^= unix.ISIG
	_ = unix.IoctlSetTermios(fd, setTermios, mode)
	return func() {
		mode.Lflag |= unix.ISIG
		_ = unix.IoctlSetTermios(fd, setTermios, mode)
	}
}
