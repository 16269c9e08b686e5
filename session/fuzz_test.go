package session

import (
	"context"
	"strings"
	"testing"
	"time"
)

// FuzzPlan: any text that parses is bound, planned and explained, as a query and
// as a view, run over some rows, or refused with an error of SQL: no panic, and
// nothing that is our own fault (XX000).
func FuzzPlan(f *testing.F) {
	for _, q := range []string{
		"SELECT a, count(*) FROM t GROUP BY a", "SELECT * FROM t LEFT JOIN u ON t.a = u.a AND t.b < u.d", "SELECT DISTINCT b FROM t ORDER BY b LIMIT 1",
		"WITH c AS (SELECT a FROM t) SELECT * FROM c UNION SELECT a FROM u", "SELECT sum(n) FILTER (WHERE a > 1), avg(n), min(d) FROM u",
		"SELECT * FROM t WHERE a IN (SELECT a FROM u) AND NOT EXISTS (SELECT 1 FROM u WHERE d = b)", "SELECT CASE a WHEN 1 THEN 'x' ELSE b END || 'y' FROM t",
		"SELECT a FROM t EXCEPT ALL SELECT a FROM u", "SELECT (SELECT max(n) FROM u) - n FROM u", "SELECT d::date + 1, date_trunc('month', d) FROM u",
		"SELECT string_agg(b, ',' ORDER BY a DESC) FROM t GROUP BY a HAVING count(*) > 1", "SELECT x.a FROM t x FULL JOIN u y USING (a)",
		"INSERT INTO t SELECT a, 'z' FROM u", "UPDATE t SET a = a + 1 WHERE b LIKE 'x%'", "DELETE FROM u WHERE n IS NULL", "SHOW TABLES",
	} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, q string) {
		if len(q) > 4000 || strings.Contains(strings.ToLower(q), "copy") { // it may write files
			t.Skip()
		}
		e, err := Open("", Options{InMemory: true, NoFiles: true, MemoryLimit: 64 << 20})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		s := e.Session()
		do(t, s, "CREATE TABLE t(a INT, b TEXT);\nCREATE TABLE u(a INT PRIMARY KEY, n NUMERIC(10,2), d TIMESTAMP);\n"+
			"INSERT INTO t VALUES (1, 'x'), (2, NULL), (1, 'y');\nINSERT INTO u VALUES (1, 2.5, '2024-02-29'), (2, NULL, NULL)")
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		for _, text := range []string{"EXPLAIN " + q, "EXPLAIN CREATE MATERIALIZED VIEW v AS " + q, "CREATE MATERIALIZED VIEW v AS " + q, q, "REFRESH MATERIALIZED VIEW v"} {
			res, err := s.Run(ctx, text)
			if err == nil && res.Rows != nil {
				_, err = cells(res.Rows)
			}
			if err == nil {
				continue
			}
			for _, z := range All(err) {
				if z.Code == "XX000" {
					t.Fatalf("%s\n%s", text, describeError(err))
				}
			}
		}
		if s.txn != nil {
			return
		}
		if _, err := s.Run(context.Background(), "SELECT 1"); err != nil && ctx.Err() == nil {
			t.Fatalf("after %s: %s", q, describeError(err))
		}
	})
}
