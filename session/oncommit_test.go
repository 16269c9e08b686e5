package session

import (
	"context"
	"fmt"
	"math/rand"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ivmc/ivmc/storage"
)

const ledger = `CREATE TABLE acct (id INT PRIMARY KEY, owner TEXT, d INT);
CREATE TABLE mv (acct INT, amount INT);
CREATE MATERIALIZED VIEW bal REFRESH INCREMENTAL ON COMMIT SYNC AS SELECT a.owner, sum(m.amount / a.d) AS total, count(*) AS n FROM acct a JOIN mv m ON m.acct = a.id GROUP BY a.owner;
CREATE MATERIALIZED VIEW rich REFRESH ON COMMIT SYNC AS SELECT owner, total FROM bal WHERE total > 10;
CREATE MATERIALIZED VIEW owners REFRESH ON COMMIT AS SELECT DISTINCT owner, (SELECT count(*) FROM mv) AS k FROM acct;
`

var ledgerViews = map[string]string{
	"bal":    "SELECT a.owner, sum(m.amount / a.d) AS total, count(*) AS n FROM acct a JOIN mv m ON m.acct = a.id GROUP BY a.owner",
	"rich":   "SELECT owner, total FROM (SELECT a.owner, sum(m.amount / a.d) AS total FROM acct a JOIN mv m ON m.acct = a.id GROUP BY a.owner) x WHERE total > 10",
	"owners": "SELECT DISTINCT owner, (SELECT count(*) FROM mv) AS k FROM acct",
}

// sameAsQuery compares views with their queries, at one moment.
func sameAsQuery(t *testing.T, s *Session) {
	t.Helper()
	do(t, s, "BEGIN")
	defer do(t, s, "COMMIT")
	for view, query := range ledgerViews {
		cols := map[string]string{"bal": "1, 2, 3", "rich": "1, 2", "owners": "1, 2"}[view]
		if got, want := rows(t, s, "SELECT * FROM "+view+" ORDER BY "+cols), rows(t, s, "SELECT * FROM ("+query+") q ORDER BY "+cols); got != want {
			t.Fatalf("%s is\n%s\nand its query\n%s", view, got, want)
		}
	}
}

func TestOnCommitSync(t *testing.T) {
	e := newEngine(t)
	s := e.Session()
	do(t, s, ledger)
	do(t, s, "BEGIN")
	do(t, s, "INSERT INTO acct VALUES (1, 'ann', 1), (2, 'bob', 2)")
	do(t, s, "INSERT INTO mv VALUES (1, 20), (2, 30), (2, 5)")
	is(t, "before", rows(t, s, "SELECT count(*) FROM bal"), "0")
	res := do(t, s, "COMMIT")
	is(t, "after", rows(t, s, "SELECT * FROM bal ORDER BY owner"), "ann|20|1\nbob|17|2")
	is(t, "chain", rows(t, s, "SELECT * FROM rich ORDER BY owner"), "ann|20\nbob|17")
	for _, name := range []string{"bal", "rich", "owners", "mv"} {
		obj, _ := e.store.Catalog().ByName(name)
		rel, err := e.store.Relation(obj.ID)
		if err != nil {
			t.Fatal(err)
		}
		is(t, name+" at the TSO of the commit", rel.LastChange(e.store.Applied()), res.TSO)
	}
	const told = "SELECT view_name, status, planned_mode, executed_mode, rows_out FROM information_schema.refresh_history WHERE trigger = 'COMMIT' AND view_name IN ('bal', 'rich') ORDER BY task_id"
	is(t, "history", rows(t, s, told), "bal|SUCCESS|INCREMENTAL|INCREMENTAL|2\nrich|SUCCESS|INCREMENTAL|INCREMENTAL|2")
	// A view that cannot follow fails the commit, by name, and nothing is there.
	before := e.store.Applied()
	do(t, s, "BEGIN")
	do(t, s, "INSERT INTO acct VALUES (3, 'cyd', 0)")
	do(t, s, "INSERT INTO mv VALUES (3, 1)")
	err := fails(t, s, "COMMIT", "22012")
	if !strings.Contains(err.Error(), `materialized view "bal", which is refreshed ON COMMIT: division by zero`) {
		t.Fatal(err)
	}
	is(t, "nothing", rows(t, s, "SELECT (SELECT count(*) FROM acct), (SELECT count(*) FROM mv)"), "2|3")
	is(t, "no TSO", e.store.Applied(), before)
	sameAsQuery(t, s)
	do(t, s, "INSERT INTO acct VALUES (3, 'cyd', 3)")
	do(t, s, "INSERT INTO mv VALUES (3, 90)")
	sameAsQuery(t, s)
	// Another writer in between: what lost leaves nothing in the views.
	other := e.Session()
	do(t, s, "BEGIN")
	do(t, s, "UPDATE acct SET owner = 'dan' WHERE id = 1")
	do(t, other, "UPDATE acct SET owner = 'eve' WHERE id = 1")
	fails(t, s, "COMMIT", "40001")
	sameAsQuery(t, s)
	do(t, s, "TRUNCATE mv")
	sameAsQuery(t, s)
}

func TestOnCommitRules(t *testing.T) {
	e := newEngine(t)
	s := e.Session()
	do(t, s, ledger)
	fails(t, s, "CREATE MATERIALIZED VIEW x REFRESH ON COMMIT AS SELECT id FROM acct ORDER BY id OFFSET 1", "0A000")
	fails(t, s, "CREATE MATERIALIZED VIEW x REFRESH COMPLETE ON COMMIT AS SELECT id FROM acct", "0A000")
	do(t, s, "CREATE MATERIALIZED VIEW lazy AS SELECT id FROM acct")
	fails(t, s, "CREATE MATERIALIZED VIEW x REFRESH ON COMMIT AS SELECT id FROM lazy", "0A000")
	fails(t, s, "ALTER MATERIALIZED VIEW bal REFRESH ON MANUAL", "2BP01")
	fails(t, s, "CREATE OR REPLACE MATERIALIZED VIEW bal AS SELECT owner, 1::bigint AS total, 1::bigint AS n FROM acct", "2BP01")
	fails(t, s, "PAUSE MATERIALIZED VIEW JOB ON bal", "55000")
	do(t, s, "INSERT INTO acct VALUES (1, 'a', 1)")
	is(t, "lazy", rows(t, s, "SELECT count(*) FROM lazy"), "0")
	do(t, s, "ALTER MATERIALIZED VIEW lazy REFRESH ON COMMIT")
	is(t, "caught up", rows(t, s, "SELECT count(*) FROM lazy"), "1")
	do(t, s, "INSERT INTO acct VALUES (2, 'b', 1)")
	is(t, "follows", rows(t, s, "SELECT count(*) FROM lazy"), "2")
	do(t, s, "CREATE MATERIALIZED VIEW late BUILD DEFERRED REFRESH ON COMMIT AS SELECT id FROM acct")
	do(t, s, "INSERT INTO acct VALUES (3, 'c', 1)")
	do(t, s, "REFRESH MATERIALIZED VIEW late")
	do(t, s, "INSERT INTO acct VALUES (4, 'd', 1)")
	is(t, "deferred", rows(t, s, "SELECT count(*) FROM late"), "4")
	// A view that others move with keeps its definition.
	const other = "CREATE OR REPLACE MATERIALIZED VIEW bal REFRESH ON COMMIT AS SELECT owner, 99::bigint AS total, 1::bigint AS n FROM acct"
	fails(t, s, other, "2BP01")
	do(t, s, "ALTER MATERIALIZED VIEW rich REFRESH ON MANUAL")
	do(t, s, other)
	do(t, s, "ALTER MATERIALIZED VIEW rich REFRESH ON COMMIT")
	is(t, "replaced", rows(t, s, "SELECT count(*), min(total) FROM rich"), "4|99")
	do(t, s, "ALTER MATERIALIZED VIEW lazy REFRESH ON MANUAL")
	do(t, s, "INSERT INTO acct VALUES (5, 'e', 1)")
	is(t, "stays", rows(t, s, "SELECT count(*) FROM lazy"), "4")
	is(t, "shown", strings.Contains(rows(t, s, "SHOW CREATE MATERIALIZED VIEW rich"), "REFRESH AUTO ON COMMIT SYNC AS"), true)
	// It follows all that it reads.
	const half = `CREATE MATERIALIZED VIEW half REFRESH %s PROPERTIES ("excluded_trigger_tables" = "acct") AS SELECT a.id, m.amount FROM acct a JOIN mv m ON m.acct = a.id`
	fails(t, s, fmt.Sprintf(half, "ON COMMIT"), "0A000")
	do(t, s, fmt.Sprintf(half, "ON COMMIT ASYNC"))
	fails(t, s, "ALTER MATERIALIZED VIEW half REFRESH ON COMMIT", "0A000")
	fails(t, s, `ALTER MATERIALIZED VIEW rich SET ("excluded_trigger_tables" = "acct")`, "0A000")
}

// TestOnCommitRefused: a view that cannot follow does not begin to, and stands in
// nobody's way.
func TestOnCommitRefused(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, `CREATE TABLE d(k INT PRIMARY KEY, w INT);
CREATE MATERIALIZED VIEW v AS SELECT k, 10 / w AS q FROM d;
INSERT INTO d VALUES (1, 0)`)
	fails(t, s, "ALTER MATERIALIZED VIEW v REFRESH ON COMMIT", "22012")
	is(t, "manual", rows(t, s, "SHOW CREATE MATERIALIZED VIEW v"), "v|CREATE MATERIALIZED VIEW v AS SELECT k, 10 / w AS q FROM d")
	do(t, s, "INSERT INTO d VALUES (2, 5)")
	do(t, s, "DELETE FROM d WHERE w = 0")
	do(t, s, "ALTER MATERIALIZED VIEW v REFRESH ON COMMIT")
	is(t, "up", rows(t, s, "SELECT * FROM v"), "2|2")
	fails(t, s, "INSERT INTO d VALUES (3, 0)", "22012")
	is(t, "the table", rows(t, s, "SELECT count(*) FROM d"), "1")
}

// TestNotPopulated: a view is not made of one that was never filled.
func TestNotPopulated(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, `CREATE TABLE t(g INT);
INSERT INTO t VALUES (1);
CREATE MATERIALIZED VIEW z BUILD DEFERRED AS SELECT g FROM t;
CREATE MATERIALIZED VIEW y BUILD DEFERRED AS SELECT count(*) AS n FROM z`)
	for _, mode := range []string{"", " INCREMENTAL", " COMPLETE"} {
		fails(t, s, "REFRESH MATERIALIZED VIEW y"+mode, "55000")
	}
	fails(t, s, "REFRESH MATERIALIZED VIEW y INCREMENTAL WITH DRY RUN", "55000")
	fails(t, s, "EXPLAIN REFRESH MATERIALIZED VIEW y", "55000")
	do(t, s, "REFRESH MATERIALIZED VIEW y CASCADE")
	is(t, "both", rows(t, s, "SELECT n FROM y"), "1")
}

// TestOnCommitWorlds runs random transactions, some of which a view refuses, beside
// readers and a view that is refreshed as it pleases, and compares after each.
func TestOnCommitWorlds(t *testing.T) {
	n, seeds := 150, int64(1)
	if !testing.Short() {
		n, seeds = 600, 6
	}
	for seed := range seeds {
		rnd := rand.New(rand.NewSource(seed))
		fs := vfs.NewMem()
		e, err := Open("db", Options{FS: fs})
		if err != nil {
			t.Fatal(err)
		}
		s := e.Session()
		do(t, s, ledger)
		do(t, s, "CREATE MATERIALIZED VIEW side AS SELECT m.acct, a.owner, m.amount FROM mv m LEFT JOIN acct a ON a.id = m.acct")
		stop := make(chan struct{})
		var wg sync.WaitGroup
		reading := func() {
			wg.Add(1)
			go func() {
				defer wg.Done()
				r := e.Session()
				for {
					select {
					case <-stop:
						return
					default:
					}
					if _, err := r.Run(context.Background(), "REFRESH MATERIALIZED VIEW side"); err != nil {
						t.Error(err)
						return
					}
					sameAsQuery(t, r)
				}
			}()
		}
		reading()
		refused, made := 0, 0
		for i := range n {
			do(t, s, "BEGIN")
			for range 1 + rnd.Intn(4) {
				id := rnd.Intn(12)
				switch rnd.Intn(7) {
				case 0:
					do(t, s, fmt.Sprintf("INSERT INTO acct VALUES (%d, 'o%d', %d) ON CONFLICT (id) DO UPDATE SET d = %[3]d, owner = 'o%[2]d'", id, rnd.Intn(5), 1+rnd.Intn(3)))
				case 1:
					do(t, s, fmt.Sprintf("INSERT INTO acct VALUES (%d, NULL, %d) ON CONFLICT (id) DO UPDATE SET d = %[2]d", id, rnd.Intn(4))) // 0 divides
				case 2:
					do(t, s, fmt.Sprintf("DELETE FROM acct WHERE id = %d", id))
				case 3:
					do(t, s, fmt.Sprintf("DELETE FROM mv WHERE acct = %d AND amount < %d", id, rnd.Intn(50)))
				case 4:
					do(t, s, fmt.Sprintf("UPDATE mv SET amount = amount + 1 WHERE acct = %d", id))
				default:
					var list []string
					for g := range 1 + rnd.Intn(40) {
						list = append(list, fmt.Sprintf("(%d, %d)", id, g))
					}
					do(t, s, "INSERT INTO mv VALUES "+strings.Join(list, ", "))
				}
			}
			_, err := s.Run(context.Background(), "COMMIT")
			switch {
			case err == nil:
				made++
			case All(err)[0].Code == "22012":
				refused++
			default:
				t.Fatal(err)
			}
			if i%5 == 0 || err != nil {
				sameAsQuery(t, s)
			}
			if i%60 == 59 {
				close(stop)
				wg.Wait()
				for view := range ledgerViews {
					if rep, err := e.Verify(context.Background(), view); err != nil || !rep.Equal {
						t.Fatal(view, rep, err)
					}
				}
				if err := e.Close(); err != nil {
					t.Fatal(err)
				}
				if e, err = Open("db", Options{FS: fs}); err != nil {
					t.Fatal(err)
				}
				s, stop = e.Session(), make(chan struct{})
				sameAsQuery(t, s)
				reading()
			}
		}
		close(stop)
		wg.Wait()
		for _, obj := range e.store.Catalog().Objects() {
			if obj.Kind != storage.View {
				continue
			}
			if rep, err := e.Verify(context.Background(), obj.Name); err != nil || !rep.Equal {
				t.Fatal(obj.Name, rep, err)
			}
		}
		if rep, err := e.Check(context.Background()); err != nil || len(rep.Faults) > 0 {
			t.Fatal(rep, err)
		}
		if refused == 0 || made == 0 {
			t.Fatalf("%d were refused of %d", refused, n)
		}
		e.Close()
	}
}

// TestOnCommitWriters: each writer finds its rows in the view when COMMIT returns,
// while views are made, altered and dropped.
func TestOnCommitWriters(t *testing.T) {
	e := newEngine(t)
	s := e.Session()
	do(t, s, "CREATE TABLE t (w INT, n INT);\nCREATE MATERIALIZED VIEW v REFRESH ON COMMIT AS SELECT w, count(*) AS n FROM t GROUP BY w")
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s := e.Session()
			for i := range 60 {
				if _, err := s.Run(context.Background(), fmt.Sprintf("INSERT INTO t VALUES (%d, %d)", w, i)); err != nil {
					t.Error(err)
					return
				}
				if got := rows(t, s, fmt.Sprintf("SELECT n FROM v WHERE w = %d", w)); got != fmt.Sprint(i+1) {
					t.Errorf("writer %d finds %s of %d", w, got, i+1)
					return
				}
			}
		}()
	}
	for i := range 12 {
		name := fmt.Sprintf("x%d", i)
		do(t, s, "CREATE MATERIALIZED VIEW "+name+" REFRESH ON COMMIT AS SELECT count(*) AS n FROM t")
		do(t, s, "BEGIN")
		is(t, name, rows(t, s, "SELECT n FROM "+name), rows(t, s, "SELECT count(*) FROM t"))
		do(t, s, "COMMIT")
		do(t, s, "DROP MATERIALIZED VIEW "+name)
	}
	wg.Wait()
}
