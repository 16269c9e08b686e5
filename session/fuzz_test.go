package session

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// changes are of both tables, of every kind.
var changes = [...]string{"INSERT INTO t VALUES (4, 1, 7, 'y', NULL), (5, NULL, 2, 'x', '2024-01-01')", "DELETE FROM t WHERE id = 1",
	"UPDATE t SET n = -n, k = 2 WHERE id = 3", "UPDATE u SET s = 'y' WHERE k IS NULL", "INSERT INTO u VALUES (2, 0, 'z'), (NULL, -1.5, 'x')"}

// ofNow are queries that mean something else a moment later.
var ofNow = regexp.MustCompile(`(?i)now|current|timestamp|localtime|today|tomorrow|yesterday`)

// FuzzPlan: any text that parses is bound, planned and explained, as a query and
// as a view, run over some rows, or refused with an error of SQL: no panic, and
// nothing that is our own fault (XX000). The view, brought up to date after changes,
// is what it defines.
func FuzzPlan(f *testing.F) {
	for _, q := range []string{
		"SELECT CASE k WHEN 1 THEN 'x' ELSE s END || 'y' FROM t", "SELECT (SELECT max(n) FROM u) - n FROM u", "SELECT at::date + 1, date_trunc('month', at) FROM t",
		"SELECT x.k FROM t x FULL JOIN u y USING (k)", "SELECT k, n, sum(id) OVER w, lag(s, 2, 'z') OVER w FROM t WINDOW w AS (PARTITION BY k ORDER BY n NULLS FIRST ROWS 1 PRECEDING)",
		"SELECT k, grouping(k), count(*) FROM t GROUP BY ROLLUP (k, s)", "SELECT * FROM t@incr('beginning')", "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r WHERE i < 5) SELECT i FROM r",
		"SELECT to_char(n, 'FM999.00'), at + INTERVAL '1 month', ARRAY[k, id][1] = ANY (ARRAY[1, 2]) FROM t", "VALUES (1, 'a'), (2, NULL)", "SHOW TABLES",
		"INSERT INTO t SELECT k, k, 3, 'z' FROM u ON CONFLICT (id) DO UPDATE SET n = excluded.n + 1 RETURNING *", "UPDATE t SET n = n + 1 WHERE s LIKE 'x%'", "DELETE FROM u WHERE n IS NULL",
	} {
		f.Add(q)
	}
	table, err := os.ReadFile("../docs/sql-support.md")
	if err != nil {
		f.Fatal(err)
	}
	for _, m := range regexp.MustCompile("`((?:SELECT|WITH) [^`]+)`").FindAllSubmatch(table, -1) {
		f.Add(strings.ReplaceAll(string(m[1]), `\|`, "|"))
	}
	queries, err := filepath.Glob("../testdata/slt/*.slt")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range queries {
		raw, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?s)\nquery [^\n]*\n(.*?)\n----`).FindAllSubmatch(raw, -1) {
			if !strings.Contains(string(m[1]), " FROM ") { // of its own tables, which are not there
				f.Add(string(m[1]))
			}
		}
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
		do(t, s, "CREATE TABLE t(id INT PRIMARY KEY, k INT, n INT, s TEXT, at TIMESTAMP);\nCREATE TABLE u(k INT, n NUMERIC(10,2), s TEXT);\n"+
			"INSERT INTO t VALUES (1, 1, 7, 'x', '2024-02-29'), (2, NULL, NULL, 'a,b', NULL), (3, 1, -4, NULL, 'infinity');\n"+
			"INSERT INTO u VALUES (1, 2.5, 'x'), (1, 2.5, 'x'), (NULL, NULL, '')")
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		for _, text := range []string{"EXPLAIN " + q, "EXPLAIN CREATE MATERIALIZED VIEW v AS " + q, "CREATE MATERIALIZED VIEW v AS " + q,
			changes[0], changes[1], changes[2], changes[3], changes[4], "REFRESH MATERIALIZED VIEW v", "", q, "REFRESH MATERIALIZED VIEW v"} {
			if text == "" {
				rep, err := e.Verify(ctx, "v")
				if err == nil && !rep.Equal && !ofNow.MatchString(q) {
					t.Fatalf("%s\ndiffers from what it defines in %d rows", q, rep.Differing)
				}
				continue
			}
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
