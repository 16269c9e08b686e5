package ivmc_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// TestReader: records own their memory; a reader goes on after its session and
// after later commits, and shows what was there.
func TestReader(t *testing.T) {
	db := open(t)
	ctx := context.Background()
	exec(t, db, "CREATE TABLE t(a BIGINT PRIMARY KEY, s TEXT, d DECIMAL(6,2), at TIMESTAMP, day DATE, o BOOLEAN)")
	exec(t, db, "INSERT INTO t VALUES (1, 'x', 1.25, '2024-02-29 12:00:00', '2024-02-29', true), (2, NULL, NULL, NULL, NULL, NULL)")
	r, err := db.Query(ctx, "SELECT a, s, d, at, day, o FROM t ORDER BY a")
	if err != nil {
		t.Fatal(err)
	}
	exec(t, db, "DELETE FROM t")
	want := "schema:\n  fields: 6\n    - a: type=int64\n    - s: type=utf8, nullable\n    - d: type=decimal(6, 2), nullable\n    - at: type=timestamp[us], nullable\n    - day: type=date32, nullable\n    - o: type=bool, nullable"
	if got := r.Schema().String(); got != want {
		t.Errorf("schema\n%s\nwanted\n%s", got, want)
	}
	var recs []arrow.Record
	for r.Next() {
		rec := r.Record()
		rec.Retain()
		recs = append(recs, rec)
	}
	if r.Err() != nil || r.Next() {
		t.Errorf("end: %v", r.Err())
	}
	r.Release()
	if len(recs) != 1 || recs[0].NumRows() != 2 {
		t.Fatalf("records: %v", recs)
	}
	if got := fmt.Sprint(recs[0].Column(0), recs[0].Column(1), recs[0].Column(5)); got != `[1 2] ["x" (null)] [true (null)]` {
		t.Errorf("cells: %s", got)
	}
	recs[0].Release()
	r, err = db.Query(ctx, "SELECT 1 / (a - 1) FROM (SELECT 1 AS a) AS x")
	if err == nil {
		for r.Next() {
		}
		err = r.Err()
		r.Release()
	}
	wantError(t, err, "22012")
}

func flights(t testing.TB, ids ...int64) arrow.Record {
	t.Helper()
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "delay", Type: arrow.PrimitiveTypes.Int64}, {Name: "__op", Type: arrow.PrimitiveTypes.Int8}}, nil))
	defer b.Release()
	for _, id := range ids {
		op := int8(2)
		if id < 0 {
			op, id = 1, -id
		}
		b.Field(0).(*array.Int64Builder).Append(id)
		b.Field(1).(*array.Int64Builder).Append(id * 10)
		b.Field(2).(*array.Int8Builder).Append(op)
	}
	return b.NewRecord()
}
