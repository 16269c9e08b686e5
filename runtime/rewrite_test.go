package runtime_test

import (
	"fmt"
	"testing"

	"github.com/ivmc/ivmc/refresh"
	"github.com/ivmc/ivmc/storage"
)

// The log of a state is replaced when it outgrows the state, and what is read
// back is the state.
func TestStateLogIsRewritten(t *testing.T) {
	d := newDB(t)
	intTable(d, "t", "id", "a", "b")
	for i := range 400 {
		d.must(fmt.Sprintf("INSERT INTO t VALUES (%d, %d, %d), (%d, %d, 0)", 2*i, i, i, 2*i+1, i))
	}
	d.mustView("v", "SELECT a, sum(b) AS s, min(b) AS lo FROM t GROUP BY a")
	id := storage.StateID{View: d.id("v"), N: 1, Gen: 1}
	rewritten := false
	last := int64(0)
	for i := range 30 {
		d.must(fmt.Sprintf("UPDATE t SET b = b + %d", i))
		d.mustRefresh("v", refresh.Incremental)
		base, log := d.store.StateBytes(id)
		if log < last {
			rewritten = true
		}
		if log > 3*base+2*64<<10 {
			t.Fatalf("log of %d bytes over a state of %d", log, base)
		}
		last = log
	}
	if !rewritten {
		t.Fatalf("the log was never replaced: %d bytes", last)
	}
	d.mustCheck("v")
	before := d.state("v")
	d.reopen()
	d.must("DELETE FROM t WHERE id < 700")
	d.mustRefresh("v", refresh.Incremental)
	d.mustCheck("v")
	d.must("INSERT INTO t VALUES (-1, -1, -1)")
	d.mustRefresh("v", refresh.Complete)
	if before == d.state("v") {
		t.Fatal("the state never moved")
	}
	d.mustCheck("v")
}
