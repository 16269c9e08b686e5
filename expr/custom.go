package expr

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/ivmc/ivmc/zset"
)

// Custom is a function that the program around brings along, see [Library].
type Custom struct {
	Name   string // as SQL folds it
	Args   []zset.Type
	Result zset.Type
	// Nulls says by argument whether the function is called with a NULL there. Where
	// it is not, the result of such a row is NULL. Shorter than Args: false.
	Nulls    []bool
	Volatile bool // may give another result for the same arguments
	// Eval computes a cell for each row of in, whose columns have the types Args.
	// What it keeps of in it copies. An error may be a [RowError] that names the
	// row, and a *zset.Error that names the code; else it is 38000. A panic is one.
	// Once ctx has ended nobody waits for it.
	Eval func(ctx context.Context, in *zset.Batch) (zset.Column, error)
}

// Library is the custom functions of a database, beside the function table; nil
// has none. It never changes.
type Library struct{ byName map[string][]*Func }

// NewLibrary makes a library. Errors, all of them: 42P13 for a name that is empty
// or one of ours, 42723 for a signature that stands twice.
func NewLibrary(cs []Custom) (*Library, error) {
	l := &Library{byName: map[string][]*Func{}}
	var errs []error
	seen := map[string]bool{}
	for i := range cs {
		f := customFunc(&cs[i])
		switch sig := f.Signature(); {
		case f.Name == "":
			errs = append(errs, zset.Errorf("42P13", -1, "a function has no name"))
		case cs[i].Eval == nil:
			errs = append(errs, zset.Errorf("42P13", -1, "function %s does nothing", sig))
		case isOperator(f.Name) || isCastName(f.Name) || IsFunction(f.Name) || IsAggregate(f.Name) || IsOrderedSet(f.Name):
			errs = append(errs, zset.Errorf("42P13", -1, "function %s: the name is that of a function of the system", sig))
		case seen[sig]:
			errs = append(errs, zset.Errorf("42723", -1, "function %s already exists with same argument types", sig))
		default:
			seen[sig] = true
			l.byName[f.Name] = append(l.byName[f.Name], f)
		}
	}
	return l, errors.Join(errs...)
}

// customFunc is the row of a custom function.
func customFunc(c *Custom) *Func {
	f := &Func{Name: c.Name, Result: c.Result.Kind, Raises: true, Volatile: c.Volatile, Costly: true, Extension: true, custom: c}
	for _, t := range c.Args {
		f.Args = append(f.Args, t.Kind)
	}
	f.result = func([]zset.Type) zset.Type { return c.Result }
	return f
}

// Call is [Call] of a function of the library, or else of the table.
func (l *Library) Call(name string, args []*Expr, pos int) (*Expr, error) {
	if l == nil || len(l.byName[name]) == 0 {
		return Call(name, args, pos)
	}
	f, ambiguous := resolve(l.byName[name], kindsOf(args), false)
	if f == nil {
		return nil, unresolved(name, args, ambiguous, pos)
	}
	bound := make([]*Expr, len(args))
	for i, a := range args {
		b, err := castTo(a, f.want(i))
		if err != nil {
			return nil, err
		}
		bound[i] = b
	}
	e := newCall(f, bound, pos)
	e.own = f
	return e, nil
}

// Declaration finds a function by its signature: "slug(text) returns text"; "" if there is none.
func (l *Library) Declaration(signature string) string {
	name, _, _ := strings.Cut(signature, "(")
	if l == nil {
		return ""
	}
	for _, f := range l.byName[name] {
		if f.Signature() == signature {
			return declaration(f)
		}
	}
	return ""
}

func declaration(f *Func) string { return f.Signature() + " returns " + f.custom.Result.String() }

// Custom is the declaration of the custom function that e calls, as
// [Library.Declaration] gives it, and whether it is volatile; "" for any other expression.
func (e *Expr) Custom() (text string, volatile bool) {
	if e.own == nil {
		return "", false
	}
	return declaration(e.own), e.own.Volatile
}

// fn is the row of the function that e calls; nil if this program has none.
func (e *Expr) fn() *Func {
	if e.own != nil {
		return e.own
	}
	return funcs.bySig[e.Fn]
}

// readsClock reports whether f has no row function, see [Expr.Freeze].
func (f *Func) readsClock() bool { return f.Volatile && f.custom == nil }

// evalCustom runs a custom function over the rows that are asked for.
func evalCustom(f *frame, c *Custom) {
	if f.allWanted(c) {
		in := &zset.Batch{N: f.n, Cols: make([]zset.Column, len(c.Args))}
		for k, t := range c.Args {
			in.Cols[k] = f.gather(k, t, nil)
		}
		out, err := f.callCustom(c, in)
		if err == nil {
			f.scatter(out, nil, f.n)
			return
		}
		f.customFailed(c, nil, err)
		f.scatter(zset.Column{}, []int32{}, 0)
		return
	}
	rows := f.wanted(c)
	in := &zset.Batch{N: len(rows), Cols: make([]zset.Column, len(c.Args))}
	for k, t := range c.Args {
		in.Cols[k] = f.gather(k, t, rows)
	}
	var out zset.Column
	if len(rows) > 0 {
		var err error
		if out, err = f.callCustom(c, in); err != nil {
			f.customFailed(c, rows, err)
			in.N = 0
		}
	}
	f.scatter(out, rows, min(len(rows), in.N))
}

// allWanted reports whether c is called with every row of the batch.
func (f *frame) allWanted(c *Custom) bool {
	if f.sel != nil || f.n == 0 || f.err.row < f.n {
		return false
	}
	for k := range c.Args {
		if f.args[k].mask == 0 || f.args[k].Type.Fixed() || f.args[k].Null != nil && (k >= len(c.Nulls) || !c.Nulls[k]) {
			return false
		}
	}
	return true
}

// wanted is the rows that f is asked for and that c is called with, ascending.
func (f *frame) wanted(c *Custom) []int32 {
	rows := f.sel
	if rows == nil {
		rows = make([]int32, f.n)
		for i := range rows {
			rows[i] = int32(i)
		}
	}
	out := make([]int32, 0, len(rows))
next:
	for _, i := range rows {
		if int(i) >= f.err.row {
			break
		}
		for k := range c.Args {
			if f.isNull(k, int(i)) && (k >= len(c.Nulls) || !c.Nulls[k]) {
				continue next
			}
		}
		out = append(out, i)
	}
	return out
}

// gather is argument k of the rows, as a column of type t; rows nil: of all,
// which then is a column as it is.
func (f *frame) gather(k int, t zset.Type, rows []int32) zset.Column {
	a := &f.args[k]
	if rows == nil {
		out := a.Column.Slice(0, f.n)
		out.Type = t
		return out
	}
	out := zset.NewColumn(t, len(rows))
	if a.Type.Fixed() { // a NUMERIC with a scale, for one of any
		for _, i := range rows {
			if f.isNull(k, int(i)) {
				out.AppendNull()
			} else {
				out.AppendDecimal(f.dec(k, int(i)))
			}
		}
		return out
	}
	src := *a.Column
	src.Type = t
	at := rows
	if a.mask == 0 {
		at = make([]int32, len(rows))
	}
	out.AppendTake(&src, at)
	return out
}

// scatter writes the n cells of out, one for each of the first rows; the others
// are NULL. rows nil: one for each row of the batch.
func (f *frame) scatter(out zset.Column, rows []int32, n int) {
	dst := f.out
	if n == f.n && out.Null == nil && dst.Type.Phys() != zset.PhysBytes {
		copy(dst.I64, out.I64)
		copy(dst.F64, out.F64)
		return
	}
	next := 0
	for i := range f.n {
		mine := next < n && (rows == nil || int(rows[next]) == i)
		isNull := !mine || out.IsNull(next)
		dst.Null[i] = isNull
		switch dst.Type.Phys() {
		case zset.PhysI64:
			dst.I64[i] = 0
			if !isNull {
				dst.I64[i] = out.I64[next]
			}
		case zset.PhysF64:
			dst.F64[i] = 0
			if !isNull {
				dst.F64[i] = out.F64[next]
			}
		default:
			if !isNull {
				cell := out.Bytes(next)
				f.bound(len(cell))
				dst.Buf = append(dst.Buf, cell...)
			}
			if len(dst.Buf) > maxBatchBytes {
				f.fail(i, "54000", fmt.Sprintf("result of a batch exceeds %d bytes", maxBatchBytes))
				dst.Buf = dst.Buf[:dst.Off[i]]
			}
			dst.Off = append(dst.Off, uint32(len(dst.Buf)))
		}
		if mine {
			next++
		}
	}
}

// callCustom calls c in a goroutine of its own, where the statement can end: then
// the call is left alone, with rows that are its own, and what it gives is dropped.
func (f *frame) callCustom(c *Custom, in *zset.Batch) (zset.Column, error) {
	if f.watch == nil || f.watch.Ctx == nil || f.watch.Ctx.Done() == nil {
		return protected(context.Background(), c, in)
	}
	ctx := f.watch.Ctx
	f.watch.poll()
	type result struct {
		col zset.Column
		err error
	}
	own := &zset.Batch{N: in.N, Cols: make([]zset.Column, len(in.Cols))}
	for k := range in.Cols {
		own.Cols[k] = zset.NewColumn(in.Cols[k].Type, in.N)
		own.Cols[k].AppendColumn(&in.Cols[k])
	}
	done := make(chan result, 1)
	go func() {
		r := result{err: errors.New("it ended its goroutine")}
		defer func() { done <- r }()
		r.col, r.err = protected(ctx, c, own)
	}()
	select {
	case r := <-done:
		return r.col, r.err
	case <-ctx.Done():
		panic(stopped{ctx.Err()})
	}
}

// protected calls c; a panic is its error, and so is a result of another size or type.
func protected(ctx context.Context, c *Custom, in *zset.Batch) (out zset.Column, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v%s", p, panicPlace())
		}
	}()
	out, err = c.Eval(ctx, in)
	if err == nil && (out.Type != c.Result || out.Len() != in.N) {
		err = fmt.Errorf("%d cells of type %s, wanted %d of type %s", out.Len(), out.Type, in.N, c.Result)
	}
	return out, err
}

// panicPlace is where the code that panicked stands.
func panicPlace() string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for {
		f, more := frames.Next()
		if f.File != "" && !strings.HasPrefix(f.Function, "runtime.") {
			return fmt.Sprintf(" at %s:%d", f.File[strings.LastIndexByte(f.File, '/')+1:], f.Line)
		}
		if !more {
			return ""
		}
	}
}

func (f *frame) customFailed(c *Custom, rows []int32, err error) {
	i := 0
	var at *RowError
	if errors.As(err, &at) && at.Row >= 0 && at.Row < f.n {
		i = at.Row
	}
	if rows != nil {
		i = int(rows[i])
	}
	e := &zset.Error{Code: "38000", Msg: fmt.Sprintf("function %s: %v", c.Name, err)}
	var ze *zset.Error
	if errors.As(err, &ze) {
		e = ze
	}
	f.failWith(i, e)
}
