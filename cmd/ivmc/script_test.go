package main

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
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
		Cmds:          map[string]func(*testscript.TestScript, bool, []string){"exec-status": execStatus},
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
	})
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
