package session

import (
	"errors"
	"slices"

	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// rowUpdate computes the rows of a DO UPDATE.
type rowUpdate struct {
	sets  []int
	types []zset.Type
	where *expr.Evaluator // nil: all rows
	set   *expr.Evaluator
}

func newRowUpdate(u *algebra.ConflictUpdate) (*rowUpdate, error) {
	r := &rowUpdate{sets: u.Sets}
	for _, e := range u.Exprs {
		r.types = append(r.types, e.Typ)
	}
	p, err := expr.Compile(u.Exprs)
	if err != nil {
		return nil, err
	}
	r.set = p.New()
	if u.Where == nil {
		return r, nil
	}
	if p, err = expr.Compile([]*expr.Expr{u.Where}); err != nil {
		return nil, err
	}
	r.where = p.New()
	return r, nil
}

// run gives the new rows and the positions of those that WHERE lets pass.
func (r *rowUpdate) run(there, excluded *zset.Batch) (rows *zset.Batch, kept []int32, err error) {
	rows = zset.NewBatch(r.types, there.N)
	if there.N == 0 {
		return rows, nil, nil
	}
	in := &zset.Batch{Cols: append(slices.Clone(there.Cols), excluded.Cols...), N: there.N}
	kept = sequence(there.N, there.N)
	if r.where != nil {
		cols, err := r.where.Eval(in)
		if err != nil {
			return nil, nil, rowError(err)
		}
		kept = kept[:0]
		for i := range in.N {
			if !cols[0].IsNull(i) && cols[0].I64[i] != 0 {
				kept = append(kept, int32(i))
			}
		}
		if len(kept) == 0 {
			return rows, nil, nil
		}
		in = in.Take(kept)
	}
	cols, err := r.set.Eval(in)
	if err != nil {
		return nil, nil, rowError(err)
	}
	rows.Append(&zset.Batch{Cols: cols, N: in.N})
	return rows, kept, nil
}

// rowError is the error of one row without its number.
func rowError(err error) error {
	var at *expr.RowError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
