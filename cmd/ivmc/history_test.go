package main

import (
	"testing"
)

// TestEntry: a statement is an entry of one line that means the same; where a
// line end stands within quotes it is none.
func TestEntry(t *testing.T) {
	for _, c := range []struct {
		lines []string
		want  string
		open  string
	}{
		{[]string{"SELECT 1"}, "SELECT 1", "\x00"},
		{[]string{"SELECT 1 -- one", ", 2;"}, "SELECT 1 /* one */ , 2;", "\x00\x00"},
		{[]string{"SELECT '--', \"--\" -- 'it''s", "FROM t; -- end"}, "SELECT '--', \"--\" /* 'it''s */ FROM t; -- end", "\x00\x00"},
		{[]string{"SELECT 1 -- a /* b", ";"}, "SELECT 1 ;", "\x00\x00"},
		{[]string{"SELECT 1 /* -- no */ -- */", ";"}, "SELECT 1 /* -- no */ ;", "\x00\x00"},
		{[]string{"SELECT $$--$$, 5 --", ";"}, "SELECT $$--$$, 5 /* */ ;", "\x00\x00"},
		{[]string{"SELECT 'a", "b';"}, "", "'\x00"},
		{[]string{"SELECT /* -- a", "b */ 1 -- c", ";"}, "SELECT /* -- a b */ 1 /* c */ ;", "*\x00\x00"},
	} {
		if got := entryOf(c.lines, []byte(c.open)); got != c.want {
			t.Errorf("%q: %q, wanted %q", c.lines, got, c.want)
		}
	}
}
