package expr

import (
	"fmt"

	"github.com/ivmc/ivmc/zset"
)

// interpret is the definition that the compiler is tested against: one row at a
// time, straight from the tree, by the row functions alone. It knows no dense
// kernels, no selections, no sharing, no folding, no held-fixed numerics.
func interpret(e *Expr, b *zset.Batch, row int) (zset.Column, *zset.Error) {
	one := func(v zset.Value) zset.Column {
		c := zset.NewColumn(e.Typ, 1)
		c.AppendValue(v)
		return c
	}
	switch e.Op {
	case OpCol:
		return b.Cols[e.Col].Slice(row, row+1), nil
	case OpConst:
		return one(e.Val), nil
	case OpAnd, OpOr:
		return interpretJunction(e, b, row)
	case OpCase:
		for k := 0; k+1 < len(e.Args); k += 2 {
			c, err := interpret(e.Args[k], b, row)
			if err != nil {
				return c, err
			}
			if !c.IsNull(0) && c.I64[0] != 0 {
				return interpret(e.Args[k+1], b, row)
			}
		}
		return interpret(e.Args[len(e.Args)-1], b, row)
	case OpCoalesce:
		for _, a := range e.Args {
			c, err := interpret(a, b, row)
			if err != nil || !c.IsNull(0) {
				return c, err
			}
		}
		return one(zset.NullOf(e.Typ)), nil
	}
	if sparedByNull(e) {
		return one(zset.NullOf(e.Typ)), nil
	}
	args := make([]vec, len(e.Args))
	for i, a := range e.Args {
		c, err := interpret(a, b, row)
		if err != nil {
			return c, err
		}
		args[i] = vec{&c, -1}
	}
	switch e.Op {
	case OpCall:
		return interpretCall(e, args)
	case OpNot:
		if args[0].null(0) {
			return one(zset.NullOf(zset.TBool)), nil
		}
		return one(zset.BoolValue(args[0].I64[0] == 0)), nil
	case OpIsNull:
		return one(zset.BoolValue(args[0].null(0))), nil
	case OpIsNotNull:
		return one(zset.BoolValue(!args[0].null(0))), nil
	case OpIn:
		return one(interpretIn(args)), nil
	case OpGreatest, OpLeast:
		best := -1
		for k := range args {
			if !args[k].null(0) && (best < 0 || (compareCells(&args[k], &args[best], 0) > 0) == (e.Op == OpGreatest) &&
				compareCells(&args[k], &args[best], 0) != 0) {
				best = k
			}
		}
		if best < 0 {
			return one(zset.NullOf(e.Typ)), nil
		}
		return *args[best].Column, nil
	}
	panic(fmt.Sprintf("interpret: form %s", e.Op))
}

func interpretCall(e *Expr, args []vec) (zset.Column, *zset.Error) {
	f := funcs.bySig[e.Fn]
	if f.Strict {
		for k := range args {
			if args[k].null(0) {
				c := zset.NewColumn(e.Typ, 1)
				c.AppendNull()
				return c, nil
			}
		}
	}
	v := &Evaluator{n: 1, fail: failure{row: 1}}
	st := &state{col: zset.Column{Type: e.Typ}}
	fr := frame{n: 1, args: args, out: v.prepare(st), err: &v.fail, pos: int(e.Pos)}
	if f.elementwise {
		p, err := Compile([]*Expr{mustBind(e.inner())})
		if err != nil {
			panic(err)
		}
		fr.each = newEach(p, nil)
	}
	if e.Typ.Phys() == zset.PhysBytes {
		runBytes(&fr, f.row)
	} else {
		runFixed(&fr, f.row)
	}
	return st.col, v.fail.err
}

func interpretIn(args []vec) zset.Value {
	if args[0].null(0) {
		return zset.NullOf(zset.TBool)
	}
	null := false
	for k := 1; k < len(args); k++ {
		if args[k].null(0) {
			null = true
		} else if compareCells(&args[0], &args[k], 0) == 0 {
			return zset.BoolValue(true)
		}
	}
	if null {
		return zset.NullOf(zset.TBool)
	}
	return zset.BoolValue(false)
}

func interpretJunction(e *Expr, b *zset.Batch, row int) (zset.Column, *zset.Error) {
	decides := e.Op == OpOr
	v := zset.BoolValue(!decides)
	for _, a := range e.Args {
		c, err := interpret(a, b, row)
		if err != nil {
			return c, err
		}
		if c.IsNull(0) {
			v = zset.NullOf(zset.TBool)
		} else if (c.I64[0] != 0) == decides {
			v = zset.BoolValue(decides)
			break
		}
	}
	c := zset.NewColumn(zset.TBool, 1)
	c.AppendValue(v)
	return c, nil
}

// sparedByNull: an argument that is NULL whatever the row is makes NULL of a strict
// call, and the others are not computed, unless one fails whatever the row is.
func sparedByNull(e *Expr) bool {
	if e.Op != OpCall {
		return false
	}
	f := funcs.bySig[e.Fn]
	if f == nil || !f.Strict || f.Volatile {
		return false
	}
	null := false
	for _, a := range e.Args {
		c := Fold(a)
		null = null || c.IsNull()
		if unfolded(c) {
			return false
		}
	}
	return null
}
