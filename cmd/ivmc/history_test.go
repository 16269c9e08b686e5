package main

import (
	"slices"
	"testing"
)

// TestEntries: a statement is one entry of one line that means the same; where a
// line end stands within quotes it is as many as it has lines.
func TestEntries(t *testing.T) {
	for _, c := range []struct {
		lines, want []string
		open        []bool
	}{
		{[]string{"SELECT 1"}, []string{"SELECT 1"}, []bool{false}},
		{[]string{"SELECT 1 -- one", ", 2;"}, []string{"SELECT 1 /* one */ , 2;"}, []bool{false, false}},
		{[]string{"SELECT '--', \"--\" -- 'it''s", "FROM t; -- end"}, []string{"SELECT '--', \"--\" /* 'it''s */ FROM t; -- end"}, []bool{false, false}},
		{[]string{"SELECT 1 -- a /* b", ";"}, []string{"SELECT 1 ;"}, []bool{false, false}},
		{[]string{"SELECT 1 /* -- no */ -- */", ";"}, []string{"SELECT 1 /* -- no */ ;"}, []bool{false, false}},
		{[]string{"SELECT $$--$$, 5 --", ";"}, []string{"SELECT $$--$$, 5 /* */ ;"}, []bool{false, false}},
		{[]string{"SELECT 'a", "b';"}, []string{"SELECT 'a", "b';"}, []bool{true, false}},
	} {
		if got := entriesOf(c.lines, c.open); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, wanted %q", c.lines, got, c.want)
		}
	}
}
