package main

import (
	"errors"
	"os"

	"github.com/peterh/liner"
)

// errAborted is the error of a line that Ctrl-C threw away.
var errAborted = errors.New("aborted")

// editor reads lines from a person. This file alone knows who does it.
type editor interface {
	// line asks for one: [errAborted] after Ctrl-C, io.EOF after Ctrl-D.
	line(prompt string) (string, error)
	// remember adds an entry to what the arrow keys and Ctrl-R find.
	remember(entry string)
	// aside runs f with the terminal as it was before.
	aside(f func() error) error
	// close gives the terminal back.
	close()
}

// lineEditor edits lines on the terminal of the process.
type lineEditor struct {
	state    *liner.State
	complete func(line string, pos int) (head string, words []string, tail string)
	entries  []string
}

func newEditor(entries []string, complete func(string, int) (string, []string, string)) *lineEditor {
	e := &lineEditor{complete: complete, entries: entries}
	e.open()
	return e
}

func (e *lineEditor) open() {
	sized(os.Stdout)
	e.state = liner.NewLiner()
	e.state.SetCtrlCAborts(true)
	e.state.SetMultiLineMode(true)
	e.state.SetTabCompletionStyle(liner.TabPrints)
	e.state.SetBeep(false)
	e.state.SetWordCompleter(e.complete)
	for _, entry := range e.entries {
		e.state.AppendHistory(entry)
	}
}

func (e *lineEditor) line(prompt string) (string, error) {
	defer keysOnly(os.Stdin)()
	s, err := e.state.Prompt(prompt)
	if errors.Is(err, liner.ErrPromptAborted) {
		return "", errAborted
	}
	return s, err
}

func (e *lineEditor) remember(entry string) {
	e.entries = append(e.entries, entry)
	e.state.AppendHistory(entry)
}

func (e *lineEditor) aside(f func() error) error {
	e.close()
	defer e.open()
	return f()
}

func (e *lineEditor) close() { _ = e.state.Close() }
