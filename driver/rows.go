package driver

import (
	"database/sql"
	sqldriver "database/sql/driver"
	"io"
	"math"
	"reflect"
	"strings"
	"time"

	"github.com/ivmc/ivmc"
)

// rows are the rows of a query; without a text, of a statement that has none.
type rows struct {
	text *ivmc.Text
	cols []ivmc.ColumnInfo
}

var (
	_ sqldriver.RowsColumnTypeDatabaseTypeName = (*rows)(nil)
	_ sqldriver.RowsColumnTypeScanType         = (*rows)(nil)
	_ sqldriver.RowsColumnTypeNullable         = (*rows)(nil)
	_ sqldriver.RowsColumnTypeLength           = (*rows)(nil)
	_ sqldriver.RowsColumnTypePrecisionScale   = (*rows)(nil)
)

func (r *rows) Columns() []string {
	out := make([]string, len(r.cols))
	for i, c := range r.cols {
		out[i] = c.Name
	}
	return out
}

func (r *rows) Close() error {
	if r.text != nil {
		r.text.Close()
	}
	return nil
}

func (r *rows) Next(dest []sqldriver.Value) error {
	if r.text == nil {
		return io.EOF
	}
	if !r.text.Next() {
		if err := r.text.Err(); err != nil {
			return err
		}
		return io.EOF
	}
	for c := range dest {
		dest[c] = r.text.Value(c)
	}
	return nil
}

// columnType is what database/sql is told of a type.
type columnType struct {
	name           string
	plain, nullish reflect.Type // to scan into, the second where there may be a NULL
}

// columnTypes maps the names of types, without modifiers. Any other is a string.
func columnTypes() map[string]columnType {
	return map[string]columnType{
		"boolean":                     {"BOOLEAN", reflect.TypeFor[bool](), reflect.TypeFor[sql.NullBool]()},
		"smallint":                    {"SMALLINT", reflect.TypeFor[int16](), reflect.TypeFor[sql.NullInt16]()},
		"integer":                     {"INTEGER", reflect.TypeFor[int32](), reflect.TypeFor[sql.NullInt32]()},
		"bigint":                      {"BIGINT", reflect.TypeFor[int64](), reflect.TypeFor[sql.NullInt64]()},
		"real":                        {"REAL", reflect.TypeFor[float32](), reflect.TypeFor[sql.Null[float32]]()},
		"double precision":            {"DOUBLE PRECISION", reflect.TypeFor[float64](), reflect.TypeFor[sql.NullFloat64]()},
		"bytea":                       {"BYTEA", reflect.TypeFor[[]byte](), reflect.TypeFor[[]byte]()},
		"date":                        {"DATE", reflect.TypeFor[time.Time](), reflect.TypeFor[sql.NullTime]()},
		"timestamp without time zone": {"TIMESTAMP", reflect.TypeFor[time.Time](), reflect.TypeFor[sql.NullTime]()},
		"timestamp with time zone":    {"TIMESTAMPTZ", reflect.TypeFor[time.Time](), reflect.TypeFor[sql.NullTime]()},
		"time without time zone":      {"TIME", reflect.TypeFor[string](), reflect.TypeFor[sql.NullString]()},
		"character varying":           {"VARCHAR", reflect.TypeFor[string](), reflect.TypeFor[sql.NullString]()},
		"character":                   {"CHAR", reflect.TypeFor[string](), reflect.TypeFor[sql.NullString]()},
	}
}

func (r *rows) columnType(c int) columnType {
	name := r.cols[c].Type
	if i := strings.IndexByte(name, '('); i > 0 && !strings.HasSuffix(name, "[]") {
		name = name[:i]
	}
	if t, ok := columnTypes()[name]; ok {
		return t
	}
	return columnType{strings.ToUpper(name), reflect.TypeFor[string](), reflect.TypeFor[sql.NullString]()}
}

func (r *rows) ColumnTypeDatabaseTypeName(c int) string { return r.columnType(c).name }

func (r *rows) ColumnTypeScanType(c int) reflect.Type {
	t := r.columnType(c)
	if r.cols[c].Nullable {
		return t.nullish
	}
	return t.plain
}

func (r *rows) ColumnTypeNullable(c int) (nullable, ok bool) { return r.cols[c].Nullable, true }

// ColumnTypeLength is n of VARCHAR(n) and CHAR(n), and no limit for what has none.
func (r *rows) ColumnTypeLength(c int) (int64, bool) {
	if n := r.cols[c].Length; n > 0 {
		return int64(n), true
	}
	switch r.columnType(c).name {
	case "TEXT", "VARCHAR", "BYTEA":
		return math.MaxInt64, true
	}
	return 0, false
}

func (r *rows) ColumnTypePrecisionScale(c int) (precision, scale int64, ok bool) {
	info := r.cols[c]
	return int64(info.Precision), int64(info.Scale), info.Precision > 0
}
