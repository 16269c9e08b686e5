package storage

import (
	"context"
	"errors"
	"io"
	"sort"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/ivmc/ivmc/zset"
)

var ctx = context.Background()

// testSchema: id BIGINT, n BIGINT, s TEXT, f DOUBLE.
var testSchema = zset.Schema{{Name: "id", Type: zset.TInt8}, {Name: "n", Type: zset.TInt8},
	{Name: "s", Type: zset.TText}, {Name: "f", Type: zset.TFloat8}}

type row struct {
	id    int64
	n     int64
	nNull bool
	s     string
	sNull bool
	f     float64
	fNull bool
}

func batchOf(rows []row) *zset.Batch {
	b := zset.NewBatch(testSchema.Types(), len(rows))
	for _, r := range rows {
		b.Cols[0].AppendI64(r.id)
		if r.nNull {
			b.Cols[1].AppendNull()
		} else {
			b.Cols[1].AppendI64(r.n)
		}
		if r.sNull {
			b.Cols[2].AppendNull()
		} else {
			b.Cols[2].AppendBytes([]byte(r.s))
		}
		if r.fNull {
			b.Cols[3].AppendNull()
		} else {
			b.Cols[3].AppendF64(r.f)
		}
		b.N++
	}
	return b
}

// bag is a Z-set by row encoding.
type bag map[string]int64

func (b bag) add(batch *zset.Batch) {
	var k zset.Keys
	k.EncodeRows(batch.Cols, batch.N)
	for i := range batch.N {
		key := string(k.Key(i))
		if b[key] += batch.Weight(i); b[key] == 0 {
			delete(b, key)
		}
	}
}

func (b bag) keys() []string {
	out := make([]string, 0, len(b))
	for k := range b {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

func drain(t testing.TB, c *Cursor) bag {
	t.Helper()
	b := bag{}
	for {
		batch, err := c.Next(ctx)
		if errors.Is(err, io.EOF) {
			return b
		}
		if err != nil {
			t.Fatal(err)
		}
		b.add(batch)
	}
}

// clock is a clock that a test moves.
type clock struct{ millis atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.millis.Store(1_000_000)
	return c
}

func (c *clock) Now() time.Time { return time.UnixMilli(c.millis.Load()) }

func (c *clock) pass(d time.Duration) { c.millis.Add(d.Milliseconds()) }

func mustOpen(t testing.TB, fs vfs.FS, o Options) *Store {
	t.Helper()
	o.FS = fs
	s, err := Open("db", &o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustClose(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func createTable(t testing.TB, s *Store, name string, key []int) *Relation {
	t.Helper()
	id := s.NewID()
	o := &Object{ID: id, Kind: Table, Name: name, Schema: testSchema, Key: key}
	mustCommit(t, s, &Commit{Catalog: []CatalogChange{{Put: o}}})
	r, err := s.Relation(id)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func mustCommit(t testing.TB, s *Store, c *Commit) TSO {
	t.Helper()
	tso, err := s.Commit(ctx, c, CommitOptions{Sync: true})
	if err != nil {
		t.Fatal(err)
	}
	return tso
}

func insert(r *Relation, rows ...row) *Change {
	ch := &Change{Rel: r.ID(), Rows: batchOf(rows)}
	for range rows {
		ch.Ops = append(ch.Ops, OpInsert)
	}
	return ch
}

func findKey(r *Relation, at TSO, id int64) Addr {
	c := zset.NewColumn(zset.TInt8, 1)
	c.AppendI64(id)
	var k zset.Keys
	k.EncodeKeys([]zset.Column{c}, 1)
	out := make([]Addr, 1)
	r.FindKey(&k, at, out)
	return out[0]
}

func equalBags(t testing.TB, what string, got, want bag) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d distinct rows, want %d", what, len(got), len(want))
	}
	for k, w := range want {
		if got[k] != w {
			t.Fatalf("%s: row %x has weight %d, want %d", what, k, got[k], w)
		}
	}
}
