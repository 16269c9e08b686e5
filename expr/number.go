package expr

import (
	"strconv"

	"github.com/ivmc/ivmc/zset"
)

// Number is the constant of a numeric literal as written, without a sign or
// with a minus: INTEGER or BIGINT if it is an integer that fits, else NUMERIC.
// A number of more than 76 digits, which no NUMERIC here holds, is a DOUBLE
// PRECISION. Errors 22003 and 22P02.
func Number(text string, pos int) (*Expr, error) {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		v := zset.IntValue(i)
		if i == int64(int32(i)) {
			v.Type = zset.TInt4
		}
		return Const(v).At(pos), nil
	}
	for _, t := range []zset.Type{zset.TNumeric, zset.TFloat8} {
		v, err := zset.ParseText(t, text)
		if err == nil {
			return Const(v).At(pos), nil
		}
		if ze, ok := err.(*zset.Error); !ok || ze.Code != zset.CodeOutOfRange || t == zset.TFloat8 {
			return nil, positioned(err, pos)
		}
	}
	return nil, zset.Errorf(zset.CodeOutOfRange, pos, "number %s is out of range", text)
}
