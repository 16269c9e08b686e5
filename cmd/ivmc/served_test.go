package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ivmc/ivmc"
	"github.com/ivmc/ivmc/internal/testkit/cases"
	"github.com/ivmc/ivmc/serve"
)

// took is what differs between two runs of one script: what was measured, and what
// the next refresh is expected to take by that.
var took = regexp.MustCompile(`("(?:[a-z]+_)?ms"):[0-9.e-]+`)

// scripts are all that the project has, by name.
func scripts(t *testing.T) map[string]string {
	t.Helper()
	root := filepath.Join("..", "..")
	out := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		kind := filepath.Ext(path)
		if kind != ".sql" && kind != ".txtar" && !(kind == ".test" && strings.Contains(path, "cases")) {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		switch kind {
		case ".sql":
			out[path] = string(b)
		case ".txtar":
			for _, f := range txtar.Parse(b).Files {
				if strings.HasSuffix(f.Name, ".sql") {
					out[path+"/"+f.Name] = string(f.Data)
				}
			}
		case ".test":
			blocks, err := cases.Parse(string(b))
			if err != nil {
				return err
			}
			var all strings.Builder
			for _, x := range blocks {
				all.WriteString(x.SQL + ";\n")
			}
			out[path] = all.String()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestServedIsLocal: a script prints byte for byte the same as JSON, whether this
// process holds the database or another one serves it.
func TestServedIsLocal(t *testing.T) {
	clock := func() time.Time { return time.Date(2026, 9, 14, 10, 0, 0, 0, time.UTC) }
	all := scripts(t)
	if len(all) < 60 {
		t.Fatalf("only %d scripts were found", len(all))
	}
	statements := 0
	for name, text := range all {
		var printed [2]string
		for i := range printed {
			db, err := ivmc.Open("", &ivmc.Options{InMemory: true, Clock: clock, NoFiles: true})
			if err != nil {
				t.Fatal(err)
			}
			st := serve.Local(db)
			end := func() {}
			if i == 1 {
				st, end = dialed(t, db)
			}
			var out bytes.Buffer
			sh := &shell{a: &app{out: &out, err: &out}, format: "json"}
			if err := sh.printTo(&out, look{}); err != nil {
				t.Fatal(err)
			}
			_ = sh.runOn(context.Background(), st, strings.NewReader(text), &source{name: name})
			sh.out.Flush()
			printed[i] = took.ReplaceAllString(out.String(), `$1:0`)
			end()
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
		statements += strings.Count(printed[0], "\n")
		if printed[0] != printed[1] {
			here, there := strings.Split(printed[0], "\n"), strings.Split(printed[1], "\n")
			for i := range here {
				if i >= len(there) || here[i] != there[i] {
					t.Fatalf("%s: statement %d of %d and %d\nhere:  %s\nthere: %s", name, i+1, len(here), len(there), here[i], there[min(i, len(there)-1)])
				}
			}
			t.Fatalf("%s: the server says more", name)
		}
	}
	t.Logf("%d scripts, %d statements", len(all), statements)
}

// dialed is db by a socket.
func dialed(t *testing.T, db *ivmc.DB) (serve.Store, func()) {
	t.Helper()
	dir := t.TempDir()
	l, err := serve.Listen(dir)
	if err != nil {
		t.Fatal(err)
	}
	srv := serve.NewServer(db, serve.Options{})
	go srv.Serve(l)
	st, err := serve.Dial(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return st, func() {
		st.Close()
		if err := srv.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	}
}

// TestStatusWatch: blocks follow each other in a pipe until an interrupt.
func TestStatusWatch(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	db, err := ivmc.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	in, out, status := start(t, "status", "--db", dir, "--watch=0.01")
	defer in.Close()
	for blocks := 0; blocks < 3; {
		line, err := out.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(line, "UTC, every 10ms") {
			blocks++
		}
		if strings.Contains(line, "\x1b") {
			t.Errorf("%q steers a pipe", line)
		}
	}
	go io.Copy(io.Discard, out)
	if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if s := <-status; s != exitInterrupted {
		t.Errorf("status %d", s)
	}
}
