package runtime_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/refresh"
	"github.com/ivmc/ivmc/runtime"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

var ctx = context.Background()

// db is a store with an engine, driven by SQL: enough of a session for tests of
// the layers below one.
type db struct {
	t       testing.TB
	fs      vfs.FS
	store   *storage.Store
	engine  *refresh.Engine
	off     map[string]bool            // delta rules that are switched off
	bound   map[string][2]algebra.Node // queries that were asked for, as bound and as normalized
	asked   int
	literal bool // evaluate what was written too
}

func newDB(t testing.TB) *db {
	d := &db{t: t, fs: vfs.NewMem(), bound: map[string][2]algebra.Node{}}
	d.open()
	return d
}

func (d *db) open() {
	s, err := storage.Open("db", &storage.Options{FS: d.fs})
	if err != nil {
		d.t.Fatal(err)
	}
	d.store, d.engine = s, refresh.New(s, d)
}

func (d *db) close() {
	if err := d.store.Close(); err != nil {
		d.t.Fatal(err)
	}
}

func (d *db) reopen() { d.close(); d.open() }

// Relation is algebra.Catalog.
func (d *db) Relation(name string) (algebra.Relation, bool) {
	o, ok := d.store.Catalog().ByName(name)
	if !ok {
		return algebra.Relation{}, false
	}
	return algebra.Relation{ID: uint64(o.ID), Name: o.Name, Schema: o.Schema, Key: o.Key, IsView: o.Kind == storage.View}, true
}

func (d *db) env() algebra.Env { return algebra.Env{Catalog: d} }

// bind is a query in normal form.
func (d *db) bind(sql string) (algebra.Node, error) {
	n, err := d.written(sql)
	if err != nil {
		return nil, err
	}
	return algebra.Normalize(n), nil
}

// written is a query as it was written.
func (d *db) written(sql string) (algebra.Node, error) {
	st, err := ast.Parse(sql)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", sql, err)
	}
	n, err := algebra.Bind(st.(*ast.Query), d.env())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", sql, err)
	}
	return n, nil
}

// Plans is refresh.Planner: the payload of a view is its query.
func (d *db) Plans(o *storage.Object) (refresh.Plans, error) {
	n, err := d.bind(string(o.Payload))
	if err != nil {
		return refresh.Plans{}, err
	}
	var p refresh.Plans
	p.Incremental, p.Blockers = delta.Derive(n, delta.Options{Off: d.off})
	p.Full, _ = delta.Derive(n, delta.Options{FromEmpty: true})
	return p, nil
}

// exec runs a DDL or DML statement as one commit.
func (d *db) exec(sql string) error {
	st, err := ast.Parse(sql)
	if err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	switch st := st.(type) {
	case *ast.Insert:
		m, err := algebra.BindInsert(st, d.env())
		if err != nil {
			return err
		}
		return d.modify(m)
	case *ast.Update:
		m, err := algebra.BindUpdate(st, d.env())
		if err != nil {
			return err
		}
		return d.modify(m)
	case *ast.Delete:
		m, err := algebra.BindDelete(st, d.env())
		if err != nil {
			return err
		}
		return d.modify(m)
	}
	return fmt.Errorf("harness does not run %T", st)
}

func (d *db) modify(m *algebra.Modify) error {
	begin := d.store.Applied()
	plan, _ := delta.Derive(algebra.Normalize(m.Source), delta.Options{FromEmpty: true})
	rows, err := d.run(plan, begin)
	if err != nil || rows.N == 0 {
		return err
	}
	ch := &storage.Change{Rel: storage.ID(m.Rel.ID)}
	width := len(m.Rel.Schema)
	op := map[algebra.Op]storage.Op{algebra.OpInsert: storage.OpInsert, algebra.OpUpdate: storage.OpUpdate, algebra.OpDelete: storage.OpDelete}[m.Op]
	if m.Op != algebra.OpDelete {
		ch.Rows = &zset.Batch{Cols: rows.Cols[:width], N: rows.N}
	}
	if m.Op != algebra.OpInsert {
		for _, a := range rows.Cols[len(rows.Cols)-1].I64 {
			ch.Dead = append(ch.Dead, storage.Addr(a))
		}
	}
	for range rows.N {
		ch.Ops = append(ch.Ops, op)
	}
	_, err = d.store.Commit(ctx, &storage.Commit{Begin: begin, Changes: []*storage.Change{ch}}, storage.CommitOptions{})
	return err
}

func (d *db) run(plan *delta.Plan, at storage.TSO) (*zset.Batch, error) {
	q, err := runtime.Query(ctx, plan, runtime.At(d.store, at))
	if err != nil {
		return nil, err
	}
	out := zset.NewBatch(plan.Output.Types(), 0)
	for {
		b, err := q.Next(ctx)
		if err != nil {
			return nil, err
		}
		if b == nil {
			return out, nil
		}
		out.Append(b)
	}
}

func (d *db) must(sql string) {
	d.t.Helper()
	if err := d.exec(sql); err != nil {
		d.t.Fatalf("%s: %v", sql, err)
	}
}

func (d *db) table(name string, schema zset.Schema, key []int) {
	d.t.Helper()
	o := &storage.Object{ID: d.store.NewID(), Kind: storage.Table, Name: name, Schema: schema, Key: key}
	_, err := d.store.Commit(ctx, &storage.Commit{Catalog: []storage.CatalogChange{{Put: o}}}, storage.CommitOptions{})
	if err != nil {
		d.t.Fatal(err)
	}
}

// view makes a materialized view.
func (d *db) view(name, query string) (*refresh.Report, error) {
	n, err := d.bind(query)
	if err != nil {
		return nil, err
	}
	return d.engine.Create(ctx, storage.Object{Kind: storage.View, Name: name, Schema: n.Schema(), Payload: []byte(query)}, true)
}

func (d *db) id(name string) storage.ID {
	o, ok := d.store.Catalog().ByName(name)
	if !ok {
		d.t.Fatalf("no %s", name)
	}
	return o.ID
}

func (d *db) refresh(name string, m refresh.Mode) (*refresh.Report, error) {
	return d.engine.Refresh(ctx, d.id(name), m)
}

// rows is the rows of a relation now.
func (d *db) rows(id uint64) (*zset.Batch, error) {
	rel, err := d.store.Relation(storage.ID(id))
	if err != nil {
		return nil, err
	}
	s := rel.Schema()
	cols := make([]int, len(s))
	for i := range cols {
		cols[i] = i
	}
	out := zset.NewBatch(s.Types(), 0)
	c := rel.Scan(d.store.Applied(), cols, false)
	for {
		b, err := c.Next(ctx)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		out.Append(b)
	}
}

// oracle is the value of a query now, by definition: of its normal form, and in
// worlds that ask for that, every sixteenth time of what was written, which may take
// products, so only while a history is young. Where an expression raises, a subquery that no row asks for differs.
func (d *db) oracle(query string) (*zset.Batch, error) {
	n, ok := d.bound[query]
	if !ok {
		written, err := d.written(query)
		if err != nil {
			return nil, err
		}
		n = [2]algebra.Node{written, algebra.Normalize(written)}
		d.bound[query] = n
	}
	d.asked++
	if d.literal && d.asked%16 == 1 && d.asked < 64 {
		return algebra.Eval(n[0], d.rows)
	}
	return algebra.Eval(n[1], d.rows)
}

// bag prints a Z-set: one line per row, sorted, with weights.
func bag(b *zset.Batch) string {
	if b == nil {
		return ""
	}
	count := map[string]int64{}
	for i := range b.N {
		var line []string
		for c := range b.Cols {
			if b.Cols[c].IsNull(i) {
				line = append(line, "NULL")
				continue
			}
			line = append(line, string(zset.AppendText(nil, &b.Cols[c], i)))
		}
		var enc []byte
		for c := range b.Cols {
			enc = zset.AppendRow(enc, &b.Cols[c], i)
		}
		count[strings.Join(line, "|")+" "+hex.EncodeToString(enc)] += b.Weight(i)
	}
	var out []string
	for k, n := range count {
		if n != 0 {
			text, _, _ := strings.Cut(k, " ")
			out = append(out, fmt.Sprintf("%+d %s %s", n, text, k[len(text):]))
		}
	}
	sort.Strings(out)
	return strings.Join(out, "\n")
}

// state is the folded durable state of a view: every entry on a line.
func (d *db) state(name string) string {
	id := d.id(name)
	var out []string
	for n := 1; n < 20; n++ {
		m := map[string]string{}
		err := d.store.LoadState(storage.StateID{View: id, N: n, Gen: 1}, func(k, v []byte) error {
			if len(v) == 0 {
				delete(m, string(k))
			} else {
				m[string(k)] = string(v)
			}
			return nil
		})
		if err != nil {
			d.t.Fatal(err)
		}
		for k, v := range m {
			out = append(out, fmt.Sprintf("%d %x = %x", n, k, v))
		}
	}
	sort.Strings(out)
	return strings.Join(out, "\n")
}

// check compares a view with the definition of its query.
func (d *db) check(name string) error {
	o, _ := d.store.Catalog().ByName(name)
	want, err := d.oracle(string(o.Payload))
	if err != nil {
		return fmt.Errorf("oracle: %w", err)
	}
	got, err := d.rows(uint64(o.ID))
	if err != nil {
		return err
	}
	if g, w := bag(got), bag(want); g != w {
		return fmt.Errorf("%s AS %s\ngot:\n%s\nwant:\n%s", name, o.Payload, g, w)
	}
	return nil
}
