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

	"github.com/spf13/cobra"

	"github.com/ivmc/ivmc"
	"github.com/ivmc/ivmc/serve"
)

// printer writes what a statement gave. failed is an error that was printed.
type printer interface {
	outcome(o *serve.Outcome) error
	failed(e *ivmc.Error, src *source) error
}

// source is where statements come from, for places in messages.
type source struct {
	name string
	from []int                         // the first lines of the texts that were given one after another, if several
	room int                           // columns of the terminal; 0: not known
	text func(line int) (string, bool) // a line of it, if it is still at hand
}

func (a *app) sqlCommand() *cobra.Command {
	var format string
	var commands []string
	var stop bool
	c := &cobra.Command{
		Use:   "sql [FILE | -]",
		Short: "run SQL statements",
		Example: `  ivmc sql --memory examples/demo.sql
  ivmc sql --db data -c "SELECT * FROM by_state"
  ivmc sql --db data                      (a prompt)
  echo "SELECT 1" | ivmc sql --memory --format json`,
		Long: `Run the statements of FILE, of -c, or of standard input, one after another,
each as soon as its semicolon was read. After an error it goes on with the next
statement, unless --stop-on-error. Behind a backslash stands a command of the
shell, to the end of the line: -c '\d t'. On a terminal it is a shell: \? lists its
commands, \q or Ctrl-D leaves. What was typed is kept in $IVMC_HISTORY, or in
ivmc/history under $XDG_STATE_HOME or ~/.local/state.

With --format json, standard output has one JSON object a line for every
statement, in order:
  {"columns":[{"name":..,"type":..}],"rows":[[..]]}   rows; values are text, NULL is null
  {"tag":"INSERT 0 3"}                                a statement without rows
  {"error":{"code","message","line","column"},"errors":[..]}
with "notices" and "refresh" where there are some.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.memory && cmd.Flags().Changed("db") {
				return &exit{exitUsage, errors.New("give --db or --memory, not both")}
			}
			if len(args) == 0 && !cmd.Flags().Changed("command") && terminal(a.in) && terminal(a.out) {
				return a.interactive(cmd.Context(), format, stop)
			}
			in, src, err := a.script(commands, args)
			if err != nil {
				return err
			}
			defer in.Close()
			sh := &shell{a: a, format: format, stop: stop}
			if err := sh.printTo(a.out, look{}); err != nil {
				return err
			}
			return a.runScript(cmd.Context(), in, src, sh)
		},
	}
	f := c.Flags()
	f.BoolVar(&a.memory, "memory", false, "a database in memory, gone at the end")
	f.StringVar(&format, "format", "table", "table, csv or json")
	f.StringArrayVarP(&commands, "command", "c", nil, "the statements to run; several run one after another")
	f.BoolVar(&stop, "stop-on-error", false, "stop at the first error")
	return c
}

func newPrinter(format string, out *bufio.Writer, errw io.Writer) (printer, error) {
	switch format {
	case "table":
		return &tablePrinter{out: out, err: errw}, nil
	case "csv":
		return &csvPrinter{out: out, err: errw}, nil
	case "json":
		return &jsonPrinter{out: out}, nil
	}
	return nil, &exit{exitUsage, fmt.Errorf("unknown format %q: table, csv or json", format)}
}

// script opens what is to be run. Each of commands ends a statement.
func (a *app) script(commands, args []string) (io.ReadCloser, *source, error) {
	switch {
	case commands != nil && len(args) > 0:
		return nil, nil, &exit{exitUsage, errors.New("give -c or a file, not both")}
	case commands != nil:
		in, src, err := record(io.NopCloser(strings.NewReader(strings.Join(commands, "\n;\n"))), "-c")
		line := 1
		for _, c := range commands {
			src.from = append(src.from, line)
			line += strings.Count(c, "\n") + 2
		}
		return in, src, err
	case len(args) == 0 || args[0] == "-":
		return record(io.NopCloser(a.in), "stdin")
	}
	f, err := os.Open(args[0])
	if err != nil {
		return nil, nil, &exit{exitUsage, err}
	}
	return record(f, args[0])
}

// runScript runs every statement; the status is 1 if one failed.
func (a *app) runScript(ctx context.Context, in io.Reader, src *source, sh *shell) (err error) {
	db, err := a.open(false)
	if err != nil {
		return err
	}
	defer closeDB(db, &err)
	return sh.runOn(ctx, db, in, src)
}

// runOn runs the statements of in, and the lines that are commands.
func (sh *shell) runOn(ctx context.Context, db serve.Store, in io.Reader, src *source) error {
	s, err := db.Session(ctx)
	if err != nil {
		return failed(err)
	}
	defer s.Close()
	lines := &commandLines{r: in}
	sh.db, sh.s, sh.script = db, s, ivmc.NewScript(lines)
	lines.script = sh.script
	defer func() {
		if sh.target.w != sh.a.out {
			_ = sh.output(ctx, "") // closes the file of \o
		}
	}()
	var status error
	for ctx.Err() == nil {
		st, err := next(ctx, sh.script)
		if errors.Is(err, io.EOF) {
			break
		}
		if errors.Is(err, errCommand) {
			sh.failed = false
			err := sh.scripted(ctx, lines, src)
			if errors.Is(err, errLeave) {
				break
			}
			if err != nil {
				return err
			}
			if sh.failed {
				status = &exit{exitFailed, nil}
				if sh.stop {
					break
				}
			}
			continue
		}
		if err != nil {
			return &exit{exitFailed, fmt.Errorf("read %s: %w", src.name, err)}
		}
		sh.last = st.Text
		start := time.Now()
		err = sh.a.statement(ctx, s, st, src, sh.p)
		if sh.timing {
			fmt.Fprintf(sh.out, "Time: %.3f ms\n", float64(time.Since(start).Microseconds())/1000)
		}
		if ferr := sh.out.Flush(); ferr != nil {
			return &exit{exitFailed, fmt.Errorf("write: %w", ferr)}
		}
		if err == nil {
			continue
		}
		status = &exit{exitFailed, nil}
		if storeFault(err) {
			status = &exit{exitStore, nil}
		}
		var e *ivmc.Error
		if !errors.As(err, &e) {
			return &exit{exitFailed, err}
		}
		if sh.stop {
			break
		}
	}
	return status
}

// scripted runs a command that stands in a script.
func (sh *shell) scripted(ctx context.Context, lines *commandLines, src *source) error {
	if sh.format == "json" {
		name, _, _ := strings.Cut(lines.text, " ")
		sh.failed = true
		err := sh.p.failed(&ivmc.Error{Code: "0A000", Message: name + " is a command of the shell, and --format json prints what statements give",
			Hint: "Run commands with --format table or csv.", Line: lines.line + 1, Column: 1}, src)
		return errors.Join(err, sh.flush())
	}
	if err := sh.command(ctx, lines.text); err != nil {
		return err
	}
	if sh.stopped {
		return &exit{exitInterrupted, nil}
	}
	return nil
}

// next reads a statement and gives up waiting when ctx ends: a terminal or pipe
// may never say anything again.
func next(ctx context.Context, script *ivmc.Script) (ivmc.Statement, error) {
	type read struct {
		st  ivmc.Statement
		err error
	}
	got := make(chan read, 1)
	go func() {
		st, err := script.Next()
		got <- read{st, err}
	}()
	select {
	case r := <-got:
		return r.st, r.err
	case <-ctx.Done():
		return ivmc.Statement{}, io.EOF
	}
}

// stoppable is ctx for a statement that an interrupt stops.
func (a *app) stoppable(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	a.running.Store(&cancel)
	return ctx, func() {
		a.running.Store(nil)
		cancel()
	}
}

// statement runs one statement and prints what came of it, an error too.
func (a *app) statement(ctx context.Context, s serve.Session, st ivmc.Statement, src *source, p printer) error {
	o, err := s.Run(ctx, st.Text)
	if err == nil {
		err = p.outcome(o)
		if o.Rows != nil {
			o.Rows.Close()
		}
	}
	var e *ivmc.Error
	if errors.As(err, &e) {
		if st.Line > 0 {
			st.Place(e)
		}
		if perr := p.failed(e, src); perr != nil {
			return perr
		}
	}
	return err
}
