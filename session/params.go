package session

import (
	"database/sql/driver"
	"fmt"
	"math"
	"time"

	"github.com/ivmc/ivmc/zset"
)

// Params turns Go values into the values of $1, $2, ..
//
// Integers become INTEGER or BIGINT, floats DOUBLE PRECISION, time.Time
// TIMESTAMP (its wall clock). A string has no type of its own: it is read as
// the type of the place where it stands, as a literal is. nil is NULL.
func Params(args []any) ([]zset.Value, error) {
	if len(args) == 0 {
		return nil, nil
	}
	out := make([]zset.Value, len(args))
	for i, a := range args {
		v, err := param(a)
		if err != nil {
			return nil, zset.Errorf("22023", -1, "parameter $%d: %v", i+1, err)
		}
		out[i] = v
	}
	return out, nil
}

func param(a any) (zset.Value, error) {
	switch v := a.(type) {
	case nil:
		return zset.NullOf(zset.TUnknown), nil
	case zset.Value:
		return v, nil
	case bool:
		return zset.BoolValue(v), nil
	case string:
		return zset.Value{Type: zset.TUnknown, S: v}, nil
	case int:
		return zset.IntValue(int64(v)), nil
	case int8:
		return int4(int64(v)), nil
	case int16:
		return int4(int64(v)), nil
	case int32:
		return int4(int64(v)), nil
	case int64:
		return zset.IntValue(v), nil
	case uint8:
		return int4(int64(v)), nil
	case uint16:
		return int4(int64(v)), nil
	case uint32:
		return zset.IntValue(int64(v)), nil
	case uint:
		return param(uint64(v))
	case uint64:
		if v > math.MaxInt64 {
			return zset.Value{}, fmt.Errorf("%d is out of range of bigint", v)
		}
		return zset.IntValue(int64(v)), nil
	case float32:
		return zset.FloatValue(float64(v)), nil
	case float64:
		return zset.FloatValue(v), nil
	case time.Time:
		_, off := v.Zone()
		us := v.Unix()*1e6 + int64(v.Nanosecond()/1e3) + int64(off)*1e6
		return zset.Value{Type: zset.TTimestamp, I: us}, nil
	case driver.Valuer:
		in, err := v.Value()
		if err != nil {
			return zset.Value{}, err
		}
		if _, again := in.(driver.Valuer); again {
			return zset.Value{}, fmt.Errorf("%T gives another valuer", a)
		}
		return param(in)
	}
	return zset.Value{}, fmt.Errorf("a value of Go type %T has no SQL type", a)
}

func int4(i int64) zset.Value { return zset.Value{Type: zset.TInt4, I: i} }
