package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/ivmc/ivmc"
	"github.com/ivmc/ivmc/serve"
)

// service is a run of ivmc serve.
type service struct {
	a         *app
	metrics   string
	logFormat string
	logLevel  string
	grace     time.Duration
	idle      bool // views are not refreshed by themselves
	schedule  ivmc.ScheduleOptions
}

func (a *app) serveCommand() *cobra.Command {
	x := service{a: a}
	c := &cobra.Command{
		Use:   "serve",
		Short: "hold the database for all other commands, and refresh its views by their schedules",
		Long: `Hold the database, which is made if it is not there. While it is held, every other
command works on it through the socket ivmc.sock in its directory, which nobody but the
user of this process may use. Views with ON SCHEDULE, WITH LAG or ON COMMIT ASYNC are
refreshed as they say, and a failure is tried again.

SIGTERM ends it: it takes no more requests, waits for those that run, cancels them after
the time of --grace, and closes the database; the status is 0. After SIGINT, which does
the same, it is 130. A second signal ends it at once, which loses nothing that was
committed.`,
		Example: `  ivmc serve --db data
  ivmc serve --db data --metrics 127.0.0.1:9464 --log-format json 2> ivmc.log`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return x.run(cmd.Context()) },
	}
	f := c.Flags()
	f.StringVar(&x.metrics, "metrics", "", "address at which Prometheus finds /metrics, as 127.0.0.1:9464 (default: none)")
	f.StringVar(&x.logFormat, "log-format", "text", "text or json")
	f.StringVar(&x.logLevel, "log-level", "info", "debug, info, warn or error")
	f.DurationVar(&x.grace, "grace", 10*time.Second, "how long statements and refreshes may go on after a signal to end")
	f.BoolVar(&x.idle, "no-schedule", false, "refresh nothing by itself")
	f.IntVar(&x.schedule.Workers, "workers", 2, "scheduled refreshes that run side by side")
	f.DurationVar(&x.schedule.Jitter, "jitter", 0, "spread the ticks of many views over so much time, a tenth of their interval at most")
	return c
}

// newLogger writes records to w.
func newLogger(w io.Writer, format, level string) (*slog.Logger, error) {
	o := &slog.HandlerOptions{ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) == 0 && a.Key == slog.TimeKey { // as every time that is shown
			a.Value = slog.TimeValue(a.Value.Time().UTC())
		}
		return a
	}}
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		return nil, fmt.Errorf("log level %q: wanted debug, info, warn or error", level)
	}
	o.Level = l
	switch format {
	case "text":
		return slog.New(slog.NewTextHandler(w, o)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, o)), nil
	}
	return nil, fmt.Errorf("log format %q: wanted text or json", format)
}

func (x *service) run(ctx context.Context) (err error) {
	a := x.a
	log, err := newLogger(a.err, x.logFormat, x.logLevel)
	if err != nil {
		return &exit{exitUsage, err}
	}
	limit, err := a.memoryLimit()
	if err != nil {
		return &exit{exitUsage, err}
	}
	if err := x.schedule.Validate(); err != nil {
		return &exit{exitUsage, err}
	}
	if a.db == "" {
		return &exit{exitUsage, errors.New("no database: give --db DIR, or set IVMC_DB")}
	}
	opts := &ivmc.Options{MemoryLimit: limit, Logger: log}
	var figures *serve.Metrics
	if x.metrics != "" {
		figures = serve.NewMetrics()
		opts.Tracer = figures
	}
	db, err := ivmc.Open(a.db, opts)
	if err != nil {
		return &exit{exitStore, err}
	}
	defer func() {
		if cerr := db.Close(); cerr != nil && err == nil {
			err = &exit{exitStore, cerr}
		}
		log.Info("closed")
	}()
	socket, err := serve.Listen(a.db)
	if err != nil {
		return &exit{exitStore, err}
	}
	srv := serve.NewServer(db, serve.Options{Logger: log})
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(socket) }()
	if x.logFormat == "text" {
		fmt.Fprintf(a.err, "READY: process %d serves %s at %s\n", os.Getpid(), a.db, filepath.Join(a.db, serve.SocketName))
	}
	if figures != nil {
		stop, err := x.expose(figures, db, srv, log)
		if err != nil {
			return errors.Join(err, srv.Shutdown(context.Background()))
		}
		defer stop()
	}
	log.Info("ready", "pid", os.Getpid(), "db", a.db, "socket", filepath.Join(a.db, serve.SocketName))
	scheduling, unschedule := context.WithCancel(ctx)
	defer unschedule()
	scheduled := make(chan error, 1)
	x.schedule.OnVerify = func(r *ivmc.VerifyReport, err error) {
		switch {
		case err != nil:
			log.Warn("verify", "view", r.View, "error", err.Error())
		case !r.Equal:
			log.Error("verify", "view", r.View, "equal", false, "differing", r.Differing, "rows", r.Diff, "ms", float64(r.Duration.Microseconds())/1000)
		default:
			log.Info("verify", "view", r.View, "equal", true, "rows", r.Rows, "ms", float64(r.Duration.Microseconds())/1000)
		}
	}
	go func() { scheduled <- x.refresh(scheduling, db) }()
	select {
	case err = <-ended: // the socket failed
		err = &exit{exitFailed, fmt.Errorf("socket: %w", err)}
	case err = <-scheduled:
		scheduled <- nil
		if err != nil {
			err = &exit{exitFailed, fmt.Errorf("schedule: %w", err)}
		}
	case <-ctx.Done():
	}
	unschedule()
	log.Info("stopping", "grace", x.grace.String(), "connections", srv.Connections())
	within, cancel := context.WithTimeout(context.Background(), x.grace)
	defer cancel()
	if srv.Shutdown(within) != nil {
		log.Warn("statements were cancelled")
	}
	if serr := <-scheduled; serr != nil && err == nil {
		err = &exit{exitFailed, fmt.Errorf("schedule: %w", serr)}
	}
	if err == nil && errors.Is(context.Cause(ctx), errTerminated) {
		return &exit{exitOK, nil} // as it is meant to end
	}
	return err
}

// refresh keeps the schedules until ctx ends.
func (x *service) refresh(ctx context.Context, db *ivmc.DB) error {
	if x.idle {
		<-ctx.Done()
		return nil
	}
	o := x.schedule
	o.Grace = x.grace
	err := db.Schedule(ctx, &o)
	if ctx.Err() != nil { // that is how it is meant to end
		return nil
	}
	return err
}

// expose answers what Prometheus asks, until stop.
func (x *service) expose(figures *serve.Metrics, db *ivmc.DB, srv *serve.Server, log *slog.Logger) (stop func(), err error) {
	figures.Watch(db, srv)
	l, err := net.Listen("tcp", x.metrics)
	if err != nil {
		return nil, &exit{exitUsage, fmt.Errorf("--metrics: %w", err)}
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", figures.Handler())
	web := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn)}
	go web.Serve(l)
	log.Info("metrics", "url", "http://"+l.Addr().String()+"/metrics")
	return func() { _ = web.Close() }, nil
}
