package refresh_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/ivmc/ivmc/refresh"
	"github.com/ivmc/ivmc/storage"
)

// writing is a context that commits a row at every question.
type writing struct {
	context.Context
	write func()
	mu    sync.Mutex
}

func (w *writing) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.write()
	return nil
}

func (d *db) cascade(c context.Context, mode refresh.Mode, ids ...storage.ID) []*refresh.Report {
	d.t.Helper()
	var targets []refresh.Target
	for _, id := range ids {
		targets = append(targets, refresh.Target{ID: id, Mode: mode, Trigger: refresh.Cascaded})
	}
	targets[len(ids)-1].Trigger = refresh.Manual
	return d.engine.Cascade(c, targets)
}

// TestCascadeChain: ten levels move in one pass, to one frontier.
func TestCascadeChain(t *testing.T) {
	d := newDB(t)
	tab := d.table("t")
	d.change(tab, [3]int64{1, 10, 1})
	ids := []storage.ID{d.view("v0", grouped)}
	for i := 1; i < 10; i++ {
		ids = append(ids, d.view(fmt.Sprintf("v%d", i), fmt.Sprintf("SELECT k, n, s + 1 AS s FROM v%d", i-1)))
	}
	hi := d.change(tab, [3]int64{1, 5, 1}, [3]int64{2, 7, 1})
	for _, rep := range d.cascade(ctx, refresh.Incremental, ids...) {
		if rep.Err != nil || rep.To != hi || rep.NoOp || rep.Executed != refresh.Incremental || rep.RowsOut != 3 {
			t.Errorf("%+v", rep)
		}
		d.verified(rep.ID)
	}
	is(t, "last", d.rows(ids[9]), "1|2|24 2|1|16")
	before := d.store.Applied()
	for _, rep := range d.cascade(ctx, refresh.Auto, ids...) {
		if rep.Err != nil || !rep.NoOp || rep.To != before {
			t.Errorf("nothing was pending: %+v", rep)
		}
	}
	is(t, "no commit", d.store.Applied(), before)
}

// TestCascadeBase: while rows are written at every step of the cascade, what reads
// a table and views over it sees all of them as of one moment.
func TestCascadeBase(t *testing.T) {
	for _, mode := range []refresh.Mode{refresh.Incremental, refresh.Complete} {
		d := newDB(t)
		tab := d.table("t")
		d.change(tab, [3]int64{1, 10, 1})
		p := d.view("p", "SELECT k, count(*) AS n FROM t GROUP BY k")
		q := d.view("q", "SELECT k, sum(1) AS n FROM t GROUP BY k")
		join := d.view("j", "SELECT p.k, p.n AS a, q.n AS b FROM p FULL JOIN q ON p.k = q.k WHERE (p.n = q.n) IS NOT TRUE")
		sum := d.view("s", "SELECT k, sum(n) AS n FROM (SELECT k, n FROM p UNION ALL SELECT k, -1 FROM t) u GROUP BY k HAVING sum(n) <> 0")
		top := d.view("w", "SELECT p.k, t.v FROM p JOIN t ON p.k = t.k JOIN s ON s.k = p.k")
		n := int64(0)
		c := &writing{Context: ctx, write: func() { n++; d.change(tab, [3]int64{n % 3, n, 1}) }}
		for range 5 {
			c.write()
			base := storage.TSO(0)
			for _, rep := range d.cascade(c, mode, p, q, join, sum, top) {
				if base == 0 {
					base = rep.To
				}
				if rep.Err != nil || rep.To != base {
					t.Fatalf("%v: %+v, the base is %d", mode, rep, base)
				}
				f, _ := d.engine.Frontier(rep.ID)
				is(t, "frontier", f, base)
				d.verified(rep.ID)
			}
			is(t, "of one moment", []string{d.rows(join), d.rows(sum), d.rows(top)}, []string{"", "", ""})
			d.refresh(p, refresh.Auto) // ahead of the others
			if n%2 == 0 {
				d.reopen()
				c.write = func() { n++; d.change(tab, [3]int64{n % 3, n, 1}) }
			}
		}
		if n < 10 {
			t.Errorf("%d writes only", n)
		}
		d.refresh(sum, refresh.Auto) // alone, after its parent was refreshed alone
		d.verified(sum)
	}
}

// TestCascadeFailure: a view that fails stops what reads it and nothing else.
func TestCascadeFailure(t *testing.T) {
	d := newDB(t)
	tab := d.table("t")
	d.change(tab, [3]int64{1, 10, 1})
	good := d.view("good", grouped)
	bad := d.view("bad", "SELECT k, 100 / v AS v FROM t")
	child := d.view("child", "SELECT k FROM bad")
	other := d.view("other", "SELECT k, s FROM good")
	both := d.view("zboth", "SELECT child.k FROM child JOIN other ON child.k = other.k")
	before, _ := d.store.Offsets(child)
	d.change(tab, [3]int64{2, 0, 1})
	var codes []string
	for _, rep := range d.cascade(ctx, refresh.Auto, good, bad, child, other, both) {
		c := ""
		if rep.Err != nil {
			c = code(rep.Err)
		}
		codes = append(codes, rep.View+":"+c)
	}
	is(t, "errors", codes, []string{"good:", "bad:22012", "child:55000", "other:", "zboth:55000"})
	is(t, "sibling", d.rows(other), "1|10 2|0")
	after, _ := d.store.Offsets(child)
	is(t, "offsets of a child", after.Inputs, before.Inputs)
	is(t, "child", d.rows(child), "1")
	d.change(tab, [3]int64{2, 0, -1}, [3]int64{3, 1, 1})
	for _, rep := range d.cascade(ctx, refresh.Auto, good, bad, child, other, both) {
		if rep.Err != nil {
			t.Errorf("%s: %v", rep.View, rep.Err)
		}
		d.verified(rep.ID)
	}
	is(t, "moved", d.rows(both), "1 3")
	if _, err := d.engine.Refresh(ctx, child, refresh.Auto); err != nil { // all turns were given back
		t.Error(err)
	}
}
