package session

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// dumpRows and dumpBytes bound one INSERT of a dump.
const (
	dumpRows  = 1000
	dumpBytes = 256 << 10
)

// Dump writes SQL that makes everything anew: tables with their rows, then views,
// each after what it reads. All of it is of one moment, and a view is built from
// the tables of that moment; so is one that was behind. The dump of what a dump
// made is the same text.
func (e *Engine) Dump(ctx context.Context, w io.Writer) (err error) {
	defer e.guard(&err)
	if err := e.life.enter(); err != nil {
		return err
	}
	defer e.life.calls.Done()
	ctx, cancel := e.life.bind(ctx)
	defer cancel()
	at, cat, unpin := e.snapshot()
	defer unpin()
	d := &dumper{e: e, ctx: ctx, at: at, cat: cat, out: bufio.NewWriterSize(w, 64<<10), now: map[string]string{}}
	d.out.WriteString("-- Made by ivmc dump.\n")
	def := defaultSettings()
	d.set(def.ForViews())
	for _, obj := range named(cat, storage.Table) {
		if err := d.table(obj); err != nil {
			return worded(ctxErr(ctx, err))
		}
	}
	for _, obj := range d.views() {
		if err := d.view(obj); err != nil {
			return worded(err)
		}
	}
	d.set(def.ForViews())
	if err := d.out.Flush(); err != nil {
		return zset.Errorf("58030", -1, "cannot write the dump: %v", err)
	}
	return nil
}

// dumper writes one dump.
type dumper struct {
	e   *Engine
	ctx context.Context
	at  storage.TSO
	cat *storage.Catalog
	out *bufio.Writer
	now map[string]string // settings at this place
	row []byte
}

// set changes the settings that differ.
func (d *dumper) set(to map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(to)) {
		if d.now[name] != to[name] {
			d.out.WriteString("SET " + name + " = " + literal([]byte(to[name])) + ";\n")
			d.now[name] = to[name]
		}
	}
}

// table writes the statement and the rows, in the order of their log, which is
// the order in which a table made by the dump has them.
func (d *dumper) table(obj *storage.Object) error {
	text, err := createTableText(obj)
	if err != nil {
		return err
	}
	d.out.WriteString("\n" + text + ";\n")
	rel, err := d.e.store.Relation(obj.ID)
	if err != nil {
		return err
	}
	in, size := 0, 0 // rows and bytes of the INSERT that is open
	for cur := rel.Scan(d.at, nil, false); ; {
		b, err := cur.Next(d.ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		for i := range b.N {
			d.values(b, i)
			for range b.Weight(i) {
				switch {
				case in == 0:
					d.out.WriteString("INSERT INTO " + ast.QuoteIdent(obj.Name) + " VALUES\n")
				default:
					d.out.WriteString(",\n")
				}
				d.out.Write(d.row)
				if in, size = in+1, size+len(d.row); in == dumpRows || size > dumpBytes {
					d.out.WriteString(";\n")
					in, size = 0, 0
				}
			}
		}
	}
	if in > 0 {
		d.out.WriteString(";\n")
	}
	return nil
}

// values makes row i of b. A number without a sign stands as it is; everything
// else as a literal that takes the type of its column.
func (d *dumper) values(b *zset.Batch, i int) {
	d.row = append(d.row[:0], '(')
	for c := range b.Cols {
		if c > 0 {
			d.row = append(d.row, ", "...)
		}
		col := &b.Cols[c]
		if col.IsNull(i) {
			d.row = append(d.row, "NULL"...)
			continue
		}
		from := len(d.row)
		d.row = zset.AppendText(d.row, col, i)
		if k := col.Type.Kind; (k == zset.Int2 || k == zset.Int4 || k == zset.Int8) && d.row[from] != '-' {
			continue
		}
		cell := literal(d.row[from:])
		d.row = append(d.row[:from], cell...)
	}
	d.row = append(d.row, ')')
}

// literal is b as a string literal.
func literal(b []byte) string {
	return "'" + string(bytes.ReplaceAll(b, []byte("'"), []byte("''"))) + "'"
}

// views are the plain and the materialized views and the streams, each after those that it
// reads, by name where that leaves a choice: ids do not survive a dump.
func (d *dumper) views() []*storage.Object {
	var out []*storage.Object
	seen := map[storage.ID]bool{}
	var visit func(obj *storage.Object)
	visit = func(obj *storage.Object) {
		if seen[obj.ID] || obj.Kind != storage.View && obj.Kind != storage.Query && obj.Kind != storage.Stream {
			return
		}
		seen[obj.ID] = true
		refs, _ := refsOf(obj) // one that cannot be read says so when it is written
		if s, err := streamOf(d.cat, obj); obj.Kind == storage.Stream && err == nil {
			refs = map[string]storage.ID{"": s.Base}
		}
		var below []*storage.Object
		for _, id := range refs {
			if in, ok := d.cat.ByID(id); ok {
				below = append(below, in)
			}
		}
		sortByName(below)
		for _, in := range below {
			visit(in)
		}
		out = append(out, obj)
	}
	for _, obj := range named(d.cat, storage.View, storage.Query, storage.Stream) {
		visit(obj)
	}
	return out
}

func (d *dumper) view(obj *storage.Object) error {
	if obj.Kind == storage.Stream {
		return d.stream(obj)
	}
	var def struct {
		Settings map[string]string
		Paused   bool
	}
	if err := json.Unmarshal(obj.Payload, &def); err != nil {
		return fmt.Errorf("definition of view %q: %w", obj.Name, err)
	}
	deferred := false
	if obj.Kind == storage.View {
		_, built := d.e.views.Frontier(obj.ID)
		deferred = !built
	}
	text, err := createText(d.cat, obj, deferred, d.e.opts.Clock())
	if err != nil {
		return err
	}
	d.out.WriteString("\n")
	if def.Settings != nil {
		d.set(def.Settings)
	}
	d.out.WriteString(text + ";\n")
	if def.Paused {
		d.out.WriteString("PAUSE MATERIALIZED VIEW JOB ON " + ast.QuoteIdent(obj.Name) + ";\n")
	}
	return nil
}

// stream writes a stream, which will begin with what comes then. One without its
// base cannot be made again.
func (d *dumper) stream(obj *storage.Object) error {
	s, err := streamOf(d.cat, obj)
	if err != nil {
		return err
	}
	if s.base == nil {
		d.out.WriteString("\n-- The base table of stream " + ast.QuoteIdent(obj.Name) + " was dropped.\n")
		return nil
	}
	d.out.WriteString("\n" + s.text() + ";\n")
	return nil
}
