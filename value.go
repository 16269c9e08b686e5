package ivmc

import (
	"time"

	"github.com/ivmc/ivmc/zset"
)

// valueOf is cell i of col as a Go value, see [Row.Value]; what is a string is
// as psql prints it in zone z.
func valueOf(col *zset.Column, i int, z *zset.Zone) any {
	if col.IsNull(i) {
		return nil
	}
	switch k := col.Type.Kind; k {
	case zset.Bool:
		return col.I64[i] != 0
	case zset.Int2, zset.Int4, zset.Int8:
		return col.I64[i]
	case zset.Float4, zset.Float8:
		return col.F64[i]
	case zset.Bytea:
		return append([]byte{}, col.Bytes(i)...)
	case zset.Date, zset.Timestamp, zset.TimestampTZ:
		v := col.I64[i]
		switch {
		case v == zset.PosInf || v == zset.NegInf:
		case k == zset.Date:
			return time.Unix(v*86400, 0).UTC()
		default:
			return time.UnixMicro(v).UTC()
		}
	}
	return string(zset.AppendTextIn(nil, col, i, z))
}
