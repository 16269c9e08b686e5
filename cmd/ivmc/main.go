// Command ivmc runs SQL on a database of materialized views that are kept up to
// date, checks them, and explains how.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/ivmc/ivmc"
	"github.com/ivmc/ivmc/serve"
)

// The exit statuses of every command.
const (
	exitOK          = 0
	exitFailed      = 1   // a statement, refresh or check failed
	exitUsage       = 2   // the command line is wrong
	exitStore       = 3   // the database is locked, missing, corrupt or of another version
	exitInterrupted = 130 // SIGINT or SIGTERM
)

// exits are the statuses in words, for manual pages.
func exits() []struct {
	status int
	text   string
} {
	return []struct {
		status int
		text   string
	}{
		{exitOK, "done"},
		{exitFailed, "a statement, refresh or check failed"},
		{exitUsage, "the command line is wrong"},
		{exitStore, "the database is locked, missing, corrupt or of another version"},
		{exitInterrupted, "interrupted"},
	}
}

func main() {
	sparing()
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// exit is an error that carries its status. err nil: everything was said already.
type exit struct {
	status int
	err    error
}

func (e *exit) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.status)
	}
	return e.err.Error()
}

func (e *exit) Unwrap() error { return e.err }

// app is what the commands share.
type app struct {
	in       io.Reader
	out, err io.Writer
	db       string
	memory   bool
	limit    string // of memory
	volatile bool   // the command knows --memory
	through  bool   // the process that serves the database does what is asked

	asking  atomic.Bool                        // there is a prompt: an interrupt never ends the program
	running atomic.Pointer[context.CancelFunc] // of the statement at a prompt
}

// interrupt stops the statement that runs at a prompt, and reports whether that
// is all there is to do. A statement does not hear a second one.
func (a *app) interrupt() bool {
	stop := a.running.Swap(nil)
	if stop != nil {
		(*stop)()
	}
	return stop != nil || a.asking.Load()
}

// signals is a context that ends with an interrupt that no statement takes, or
// with SIGTERM. A signal after that ends the process at once.
func (a *app) signals() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(context.Background())
	got := make(chan os.Signal, 1)
	signal.Notify(got, os.Interrupt, syscall.SIGTERM)
	go func() {
		defer signal.Stop(got)
		for {
			select {
			case s := <-got:
				if s == os.Interrupt && a.interrupt() {
					continue
				}
				cancel(map[bool]error{true: errTerminated}[s == syscall.SIGTERM])
			case <-ctx.Done():
			}
			return
		}
	}()
	return ctx, func() { cancel(nil) }
}

// errTerminated is the cause of a context that SIGTERM ended.
var errTerminated = errors.New("terminated")

// run is main without the process.
func run(args []string, in io.Reader, out, errw io.Writer) int {
	results := &output{Writer: out}
	a := &app{in: in, out: results, err: errw}
	ctx, stop := a.signals()
	defer stop()
	root := &cobra.Command{
		Use:           "ivmc",
		Short:         "materialized views, kept up to date by what changed",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(results)
	root.SetErr(errw)
	root.PersistentFlags().StringVar(&a.db, "db", os.Getenv("IVMC_DB"), "directory of the database (default: $IVMC_DB)")
	root.PersistentFlags().StringVar(&a.limit, "memory-limit", "", "memory that statements and the states of views may hold: 512MB, 2GB (default: a quarter of what there is; 0: no limit)")
	root.AddCommand(a.demoCommand(), a.sqlCommand(), a.loadCommand(), a.refreshCommand(), a.verifyCommand(), a.explainCommand(),
		a.statusCommand(), a.checkCommand(), a.changesCommand(), a.consumeCommand(), a.dumpCommand(), a.serveCommand(), a.graphCommand(), versionCommand(), manCommand())
	wording(root)
	words(root)
	root.PersistentPreRun = func(c *cobra.Command, _ []string) { a.volatile = c.Flags().Lookup("memory") != nil }
	called, err := root.ExecuteContextC(ctx)
	if err == nil && results.failed != nil {
		err = &exit{exitFailed, fmt.Errorf("write: %w", results.failed)}
	}
	status := statusOf(ctx, err)
	var e *exit
	if err != nil && !(errors.As(err, &e) && e.err == nil) {
		fmt.Fprintf(errw, "ivmc: %s\n", plain(err))
		if status == exitUsage {
			fmt.Fprintf(errw, "Try '%s --help'.\n", called.CommandPath())
		}
	}
	return status
}

// statusOf is the exit status of an error; one that no command made is of the
// command line.
func statusOf(ctx context.Context, err error) int {
	var e *exit
	switch {
	case errors.As(err, &e) && e.status == exitOK:
		return exitOK
	case err == nil && ctx.Err() == nil:
		return exitOK
	case ctx.Err() != nil:
		return exitInterrupted
	case errors.As(err, &e):
		return e.status
	}
	return exitUsage
}

// plain is the text of an error for people, without the name of the library.
func plain(err error) string {
	var e *ivmc.Error
	if errors.As(err, &e) {
		s := e.Message
		if e.Detail != "" {
			s += "\n  detail: " + e.Detail
		}
		if e.Hint != "" {
			s += "\n  hint: " + e.Hint
		}
		return s
	}
	return err.Error()
}

// open opens the database that the flags name. exists: it must be there.
// A process that serves it does what is asked; else it is opened here.
func (a *app) open(exists bool) (serve.Store, error) {
	limit, err := a.memoryLimit()
	if err != nil {
		return nil, &exit{exitUsage, err}
	}
	opts := &ivmc.Options{MemoryLimit: limit}
	switch {
	case a.memory:
		opts.InMemory = true
	case a.db == "":
		if a.volatile {
			return nil, &exit{exitUsage, errors.New("no database: give --db DIR, --memory, or set IVMC_DB")}
		}
		return nil, &exit{exitUsage, errors.New("no database: give --db DIR, or set IVMC_DB")}
	default:
		opts.MustExist = exists
		st, err := a.served()
		if st != nil || err != nil {
			return st, err
		}
	}
	db, err := ivmc.Open(a.db, opts)
	if errors.Is(err, ivmc.ErrLocked) { // by one that began to serve just now, it may be
		if st, serr := a.served(); st != nil || serr != nil {
			return st, serr
		}
	}
	if err != nil {
		return nil, &exit{exitStore, err}
	}
	return serve.Local(db), nil
}

// served is the database by the process that serves it; nil: there is none.
func (a *app) served() (serve.Store, error) {
	st, err := serve.Dial(context.Background(), a.db)
	switch {
	case errors.Is(err, serve.ErrNoServer):
		return nil, nil
	case err != nil:
		return nil, &exit{exitStore, err}
	case a.limit != "":
		st.Close()
		return nil, &exit{exitUsage, errors.New("the database is served by another process, whose memory limit counts: give --memory-limit to ivmc serve")}
	}
	a.through = true
	return st, nil
}

// bytesOf reads a size: a number with kB, MB, GB or nothing behind it, in
// powers of 1024 as PostgreSQL has them.
func bytesOf(s string) (int64, error) {
	unit := int64(1)
	num := strings.ToLower(s)
	for suffix, u := range map[string]int64{"kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30} {
		if n, ok := strings.CutSuffix(num, suffix); ok {
			num, unit = strings.TrimSpace(n), u
		}
	}
	n, err := strconv.ParseInt(num, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/unit {
		return 0, fmt.Errorf("memory limit %q: wanted a number of bytes, or one with kB, MB or GB", s)
	}
	return n * unit, nil
}

// close closes db and keeps the first error.
func closeDB(db serve.Store, err *error) {
	if cerr := db.Close(); cerr != nil && *err == nil {
		*err = &exit{exitStore, cerr}
	}
}

// storeFault reports whether an error of a statement is one of the database itself.
func storeFault(err error) bool {
	return errors.Is(err, ivmc.ErrCorruption) || codeOf(err) == "08006"
}
