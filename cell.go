package ivmc

import (
	"database/sql"
	"math"
	"time"

	"github.com/ivmc/ivmc/zset"
)

// cell is what SQL knows of a Go type of [Cell].
type cell struct {
	sql  string
	null bool // it may be NULL
}

// cells reads and writes cells of a Go type.
type cells[T any] struct {
	cell
	// read gives the cells of a column; what they hold is the caller's to keep.
	read  func(c *zset.Column) func(i int) T
	write func(c *zset.Column, v T) error
}

// cellOf is the row of the table for T. The conversions between T and the type
// of a case of the switch are identities.
func cellOf[T Cell]() cells[T] {
	var t T
	switch any(t).(type) {
	case bool:
		return as[T](boolCells())
	case int16:
		return as[T](intCells[int16]("smallint"))
	case int32:
		return as[T](intCells[int32]("integer"))
	case int64:
		return as[T](intCells[int64]("bigint"))
	case int:
		return as[T](intCells[int]("bigint"))
	case float32:
		return as[T](floatCells[float32]("real"))
	case float64:
		return as[T](floatCells[float64]("double precision"))
	case string:
		return as[T](textCells())
	case []byte:
		return as[T](byteCells())
	case time.Time:
		return as[T](timeCells())
	case sql.Null[bool]:
		return as[T](nullable(boolCells()))
	case sql.Null[int16]:
		return as[T](nullable(intCells[int16]("smallint")))
	case sql.Null[int32]:
		return as[T](nullable(intCells[int32]("integer")))
	case sql.Null[int64]:
		return as[T](nullable(intCells[int64]("bigint")))
	case sql.Null[int]:
		return as[T](nullable(intCells[int]("bigint")))
	case sql.Null[float32]:
		return as[T](nullable(floatCells[float32]("real")))
	case sql.Null[float64]:
		return as[T](nullable(floatCells[float64]("double precision")))
	case sql.Null[string]:
		return as[T](nullable(textCells()))
	case sql.Null[[]byte]:
		return as[T](nullable(byteCells()))
	}
	return as[T](nullable(timeCells()))
}

func as[T any](c any) cells[T] { return c.(cells[T]) }

func boolCells() cells[bool] {
	return cells[bool]{cell{sql: "boolean"},
		func(c *zset.Column) func(int) bool { return func(i int) bool { return c.I64[i] != 0 } },
		func(c *zset.Column, v bool) error { c.AppendI64(zset.BoolValue(v).I); return nil }}
}

func intCells[T int16 | int32 | int64 | int](name string) cells[T] {
	return cells[T]{cell{sql: name},
		func(c *zset.Column) func(int) T { return func(i int) T { return T(c.I64[i]) } },
		func(c *zset.Column, v T) error { c.AppendI64(int64(v)); return nil }}
}

func floatCells[T float32 | float64](name string) cells[T] {
	return cells[T]{cell{sql: name},
		func(c *zset.Column) func(int) T { return func(i int) T { return T(c.F64[i]) } },
		func(c *zset.Column, v T) error {
			if v != v { // one NaN for all
				v = T(math.NaN())
			}
			c.AppendF64(float64(v))
			return nil
		}}
}

// textCells copies the texts of a column at once: they may be kept.
func textCells() cells[string] {
	return cells[string]{cell{sql: "text"},
		func(c *zset.Column) func(int) string {
			all := string(c.Buf)
			return func(i int) string { return all[c.Off[i]:c.Off[i+1]] }
		},
		func(c *zset.Column, v string) error {
			if err := zset.CheckText(v); err != nil {
				return err
			}
			c.AppendBytes([]byte(v))
			return nil
		}}
}

func byteCells() cells[[]byte] {
	return cells[[]byte]{cell{sql: "bytea"},
		func(c *zset.Column) func(int) []byte {
			all := append([]byte(nil), c.Buf...)
			return func(i int) []byte { return all[c.Off[i]:c.Off[i+1]:c.Off[i+1]] }
		},
		func(c *zset.Column, v []byte) error { c.AppendBytes(v); return nil }}
}

// timeCells are moments; [finite] keeps the others away.
func timeCells() cells[time.Time] {
	return cells[time.Time]{cell{sql: "timestamp with time zone"},
		func(c *zset.Column) func(int) time.Time {
			return func(i int) time.Time { return time.UnixMicro(c.I64[i]).UTC() }
		},
		func(c *zset.Column, v time.Time) error {
			us := v.UnixMicro()
			if y := v.Year(); y < -10_000 || y > 300_000 || !zset.ValidTimestamp(us) {
				return zset.Errorf(zset.CodeDatetimeRange, -1, "timestamp out of range")
			}
			c.AppendI64(us)
			return nil
		}}
}

// finite refuses rows with an infinite moment, for which there is no time.Time (22008).
func finite(in *zset.Batch) error {
	for k := range in.Cols {
		c := &in.Cols[k]
		if c.Type.Kind != zset.TimestampTZ {
			continue
		}
		for i, v := range c.I64 {
			if (v == zset.PosInf || v == zset.NegInf) && !c.IsNull(i) {
				return rowError(i, "", zset.Errorf(zset.CodeDatetimeRange, -1, "an infinite timestamp is no time of Go"))
			}
		}
	}
	return nil
}

// nullable is c with NULLs.
func nullable[T any](c cells[T]) cells[sql.Null[T]] {
	return cells[sql.Null[T]]{cell{sql: c.sql, null: true},
		func(col *zset.Column) func(int) sql.Null[T] {
			read := c.read(col)
			return func(i int) sql.Null[T] {
				if col.IsNull(i) {
					return sql.Null[T]{}
				}
				return sql.Null[T]{V: read(i), Valid: true}
			}
		},
		func(col *zset.Column, v sql.Null[T]) error {
			if !v.Valid {
				col.AppendNull()
				return nil
			}
			return c.write(col, v.V)
		}}
}
