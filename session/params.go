package session

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/ivmc/ivmc/zset"
)

// Params turns Go values into the values of $1, $2, ..
//
// Integers become INTEGER or BIGINT, floats DOUBLE PRECISION. The others have no
// type of their own and are read as the type of the place where they stand, as a
// literal is: a string; []byte, whose bytes are a BYTEA as they are, and else a
// text; a time.Time, which is its moment as a TIMESTAMPTZ, and what its clock shows as a
// TIMESTAMP, DATE or TIME. nil and a nil pointer are NULL; other pointers, types
// with these kinds and valuers are what database/sql makes of them.
//
// Errors, with the number of the parameter: 22023 for other types, 22021 for a
// string that is not UTF-8 or holds a zero byte, 22008 for a time out of range.
func Params(args []any) ([]zset.Value, error) {
	if len(args) == 0 {
		return nil, nil
	}
	out := make([]zset.Value, len(args))
	for i, a := range args {
		v, err := param(a)
		if err != nil {
			code := "22023"
			if e := (*zset.Error)(nil); errors.As(err, &e) {
				code = e.Code
			}
			return nil, zset.Errorf(code, -1, "parameter $%d: %v", i+1, err)
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
		return zset.Value{Type: zset.TUnknown, S: v}, zset.CheckText(v)
	case []byte:
		if v == nil {
			return param(nil)
		}
		return zset.RawValue(v), nil
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
		return moment(v)
	}
	in, err := driver.DefaultParameterConverter.ConvertValue(a)
	switch {
	case err != nil && isValuer(a):
		return zset.Value{}, err
	case err != nil || !plain(in):
		return zset.Value{}, fmt.Errorf("a value of Go type %T has no SQL type", a)
	}
	return param(in)
}

// moment is a time as a literal with its zone: only the place where it stands
// says whether its moment counts or what its clock shows.
func moment(t time.Time) (zset.Value, error) {
	if y := t.Year(); y < -10_000 || y > 300_000 { // beyond TIMESTAMP, and not beyond what fits below
		return zset.Value{}, errTimeRange()
	}
	_, off := t.Zone()
	us := t.Unix()*1e6 + int64(t.Nanosecond()/1e3) + int64(off)*1e6
	if !zset.ValidTimestamp(us) {
		return zset.Value{}, errTimeRange()
	}
	text := string(zset.AppendTimestamp(nil, us))
	era := ""
	if short, ok := strings.CutSuffix(text, " BC"); ok {
		text, era = short, " BC"
	}
	return zset.Value{Type: zset.TUnknown, S: text + t.Format("-07:00:00") + era}, nil
}

func errTimeRange() error {
	return zset.Errorf(zset.CodeDatetimeRange, -1, "timestamp out of range")
}

func isValuer(a any) bool { _, ok := a.(driver.Valuer); return ok }

// plain reports whether param knows the type by itself: a converter also lets
// decimals pass as they are, which would come back for ever.
func plain(v driver.Value) bool {
	switch v.(type) {
	case nil, int64, float64, bool, []byte, string, time.Time:
		return true
	}
	return false
}

func int4(i int64) zset.Value { return zset.Value{Type: zset.TInt4, I: i} }
