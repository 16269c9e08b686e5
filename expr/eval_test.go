package expr

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/ivmc/ivmc/zset"
)

// answer evaluates a constant expression without folding it and prints type
// and value, or SQLSTATE and message, as testdata/eval shows them.
func answer(text, zone string) string {
	z, err := zset.SessionZone(zone)
	if err != nil {
		return describe(err)
	}
	e, err := readExpr(text, nil)
	if err == nil {
		e = e.Freeze(1_700_000_000_000_000).InZone(zone)
		var v zset.Value
		if v, err = constantOf(e, nil); err == nil {
			if v.Null {
				return e.Typ.String() + " | NULL"
			}
			return e.Typ.String() + " | " + v.TextIn(z)
		}
	}
	return describe(err)
}

func describe(err error) string {
	var ze *zset.Error
	if !errors.As(err, &ze) {
		return "no SQLSTATE: " + err.Error()
	}
	return ze.Code + " | " + ze.Msg
}

// TestEval: each line of input is an expression. The answers are those of
// PostgreSQL 15, but for the file of differences.
func TestEval(t *testing.T) {
	datadriven.Walk(t, "testdata/eval", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			zone := "UTC"
			d.MaybeScanArgs(t, "zone", &zone)
			var b strings.Builder
			for _, line := range strings.Split(d.Input, "\n") {
				if line != "" {
					fmt.Fprintln(&b, answer(line, zone))
				}
			}
			return b.String()
		})
	})
}
