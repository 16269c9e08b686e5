package session

import (
	"strings"
	"testing"
)

// TestDriftingFunctions: what could never be followed says so, and what to do instead.
func TestDriftingFunctions(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, sales)
	for call, word := range map[string]string{"random()": "Store the value", "clock_timestamp()": "Store the value", "nextval('s')": "Store the value",
		"current_user": "who asks", "version()": "ivmc version", "current_catalog": "no name", "nothing(1)": "No function matches"} {
		if e := fails(t, s, "CREATE MATERIALIZED VIEW v AS SELECT shop, "+call+" AS x FROM sale", "42883"); !strings.Contains(e.Hint, word) {
			t.Errorf("%s: %q", call, e.Hint)
		}
	}
}
