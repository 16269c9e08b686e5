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
func TestStreamsFollow(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		e := newEngine(t)
		defer e.Close()
		s, other := e.Session(), e.Session()
		do(t, s, `CREATE TABLE k(id INT PRIMARY KEY, v INT);
CREATE TABLE u(id INT, v INT) UNIQUE KEY(id);
CREATE TABLE b(id INT, v INT);
CREATE MATERIALIZED VIEW m AS SELECT v, count(*) AS id FROM k GROUP BY v;
CREATE TABLE sink(op TEXT, id BIGINT, v INT);
`)
		bases := map[string]string{} // by stream
		for _, base := range []string{"k", "u", "b", "m"} {
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
		added := map[string]bool{}
		pending := func(s *Session, name string) string {
			return rows(t, s, "SELECT __DORIS_STREAM_CHANGE_TYPE_COL__, * FROM "+name)
		}
		small := rapid.IntRange(0, 5)
		write := func() {
			base := rapid.SampledFrom([]string{"k", "u", "b"}).Draw(r, "table")
			id, v := small.Draw(r, "id"), small.Draw(r, "v")
			text := ""
			switch rapid.IntRange(0, 10).Draw(r, "write") {
			case 0, 1, 2:
				text = fmt.Sprintf("INSERT INTO %s(id, v) VALUES (%d, %d), (%d, %d)", base, id, v, id+6, v)
			case 3:
				text = fmt.Sprintf("UPDATE %s SET v = %d WHERE id < %d", base, v, id)
			case 4:
				text = fmt.Sprintf("UPDATE %s SET id = id + %d", base, v)
			case 5:
				text = fmt.Sprintf("DELETE FROM %s WHERE id = %d OR v = %d", base, id, v)
			case 6:
				text = "TRUNCATE " + base
			case 7:
				text = fmt.Sprintf("INSERT INTO k(id, v) VALUES (%d, %d) ON CONFLICT (id) DO UPDATE SET v = excluded.v", id, v)
			case 8:
				text = fmt.Sprintf("UPDATE %s SET v = v / (id - %d)", base, id)
			case 9:
				if s.InTransaction() {
					return
				}
				text = "REFRESH MATERIALIZED VIEW m " + rapid.SampledFrom([]string{"INCREMENTAL", "COMPLETE"}).Draw(r, "mode")
			case 10:
				if s.InTransaction() || added[base] {
					return
				}
				added[base] = true
				text = "ALTER TABLE " + base + " ADD COLUMN w INT DEFAULT 3"
			}
			_, _ = s.Run(context.Background(), text) // those that fail change nothing
		}
		for range rapid.IntRange(4, 14).Draw(r, "steps") {
			switch rapid.IntRange(0, 3).Draw(r, "step") {
			case 0:
				write()
			case 1:
				do(t, s, "BEGIN")
				for range rapid.IntRange(1, 4).Draw(r, "writes") {
					write()
				}
				_, _ = s.Run(context.Background(), rapid.SampledFrom([]string{"COMMIT", "ROLLBACK"}).Draw(r, "end"))
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
