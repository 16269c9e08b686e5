package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/refresh"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

func intTable(d *db, name string, cols ...string) {
	s := zset.Schema{}
	for _, c := range cols {
		s = append(s, zset.Field{Name: c, Type: zset.TInt8})
	}
	s[0].NotNull = true
	d.table(name, s, []int{0})
}

func (d *db) mustView(name, query string) {
	d.t.Helper()
	if _, err := d.view(name, query); err != nil {
		d.t.Fatal(err)
	}
}

func (d *db) mustCheck(name string) {
	d.t.Helper()
	if err := d.check(name); err != nil {
		d.t.Fatal(err)
	}
}

func (d *db) mustRefresh(name string, m refresh.Mode) *refresh.Report {
	d.t.Helper()
	rep, err := d.refresh(name, m)
	if err != nil {
		d.t.Fatal(err)
	}
	return rep
}

func code(err error) string {
	var z *zset.Error
	if errors.As(err, &z) {
		return z.Code
	}
	return ""
}

// A data error fails the step as a whole and names the least failing row.
func TestDataErrorNamesTheLeastRow(t *testing.T) {
	d := newDB(t)
	intTable(d, "t", "id", "a", "b")
	d.must("INSERT INTO t VALUES (1, 10, 2)")
	d.mustView("v", "SELECT id, a / b AS q FROM t")
	before, _ := d.store.Offsets(d.id("v"))
	d.must("INSERT INTO t VALUES (9, 1, 0), (7, 1, 0), (8, 1, 1)")
	for _, m := range []refresh.Mode{refresh.Incremental, refresh.Complete, refresh.Auto} {
		_, err := d.refresh("v", m)
		if code(err) != "22012" {
			t.Fatalf("%v: %v", m, err)
		}
		var z *zset.Error
		errors.As(err, &z)
		if z.Object != "v" || z.Pos >= 0 || z.Detail != `view "v", expression a / b, row (id = 7, a = 1, b = 0)` {
			t.Fatalf("%v: %+v", m, z)
		}
	}
	if after, _ := d.store.Offsets(d.id("v")); after.Frontier != before.Frontier {
		t.Fatal("a failed step moved the view")
	}
	d.must("DELETE FROM t WHERE b = 0")
	d.mustRefresh("v", refresh.Incremental)
	d.mustCheck("v")
}

// What cancels between the terms of a join raises nothing (I4).
func TestCancelledRowsRaiseNothing(t *testing.T) {
	setup := func(off map[string]bool) (*db, error) {
		d := newDB(t)
		d.off = off
		intTable(d, "x", "id", "k", "a")
		intTable(d, "y", "id", "k", "b")
		d.must("INSERT INTO y VALUES (1, 5, 0), (2, 6, 1)")
		d.must("INSERT INTO x VALUES (1, 6, 3)")
		d.mustView("v", "SELECT x.a / y.b AS q FROM x JOIN y ON x.k = y.k")
		d.must("INSERT INTO x VALUES (2, 5, 1)")
		d.must("DELETE FROM y WHERE id = 1")
		_, err := d.refresh("v", refresh.Incremental)
		return d, err
	}
	d, err := setup(nil)
	if err != nil {
		t.Fatal(err)
	}
	d.mustCheck("v")
	if _, err := setup(map[string]bool{"consolidate": true}); code(err) != "22012" {
		t.Fatalf("without consolidation the cancelled pair must raise: %v", err)
	}
}

// countdown is a context that is cancelled at its n-th check.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// A step that is cancelled anywhere, the commit included, leaves nothing, in
// the store and in memory (I12).
func TestCancelledStepLeavesNothing(t *testing.T) {
	d := newDB(t)
	intTable(d, "x", "id", "k", "a")
	intTable(d, "y", "id", "k", "b")
	d.must("INSERT INTO x VALUES (1, 1, 3), (2, 2, 4), (3, 1, 5)")
	d.must("INSERT INTO y VALUES (1, 1, 7), (2, 2, 8)")
	d.mustView("v", "SELECT g.k, g.s, g.lo, g.d, count(*) AS n FROM (SELECT k, sum(a) AS s, min(a) AS lo, max(CAST(a AS DOUBLE PRECISION)) AS d FROM x GROUP BY k) AS g JOIN y ON g.k = y.k GROUP BY g.k, g.s, g.lo, g.d")
	d.mustCheck("v")
	for round, sql := range []string{
		"INSERT INTO x VALUES (4, 2, 1), (5, 3, 9)", "DELETE FROM x WHERE k = 1", "UPDATE y SET k = 3 WHERE id = 2", "DELETE FROM x",
	} {
		d.must(sql)
		state, rows := d.state("v"), d.store.Applied()
		for n := 0; ; n++ {
			if n > 10_000 {
				t.Fatal("the step never gets through")
			}
			_, err := d.engine.Refresh(&countdown{ctx, n}, d.id("v"), refresh.Incremental)
			if err == nil {
				if n == 0 {
					t.Fatal("the context is never looked at")
				}
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("round %d, check %d: %v", round, n, err)
			}
			if d.state("v") != state || d.store.Applied() != rows {
				t.Fatalf("round %d, check %d: something is left", round, n)
			}
		}
		d.mustCheck("v")
	}
	if got := d.state("v"); got != "" {
		t.Fatalf("state after deleting all:\n%s", got)
	}
}

// ORDER BY with LIMIT cannot be followed: refused with every reason, done by COMPLETE.
func TestBlockers(t *testing.T) {
	d := newDB(t)
	intTable(d, "t", "id", "a")
	d.must("INSERT INTO t VALUES (1, 5), (2, 4), (3, 6)")
	d.mustView("v", "SELECT id, a FROM t ORDER BY a OFFSET 1")
	d.mustCheck("v")
	d.must("INSERT INTO t VALUES (4, 1)")
	_, err := d.refresh("v", refresh.Incremental)
	var z *zset.Error
	if !errors.As(err, &z) || z.Code != "0A000" || !strings.Contains(z.Detail, delta.CodeNotSupported) || !strings.Contains(z.Detail, "OFFSET") {
		t.Fatalf("%+v", err)
	}
	rep := d.mustRefresh("v", refresh.Auto)
	if rep.Executed != refresh.Complete || rep.Reason != delta.CodeNotSupported {
		t.Fatalf("%+v", rep)
	}
	if rep.RowsOut != 1 { // the net difference alone
		t.Fatalf("%d records", rep.RowsOut)
	}
	d.mustCheck("v")

	_, bs := d.derive("SELECT id, now() AS n FROM t ORDER BY 1")
	if len(bs) != 2 || bs[0].Code != delta.CodeNondeterministic || bs[0].Pos != 11 || !bs[0].Permanent || bs[0].Rewrite == "" {
		t.Fatalf("%+v", bs)
	}
}

func (d *db) derive(q string) (*delta.Plan, []delta.Blocker) {
	n, err := d.bind(q)
	if err != nil {
		d.t.Fatal(err)
	}
	return delta.Derive(n, delta.Options{})
}

// A view without a baseline, strict: its first refresh is a build, and says so.
func TestDeferred(t *testing.T) {
	d := newDB(t)
	intTable(d, "t", "id", "a")
	d.must("INSERT INTO t VALUES (1, 5)")
	n, _ := d.bind("SELECT count(*) AS n FROM t")
	rep, err := d.engine.Create(ctx, storage.Object{Kind: storage.View, Name: "v", Schema: n.Schema(), Payload: []byte("SELECT count(*) AS n FROM t")}, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, built := d.engine.Frontier(rep.ID); built {
		t.Fatal("a deferred view has no frontier")
	}
	if _, err := d.engine.Verify(ctx, rep.ID); code(err) != "55000" {
		t.Fatalf("verify: %v", err)
	}
	d.reopen()
	r := d.mustRefresh("v", refresh.Incremental)
	if r.Executed != refresh.Complete || r.Reason != delta.CodeNoBaseline {
		t.Fatalf("%+v", r)
	}
	d.mustCheck("v")
	at := d.store.Applied()
	if r := d.mustRefresh("v", refresh.Auto); !r.NoOp || d.store.Applied() != at {
		t.Fatalf("nothing was pending: %+v", r)
	}
	if f, built := d.engine.Frontier(rep.ID); !built || f != at {
		t.Fatalf("frontier %d, applied %d", f, at)
	}
}

// A first build that fails leaves no view.
func TestFailedBuildLeavesNoView(t *testing.T) {
	d := newDB(t)
	intTable(d, "t", "id", "a")
	d.must("INSERT INTO t VALUES (1, 0)")
	if _, err := d.view("v", "SELECT id / a AS q FROM t"); code(err) != "22012" {
		t.Fatalf("%v", err)
	}
	if _, ok := d.store.Catalog().ByName("v"); ok {
		t.Fatal("the view is there")
	}
	d.must("UPDATE t SET a = 1")
	d.mustView("v", "SELECT id / a AS q FROM t")
	d.mustCheck("v")
}

// A view whose definition no longer is what its state was built by is rebuilt
// under AUTO, with the reason, and refused under INCREMENTAL.
func TestPlanMismatch(t *testing.T) {
	d := newDB(t)
	intTable(d, "t", "id", "a")
	d.must("INSERT INTO t VALUES (1, 5), (2, 6)")
	d.mustView("v", "SELECT sum(a) AS s FROM t")
	o, _ := d.store.Catalog().ByName("v")
	c := *o
	c.Payload = []byte("SELECT sum(a + 1) AS s FROM t")
	if _, err := d.store.Commit(ctx, &storage.Commit{Catalog: []storage.CatalogChange{{Put: &c}}}, storage.CommitOptions{}); err != nil {
		t.Fatal(err)
	}
	d.reopen()
	d.must("INSERT INTO t VALUES (3, 7)")
	if _, err := d.refresh("v", refresh.Incremental); code(err) != "0A000" {
		t.Fatalf("%v", err)
	}
	rep := d.mustRefresh("v", refresh.Auto)
	if rep.Executed != refresh.Complete || rep.Reason != delta.CodePlanMismatch {
		t.Fatalf("%+v", rep)
	}
	d.mustCheck("v")
	d.must("INSERT INTO t VALUES (4, 7)")
	if rep := d.mustRefresh("v", refresh.Auto); rep.Executed != refresh.Incremental {
		t.Fatalf("%+v", rep)
	}
	d.mustCheck("v")
}

// A broken state is noticed, and AUTO rebuilds it with the reason.
func TestCorruptState(t *testing.T) {
	d := newDB(t)
	intTable(d, "t", "id", "a")
	d.must("INSERT INTO t VALUES (1, 5), (2, 6)")
	d.mustView("v", "SELECT a, count(*) AS n FROM t GROUP BY a")
	id := d.id("v")
	bad := storage.StateChange{ID: storage.StateID{View: id, N: 1, Gen: 1}, Replace: true}
	if _, err := d.store.Commit(ctx, &storage.Commit{States: []storage.StateChange{bad}}, storage.CommitOptions{}); err != nil {
		t.Fatal(err)
	}
	d.reopen()
	d.must("DELETE FROM t WHERE id = 1")
	if _, err := d.refresh("v", refresh.Incremental); code(err) != "XX001" {
		t.Fatalf("%v", err)
	}
	rep := d.mustRefresh("v", refresh.Auto)
	if rep.Executed != refresh.Complete || rep.Reason != delta.CodeStateCorrupt {
		t.Fatalf("%+v", rep)
	}
	d.mustCheck("v")
}

// Verify lists what differs.
func TestVerifyFindsTheDifference(t *testing.T) {
	d := newDB(t)
	intTable(d, "t", "id", "a")
	d.must("INSERT INTO t VALUES (1, 5), (2, 6)")
	d.mustView("v", "SELECT a FROM t")
	rel, _ := d.store.Relation(d.id("v"))
	b := zset.NewBatch([]zset.Type{zset.TInt8}, 2)
	b.Cols[0].AppendI64(5)
	b.Cols[0].AppendI64(99)
	b.N, b.W = 2, []int64{-1, 1}
	ch, err := rel.Resolve(b, d.store.Applied())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.store.Commit(ctx, &storage.Commit{Changes: []*storage.Change{ch}}, storage.CommitOptions{}); err != nil {
		t.Fatal(err)
	}
	rep, err := d.engine.Verify(ctx, d.id("v"))
	if err != nil {
		t.Fatal(err)
	}
	if rep.Equal || rep.Differing != 2 || bag(rep.Diff) == "" || rep.Diff.W[0] != 1 || rep.Diff.W[1] != -1 {
		t.Fatalf("%+v", rep)
	}
}

// A group of which nothing is read still is a row.
func TestAggregateWithoutColumns(t *testing.T) {
	d := newDB(t)
	intTable(d, "t", "id", "a")
	for i, q := range []string{
		"SELECT 1 AS one FROM (SELECT count(*) AS n FROM t) AS g",
		"SELECT 1 AS one FROM (SELECT a, count(*) AS n FROM t GROUP BY a) AS g",
		"SELECT count(*) AS n FROM (SELECT DISTINCT a FROM t) AS g, t AS u",
	} {
		d.mustView(fmt.Sprintf("v%d", i), q)
	}
	for _, sql := range []string{"INSERT INTO t VALUES (1, 5), (2, 5), (3, 6)", "DELETE FROM t WHERE id = 3", "UPDATE t SET a = 7", "DELETE FROM t"} {
		d.must(sql)
		for i := range 3 {
			d.mustRefresh(fmt.Sprintf("v%d", i), refresh.Incremental)
			d.mustCheck(fmt.Sprintf("v%d", i))
		}
	}
}
