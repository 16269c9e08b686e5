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
