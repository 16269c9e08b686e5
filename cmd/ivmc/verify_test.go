package main

import (
	"bytes"
	"context"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ivmc/ivmc"
	"github.com/ivmc/ivmc/serve"
)

// TestVerifyDiff: a view that stands for what its query does not give any more, for
// a function of the program changed its mind, is a DIFF: with the rows and their
// weights, twenty of them, and status 1. One beside it that is right is ok.
func TestVerifyDiff(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	var mind atomic.Int64
	db, err := ivmc.Open(dir, &ivmc.Options{Functions: []ivmc.Function{
		ivmc.Func1("whim", func(n int64) (int64, error) { return n + mind.Load(), nil }),
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(context.Background(), `
		CREATE TABLE t(a BIGINT PRIMARY KEY);
		INSERT INTO t VALUES (1),(2),(3),(4),(5),(6),(7),(8),(9),(10),(11),(12),(13),(14),(15);
		CREATE MATERIALIZED VIEW fine AS SELECT count(*) AS n FROM t;
		CREATE MATERIALIZED VIEW moody AS SELECT whim(a) AS w FROM t`); err != nil {
		t.Fatal(err)
	}
	l, err := serve.Listen(dir)
	if err != nil {
		t.Fatal(err)
	}
	srv := serve.NewServer(db, serve.Options{})
	go srv.Serve(l)
	defer srv.Shutdown(context.Background())
	verify := func(views ...string) (int, string, string) {
		var out, errw bytes.Buffer
		status := run(append([]string{"verify", "--db", dir}, views...), strings.NewReader(""), &out, &errw)
		return status, out.String(), errw.String()
	}
	if status, out, errs := verify(); status != exitOK || strings.Count(out, " ok ") != 2 {
		t.Fatalf("status %d\n%s%s", status, out, errs)
	}
	mind.Store(100)
	status, out, errs := verify()
	if status != exitFailed || !strings.Contains(errs, "view moody differs from its definition") {
		t.Errorf("status %d: %s", status, errs)
	}
	for _, want := range []string{` fine +\| ok +\| +1 `, ` moody +\| DIFF +\| +15 `, `(?m)^moody: 15 rows, 15 expected, 30 differ$`, `(?m)^  -1\|1$`} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	if n := len(regexp.MustCompile(`(?m)^  [+-]1\|\d+$`).FindAllString(out, -1)); n != 20 {
		t.Errorf("%d rows of the difference:\n%s", n, out)
	}
	if status, out, errs := verify("fine"); status != exitOK {
		t.Errorf("status %d\n%s%s", status, out, errs)
	}
}
