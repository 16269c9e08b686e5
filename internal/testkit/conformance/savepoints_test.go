package conformance

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestTransactions runs random transactions with savepoints on both sides: each
// statement has the same SQLSTATE and tag, both tables hold the same rows after
// each, and views of ours follow what is committed.
func TestTransactions(t *testing.T) {
	p := newPair(t)
	done, refused := 0, 0
	for seed := *seedFlag; done+refused < 2*cases(); seed++ {
		p.open()
		p.seed, p.log = seed, nil
		g := newGenerator(seed, nil)
		for _, ddl := range []string{"DROP TABLE IF EXISTS k", "DROP TABLE IF EXISTS b",
			"CREATE TABLE k(id INT PRIMARY KEY, a INT UNIQUE, x TEXT CHECK (x <> 'bad') )", "CREATE TABLE b(x TEXT, n INT NOT NULL)",
			"INSERT INTO k VALUES (1, 1, 'one'), (2, NULL, 'two'), (3, 3, NULL)", "INSERT INTO b VALUES ('p', 1), ('p', 1), (NULL, 2)"} {
			p.both(ddl)
		}
		views := []string{"SELECT x, count(*) AS n, sum(id) AS s FROM k GROUP BY x", "SELECT k.a, b.n FROM k JOIN b ON k.x = b.x OR k.id = b.n"}
		for i, q := range views {
			if o := p.ours(fmt.Sprintf("CREATE MATERIALIZED VIEW v%d AS %s", i, q)); o.code != "" {
				t.Fatal(o)
			}
		}
		failed := false
		for range 60 {
			if p.both(g.transactional(failed)) {
				done++
			} else {
				refused++
			}
			failed = p.theirs("SELECT 1").code != ""
			for _, q := range []string{"SELECT * FROM k", "SELECT * FROM b", "SELECT x FROM k WHERE id = 2"} {
				if ours, pg := p.answers(q); !bagged(ours, pg) {
					p.complain("%s\n%s\nours: %s\npostgres: %s", strings.Join(p.log, "\n"), q, ours, pg)
				}
			}
			if failed || p.s.InTransaction() {
				continue
			}
			for i, q := range views {
				if o := p.ours(fmt.Sprintf("REFRESH MATERIALIZED VIEW v%d INCREMENTAL", i)); o.code != "" {
					p.complain("%s\n%s", strings.Join(p.log, "\n"), o)
				}
				if ours, pg := p.ours(fmt.Sprintf("SELECT * FROM v%d", i)), p.theirs(q); !bagged(ours, pg) {
					p.complain("%s\n%s\nours: %s\npostgres: %s", strings.Join(p.log, "\n"), q, ours, pg)
				}
			}
		}
		p.both("ROLLBACK")
	}
	t.Logf("%d statements done, %d refused", done, refused)
	if refused*20 < done || done*3 < refused {
		t.Errorf("%d statements done, %d refused", done, refused)
	}
}

// bagged compares what two queries gave, in any order.
func bagged(ours, pg *outcome) bool {
	if ours.code != "" || pg.code != "" {
		return ours.code == pg.code
	}
	a, b := texts(ours, true), texts(pg, true)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// transactional is a statement of a transaction; of one that failed mostly such
// as lead out of it.
func (g *generator) transactional(failed bool) string {
	num := func(n int) string {
		if g.r.IntN(8) == 0 {
			return "NULL"
		}
		return fmt.Sprint(g.r.IntN(n))
	}
	name := pick(g, []string{"a", "a", `"A b"`})
	word := pick(g, []string{"'one'", "'p'", "NULL", "'bad'", "'some longer text'"})
	kind := g.r.IntN(20)
	if failed && g.r.IntN(3) > 0 {
		kind = g.r.IntN(9)
	}
	switch kind {
	case 0:
		return pick(g, []string{"COMMIT", "ROLLBACK"})
	case 1, 2:
		return "BEGIN"
	case 3, 4, 5:
		return "SAVEPOINT " + name
	case 6, 7, 8:
		if !failed && g.r.IntN(2) == 0 {
			return "SAVEPOINT " + name
		}
		return "ROLLBACK TO " + pick(g, []string{"", "SAVEPOINT "}) + name
	case 9:
		return "RELEASE " + name
	case 10, 11:
		return fmt.Sprintf("INSERT INTO k VALUES (%s, %s, %s), (%d, %s, 'two')", num(9), num(9), word, 9+g.r.IntN(9), num(12))
	case 12:
		return fmt.Sprintf("INSERT INTO k VALUES (%d, %s, %s) ON CONFLICT DO NOTHING", g.r.IntN(9), num(9), word)
	case 13:
		return fmt.Sprintf("INSERT INTO k VALUES (%d, NULL, 'p') ON CONFLICT (id) DO UPDATE SET a = %s RETURNING *", g.r.IntN(9), num(9))
	case 14:
		return fmt.Sprintf("UPDATE k SET a = %s, x = %s WHERE id = %d", num(12), word, g.r.IntN(9))
	case 15:
		return fmt.Sprintf("UPDATE k SET id = %s WHERE id = %d", num(20), g.r.IntN(9))
	case 16:
		return fmt.Sprintf("DELETE FROM k WHERE id %% 5 = %d", g.r.IntN(5))
	case 17:
		return fmt.Sprintf("INSERT INTO b VALUES (%s, %s), ('q', 2)", word, num(5))
	case 18:
		return fmt.Sprintf("UPDATE b SET n = n + %s WHERE x = %s", num(4), word)
	}
	return pick(g, []string{"DELETE FROM b WHERE n > 3", "TRUNCATE b", "SELECT 1 / 0", "TRUNCATE k", "DELETE FROM b WHERE x IS NULL"})
}
