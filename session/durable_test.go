package session

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ivmc/ivmc/internal/testkit/crashfs"
	"github.com/ivmc/ivmc/storage"
)

// TestHandedOut: a crash takes the step of a refresh, which is not waited for, but
// none whose changes somebody outside was given.
func TestHandedOut(t *testing.T) {
	var mu sync.Mutex
	fs := crashfs.New(&mu)
	e, err := Open("db", Options{FS: fs})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	s := e.Session()
	do(t, s, "CREATE TABLE t(id INT PRIMARY KEY);\nCREATE MATERIALIZED VIEW v AS SELECT count(*) AS c FROM t;\nCREATE STREAM sv ON TABLE v")
	// survives is whether the last step of v is there after a crash now.
	survives := func() bool {
		mu.Lock()
		image := fs.CrashClone(vfs.CrashCloneCfg{})
		mu.Unlock()
		after, err := Open("db", Options{FS: image})
		if err != nil {
			t.Fatal(err)
		}
		defer after.Close()
		last := func(e *Engine) storage.TSO {
			obj, _ := e.store.Catalog().ByName("v")
			rel, err := e.store.Relation(obj.ID)
			if err != nil {
				t.Fatal(err)
			}
			return rel.LastChange(e.store.Applied())
		}
		return last(after) == last(e)
	}
	ctx := context.Background()
	from := e.store.Applied()
	follower, err := e.Follow("v", from)
	if err != nil {
		t.Fatal(err)
	}
	defer follower.Close()
	c, err := e.Consumer("sv")
	if err != nil {
		t.Fatal(err)
	}
	for i, way := range []struct {
		name string
		take func() error
	}{
		{"a consumer", func() error { _, err := c.Poll(ctx, 10); return err }},
		{"a subscriber", func() error { _, _, err := follower.Next(ctx); return err }},
		{"changes", func() error {
			return e.Changes(ctx, "v", from, e.store.Applied(), func(*Changes) bool { return false })
		}},
		{"@incr", func() error {
			_, err := s.Run(ctx, "SELECT * FROM v@incr(\"incrementType\" = \"DETAIL\")")
			return err
		}},
		{"a stream that is selected from", func() error { _, err := s.Run(ctx, "SELECT * FROM sv"); return err }},
	} {
		do(t, s, fmt.Sprintf("INSERT INTO t VALUES (%d);\nREFRESH MATERIALIZED VIEW v", i))
		if survives() {
			t.Errorf("before %s: the step is on the disk: nothing is tested", way.name)
		}
		if err := way.take(); err != nil {
			t.Fatal(way.name, err)
		}
		if !survives() {
			t.Errorf("%s was given what a crash takes", way.name)
		}
	}
}

// TestSameDelivery: what was handed out and not acknowledged comes again with the same
// bounds, whatever was committed since, also after a crash.
func TestSameDelivery(t *testing.T) {
	var mu sync.Mutex
	fs := crashfs.New(&mu)
	e, err := Open("db", Options{FS: fs})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	ctx := context.Background()
	do(t, e.Session(), "CREATE TABLE t(id INT PRIMARY KEY, n INT);\nINSERT INTO t VALUES (1, 0);\nCREATE STREAM s ON TABLE t;\nCREATE STREAM rows ON TABLE t PROPERTIES (\"show_initial_rows\" = \"true\")")
	next := func(e *Engine, stream string, ack bool) *Delivery {
		c, err := e.Consumer(stream)
		if err != nil {
			t.Fatal(err)
		}
		d, err := c.Poll(ctx, 10)
		if err != nil {
			t.Fatal(err)
		}
		if ack {
			if err := c.Acknowledge(ctx, d); err != nil {
				t.Fatal(err)
			}
		}
		return d
	}
	do(t, e.Session(), "UPDATE t SET n = 1")
	for _, stream := range []string{"s", "rows"} {
		first := next(e, stream, false)
		do(t, e.Session(), "UPDATE t SET n = n + 1")
		mu.Lock()
		image := fs.CrashClone(vfs.CrashCloneCfg{})
		mu.Unlock()
		after, err := Open("db", Options{FS: image})
		if err != nil {
			t.Fatal(err)
		}
		for what, e := range map[string]*Engine{"again": e, "after a crash": after} {
			if d := next(e, stream, true); d.From != first.From || d.To != first.To {
				t.Errorf("%s, %s: %d..%d was %d..%d", stream, what, d.From, d.To, first.From, first.To)
			}
			if d := next(e, stream, false); d.From != first.To || d.To <= first.To {
				t.Errorf("%s, %s: %d..%d after %d", stream, what, d.From, d.To, first.To)
			}
		}
		after.Close()
	}
}
