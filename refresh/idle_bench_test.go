package refresh_test

import (
	"fmt"
	"testing"

	"github.com/ivmc/ivmc/refresh"
	"github.com/ivmc/ivmc/storage"
)

// BenchmarkIdleCascade is a refresh of 1000 views on 10 tables where nothing is pending.
func BenchmarkIdleCascade(b *testing.B) {
	d := newDB(&testing.T{})
	defer d.store.Close()
	for i := range 10 {
		d.table(fmt.Sprintf("t%d", i))
	}
	var ids []storage.ID
	for i := range 1000 {
		ids = append(ids, d.view(fmt.Sprintf("v%d", i), fmt.Sprintf("SELECT k, sum(v) AS v FROM t%d GROUP BY k", i%10)))
	}
	d.cascade(ctx, refresh.Auto, ids...)
	for b.Loop() {
		d.cascade(ctx, refresh.Auto, ids...)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000/1000, "us/view")
}
