package ivmc_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/ivmc/ivmc"
)

// TestOptionsPrint: options say what counts, defaults too.
func TestOptionsPrint(t *testing.T) {
	for got, want := range map[fmt.Stringer]string{
		&ivmc.ScheduleOptions{}: "workers=2 jitter=0s retry=1s max_retry=5m0s grace=0s",
		&ivmc.ScheduleOptions{Workers: 4, Retry: time.Minute, Grace: time.Second}: "workers=4 jitter=0s retry=1m0s max_retry=5m0s grace=1s",
		(*ivmc.ScheduleOptions)(nil): "workers=2 jitter=0s retry=1s max_retry=5m0s grace=0s",
		&ivmc.LoadOptions{}:          `format="by the ending" no_header=false null="" delimiter="," key=[] dir=""`,
		&ivmc.LoadOptions{Format: "csv", Null: "NA", Delimiter: '\t', Key: []string{"a", "b"}}: `format="csv" no_header=false null="NA" delimiter="\t" key=["a" "b"] dir=""`,
		ivmc.SubscribeOptions{}:                           "after=now rows=false",
		ivmc.SubscribeOptions{After: 7, Rows: true}:       "after=7 rows=true",
		ivmc.ConsumerOptions{}:                            "batch_rows=10000",
		ivmc.ExplainOptions{Format: "svg", Analyze: true}: `stage="delta, of a query the one that runs" format="svg" analyze=true line=0 column=0`,
	} {
		if got.String() != want {
			t.Errorf("%s, wanted %s", got, want)
		}
	}
}
