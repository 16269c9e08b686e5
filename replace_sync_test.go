package ivmc_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ivmc/ivmc"
)

// TestReplacedWhileWritten: a definition that is to move with commits takes its place
// with all that was written while it was computed, or the old one stands as it was.
func TestReplacedWhileWritten(t *testing.T) {
	var during atomic.Pointer[string] // what another writer does when a row is computed next
	var db *ivmc.DB
	step := ivmc.Func1("step", func(n int64) (int64, error) {
		if sql := during.Swap(nil); sql != nil {
			done := make(chan error)
			go func() {
				_, err := db.Exec(context.Background(), *sql)
				done <- err
			}()
			return n, <-done
		}
		return n, nil
	})
	for _, c := range []struct{ name, old, ddl string }{
		{"the same columns", "SELECT g, sum(n) AS n FROM t GROUP BY g", "CREATE OR REPLACE MATERIALIZED VIEW v REFRESH ON COMMIT AS SELECT g, sum(100 / step(n)) AS n FROM t GROUP BY g"},
		{"of no rows", "SELECT g, sum(n) AS n FROM t GROUP BY g HAVING sum(n) < 0", "CREATE OR REPLACE MATERIALIZED VIEW v REFRESH ON COMMIT AS SELECT g, sum(100 / step(n)) AS n FROM t GROUP BY g"},
		{"other columns", "SELECT g, n FROM t", "CREATE OR REPLACE MATERIALIZED VIEW v REFRESH ON COMMIT AS SELECT g, max(100 / step(n)) AS m, count(*) AS k FROM t GROUP BY g"},
		{"another trigger", "SELECT g, sum(100 / step(n)) AS n FROM t GROUP BY g", "ALTER MATERIALIZED VIEW v REFRESH ON COMMIT"},
	} {
		for _, bad := range []bool{false, true} {
			t.Run(fmt.Sprint(c.name, " ", bad), func(t *testing.T) {
				var err error
				if db, err = ivmc.Open("", &ivmc.Options{InMemory: true, Functions: []ivmc.Function{step}}); err != nil {
					t.Fatal(err)
				}
				defer db.Close()
				do := func(sql string) error {
					_, err := db.Exec(context.Background(), sql)
					return err
				}
				must := func(sql string) {
					t.Helper()
					if err := do(sql); err != nil {
						t.Fatalf("%s: %v", sql, err)
					}
				}
				show := func(sql string) string { return text(t, db, sql) }
				must("CREATE TABLE t(g TEXT, n BIGINT); INSERT INTO t VALUES ('a', 1), ('a', 2), ('b', 5), ('c', 10)")
				must("CREATE MATERIALIZED VIEW v AS " + c.old)
				must("INSERT INTO t VALUES ('d', 20)")
				before, made := show("SELECT * FROM v ORDER BY 1, 2"), show("SHOW CREATE MATERIALIZED VIEW v")
				sql := "INSERT INTO t VALUES ('b', 4), ('e', 25), ('a', 1); DELETE FROM t WHERE g = 'c'; UPDATE t SET n = 4 WHERE g = 'a' AND n = 2"
				if bad {
					sql += "; INSERT INTO t VALUES ('x', 0)"
				}
				during.Store(&sql)
				err = do(c.ddl)
				if during.Load() != nil {
					t.Fatal("nothing was written meanwhile")
				}
				if bad {
					if err == nil || !strings.Contains(err.Error(), "22012") {
						t.Fatalf("error %v", err)
					}
					if got := show("SHOW CREATE MATERIALIZED VIEW v"); got != made {
						t.Fatalf("the definition is %s", got)
					}
					if got := show("SELECT * FROM v ORDER BY 1, 2"); got != before && !strings.HasPrefix(c.ddl, "ALTER") {
						t.Fatalf("the rows are\n%s\nand were\n%s", got, before)
					}
					must("DELETE FROM t WHERE n = 0; REFRESH MATERIALIZED VIEW v INCREMENTAL")
				} else if err != nil {
					t.Fatal(err)
				}
				if got := show("VERIFY MATERIALIZED VIEW v"); got != "" {
					t.Fatalf("it is not its definition: %s", got)
				}
				must("INSERT INTO t VALUES ('a', 50), ('z', 7); DELETE FROM t WHERE g = 'b'")
				if bad {
					must("REFRESH MATERIALIZED VIEW v INCREMENTAL")
				}
				if got := show("VERIFY MATERIALIZED VIEW v"); got != "" {
					t.Fatalf("it is not its definition later on: %s", got)
				}
				if want := show("SELECT count(DISTINCT g) FROM t"); !bad && show("SELECT count(DISTINCT g) FROM v") != want {
					t.Fatalf("it did not move with the commit: %s", show("SELECT * FROM v"))
				}
			})
		}
	}
}
