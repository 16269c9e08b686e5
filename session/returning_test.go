package session

import (
	"slices"
	"strings"
	"testing"
)

func sortedLines(s string) string {
	lines := strings.Split(s, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func TestReturning(t *testing.T) {
	e := newEngine(t)
	s := e.Session()
	do(t, s, `CREATE TABLE t(id INT PRIMARY KEY, a INT, b TEXT DEFAULT 'x', CHECK (a < 1000));
CREATE TABLE u(id INT, c INT);
INSERT INTO u VALUES (1, 5), (1, 3), (2, 7), (9, 9);
`)
	for _, c := range []struct{ text, want string }{
		{"INSERT INTO t(id, a) VALUES (1, 10), (2, 20), (3, NULL) RETURNING *, a + 1, (SELECT count(*) FROM t)", "1|10|x|11|0\n2|20|x|21|0\n3|NULL|x|NULL|0"},
		{"UPDATE t SET a = u.c FROM u WHERE u.id = t.id RETURNING t.id, a, c", "1|3|3\n2|7|7"},
		{"UPDATE t AS x SET (a, b) = (100, DEFAULT) WHERE id = 3 RETURNING x.id, b, a", "3|x|100"},
		{"UPDATE t SET (a, b) = (SELECT min(c), 'q' FROM u), id = id + 0 WHERE id IN (SELECT id FROM u) RETURNING *", "1|3|q\n2|3|q"},
		{"UPDATE t SET (a, b) = (SELECT c, 'z' FROM u WHERE id = 2) WHERE id = 1 RETURNING *", "1|7|z"},
		{"WITH m AS (SELECT max(c) AS m FROM u) UPDATE t SET a = m.m FROM m WHERE id = 2 RETURNING a, m", "9|9"},
		{"WITH x AS (SELECT 7 AS id, 1 AS a) INSERT INTO t SELECT * FROM x RETURNING id, b", "7|x"},
		{"INSERT INTO t VALUES (8, 1, 'k'), (7, 2, 'l'), (9, 3, 'm') ON CONFLICT (id) DO UPDATE SET a = t.a + excluded.a RETURNING *", "7|3|x\n8|1|k\n9|3|m"},
		{"INSERT INTO t VALUES (9, 0), (10, 3) ON CONFLICT DO NOTHING RETURNING id, 1 / a", "10|0"},
		{"INSERT INTO t VALUES (7, 1) ON CONFLICT (id) DO UPDATE SET a = 5 WHERE t.a > 100 RETURNING *", ""},
		{"DELETE FROM t USING u, u AS v WHERE t.id = u.id AND v.id = u.id AND v.c < u.c RETURNING *", "1|7|z|1|5|1|3"},
		{"WITH x AS (SELECT 8 AS k) DELETE FROM t WHERE id IN (SELECT k FROM x) RETURNING id, a", "8|1"},
		{"SELECT * FROM t ORDER BY id", "2|9|q\n3|100|x\n7|3|x\n9|3|m\n10|3|x"},
	} {
		is(t, c.text, sortedLines(rows(t, s, c.text)), sortedLines(c.want))
	}
	for _, c := range []struct{ text, code string }{
		{"DELETE FROM t USING t WHERE true", "42712"},
		{"DELETE FROM t RETURNING count(*)", "42803"},
		{"DELETE FROM t RETURNING nothing", "42703"},
		{"UPDATE t SET (a, b) = (SELECT c FROM u)", "42601"},
		{"UPDATE t SET (a, b) = (SELECT c, 'z' FROM u)", "21000"},
		{"UPDATE t SET a = 2, (b, a) = ('x', 1)", "42601"},
		{"UPDATE t SET a = 5 RETURNING 1 / (a - 5)", "22012"},
		{"UPDATE t SET a = 5000 RETURNING 1 / 0", "23514"},
	} {
		fails(t, s, c.text, c.code)
	}
	is(t, "nothing was done", rows(t, s, "SELECT sum(a), count(*) FROM t"), "118|5")
	do(t, s, "BEGIN")
	is(t, "own rows", rows(t, s, "INSERT INTO t VALUES (20, 1) RETURNING id, (SELECT count(*) FROM t)"), "20|5")
	is(t, "own rows", rows(t, s, "DELETE FROM t WHERE id = 20 RETURNING *, (SELECT count(*) FROM t)"), "20|1|x|6")
	do(t, s, "COMMIT")
}

// TestChangedOnce: of several partners the least row decides, whatever their order.
func TestChangedOnce(t *testing.T) {
	for _, order := range []string{"(1, 5), (1, 3), (1, NULL)", "(1, NULL), (1, 3), (1, 5)", "(1, 3), (1, 5), (1, NULL)"} {
		e := newEngine(t)
		s := e.Session()
		do(t, s, "CREATE TABLE t(id INT, a INT);\nCREATE TABLE u(id INT, c INT);\nINSERT INTO t VALUES (1, 0), (1, 0);\nINSERT INTO u VALUES "+order+";\n")
		is(t, order, rows(t, s, "UPDATE t SET a = c FROM u WHERE u.id = t.id AND c IS NOT NULL RETURNING a"), "3\n3")
		is(t, order, rows(t, s, "DELETE FROM t USING u RETURNING a, c"), "3|3\n3|3")
	}
}
