package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/ivmc/ivmc"
	"github.com/ivmc/ivmc/serve"
)

// greeting is what a person at the prompt needs to know.
const greeting = `A statement ends with a semicolon; Ctrl-C stops the one that runs.
\? lists commands, \h SQL; \q or Ctrl-D leaves.
`

// shell is ivmc sql on a terminal.
type shell struct {
	a      *app
	db     serve.Store
	s      serve.Session
	ed     editor
	hist   history
	script *ivmc.Script
	out    *bufio.Writer // the printer's
	target *target       // below out
	p      printer
	tables *tablePrinter // p, if it makes tables; else one for what commands print
	format string

	null    *string // what stands for NULL, if the person said so
	fitted  int     // columns that EXPLAIN was told of
	timing  bool
	stop    bool     // leave at the first error
	last    string   // the statement before, for \g and \watch
	lines   []string // of the statement that is typed
	open    []byte   // what each of them leaves open, see [ivmc.Script.Open]
	stopped bool     // the last statement was cancelled
	failed  bool     // a statement or command was wrong, since somebody looked
	depth   int      // of \i
	source  string   // the file of \i that is read; "": the person
}

// errLeave ends the shell.
var errLeave = errors.New("leave")

// target is where the shell's output goes. It stops taking any when the
// statement is cancelled: a table may have a million lines.
type target struct {
	w   io.Writer
	ctx context.Context
}

func (t *target) Write(b []byte) (int, error) {
	if t.ctx != nil && t.ctx.Err() != nil {
		return 0, t.ctx.Err()
	}
	return t.w.Write(b)
}

// barred takes the bar of a COPY off the screen before anything is printed.
type barred struct {
	printer
	bar *progress
}

func (b barred) outcome(o *serve.Outcome) error {
	b.bar.clear()
	return b.printer.outcome(o)
}

func (b barred) failed(e *ivmc.Error, src *source) error {
	b.bar.clear()
	return b.printer.failed(e, src)
}

// interactive is ivmc sql on a terminal, from greeting to goodbye. Statements that
// fail were answered, and are no failure of the whole.
func (a *app) interactive(ctx context.Context, format string, stop bool) (err error) {
	db, err := a.open(false)
	if err != nil {
		return err
	}
	defer closeDB(db, &err)
	s, err := db.Session(ctx)
	if err != nil {
		return failed(err)
	}
	sh := &shell{a: a, db: db, s: s, format: format, stop: stop, hist: history{file: historyFile(os.LookupEnv)}, script: ivmc.NewScript(nil)}
	defer func() { sh.s.Close() }()
	if err := sh.printTo(a.out, a.look()); err != nil {
		return err
	}
	a.asking.Store(true)
	defer a.asking.Store(false)
	fmt.Fprint(a.out, greeting)
	ed := newEditor(sh.hist.load(), sh.complete)
	sh.ed = ed
	defer func() { sh.ed.close() }()
	return sh.converse(ctx)
}

// printTo makes the printer.
func (sh *shell) printTo(w io.Writer, l look) (err error) {
	sh.target = &target{w: w}
	sh.out = bufio.NewWriterSize(sh.target, 64<<10)
	if sh.p, err = newPrinter(sh.format, sh.out, sh.a.err); err != nil {
		return err
	}
	if sh.tables != nil {
		l.expand = sh.tables.expand
	}
	if sh.null != nil {
		l.null = *sh.null
	}
	t, ok := sh.p.(*tablePrinter)
	if !ok {
		t = &tablePrinter{out: sh.out, err: sh.a.err}
	}
	t.look = l
	sh.tables = t
	return nil
}

// converse reads lines until the person leaves.
func (sh *shell) converse(ctx context.Context) error {
	for ctx.Err() == nil {
		line, err := sh.ask(ctx)
		switch {
		case errors.Is(err, errAborted): // the half-typed statement is gone, not the program
			sh.forget()
			continue
		case errors.Is(err, io.EOF):
			fmt.Fprintln(sh.a.out)
			return nil
		case err != nil:
			return &exit{exitFailed, fmt.Errorf("read the terminal: %w", err)}
		}
		if err := sh.line(ctx, line); errors.Is(err, errLeave) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

// ask reads a line and gives up when ctx ends: a terminal may never say anything
// again.
func (sh *shell) ask(ctx context.Context) (string, error) {
	type read struct {
		line string
		err  error
	}
	got := make(chan read, 1)
	go func() {
		line, err := sh.ed.line(sh.prompt())
		got <- read{line, err}
	}()
	select {
	case r := <-got:
		return r.line, r.err
	case <-ctx.Done():
		return "", io.EOF
	}
}

// prompt tells where the person is, as psql's does: a quote that is open, a
// statement that goes on, a transaction.
func (sh *shell) prompt() string {
	mark := "="
	switch open := sh.script.Open(); {
	case open != 0 && open != '-':
		mark = string([]byte{open})
	case sh.script.Partial():
		mark = "-"
	}
	switch {
	case sh.s.Failed():
		mark += "!"
	case sh.s.InTransaction():
		mark += "*"
	}
	return "ivmc" + mark + "> "
}

// forget drops what was typed of a statement.
func (sh *shell) forget() {
	sh.script.Rest()
	sh.lines, sh.open = nil, nil
}

// line takes one line: SQL, and behind a backslash outside quotes a command.
func (sh *shell) line(ctx context.Context, line string) error {
	if sh.depth == 0 {
		sh.stopped = false
	}
	if !sh.script.Partial() {
		sh.lines, sh.open = nil, nil
		switch strings.ToLower(strings.TrimRight(strings.TrimSpace(line), ";")) {
		case "help":
			line = `\?`
		case "quit", "exit":
			return errLeave
		}
	}
	whole := line
	command := ""
	for {
		i := strings.IndexByte(line, '\\')
		if i < 0 {
			sh.script.Feed(line + "\n")
			break
		}
		sh.script.Feed(line[:i])
		if err := sh.run(ctx); err != nil {
			return err
		}
		if sh.script.Open() == 0 {
			command = line[i:]
			break
		}
		sh.script.Feed(line[i : i+1])
		line = line[i+1:]
	}
	if err := sh.run(ctx); err != nil {
		return err
	}
	sh.note(whole)
	if command == "" {
		return nil
	}
	sh.script.Feed("\n") // the lines of a file are counted
	err := sh.command(ctx, command)
	if len(sh.lines) > 0 && !sh.script.Partial() { // it ran them, or threw them away
		sh.entered()
	}
	return err
}

// note puts the line into the history: with the lines before of its statement
// when that is complete. A command between two of them stands for itself.
func (sh *shell) note(line string) {
	if sh.depth > 0 || strings.TrimSpace(line) == "" {
		return
	}
	if sh.script.Partial() && strings.HasPrefix(strings.TrimSpace(line), `\`) && sh.script.Open() == 0 {
		sh.remember(line)
		return
	}
	sh.lines = append(sh.lines, line)
	sh.open = append(sh.open, sh.script.Open())
	if !sh.script.Partial() || strings.Contains(line, `\`) {
		sh.entered()
	}
}

// entered puts the lines of a statement into the history, and begins another.
func (sh *shell) entered() {
	if e := entryOf(sh.lines, sh.open); e != "" {
		sh.remember(e)
	}
	sh.lines, sh.open = nil, nil
}

func (sh *shell) remember(entry string) {
	sh.ed.remember(entry)
	sh.hist.add(entry)
}

// run runs the statements that are complete.
func (sh *shell) run(ctx context.Context) error {
	for {
		st, ok := sh.script.Take()
		if !ok {
			return nil
		}
		if err := sh.statement(ctx, st); err != nil {
			return err
		}
	}
}

// statement runs one statement, which Ctrl-C stops, and answers. The error is a
// reason to leave.
func (sh *shell) statement(ctx context.Context, st ivmc.Statement) error {
	if strings.TrimSpace(st.Text) == "" {
		return nil
	}
	sh.last = st.Text
	within, done := sh.a.stoppable(ctx)
	defer done()
	sh.target.ctx = within
	if sh.source == "" { // places are those in the statement, and what has none gets none
		st.Line, st.Column = 0, 0
	}
	src := &source{name: sh.source, room: columnsOf(sh.a.out),
		text: lineOf(strings.Repeat("\n", max(0, st.Line-1)) + strings.Repeat(" ", max(0, st.Column-1)) + st.Text)}
	if w := columnsOf(sh.a.out); w > 0 {
		sh.fitted = fitExplain(within, sh.s, w-2, sh.fitted) // between the margins of a table
	}
	start := time.Now()
	bar := &progress{out: sh.a.err, on: terminal(sh.a.err), start: start}
	sh.s.OnProgress(bar.show)
	err := sh.a.statement(within, sh.s, st, src, barred{sh.p, bar})
	took := time.Since(start)
	ferr := sh.out.Flush()
	sh.target.ctx = nil
	sh.stopped = within.Err() != nil
	var e *ivmc.Error
	switch {
	case errors.Is(ferr, context.Canceled), errors.Is(err, context.Canceled) && !errors.As(err, &e):
		sh.out.Reset(sh.target)
		fmt.Fprintln(sh.a.err, "\ncancelled")
	case ferr != nil:
		sh.out.Reset(sh.target)
		if sh.target.w == sh.a.out {
			return &exit{exitFailed, fmt.Errorf("write: %w", ferr)}
		}
		fmt.Fprintf(sh.a.err, "\\o: %v\n", ferr)
	}
	if err != nil && !errors.As(err, &e) && !errors.Is(err, context.Canceled) {
		fmt.Fprintf(sh.a.err, "ERROR:  %v\n", err)
	}
	sh.failed = sh.failed || err != nil
	if sh.timing {
		fmt.Fprintf(sh.a.out, "Time: %.3f ms\n", float64(took.Microseconds())/1000)
	}
	if err != nil && sh.stop {
		return &exit{exitFailed, nil}
	}
	return nil
}
