package session

import (
	"fmt"
	"testing"
)

// TestJoinWeights: a join multiplies how often rows are there: of bags with duplicates,
// of views over them and of differences, from empty, in a SELECT and in steps.
func TestJoinWeights(t *testing.T) {
	const (
		data = `INSERT INTO l VALUES (1, 'a'), (2, 'b'), (NULL, 'n'), (1, 'a'), (2, 'b'), (2, 'b'), (NULL, 'n'), (1, 'c');
INSERT INTO r VALUES (1, 'p'), (3, 'z'), (1, 'p'), (NULL, 'm'), (1, 'q'), (3, 'z'), (1, 'p'), (NULL, 'm'), (2, 'gone')`
		below = `CREATE MATERIALIZED VIEW ll AS SELECT k, x FROM l UNION ALL SELECT k, x FROM l;
CREATE MATERIALIZED VIEW rr AS SELECT k, y FROM r EXCEPT ALL SELECT 2, 'gone'`
	)
	for _, one := range []struct{ kind, query, group, want string }{
		{"inner", "SELECT x, y FROM ll JOIN rr ON ll.k = rr.k", "x, y", "a|p|12\na|q|4\nc|p|6\nc|q|2"},
		{"inner of differences", "SELECT x, y FROM (SELECT * FROM ll EXCEPT ALL SELECT 1, 'c') AS d JOIN (SELECT * FROM rr INTERSECT ALL SELECT * FROM r) AS i ON d.k = i.k", "x, y", "a|p|12\na|q|4\nc|p|3\nc|q|1"},
		{"left", "SELECT x, y FROM ll LEFT JOIN rr ON ll.k = rr.k", "x, y", "a|p|12\na|q|4\nb|NULL|6\nc|p|6\nc|q|2\nn|NULL|4"},
		{"left with residual", "SELECT x, y FROM ll LEFT JOIN rr ON ll.k = rr.k AND x || y <> 'cp'", "x, y", "a|p|12\na|q|4\nb|NULL|6\nc|q|2\nn|NULL|4"},
		{"full", "SELECT x, y FROM ll FULL JOIN rr ON ll.k = rr.k", "x, y", "a|p|12\na|q|4\nb|NULL|6\nc|p|6\nc|q|2\nn|NULL|4\nNULL|m|2\nNULL|z|2"},
		{"semi", "SELECT x FROM ll WHERE k IN (SELECT k FROM rr)", "x", "a|4\nc|2"},
		{"anti", "SELECT x FROM ll WHERE NOT EXISTS (SELECT 1 FROM rr WHERE rr.k = ll.k)", "x", "b|6\nn|4"},
		{"product", "SELECT x, y FROM ll, rr WHERE x < 'b' AND y < 'q'", "x, y", "a|m|8\na|p|12"},
		{"less", "SELECT x, y FROM ll JOIN rr ON ll.k < rr.k WHERE x > 'a'", "x, y", "b|z|12\nc|z|4"},
	} {
		t.Run(one.kind, func(t *testing.T) {
			s := newEngine(t).Session()
			q := fmt.Sprintf("SELECT %s, count(*) FROM %%s AS v GROUP BY %s ORDER BY %s", one.group, one.group, one.group)
			do(t, s, "CREATE TABLE l (k INT, x TEXT);\nCREATE TABLE r (k INT, y TEXT);\n"+below)
			do(t, s, "CREATE MATERIALIZED VIEW stepped REFRESH INCREMENTAL AS "+one.query)
			move := func(sql string) {
				do(t, s, sql)
				for _, v := range []string{"ll", "rr", "stepped"} {
					do(t, s, "REFRESH MATERIALIZED VIEW "+v+" INCREMENTAL")
				}
			}
			move(data)
			is(t, "a step", rows(t, s, fmt.Sprintf(q, "stepped")), one.want)
			do(t, s, "CREATE MATERIALIZED VIEW built REFRESH INCREMENTAL AS "+one.query)
			is(t, "from empty", rows(t, s, fmt.Sprintf(q, "built")), one.want)
			is(t, "a query", rows(t, s, fmt.Sprintf(q, "("+one.query+")")), one.want)
			move("DELETE FROM l WHERE k = 1;\nDELETE FROM r WHERE k = 3 OR y = 'p';\nINSERT INTO l VALUES (1, 'a'), (1, 'a')")
			move("INSERT INTO r VALUES (1, 'p'), (3, 'z'), (1, 'p'), (1, 'p'), (3, 'z');\nINSERT INTO l VALUES (1, 'c'), (2, 'b');\nDELETE FROM l WHERE k = 2;\nINSERT INTO l VALUES (2, 'b'), (2, 'b'), (2, 'b')")
			is(t, "there and back", rows(t, s, fmt.Sprintf(q, "stepped")), one.want)
			do(t, s, "REFRESH MATERIALIZED VIEW built INCREMENTAL")
			is(t, "on from empty", rows(t, s, fmt.Sprintf(q, "built")), one.want)
		})
	}
}
