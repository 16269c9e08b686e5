package algebra

import (
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// frame binds the frame of a call; nil is all rows up to the last peer.
func (b *binder) frame(f *ast.Frame, call *WindowCall, c *exprCtx) bool {
	if f == nil {
		call.Frame = expr.DefaultFrame()
		return true
	}
	call.Frame = expr.Frame{Unit: expr.FrameUnit(f.Unit), Exclude: expr.Exclusion(f.Exclude),
		Start: expr.FrameEnd{Kind: expr.BoundKind(f.Start.Kind)}, End: expr.FrameEnd{Kind: expr.BoundKind(f.End.Kind)}}
	if f.Unit == ast.FrameGroups && len(call.By) == 0 {
		b.errorf(codeWindowing, f.Pos(), "GROUPS mode requires an ORDER BY clause")
		return false
	}
	return b.frameEnd(f, &f.Start, "starting", call, &call.Frame.Start, c) &&
		b.frameEnd(f, &f.End, "ending", call, &call.Frame.End, c)
}

// frameEnd binds an offset, which may read no column.
func (b *binder) frameEnd(f *ast.Frame, from *ast.Bound, word string, call *WindowCall, to *expr.FrameEnd, c *exprCtx) bool {
	if from.Offset == nil {
		return true
	}
	unit := [...]string{"RANGE", "ROWS", "GROUPS"}[f.Unit]
	pos := from.Offset.Pos()
	in := *c
	in.clause, in.scalars = unit, nil
	e := b.expr(from.Offset, &in)
	if e == nil {
		return false
	}
	if len(e.Cols()) > 0 {
		b.errorf(codeBadReference, pos, "argument of %s must not contain variables", unit)
		return false
	}
	if f.Unit == ast.FrameRange {
		return b.rangeEnd(e, pos, from.Kind, call, to, word)
	}
	e = b.offset(e, zset.TInt8, pos, "argument of "+unit+" must be type bigint, not type "+e.Typ.String(), word)
	switch {
	case e == nil:
		return false
	case e.Val.I < 0:
		b.errorf("22013", pos, "frame %s offset must not be negative", word)
		return false
	}
	to.N = e.Val.I
	return true
}

// offset is e as a constant of type t; nil after a complaint.
func (b *binder) offset(e *expr.Expr, t zset.Type, pos ast.Pos, mismatch, word string) *expr.Expr {
	x, err := expr.Cast(e, t, expr.Implicit, int(pos))
	if err != nil {
		if e.Typ.Kind == zset.Unknown {
			b.fail(err, pos)
		} else {
			b.errorf(zset.CodeTypeMismatch, pos, "%s", mismatch)
		}
		return nil
	}
	x = expr.Fold(x)
	switch {
	case !x.IsConst():
		b.unsupported(pos, "an offset of a frame that is no constant", "")
		return nil
	case x.Val.Null:
		b.errorf("22004", pos, "frame %s offset must not be null", word)
		return nil
	}
	return x
}

// rangeTypes is, by the type of the sort key of a RANGE with offsets, in which type
// keys and ends are compared, and that of the offset.
var rangeTypes = map[zset.Kind]struct{ key, offset zset.Type }{
	zset.Int2: {zset.TNumeric, zset.TNumeric}, // a sum may leave the range of integers
	zset.Int4: {zset.TNumeric, zset.TNumeric}, zset.Int8: {zset.TNumeric, zset.TNumeric}, zset.Numeric: {zset.TNumeric, zset.TNumeric},
	zset.Float4: {zset.TFloat8, zset.TFloat8}, zset.Float8: {zset.TFloat8, zset.TFloat8},
	zset.Date: {zset.TTimestamp, zset.TInterval}, zset.Timestamp: {zset.TTimestamp, zset.TInterval},
	zset.TimestampTZ: {zset.TTimestampTZ, zset.TInterval}, zset.Interval: {zset.TInterval, zset.TInterval},
}

// rangeEnd binds an end that is a value: the key less the offset, or with it.
func (b *binder) rangeEnd(e *expr.Expr, pos ast.Pos, kind ast.BoundKind, call *WindowCall, to *expr.FrameEnd, word string) bool {
	if len(call.By) != 1 {
		b.errorf(codeWindowing, pos, "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column")
		return false
	}
	key := call.By[0].Expr
	t, ok := rangeTypes[key.Typ.Kind]
	if !ok {
		b.errorf(codeUnsupported, pos, "RANGE with offset PRECEDING/FOLLOWING is not supported for column type %s", key.Typ)
		return false
	}
	if whole := key.Typ.Kind == zset.Int2 || key.Typ.Kind == zset.Int4 || key.Typ.Kind == zset.Int8; whole && e.Typ.Kind != zset.Unknown &&
		e.Typ.Kind != zset.Int2 && e.Typ.Kind != zset.Int4 && e.Typ.Kind != zset.Int8 || e.Typ.Kind == zset.Interval && t.offset.Kind != zset.Interval {
		b.errorf(codeUnsupported, pos, "RANGE with offset PRECEDING/FOLLOWING is not supported for column type %s and offset type %s", key.Typ, e.Typ).Hint =
			"Cast the offset value to an appropriate type."
		return false
	}
	x := b.offset(e, t.offset, pos, "RANGE with offset PRECEDING/FOLLOWING is not supported for column type "+key.Typ.String()+" and offset type "+e.Typ.String(), word)
	if x == nil {
		return false
	}
	zero := b.cast(expr.Const(zset.Value{Type: zset.TUnknown, S: "0"}), t.offset, expr.Implicit, pos)
	less := b.callOn("<", pos, []*expr.Expr{x, zero})
	if less == nil {
		return false
	}
	if less = expr.Fold(less); !less.IsConst() || less.Val.I != 0 {
		b.errorf("22013", pos, "invalid preceding or following size in window function")
		return false
	}
	key = b.cast(key, t.key, expr.Implicit, pos)
	op := "+"
	if (kind == ast.Preceding) != call.By[0].Desc {
		op = "-"
	}
	at := b.callOn(op, pos, []*expr.Expr{key, x})
	if at == nil {
		return false
	}
	call.Frame.Key, to.At = key, at
	return true
}
