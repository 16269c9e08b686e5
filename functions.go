package ivmc

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/session"
	"github.com/ivmc/ivmc/zset"
)

// Function is a function of the program for use in SQL, see [Options.Functions].
// [Func1], [Func2], [Func3] and [VectorFunc] make one. It may be called from many
// goroutines at once, and is called in goroutines of its own. A statement that is
// cancelled, or runs into its timeout, does not wait for it: the call that runs goes
// on to its end, and what it gives is dropped.
//
// A function must give the same result for the same arguments for as long as a
// view calls it: a refresh computes what changed alone. After a change of what
// it does, refresh those views by COMPLETE.
type Function struct {
	Name string // as SQL folds it: a word in lower case, none of ivmc's own
	// Args and Result are types of SQL. The constructors fill them in.
	Args   []string
	Result string
	// Volatile says that it may give another result each time. Such a function
	// has its place in queries and INSERT, never in a materialized view.
	Volatile bool
	// OnNull calls a [VectorFunc] also for rows with a NULL among the arguments;
	// else their result is NULL. Func1 and so on say it by their types.
	OnNull bool

	nulls []bool
	eval  func(ctx context.Context, in *zset.Batch, result zset.Type) (zset.Column, error)
}

// Cell is the Go types of cells: BOOLEAN, SMALLINT, INTEGER, BIGINT (int64 and
// int), REAL, DOUBLE PRECISION, TEXT, BYTEA and TIMESTAMPTZ (in UTC). A sql.Null
// of one is a cell that may be NULL.
type Cell interface {
	bool | int16 | int32 | int64 | int | float32 | float64 | string | []byte | time.Time |
		sql.Null[bool] | sql.Null[int16] | sql.Null[int32] | sql.Null[int64] | sql.Null[int] | sql.Null[float32] |
		sql.Null[float64] | sql.Null[string] | sql.Null[[]byte] | sql.Null[time.Time]
}

// Func1 is a function of one argument. With an argument of a type that is no
// sql.Null it is not called for NULL: the result is NULL then. An error is the
// statement's: as it is if it is an [*Error], else with code 38000. So is a panic.
func Func1[R, A Cell](name string, f func(A) (R, error)) Function {
	a := cellOf[A]()
	return rowFunction(name, []cell{a.cell}, func(in *zset.Batch, put func(R, error) bool) {
		x := a.read(&in.Cols[0])
		for i := range in.N {
			if !put(f(x(i))) {
				return
			}
		}
	})
}

// Func2 is [Func1] of two arguments.
func Func2[R, A, B Cell](name string, f func(A, B) (R, error)) Function {
	a, b := cellOf[A](), cellOf[B]()
	return rowFunction(name, []cell{a.cell, b.cell}, func(in *zset.Batch, put func(R, error) bool) {
		x, y := a.read(&in.Cols[0]), b.read(&in.Cols[1])
		for i := range in.N {
			if !put(f(x(i), y(i))) {
				return
			}
		}
	})
}

// Func3 is [Func1] of three arguments.
func Func3[R, A, B, C Cell](name string, f func(A, B, C) (R, error)) Function {
	a, b, c := cellOf[A](), cellOf[B](), cellOf[C]()
	return rowFunction(name, []cell{a.cell, b.cell, c.cell}, func(in *zset.Batch, put func(R, error) bool) {
		x, y, z := a.read(&in.Cols[0]), b.read(&in.Cols[1]), c.read(&in.Cols[2])
		for i := range in.N {
			if !put(f(x(i), y(i), z(i))) {
				return
			}
		}
	})
}

// rowFunction is a function that run calls for each row in order, until put says false.
func rowFunction[R Cell](name string, args []cell, run func(in *zset.Batch, put func(R, error) bool)) Function {
	r := cellOf[R]()
	f := Function{Name: name, Result: r.sql}
	for _, a := range args {
		f.Args, f.nulls = append(f.Args, a.sql), append(f.nulls, a.null)
	}
	f.eval = func(ctx context.Context, in *zset.Batch, result zset.Type) (zset.Column, error) {
		if err := finite(in); err != nil {
			return zset.Column{}, err
		}
		out := zset.NewColumn(result, in.N)
		row, failed := 0, error(nil)
		run(in, func(v R, err error) bool {
			if err == nil {
				err = ctx.Err()
			}
			if err == nil {
				err = r.write(&out, v)
			}
			if err != nil {
				failed = rowError(row, name, err)
				return false
			}
			row++
			return true
		})
		return out, failed
	}
	return f
}

// VectorFunc is a function of a batch of rows at once, which is the fast way: n
// rows, an Arrow array for each argument, and an array of n cells as the result.
// args and result are types of SQL; the arrays have the Arrow types of columns of
// these types, see the package comment, and of the result any that [DB.Apply] would
// take. The arrays of the arguments are valid until f returns; the one that it
// returns is released. Rows come in any order and grouping, and those with a
// NULL argument not at all, without OnNull.
func VectorFunc(name string, args []string, result string, f func(args []arrow.Array, n int) (arrow.Array, error)) Function {
	return Function{Name: name, Args: args, Result: result, eval: func(_ context.Context, in *zset.Batch, typ zset.Type) (zset.Column, error) {
		schema := make(zset.Schema, len(in.Cols))
		for k := range in.Cols {
			schema[k] = zset.Field{Name: fmt.Sprint(k), Type: in.Cols[k].Type}
		}
		rec, err := zset.ToArrow(in, schema, memory.DefaultAllocator)
		if err != nil {
			return zset.Column{}, err
		}
		defer rec.Release()
		a, err := f(rec.Columns(), in.N)
		if err != nil {
			return zset.Column{}, rowError(0, name, err)
		}
		if a == nil || a.Len() != in.N {
			return zset.Column{}, fmt.Errorf("the result has not the %d cells that were asked for", in.N)
		}
		defer a.Release()
		one := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "result", Type: a.DataType(), Nullable: true}}, nil), []arrow.Array{a}, int64(in.N))
		defer one.Release()
		b, err := zset.FromArrow(one, zset.Schema{{Name: "result", Type: typ}})
		if err != nil {
			return zset.Column{}, err
		}
		out := zset.NewColumn(typ, in.N) // the batch may be in memory of the array
		out.AppendColumn(&b.Cols[0])
		return out, nil
	}}
}

// rowError is what a function failed with at a row of its batch.
func rowError(row int, name string, err error) error {
	out := &expr.RowError{Row: row, Err: zset.Errorf("38000", -1, "function %s: %v", name, err)}
	var pub *Error
	var own *zset.Error
	switch {
	case errors.As(err, &pub) && len(pub.Code) == 5:
		out.Err = &zset.Error{Code: pub.Code, Msg: pub.Message, Detail: pub.Detail, Hint: pub.Hint, Pos: -1}
	case errors.As(err, &own):
		out.Err = own
	}
	return out
}

// library makes the functions known to SQL.
func library(fs []Function) (*expr.Library, error) {
	if len(fs) == 0 {
		return nil, nil
	}
	var all []expr.Custom
	var errs []error
	for _, f := range fs {
		c := expr.Custom{Name: f.Name, Volatile: f.Volatile, Nulls: f.nulls}
		typ := func(name string) zset.Type {
			t, err := session.ParseType(name)
			if err == nil && (t.Prec != 0 || t.Kind == zset.Unknown) {
				err = zset.Errorf("42P13", -1, "type %s has a length or precision, which functions have none of", name)
			}
			if err != nil {
				errs = append(errs, fmt.Errorf("function %s: %w", f.Name, err))
			}
			return t
		}
		for range f.Args {
			if f.nulls == nil {
				c.Nulls = append(c.Nulls, f.OnNull)
			}
		}
		for _, a := range f.Args {
			c.Args = append(c.Args, typ(a))
		}
		if eval := f.eval; eval != nil {
			c.Result = typ(f.Result)
			c.Eval = func(ctx context.Context, in *zset.Batch) (zset.Column, error) { return eval(ctx, in, c.Result) }
		}
		all = append(all, c)
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return session.NewLibrary(all)
}

// String is the declaration: "slug(text) returns text".
func (f Function) String() string {
	return f.Name + "(" + strings.Join(f.Args, ", ") + ") returns " + f.Result
}
