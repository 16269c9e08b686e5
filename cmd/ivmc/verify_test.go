package main

import (
	"bytes"
	"context"
	"encoding/json"
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
	status, out, errs = verify("--format", "json", "fine", "moody", "no")
	lines := strings.Split(out, "\n")
	if status != exitFailed || len(lines) != 4 || !strings.Contains(errs, "view moody differs") || !strings.HasPrefix(lines[0], `{"view":"fine","equal":true,"rows":1,"expected":1,"differing":0,"diff":[],"by_definition":true,"frontier":`) ||
		!strings.HasPrefix(lines[1], `{"view":"moody","equal":false,"rows":15,"expected":15,"differing":30,"diff":["-1|1",`) ||
		lines[2] != `{"view":"no","error":{"code":"42P01","message":"relation \"no\" does not exist","line":null,"column":null}}` {
		t.Errorf("status %d\n%s%s", status, out, errs)
	}
	for _, l := range lines[:3] {
		if !json.Valid([]byte(l)) {
			t.Error(l)
		}
	}
	if status, out, errs := verify("fine"); status != exitOK {
		t.Errorf("status %d\n%s%s", status, out, errs)
	}
}

// TestReportObjects: refresh and check print objects, and to standard error what is
// for people.
func TestReportObjects(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	if status, _, errs := command("sql", "--db", dir, "-c", `CREATE TABLE t(a INT, b INT); INSERT INTO t VALUES (4, 2);
		CREATE MATERIALIZED VIEW fine AS SELECT a FROM t; CREATE MATERIALIZED VIEW bad AS SELECT a / b AS q FROM t; INSERT INTO t VALUES (1, 0)`); status != exitOK {
		t.Fatal(errs)
	}
	status, out, errs := command("refresh", "--db", dir, "--all", "--format", "json")
	type refreshed struct {
		View, Executed string
		RowsIn         int `json:"rows_in"`
		Error          struct{ Code, Detail string }
	}
	var got []refreshed
	for _, l := range strings.Split(strings.TrimSpace(out), "\n") {
		var r refreshed
		if err := json.Unmarshal([]byte(l), &r); err != nil {
			t.Fatalf("%s: %v", l, err)
		}
		got = append(got, r)
	}
	if status != exitFailed || len(got) != 2 || !strings.Contains(errs, "ivmc: bad: division by zero") {
		t.Fatalf("status %d\n%s%s", status, out, errs)
	}
	for _, r := range got {
		if r.View == "fine" && (r.Executed != "INCREMENTAL" || r.RowsIn != 1) ||
			r.View == "bad" && (r.Error.Code != "22012" || r.Error.Detail != `view "bad", expression a / b, row (a = 1, b = 0)`) {
			t.Errorf("%+v", r)
		}
	}
	status, out, errs = command("check", "--db", dir, "--format", "json")
	if status != exitOK || !strings.HasPrefix(out, `{"relations":3,"blocks":`) || !strings.HasSuffix(out, `"faults":[]}`+"\n") {
		t.Errorf("status %d\n%s%s", status, out, errs)
	}
	if status, _, errs := command("check", "--db", dir, "--format", "yaml"); status != exitUsage || !strings.Contains(errs, "table or json") {
		t.Errorf("status %d: %s", status, errs)
	}
}
