package session

import "testing"

// TestListsOfBothKinds: a list with DISTINCT and one without, of the same values in
// the same order, are two lists.
func TestListsOfBothKinds(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, `CREATE TABLE t(g INT, x TEXT);
INSERT INTO t VALUES (1,'b'),(1,'a'),(1,'b');
CREATE MATERIALIZED VIEW v REFRESH INCREMENTAL AS SELECT g, string_agg(x, ',' ORDER BY x) AS p, string_agg(DISTINCT x, ',' ORDER BY x) AS q,
 array_agg(DISTINCT x) AS r, array_agg(x) AS s FROM t GROUP BY g;
`)
	is := func(want string) {
		t.Helper()
		if got := rows(t, s, "SELECT * FROM v"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	is("1|a,b,b|a,b|{a,b}|{a,b,b}")
	do(t, s, "INSERT INTO t VALUES (1,'a');\nREFRESH MATERIALIZED VIEW v INCREMENTAL;\n")
	is("1|a,a,b,b|a,b|{a,b}|{a,a,b,b}")
	do(t, s, "DELETE FROM t WHERE x = 'b';\nREFRESH MATERIALIZED VIEW v INCREMENTAL;\n")
	is("1|a,a|a|{a}|{a,a}")
}
