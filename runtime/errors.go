package runtime

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// dataError is the error of an expression over row i of b, which is of in, made to
// say where: which view, which expression, which row. A position is one in the text
// of the statement that runs, so it is kept of a query and of a view that is created.
func (r *run) dataError(err error, es []*expr.Expr, in *task, b *zset.Batch, i int) error {
	var z *zset.Error
	if !errors.As(err, &z) {
		return err
	}
	e := *z
	if r.object != "" {
		e.Object = r.object
	}
	var d []string
	var names []string
	if in != nil {
		names = in.plan.Columns(in.node)
	}
	if x := culprit(es, e.Pos); x != nil {
		if e.Pos < 0 {
			e.Pos = int(x.Pos)
		}
		if names != nil || len(x.Cols()) == 0 {
			d = append(d, "expression "+delta.Readable(x, names))
		}
	}
	if r.object != "" && !r.creates {
		e.Pos = -1
	}
	if b != nil && len(b.Cols) > 0 {
		d = append(d, "row ("+rowText(names, b, i)+")")
	}
	if r.object != "" {
		d = append([]string{fmt.Sprintf("view %q", r.object)}, d...)
	}
	if e.Detail == "" {
		e.Detail = strings.Join(d, ", ")
	}
	return &e
}

// culprit is the expression of es that can raise; with several the one that
// holds position pos.
func culprit(es []*expr.Expr, pos int) *expr.Expr {
	var first *expr.Expr
	for _, e := range es {
		if e == nil || !e.Raises() {
			continue
		}
		if first == nil {
			first = e
		}
		here := false
		e.Walk(func(x *expr.Expr) bool {
			here = here || pos >= 0 && int(x.Pos) == pos
			return !here
		})
		if here {
			return e
		}
	}
	return first
}

func rowText(names []string, b *zset.Batch, i int) string {
	var out []byte
	for c := range b.Cols {
		if c > 0 {
			out = append(out, ", "...)
		}
		if c < len(names) {
			out = append(append(out, names[c]...), " = "...)
		}
		if b.Cols[c].IsNull(i) {
			out = append(out, "NULL"...)
			continue
		}
		out = zset.AppendText(out, &b.Cols[c], i)
	}
	return string(out)
}

// leastError finds the error to report when es failed with err over batch b of
// in: that of the least failing row by row encoding, in this batch and all that
// follow, so that the message does not depend on the order of arrival (I13).
// Slow, and only on the way out.
func (r *run) leastError(err error, es []*expr.Expr, b *zset.Batch, in *task, eval func(*zset.Batch) error) error {
	var row *expr.RowError
	if !errors.As(err, &row) {
		return err
	}
	var least []byte
	var of *zset.Batch // the row of least
	for b != nil {
		var key []byte
		for i := range b.N {
			one := b.Slice(i, i+1)
			ferr := eval(one)
			if ferr == nil {
				continue
			}
			if r.ctx.Err() != nil {
				return ferr
			}
			key = key[:0]
			for c := range one.Cols {
				key = zset.AppendRow(key, &one.Cols[c], 0)
			}
			if of == nil || bytes.Compare(key, least) < 0 {
				least = append(least[:0], key...)
				err, of = ferr, one.Take([]int32{0})
			}
		}
		next, perr := in.pull(r)
		if perr != nil {
			if r.ctx.Err() != nil {
				return perr
			}
			break // an error below comes first only if this one did not
		}
		b = next
	}
	return r.dataError(err, es, in, of, 0)
}

// corrupt is an error about stored data that cannot be right (I5).
func (r *run) corrupt(format string, args ...any) error {
	e := zset.Errorf(zset.CodeCorrupt, -1, format, args...)
	e.Object = r.object
	return e
}
