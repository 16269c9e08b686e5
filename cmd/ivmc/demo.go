package main

import (
	"bufio"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ivmc/ivmc"
)

// demoFiles is a script and what it loads: 10 thousand flights of January 2001 and
// the airports, see demo/README.md.
//
//go:embed demo
var demoFiles embed.FS

func (a *app) demoCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "real flights, views over them, changes, and how the views follow",
		Long: `Load 10 thousand real flights into a database in a temporary directory, create views,
change the flights, bring the views up to date, explain how, and verify. Every
statement is printed before it runs. Nothing is left behind.`,
		Args: cobra.NoArgs,
		RunE: a.demo,
	}
}

func (a *app) demo(cmd *cobra.Command, _ []string) (err error) {
	start := time.Now()
	dir, err := os.MkdirTemp("", "ivmc-demo-")
	if err != nil {
		return &exit{exitFailed, err}
	}
	defer os.RemoveAll(dir)
	files, err := demoFiles.ReadDir("demo")
	if err != nil {
		return err
	}
	for _, f := range files {
		b, err := demoFiles.ReadFile("demo/" + f.Name())
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, f.Name()), b, 0o600)
		}
		if err != nil {
			return &exit{exitFailed, err}
		}
	}
	a.db, a.memory = filepath.Join(dir, "db"), false
	db, err := a.open(false)
	if err != nil {
		return err
	}
	defer closeDB(db, &err)
	s, err := db.Session(cmd.Context())
	if err != nil {
		return failed(err)
	}
	defer s.Close()
	out := bufio.NewWriter(a.out)
	defer out.Flush()
	p := &tablePrinter{out: out, err: out} // notices are part of it
	script, err := demoFiles.ReadFile("demo/demo.sql")
	if err != nil {
		return err
	}
	text := ""
	for line := range strings.Lines(string(script)) {
		fmt.Fprint(out, strings.ReplaceAll(line, "{dir}/", ""))
		text += strings.ReplaceAll(line, "{dir}", strings.ReplaceAll(dir, "'", "''"))
		if !strings.HasSuffix(line, ";\n") {
			continue
		}
		err := a.statement(cmd.Context(), s, ivmc.Statement{Text: strings.TrimSuffix(text, ";\n"), Line: 1, Column: 1}, &source{name: "demo.sql"}, p)
		if err != nil {
			out.Flush()
			return &exit{exitFailed, nil}
		}
		text = ""
		if err := out.Flush(); err != nil {
			return &exit{exitFailed, fmt.Errorf("write: %w", err)}
		}
	}
	fmt.Fprintln(out, "\n-- Is it right? Every view is computed anew from its sources, and compared.")
	views, err := db.Views(cmd.Context())
	if err != nil {
		return failed(err)
	}
	for _, v := range views {
		rep, err := db.Verify(cmd.Context(), v)
		if err != nil {
			return &exit{exitFailed, err}
		}
		if !rep.Equal {
			return &exit{exitFailed, fmt.Errorf("view %s differs from its definition", v)}
		}
		fmt.Fprintf(out, "%s: ok, %d rows\n", v, rep.Rows)
	}
	fmt.Fprintf(out, "\nAll of this took %.1f s. Try it yourself: ivmc sql --memory\n", time.Since(start).Seconds())
	return nil
}
