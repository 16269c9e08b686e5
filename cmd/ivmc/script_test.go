package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ivmc/ivmc/serve"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ivmc": main})
}

// TestScripts runs the command as a user does; see testdata/script.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("IVMC_DB", "")
			e.Setenv("TZ", "Asia/Tokyo") // must not matter anywhere
			return nil
		},
		Cmds:          map[string]func(*testscript.TestScript, bool, []string){"exec-status": execStatus, "served": served, "eventually": eventually, "signal": signalled},
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
	})
}

// served is "served DIR": somebody serves the database in DIR, or soon does.
func served(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: served DIR")
	}
	for start := time.Now(); ; time.Sleep(time.Millisecond) {
		st, err := serve.Dial(context.Background(), ts.MkAbs(args[0]))
		if err == nil {
			st.Close()
			return
		}
		if time.Since(start) > 30*time.Second {
			ts.Fatalf("nobody serves %s: %v", args[0], err)
		}
	}
}

// eventually is "eventually PATTERN command ..": run again and again, the command
// prints the pattern.
func eventually(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: eventually PATTERN command ..")
	}
	re, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	for start := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		ts.Check(ts.Exec(args[1], args[2:]...))
		if re.MatchString(ts.ReadFile("stdout")) {
			return
		}
		if time.Since(start) > 30*time.Second {
			ts.Fatalf("it never prints %s", args[0])
		}
	}
}

// signalled is "signal NAME DIR": whoever holds the database in DIR gets a signal.
func signalled(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: signal NAME DIR")
	}
	pid, err := strconv.Atoi(ts.ReadFile(filepath.Join(args[1], "IVMC.pid")))
	ts.Check(err)
	ts.Check(syscall.Kill(pid, map[string]syscall.Signal{"TERM": syscall.SIGTERM, "INT": syscall.SIGINT}[args[0]]))
}

// execStatus is "exec-status N command ..": the command ends with status N.
func execStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exec-status N command ..")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var e *exec.ExitError
		if !errors.As(err, &e) {
			ts.Fatalf("%v", err)
		}
		got = e.ExitCode()
	}
	if got != want {
		ts.Fatalf("status %d, wanted %d", got, want)
	}
}
