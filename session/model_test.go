package session

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestTransactionModel runs random statements, in and outside of transactions,
// on a keyed table and a bag of the same rows, and compares with a map after
// every statement; a view follows by incremental refreshes.
func TestTransactionModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, err := Open("", Options{InMemory: true})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		s := e.Session()
		must := func(sql string) *Result {
			res, err := s.Run(context.Background(), sql)
			if err != nil {
				t.Fatalf("%s: %s", sql, describeError(err))
			}
			return res
		}
		both := func(sql string) {
			must(strings.ReplaceAll(sql, "%", "k"))
			must(strings.ReplaceAll(sql, "%", "b"))
		}
		both("CREATE TABLE %(id INT, n INT)")
		must("DROP TABLE k")
		must("CREATE TABLE k(id INT PRIMARY KEY, n INT)")
		must("CREATE MATERIALIZED VIEW v AS SELECT b.n, count(*) AS c FROM k JOIN b ON k.id = b.id GROUP BY b.n")
		now := map[int]int{}  // what the session sees
		then := map[int]int{} // what is committed
		steps := rapid.IntRange(1, 25).Draw(t, "steps")
		for range steps {
			a, n := rapid.IntRange(0, 8).Draw(t, "a"), rapid.IntRange(0, 3).Draw(t, "n")
			next := copyOf(now)
			switch op := rapid.IntRange(0, 7).Draw(t, "op"); op {
			case 0, 1:
				if _, live := now[a]; live {
					continue
				}
				both(fmt.Sprintf("INSERT INTO %% VALUES (%d, %d)", a, n))
				next[a] = n
			case 2:
				both(fmt.Sprintf("UPDATE %% SET n = n + 1 WHERE id = %d OR n = %d", a, n))
				for id, x := range now {
					if id == a || x == n {
						next[id] = x + 1
					}
				}
			case 3:
				both("UPDATE % SET id = id + 1")
				next = map[int]int{}
				for id, x := range now {
					next[id+1] = x
				}
			case 4:
				both(fmt.Sprintf("DELETE FROM %% WHERE id = %d", a))
				delete(next, a)
			case 5:
				both(fmt.Sprintf("DELETE FROM %% WHERE n > %d", n))
				for id, x := range now {
					if x > n {
						delete(next, id)
					}
				}
			case 6:
				if !s.InTransaction() {
					must("BEGIN")
				} else {
					must("COMMIT")
					then = now
				}
			case 7:
				if s.InTransaction() {
					must("ROLLBACK")
					next = then
				}
			}
			now = next
			if !s.InTransaction() {
				then = now
				must("REFRESH MATERIALIZED VIEW v INCREMENTAL")
				if rep, err := e.Verify(context.Background(), "v"); err != nil || !rep.Equal {
					t.Fatalf("view: %+v %v", rep, err)
				}
			}
			for table, from := range map[string]*Session{"k": s, "b": s, "k ": e.Session(), "b ": e.Session()} {
				want := now
				if from != s {
					want = then
				}
				if got := sorted(t, from, "SELECT id, n FROM "+table); got != pairs(want) {
					t.Fatalf("%s: got %s, wanted %s", table, got, pairs(want))
				}
			}
			if x, live := now[a]; live {
				if got := sorted(t, s, fmt.Sprintf("SELECT id, n FROM k WHERE id = %d", a)); got != fmt.Sprintf("%d|%d", a, x) {
					t.Fatalf("key %d: %s", a, got)
				}
			}
		}
	})
}

func copyOf(m map[int]int) map[int]int {
	out := map[int]int{}
	for k, v := range m {
		out[k] = v
	}
	return out
}

func pairs(m map[int]int) string {
	var out []string
	for k, v := range m {
		out = append(out, fmt.Sprintf("%d|%d", k, v))
	}
	sort.Strings(out)
	return strings.Join(out, " ")
}

func sorted(t *rapid.T, s *Session, sql string) string {
	res, err := s.Run(context.Background(), sql)
	if err != nil {
		t.Fatalf("%s: %s", sql, describeError(err))
	}
	out, err := cells(res.Rows)
	if err != nil {
		t.Fatalf("%s: %s", sql, describeError(err))
	}
	sort.Strings(out)
	return strings.Join(out, " ")
}
