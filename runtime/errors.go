package runtime

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// dataError is the error of an expression over row i of b, made to say where:
// which view, which expression, which row.
func (r *run) dataError(err error, es []*expr.Expr, b *zset.Batch, i int) error {
	var z *zset.Error
	if !errors.As(err, &z) {
		return err
	}
	e := *z
	if r.object != "" {
		e.Object = r.object
	}
	var d []string
	if x := culprit(es, e.Pos); x != nil {
		if e.Pos < 0 {
			e.Pos = int(x.Pos)
		}
		d = append(d, fmt.Sprintf("expression %s", x))
	}
	if b != nil && len(b.Cols) > 0 {
		d = append(d, "row ("+rowText(b, i)+")")
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

func rowText(b *zset.Batch, i int) string {
	var out []byte
	for c := range b.Cols {
		if c > 0 {
			out = append(out, ", "...)
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
	var out error
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
			if out == nil || bytes.Compare(key, least) < 0 {
				least = append(least[:0], key...)
				out = r.dataError(ferr, es, one, 0)
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
	if out == nil {
		return r.dataError(err, es, nil, 0)
	}
	return out
}

// corrupt is an error about stored data that cannot be right (I5).
func (r *run) corrupt(format string, args ...any) error {
	e := zset.Errorf(zset.CodeCorrupt, -1, format, args...)
	e.Object = r.object
	return e
}
