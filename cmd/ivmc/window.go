package main

import (
	"os"

	"golang.org/x/term"
)

// look is how the tables of a on standard output are shown: on a terminal they fit
// the window and NULL can be seen.
func (a *app) look() look {
	if !terminal(a.out) {
		return look{}
	}
	return look{null: "NULL", dim: colours(), window: func() int { return columnsOf(a.out) }}
}

// columnsOf is the width of a terminal; 0: not known.
func columnsOf(f any) int {
	file, ok := f.(*os.File)
	if !ok {
		return 0
	}
	w, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return w
}

// colours reports whether a terminal shows them and nobody minds.
func colours() bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && os.Getenv("TERM") != ""
}
