package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// bag counts rows.
type bag map[string]int

func bagOf(rows string) bag {
	b := bag{}
	if rows != "" {
		for _, r := range strings.Split(rows, "\n") {
			b[r]++
		}
	}
	return b
}

// apply adds changes, whose first column says what they are.
func (b bag) apply(changes string) bag {
	if changes == "" {
		return b
	}
	for _, r := range strings.Split(changes, "\n") {
		op, row, _ := strings.Cut(r, "|")
		n := 1
		if op == "DELETE" || op == "UPDATE_BEFORE" {
			n = -1
		}
		if b[row] += n; b[row] == 0 {
			delete(b, row)
		}
	}
	return b
}

// TestStreamsFollow: whatever happens to the base, what a stream had at its offset
// and its changes make the rows of now; and each change is handed over once.
func TestStreamsFollow(tt *testing.T) {
	rapid.Check(tt, func(r *rapid.T) {
		t := drawn{tt, r}
		e := newEngine(t)
		defer e.Close()
		s, other := e.Session(), e.Session()
		do(t, s, historyTables+"CREATE TABLE sink(op TEXT, id BIGINT, v INT)")
		h := &history{T: r, added: map[string][]string{}}
		bases := map[string]string{} // by stream
		for _, base := range []string{"k", "u", "c", "b", "m", "j"} {
			for _, typ := range []string{"min_delta", "detail"} {
				name := base + "_" + typ
				bases[name] = base
				do(t, s, fmt.Sprintf("CREATE STREAM %s ON TABLE %s PROPERTIES('type' = '%s', 'show_initial_rows' = '%t')", name, base, typ, rapid.Bool().Draw(r, "initial")))
			}
		}
		streams := make([]string, 0, len(bases))
		for name := range bases {
			streams = append(streams, name)
		}
		slices.Sort(streams)
		pending := func(s *Session, name string) string {
			return rows(t, s, "SELECT __DORIS_STREAM_CHANGE_TYPE_COL__, * FROM "+name)
		}
		run := func(texts ...string) { // those that fail change nothing
			for _, text := range texts {
				if res, err := s.Run(context.Background(), text); err == nil && res.Rows != nil {
					res.Rows.Close()
				}
			}
		}
		for range rapid.IntRange(4, 14).Draw(r, "steps") {
			switch rapid.IntRange(0, 4).Draw(r, "step") {
			case 0:
				run(h.one(historyWrites))
			case 1:
				run(h.transaction()...)
			case 4:
				run(h.one(historyAlone))
			case 2:
				name := rapid.SampledFrom(streams).Draw(r, "consumer")
				wanted := bagOf(rows(t, s, "SELECT __DORIS_STREAM_CHANGE_TYPE_COL__, id, v FROM "+name))
				do(t, s, "DELETE FROM sink")
				insert := "INSERT INTO sink SELECT __DORIS_STREAM_CHANGE_TYPE_COL__, id, v FROM " + name
				switch rapid.IntRange(0, 2).Draw(r, "how") {
				case 0:
					do(t, s, insert)
				case 1:
					do(t, s, "BEGIN;\n"+insert+";\nROLLBACK;\nBEGIN;\n"+insert+";\nCOMMIT")
				case 2: // a race
					do(t, other, "BEGIN;\n"+insert)
					do(t, s, insert)
					if _, err := other.Run(context.Background(), "COMMIT"); err == nil && len(wanted) > 0 {
						t.Fatalf("%s was consumed twice", name)
					}
				}
				if got := bagOf(rows(t, s, "SELECT * FROM sink")); fmt.Sprint(got) != fmt.Sprint(wanted) {
					t.Fatalf("%s gave %v, pending was %v", name, got, wanted)
				}
				if left := pending(s, name); left != "" {
					t.Fatalf("%s was consumed, but has %s", name, left)
				}
			case 3:
				name := rapid.SampledFrom(streams).Draw(r, "reset")
				do(t, s, "INSERT INTO sink(op) SELECT 'x' FROM "+name+"@reset()")
			}
			for _, name := range streams {
				then := rows(t, s, "SELECT * FROM "+name+"@snapshot()")
				changes := pending(s, name)
				now := rows(t, s, "SELECT * FROM "+bases[name])
				if got, want := bagOf(then).apply(changes), bagOf(now); fmt.Sprint(got) != fmt.Sprint(want) {
					t.Fatalf("%s: the rows\n%s\nand the changes\n%s\nare not\n%s", name, then, changes, now)
				}
			}
		}
	})
}
