package refresh_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/refresh"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

var ctx = context.Background()

// db is a store with an engine. Tables are bags of (k BIGINT, v BIGINT); the
// payload of a view is its query. It is the engine's planner.
type db struct {
	t      *testing.T
	fs     *vfs.MemFS
	store  *storage.Store
	engine *refresh.Engine
	mu     sync.Mutex
	hide   func(*refresh.Plans) // nil: plans as derived
}

func newDB(t *testing.T) *db {
	d := &db{t: t, fs: vfs.NewMem()}
	d.open()
	t.Cleanup(func() { d.store.Close() })
	return d
}

func (d *db) open() {
	s, err := storage.Open("db", &storage.Options{FS: d.fs})
	if err != nil {
		d.t.Fatal(err)
	}
	d.store, d.engine = s, refresh.New(s, d)
}

func (d *db) reopen() {
	if err := d.store.Close(); err != nil {
		d.t.Fatal(err)
	}
	d.open()
}

// Relation is algebra.Catalog.
func (d *db) Relation(name string) (algebra.Relation, bool) {
	o, ok := d.store.Catalog().ByName(name)
	if !ok {
		return algebra.Relation{}, false
	}
	return algebra.Relation{ID: uint64(o.ID), Name: o.Name, Schema: o.Schema, IsView: o.Kind == storage.View}, true
}

func (d *db) bind(sql string) (algebra.Node, error) {
	st, err := ast.Parse(sql)
	if err != nil {
		return nil, err
	}
	n, err := algebra.Bind(st.(*ast.Query), algebra.Env{Catalog: d})
	if err != nil {
		return nil, err
	}
	return algebra.Normalize(n), nil
}

// Plans is refresh.Planner.
func (d *db) Plans(o *storage.Object) (refresh.Plans, error) {
	n, err := d.bind(string(o.Payload))
	if err != nil {
		return refresh.Plans{}, err
	}
	var p refresh.Plans
	p.Incremental, p.Blockers = delta.Derive(n, delta.Options{})
	p.Full, _ = delta.Derive(n, delta.Options{FromEmpty: true})
	if len(p.Blockers) > 0 {
		p.Incremental = nil
	}
	if d.hide != nil {
		d.hide(&p)
	}
	return p, nil
}

func (d *db) table(name string) storage.ID {
	d.t.Helper()
	o := &storage.Object{ID: d.store.NewID(), Kind: storage.Table, Name: name,
		Schema: zset.Schema{{Name: "k", Type: zset.TInt8}, {Name: "v", Type: zset.TInt8}}}
	if _, err := d.store.Commit(ctx, &storage.Commit{Catalog: []storage.CatalogChange{{Put: o}}}, storage.CommitOptions{}); err != nil {
		d.t.Fatal(err)
	}
	return o.ID
}

// object is a view that is not in the catalog yet.
func (d *db) object(name, sql string) storage.Object {
	d.t.Helper()
	n, err := d.bind(sql)
	if err != nil {
		d.t.Fatal(err)
	}
	return storage.Object{ID: d.store.NewID(), Kind: storage.View, Name: name, Schema: n.Schema(), Payload: []byte(sql)}
}

func (d *db) view(name, sql string) storage.ID {
	d.t.Helper()
	rep, err := d.engine.Create(ctx, d.object(name, sql), true)
	if err != nil {
		d.t.Fatalf("%s: %v", sql, err)
	}
	return rep.ID
}

func (d *db) drop(id storage.ID) {
	_, err := d.store.Commit(ctx, &storage.Commit{Catalog: []storage.CatalogChange{{Drop: id}}}, storage.CommitOptions{})
	if err != nil {
		d.t.Error(err)
	}
	d.engine.Drop(id)
}

// change commits rows k, v, w: w copies more, or fewer.
func (d *db) change(id storage.ID, rows ...[3]int64) storage.TSO {
	d.t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	rel, err := d.store.Relation(id)
	if err != nil {
		d.t.Fatal(err)
	}
	b := zset.NewBatch(rel.Schema().Types(), 0)
	for _, r := range rows {
		b.Cols[0].AppendI64(r[0])
		b.Cols[1].AppendI64(r[1])
		b.W = append(b.W, r[2])
		b.N++
	}
	ch, err := rel.Resolve(zset.Consolidate(b), d.store.Applied())
	if err != nil {
		d.t.Fatal(err)
	}
	tso, err := d.store.Commit(ctx, &storage.Commit{Changes: []*storage.Change{ch}}, storage.CommitOptions{})
	if err != nil {
		d.t.Fatal(err)
	}
	return tso
}

func (d *db) refresh(id storage.ID, m refresh.Mode) *refresh.Report {
	d.t.Helper()
	rep, err := d.engine.Refresh(ctx, id, m)
	var in *zset.Internal
	if errors.As(err, &in) {
		d.t.Fatalf("%v\n%s", in, in.Stack)
	}
	if err != nil {
		d.t.Fatal(err)
	}
	return rep
}

// rows are the rows of a relation, sorted, cells joined by |.
func (d *db) rows(id storage.ID) string {
	d.t.Helper()
	rel, err := d.store.Relation(id)
	if err != nil {
		d.t.Fatal(err)
	}
	var out []string
	for cur := rel.Scan(d.store.Applied(), nil, false); ; {
		b, err := cur.Next(ctx)
		if errors.Is(err, io.EOF) {
			sort.Strings(out)
			return strings.Join(out, " ")
		}
		if err != nil {
			d.t.Fatal(err)
		}
		for i := range b.N {
			var cells []string
			for c := range b.Cols {
				cells = append(cells, string(zset.AppendText(nil, &b.Cols[c], i)))
			}
			out = append(out, strings.Join(cells, "|"))
		}
	}
}

// verified fails unless the view is what its query says.
func (d *db) verified(id storage.ID) {
	d.t.Helper()
	rep, err := d.engine.Verify(ctx, id)
	if err != nil || !rep.Equal {
		d.t.Errorf("verify: %+v %v", rep, err)
	}
}

func is(t *testing.T, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: got %v, wanted %v", what, got, want)
	}
}

func code(err error) string {
	var z *zset.Error
	if errors.As(err, &z) {
		return z.Code
	}
	return fmt.Sprint(err)
}

// probed is a context that calls at before it answers its n-th question, and
// answers with what that returns from then on. A run asks before every batch.
type probed struct {
	context.Context
	n  int
	at func() error

	mu    sync.Mutex
	asked int
	err   error
}

func (p *probed) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asked++; p.asked == p.n {
		p.err = p.at()
	}
	return p.err
}
