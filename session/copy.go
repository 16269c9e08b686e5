package session

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/load"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// copy is COPY from or to a file on the machine of the engine.
func (st *statement) copy(ctx context.Context, n *ast.Copy) error {
	if st.s.engine.opts.NoFiles {
		e := zset.Errorf("42501", int(n.Pos()), "files are switched off for this database")
		e.Hint = "The program that opened it did not allow COPY."
		return e
	}
	o, err := copyOptions(n)
	if err != nil {
		return err
	}
	o.Dir = st.s.Dir
	if n.To {
		return st.copyTo(ctx, n, o)
	}
	return st.written(ctx, func(t *txn) error { return st.copyFrom(ctx, t, n, o) })
}

// copyOption is one option of COPY: what its value does.
var copyOption = map[string]func(o *load.Options, v string) string{
	"format": func(o *load.Options, v string) string { o.Format = load.Format(strings.ToLower(v)); return "" },
	"null":   func(o *load.Options, v string) string { o.Null = v; return "" },
	"header": func(o *load.Options, v string) string {
		switch strings.ToLower(v) {
		case "", "true", "on", "1":
			o.NoHeader = false
		case "false", "off", "0":
			o.NoHeader = true
		default:
			return "header requires a Boolean value"
		}
		return ""
	},
	"delimiter": func(o *load.Options, v string) string { return oneByte(&o.Delimiter, v, "delimiter") },
	"quote":     func(o *load.Options, v string) string { return oneByte(&o.Quote, v, "quote") },
	"escape":    func(o *load.Options, v string) string { return oneByte(&o.Escape, v, "escape") },
}

func oneByte(to *byte, v, what string) string {
	if len(v) != 1 || v[0] == 0 {
		return "COPY " + what + " must be a single one-byte character"
	}
	*to = v[0]
	return ""
}

// copyOptions reads the options, each once.
func copyOptions(n *ast.Copy) (o load.Options, err error) {
	var es Errors
	csv := -1 // the first option that a CSV alone has
	seen := map[string]bool{}
	for i, x := range n.Options {
		set, ok := copyOption[x.Name]
		bad := ""
		switch {
		case !ok:
			e := zset.Errorf("42601", int(x.Pos()), "option %q not recognized", x.Name)
			e.Hint = "COPY knows FORMAT, HEADER, NULL, DELIMITER, QUOTE and ESCAPE."
			es = append(es, e)
			continue
		case seen[x.Name]:
			bad = "conflicting or redundant options"
		case !x.Given && x.Name != "header":
			bad = x.Name + " requires a parameter"
		default:
			bad = set(&o, x.Value)
		}
		if bad != "" {
			es = append(es, zset.Errorf("42601", int(x.Pos()), "%s", bad))
		}
		if seen[x.Name] = true; x.Name != "format" && csv < 0 {
			csv = i
		}
	}
	if f := o.FormatOf(n.File); csv >= 0 && f != load.FormatCSV && f != load.FormatAuto && len(es) == 0 {
		es = append(es, zset.Errorf("0A000", int(n.Options[csv].Pos()), "COPY %s is available only in CSV mode", n.Options[csv].Name))
	}
	if len(es) > 0 {
		return o, es
	}
	return o, nil
}

// copyColumns is the positions of the columns named, of all if none is.
func copyColumns(s zset.Schema, names []ast.Name, table string) ([]int, error) {
	var at []int
	var es Errors
	for _, n := range names {
		i := s.Index(n.Text)
		switch {
		case i < 0:
			es = append(es, zset.Errorf("42703", int(n.Pos()), "column %q of relation %q does not exist", n.Text, table))
		case slices.Contains(at, i):
			es = append(es, zset.Errorf("42701", int(n.Pos()), "column %q specified more than once", n.Text))
		}
		at = append(at, i)
	}
	if len(es) > 0 {
		return nil, es
	}
	if names == nil {
		for i := range s {
			at = append(at, i)
		}
	}
	return at, nil
}

// copyFrom adds the rows of a file, as one INSERT would.
func (st *statement) copyFrom(ctx context.Context, t *txn, n *ast.Copy, o load.Options) error {
	obj, err := tableOf(t.cat, n.Table.Text, int(n.Table.Pos()))
	if err != nil {
		return err
	}
	at, err := copyColumns(obj.Schema, n.Columns, obj.Name)
	if err != nil {
		return err
	}
	want := make(zset.Schema, len(at))
	for i, c := range at {
		want[i] = obj.Schema[c]
	}
	src, err := load.Open(ctx, n.File, o, want)
	if err != nil {
		return placed(err, n.FileAt)
	}
	defer src.Close()
	for i, f := range src.Fields() { // from positions in want to those in the table
		at[i] = obj.Schema.Index(f.Name)
	}
	rows, err := st.fileRows(ctx, src, obj, at[:len(src.Fields())])
	if err != nil {
		return placed(err, n.FileAt)
	}
	if err := st.write(t, obj, algebra.OpInsert, rows, nil); err != nil {
		return ofFile(err, n.File, n.FileAt)
	}
	st.res.Tag = tag("COPY", int64(rows.N))
	return nil
}

// fileRows reads a file to its end into rows of obj; its column i is the table's
// at[i]. The others get their DEFAULT.
func (st *statement) fileRows(ctx context.Context, src *load.Source, obj *storage.Object, at []int) (*zset.Batch, error) {
	rows := zset.NewBatch(obj.Schema.Types(), 0)
	var held int64
	defer func() { st.s.engine.budget.Release(held) }()
	for {
		b, err := src.Next(ctx)
		if err != nil {
			return nil, err
		}
		if b == nil {
			break
		}
		for i, c := range at {
			rows.Cols[c].AppendColumn(&b.Cols[i])
		}
		rows.N += b.N
		if n := batchBytes(rows); n > held {
			if err := st.s.engine.reserve("rows of the file", n-held, n); err != nil {
				return nil, err
			}
			held = n
		}
		if st.s.Progress != nil {
			st.s.Progress(src.Progress())
		}
	}
	given := make([]int, 0, len(at))
	for i, c := range at {
		if src.Has(i) {
			given = append(given, c)
		} else {
			rows.Cols[c] = zset.NewColumn(obj.Schema[c].Type, 0)
		}
	}
	r, err := st.s.engine.rulesOf(obj)
	if err != nil {
		return nil, err
	}
	return rows, r.fill(rows, given, st.s.settings.local(st.now))
}

// placed gives an error about a file the place of its name in the statement.
func placed(err error, at ast.At) error {
	var e *zset.Error
	if errors.As(err, &e) && e.Pos < 0 {
		x := *e
		x.Pos = int(at.Pos())
		return &x
	}
	return err
}

// copyTo writes the rows of a table or a query to a file, which is there when all
// of them are in it.
func (st *statement) copyTo(ctx context.Context, n *ast.Copy, o load.Options) error {
	q := n.Query
	if q == nil {
		sel := &ast.Select{At: n.At, From: []ast.TableExpr{&ast.TableRef{At: n.Table.At, Schema: n.Schema, Name: n.Table}}}
		for _, c := range n.Columns {
			sel.Items = append(sel.Items, ast.SelectItem{At: c.At, Expr: &ast.Ident{At: c.At, Parts: []ast.Name{c}}})
		}
		if n.Columns == nil {
			sel.Items = []ast.SelectItem{{At: n.At, Expr: &ast.Star{At: n.At}}}
		}
		q = &ast.Query{At: n.At, Body: sel}
	}
	t, own := st.transaction()
	if own {
		defer t.end()
	}
	rows, node, err := st.open(ctx, t, q)
	if err != nil {
		return err
	}
	defer rows.Close()
	st.behind(t, node)
	names := map[string]bool{}
	for _, f := range node.Schema() {
		if names[f.Name] {
			e := zset.Errorf("42701", int(n.Pos()), "column name %q appears more than once", f.Name)
			e.Hint = "A file's columns go by name: give each one its own with AS."
			return e
		}
		names[f.Name] = true
	}
	out, err := load.Create(n.File, o, node.Schema())
	if err != nil {
		return placed(err, n.FileAt)
	}
	count := int64(0)
	for {
		b, err := rows.Next(ctx)
		if err == nil && b != nil {
			count += RowCount(b)
			err = out.Write(b)
		}
		if err != nil {
			out.Abandon()
			return err
		}
		if b == nil {
			break
		}
	}
	if err := out.Commit(); err != nil {
		return placed(err, n.FileAt)
	}
	st.res.Affected, st.res.Tag = count, tag("COPY", count)
	return nil
}

// fill gives the columns that are not in given their DEFAULT, or NULL.
func (r *rules) fill(rows *zset.Batch, given []int, now time.Time) error {
	for c, f := range r.obj.Schema {
		if slices.Contains(given, c) {
			continue
		}
		cell := zset.NewColumn(f.Type, 1)
		if c < len(r.Defaults) && r.Defaults[c] != "" {
			def, err := constant(r.Defaults[c], f, now)
			if err != nil {
				return err
			}
			cell = *def
		} else {
			cell.AppendNull()
		}
		rows.Cols[c].AppendTake(&cell, make([]int32, rows.N))
	}
	return nil
}
