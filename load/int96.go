package load

import (
	"encoding/binary"
	"time"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"

	"github.com/ivmc/ivmc/zset"
)

// julianEpoch is 1970-01-01 as a day of the Julian count, and nanoDays the days around
// it that 64 bits of nanoseconds reach: to 1677 and 2262.
const (
	julianEpoch = 2440588
	nanoDays    = 106751
)

// checkInt96 refuses times of the old kind, a day and the nanoseconds in it, that the
// library turns into others: it counts nanoseconds from 1970 in 64 bits, and goes
// round. 9999-12-31 came back as a day of 1816.
func checkInt96(pf *file.Reader, mem *claims) error {
	for g := range pf.NumRowGroups() {
		group := pf.RowGroup(g)
		for c := range group.NumColumns() {
			if pf.MetaData().Schema.Column(c).PhysicalType() != parquet.Types.Int96 {
				continue
			}
			mem.taken = 0
			column, err := group.Column(c)
			if err != nil {
				return badFile("damaged parquet file: %v", err)
			}
			r, ok := column.(*file.Int96ColumnChunkReader)
			values, def, rep := make([]parquet.Int96, 1<<12), make([]int16, 1<<12), make([]int16, 1<<12)
			for ok && r.HasNext() {
				mem.taken = 0
				levels, n, err := r.ReadBatch(int64(len(values)), values, def, rep)
				if err != nil {
					return badFile("damaged parquet file: %v", err)
				}
				if levels == 0 {
					break
				}
				for _, v := range values[:n] {
					nanos, day := binary.LittleEndian.Uint64(v[:]), int64(binary.LittleEndian.Uint32(v[8:]))-julianEpoch
					if day < -nanoDays || day >= nanoDays || nanos >= uint64(24*time.Hour) {
						e := zset.Errorf("22008", -1, "column %q of the parquet file has an INT96 time before 1677 or after 2262, which cannot be read", column.Descriptor().Name())
						e.Hint = "Write the column as a TIMESTAMP of microseconds."
						return e
					}
				}
			}
		}
	}
	return nil
}
