package main

import (
	"context"
	"fmt"
	"os"

	"golang.org/x/term"

	"github.com/ivmc/ivmc/serve"
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
	file, ok := below(f).(*os.File)
	if !ok {
		return 0
	}
	w, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return w
}

// fitExplain has the text of EXPLAIN fit a window of so many columns, where that is
// narrower than what it takes anyway; fitted is what was asked for before, 0 nothing.
// It is no reason to fail.
func fitExplain(ctx context.Context, s serve.Session, columns, fitted int) int {
	const usual, least = 100, 40
	want := max(least, min(columns, usual))
	if columns <= 0 || want == fitted || want == usual && fitted == 0 || s.InTransaction() {
		return fitted
	}
	if _, err := s.Run(ctx, fmt.Sprintf("SET explain_width = %d", want)); err != nil {
		return fitted
	}
	return want
}

// colours reports whether a terminal shows them and nobody minds.
func colours() bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && os.Getenv("TERM") != ""
}
