package algebra

import (
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/zset"
)

// typeName is what is known of a name of a type. label is PostgreSQL's internal
// name, which unnamed output columns take; args is the most numbers that may
// stand in parentheses behind.
type typeName struct {
	t     zset.Type
	label string
	args  int
}

// typeNames is the table of the names of types: PostgreSQL's, and the aliases
// of other systems.
var typeNames = map[string]typeName{
	"boolean":                     {zset.TBool, "bool", 0},
	"bool":                        {zset.TBool, "bool", 0},
	"smallint":                    {zset.TInt2, "int2", 0},
	"int2":                        {zset.TInt2, "int2", 0},
	"tinyint":                     {zset.TInt2, "int2", 0},
	"real":                        {zset.TFloat4, "float4", 0},
	"float4":                      {zset.TFloat4, "float4", 0},
	"integer":                     {zset.TInt4, "int4", 0},
	"int":                         {zset.TInt4, "int4", 0},
	"int4":                        {zset.TInt4, "int4", 0},
	"bigint":                      {zset.TInt8, "int8", 0},
	"int8":                        {zset.TInt8, "int8", 0},
	"double precision":            {zset.TFloat8, "float8", 0},
	"double":                      {zset.TFloat8, "float8", 0},
	"float":                       {zset.TFloat8, "float8", 1},
	"float8":                      {zset.TFloat8, "float8", 0},
	"numeric":                     {zset.TNumeric, "numeric", 2},
	"decimal":                     {zset.TNumeric, "numeric", 2},
	"dec":                         {zset.TNumeric, "numeric", 2},
	"text":                        {zset.TText, "text", 0},
	"string":                      {zset.TText, "text", 0},
	"varchar":                     {zset.TVarchar, "varchar", 1},
	"character varying":           {zset.TVarchar, "varchar", 1},
	"char":                        {zset.Type{Kind: zset.Char, Prec: 1}, "bpchar", 1},
	"character":                   {zset.Type{Kind: zset.Char, Prec: 1}, "bpchar", 1},
	"bpchar":                      {zset.TChar, "bpchar", 1},
	"bytea":                       {zset.TBytea, "bytea", 0},
	"uuid":                        {zset.TUUID, "uuid", 0},
	"time":                        {zset.TTime, "time", 1},
	"time without time zone":      {zset.TTime, "time", 1},
	"interval":                    {zset.TInterval, "interval", 1},
	"date":                        {zset.TDate, "date", 0},
	"timestamp":                   {zset.TTimestamp, "timestamp", 1},
	"timestamp without time zone": {zset.TTimestamp, "timestamp", 1},
	"timestamptz":                 {zset.TTimestampTZ, "timestamptz", 1},
	"timestamp with time zone":    {zset.TTimestampTZ, "timestamptz", 1},
	"datetime":                    {zset.TTimestamp, "timestamp", 1},
}

// missingTypes are types that SQL has and we do not, and what to take instead.
var missingTypes = map[string]string{
	"time with time zone": "time or timestamp", "timetz": "time or timestamp",
	"money":  "numeric(18,2)",
	"serial": "bigint", "bigserial": "bigint",
	"json": "text", "jsonb": "text", "blob": "bytea", "xml": "text",
	"variant": "text", "hll": "bigint and COUNT(DISTINCT ..) in a view", "bitmap": "bigint and COUNT(DISTINCT ..) in a view", "largeint": "numeric(39,0)",
}

const (
	maxVarchar      = 10485760 // PostgreSQL's
	maxNumeric      = 1000     // of precision and scale, PostgreSQL's
	microsPrecision = 6
	maxFloatBits    = 53
	floatSingleBits = 24
)

// TypeOf is the type that a name in the text means. Errors: 42704 no such type,
// 0A000 a type of SQL that is not there, 22023 and 42601 bad numbers behind it.
func TypeOf(n ast.TypeName) (zset.Type, error) {
	row, ok := typeNames[n.Name]
	pos := int(n.Pos())
	if fields, ok := fieldsOf(n); ok {
		err := zset.Errorf(codeUnsupported, pos, "type interval %s is not supported", fields)
		err.Hint = "Use interval; fields may follow a literal, as in INTERVAL '1' DAY."
		return zset.Type{}, err
	}
	if n.Array {
		n.Array = false
		t, err := TypeOf(n)
		if err != nil {
			return zset.Type{}, err
		}
		return zset.ArrayBounded(t), nil
	}
	if !ok {
		if instead, known := missingTypes[n.Name]; known {
			err := zset.Errorf(codeUnsupported, pos, "type %s is not supported", n.Name)
			err.Hint = "Use " + instead + "."
			return zset.Type{}, err
		}
		return zset.Type{}, zset.Errorf(codeNoType, pos, "type %q does not exist", n.Name)
	}
	if len(n.Args) > row.args {
		if row.args == 0 {
			return zset.Type{}, zset.Errorf(codeSyntax, pos, "type modifier is not allowed for type %q", n.Name)
		}
		return zset.Type{}, zset.Errorf(codeBadParameter, pos, "invalid type modifier for type %q", n.Name)
	}
	if len(n.Args) == 0 {
		return row.t, nil
	}
	if n.Args[0] < 0 && row.label != "numeric" && row.label != "timestamptz" && row.label != "bpchar" {
		return zset.Type{}, zset.Errorf(codeSyntax, pos, "syntax error at or near \"-\"")
	}
	t, err := modified(row.t, n, pos)
	if err != nil {
		return zset.Type{}, err
	}
	return t, nil
}

// modified is t with the numbers in parentheses.
func modified(t zset.Type, n ast.TypeName, pos int) (zset.Type, *zset.Error) {
	a := n.Args[0]
	switch t.Kind {
	case zset.Varchar, zset.Char:
		name := map[zset.Kind]string{zset.Varchar: "varchar", zset.Char: "char"}[t.Kind]
		switch {
		case a < 1:
			return t, zset.Errorf(codeBadParameter, pos, "length for type %s must be at least 1", name)
		case a > maxVarchar:
			return t, zset.Errorf(codeBadParameter, pos, "length for type %s cannot exceed %d", name, maxVarchar)
		case a > maxInt16:
			err := zset.Errorf(codeUnsupported, pos, "a %s longer than %d is not supported", name, maxInt16)
			err.Hint = "Use text."
			return t, err
		}
		t.Prec = int16(a)
	case zset.Numeric:
		if a < 1 || a > maxNumeric {
			return t, zset.Errorf(codeBadParameter, pos, "NUMERIC precision %d must be between 1 and %d", a, maxNumeric)
		}
		if len(n.Args) == 2 {
			s := n.Args[1]
			if s < -maxNumeric || s > maxNumeric {
				return t, zset.Errorf(codeBadParameter, pos, "NUMERIC scale %d must be between -%d and %d", s, maxNumeric, maxNumeric)
			}
			t.Scale = int16(s)
		}
		if a > zset.MaxPrecision {
			err := zset.Errorf(codeUnsupported, pos, "NUMERIC of more than %d digits is not supported", zset.MaxPrecision)
			err.Hint = "Use numeric without a precision, whose numbers have up to as many digits each."
			return t, err
		}
		t.Prec = int16(a)
	case zset.Float8:
		switch {
		case a < 1:
			return t, zset.Errorf(codeBadParameter, pos, "precision for type float must be at least 1 bit")
		case a > maxFloatBits:
			return t, zset.Errorf(codeBadParameter, pos, "precision for type float must be less than 54 bits")
		case a <= floatSingleBits:
			return zset.TFloat4, nil
		}
	case zset.Timestamp, zset.TimestampTZ, zset.Time, zset.Interval:
		if a < 0 {
			return t, zset.Errorf(codeBadParameter, pos, "TIMESTAMP(%d) WITH TIME ZONE precision must not be negative", a)
		}
		t = zset.WithFraction(t.Kind, min(a, microsPrecision))
	}
	return t, nil
}

const maxInt16 = 1<<15 - 1

// typeLabel is the name of a column that is a cast of something without a name.
func typeLabel(n ast.TypeName) string {
	if row, ok := typeNames[n.Name]; ok {
		if t, err := TypeOf(n); err == nil && t.Kind == zset.Float4 {
			return "float4" // of FLOAT(24) too
		}
		return row.label
	}
	if _, ok := fieldsOf(n); ok {
		return "interval"
	}
	return n.Name
}
