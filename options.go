package ivmc

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/refresh"
)

// Options of [Open]. The zero Options are the defaults.
type Options struct {
	// InMemory keeps everything in memory; the directory is not touched, and
	// nothing survives Close.
	InMemory bool
	// MustExist refuses to create a database: [ErrNotFound].
	MustExist bool
	// FS is the file system. Default: the operating system's.
	FS vfs.FS
	// Clock gives the time of commits and of now(). Default: time.Now.
	Clock func() time.Time
	// NoSync makes the database volatile: a commit does not wait for the disk. A
	// crash of the machine may lose the last commits, whole ones and never out of
	// order. Default: a commit returns when the disk has it.
	NoSync bool
	// MemoryLimit bounds, in bytes, what statements, transactions and refreshes hold
	// while they run, and the states of views (53200). 0: no limit.
	MemoryLimit int64
	// MaxStatementBytes and MaxDepth cap the text of one statement (54000,
	// 54001). Default: 16 MiB and 500 levels.
	MaxStatementBytes int
	MaxDepth          int
	// History is how many refreshes of each view are remembered, see
	// information_schema.refresh_history. Default: 100.
	History int
	// NoFiles refuses COPY and [DB.Load] (42501): whoever may send SQL then cannot
	// read or write the files of the process.
	NoFiles bool
	// Functions are functions of the program for use in SQL. A view that calls one
	// needs it again whenever the database is opened: without it the view is
	// read as it stands, and its refresh fails (42883).
	Functions []Function
	// Logger hears what happens inside: refreshes, and faults as errors, with the stack of a
	// bug. Default: silence.
	Logger *slog.Logger
	// Tracer hears of statements, refreshes, their steps, and commits, as spans. Default: nobody.
	Tracer Tracer
}

// EnsureDefaults fills in what is zero. [Open] works on a copy.
func (o *Options) EnsureDefaults() {
	lim := ast.DefaultLimits()
	if o.MaxStatementBytes == 0 {
		o.MaxStatementBytes = lim.Bytes
	}
	if o.MaxDepth == 0 {
		o.MaxDepth = lim.Depth
	}
	if o.History == 0 {
		o.History = refresh.DefaultHistory
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
}

// Validate says everything that is wrong with o.
func (o *Options) Validate() error {
	var es []error
	bad := func(format string, args ...any) { es = append(es, fmt.Errorf("ivmc: option "+format, args...)) }
	if o.InMemory && o.FS != nil {
		bad("InMemory excludes FS")
	}
	if o.InMemory && o.MustExist {
		bad("InMemory excludes MustExist")
	}
	if o.MemoryLimit < 0 {
		bad("MemoryLimit is negative: %d", o.MemoryLimit)
	}
	if o.MaxStatementBytes < 0 {
		bad("MaxStatementBytes is negative: %d", o.MaxStatementBytes)
	}
	if o.MaxDepth < 0 || o.MaxDepth > 10_000 {
		bad("MaxDepth is %d, wanted 0 to 10000", o.MaxDepth)
	}
	if o.History < 0 {
		bad("History is negative: %d", o.History)
	}
	if _, err := library(o.Functions); err != nil {
		es = append(es, publish(err, ""))
	}
	return errors.Join(es...)
}

// LogValue is String for package log/slog.
func (o *Options) LogValue() slog.Value { return slog.StringValue(o.String()) }

// String lists the options, one line.
func (o *Options) String() string {
	if o == nil {
		return "defaults"
	}
	parts := []string{fmt.Sprintf("no_sync=%t", o.NoSync)}
	if o.InMemory {
		parts = append(parts, "in_memory=true")
	}
	if o.MustExist {
		parts = append(parts, "must_exist=true")
	}
	if len(o.Functions) > 0 {
		names := make([]string, len(o.Functions))
		for i, f := range o.Functions {
			names[i] = f.Name
		}
		parts = append(parts, "functions="+strings.Join(names, ","))
	}
	if o.NoFiles {
		parts = append(parts, "no_files=true")
	}
	parts = append(parts, fmt.Sprintf("memory_limit=%d", o.MemoryLimit),
		fmt.Sprintf("max_statement_bytes=%d", o.MaxStatementBytes), fmt.Sprintf("max_depth=%d", o.MaxDepth), fmt.Sprintf("history=%d", o.History))
	return strings.Join(parts, " ")
}
