package session

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

// BenchmarkLog is a window of 1 000 changes in a log of 10 million, and the first
// row of the image of 1 000 changes ago of 3 million rows. It wants 2 GB.
func BenchmarkLog(b *testing.B) {
	e := newEngine(b)
	s := e.Session()
	values := func(n int) string {
		var parts []string
		for i := range n {
			parts = append(parts, fmt.Sprintf("(%d)", i))
		}
		return strings.Join(parts, ",")
	}
	do(b, s, "CREATE TABLE d(i BIGINT);\nINSERT INTO d VALUES "+values(3000)+";\nCREATE TABLE t(id BIGINT PRIMARY KEY, v BIGINT);\nINSERT INTO t SELECT x.i * 1000 + y.i, 0 FROM d x CROSS JOIN d y WHERE y.i < 1000")
	for i := range 7 {
		do(b, s, fmt.Sprintf("UPDATE t SET v = v + 1 WHERE id < 1000000 AND %d = %d", i, i))
	}
	do(b, s, "CREATE STREAM s ON TABLE t")
	lo := e.store.Applied()
	for i := range 10 {
		do(b, s, fmt.Sprintf("UPDATE t SET v = v + 1 WHERE id BETWEEN %d AND %d", i*100000, i*100000+99))
	}
	read := func(b *testing.B, query string, first bool) {
		var best time.Duration
		for range b.N {
			start := time.Now()
			res, err := s.Run(context.Background(), query)
			if err != nil {
				b.Fatal(describeError(err))
			}
			for n := 0; ; n++ {
				if _, err := res.Rows.Next(context.Background()); err != nil || first {
					break
				}
			}
			if d := time.Since(start); best == 0 || d < best {
				best = d
			}
			res.Rows.Close()
		}
		b.ReportMetric(float64(best.Microseconds())/1000, "ms-best")
	}
	for _, mode := range []string{"min_delta", "detail"} {
		b.Run("window/"+mode, func(b *testing.B) {
			read(b, fmt.Sprintf("SELECT * FROM t@incr('startTSO' = '%d', 'incrementType' = '%s')", lo+1, mode), false)
		})
	}
	b.Run("stream", func(b *testing.B) { read(b, "SELECT * FROM s", false) })
	b.Run("image/first row", func(b *testing.B) { read(b, fmt.Sprintf("SELECT * FROM t FOR VERSION AS OF %d", lo), true) })
}
