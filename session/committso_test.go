package session

import (
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// TestCommitTSO: the TSO of the commit that wrote a row last, for who names it.
func TestCommitTSO(t *testing.T) {
	fs := vfs.NewMem()
	e, err := Open("db", Options{FS: fs})
	if err != nil {
		t.Fatal(err)
	}
	s := e.Session()
	at := func(sql string) uint64 {
		t.Helper()
		res := do(t, s, sql)
		return uint64(res.TSO)
	}
	do(t, s, "CREATE TABLE t(id BIGINT PRIMARY KEY, v INT);\nCREATE TABLE b(v INT);\nCREATE MATERIALIZED VIEW m AS SELECT v, count(*) AS n FROM t GROUP BY v")
	first := at("INSERT INTO t VALUES (1, 1), (2, 1), (3, 3)")
	second := at("UPDATE t SET v = 2 WHERE id = 2")
	third := at("INSERT INTO b VALUES (7)")
	do(t, s, "DELETE FROM t WHERE id = 3;\nREFRESH MATERIALIZED VIEW m")
	want := fmt.Sprintf("1|%d\n2|%d", first, second)
	for range 2 {
		for query, want := range map[string]string{
			"SELECT id, __DORIS_COMMIT_TSO_COL__ FROM t ORDER BY id":                                                                want,
			"SELECT t.id, x.__doris_commit_tso_col__ FROM t JOIN t AS x USING (id) WHERE x.__doris_commit_tso_col__ > 0 ORDER BY 1": want,
			"SELECT id, (SELECT t.__doris_commit_tso_col__) FROM t ORDER BY id":                                                     want,
			fmt.Sprintf("SELECT id FROM t WHERE __doris_commit_tso_col__ > %d", first):                                              "2",
			"SELECT * FROM t ORDER BY __doris_commit_tso_col__":                                                                     "1|1\n2|2",
			"SELECT max(__doris_commit_tso_col__) FROM b":                                                                           fmt.Sprint(third),
			"SELECT __doris_commit_tso_col__, v FROM t WHERE id = 2":                                                                fmt.Sprintf("%d|2", second),
			fmt.Sprintf("SELECT id, __doris_commit_tso_col__ FROM t FOR VERSION AS OF %d ORDER BY id", first):                       fmt.Sprintf("1|%d\n2|%[1]d\n3|%[1]d", first),
			"SELECT count(DISTINCT __doris_commit_tso_col__), count(*) FROM m":                                                      "1|2",
			"WITH c AS (SELECT id, __doris_commit_tso_col__ AS w FROM t) SELECT c.id, c.w FROM c ORDER BY 1":                        want,
		} {
			is(t, query, rows(t, s, query), want)
		}
		if err := e.Close(); err != nil { // the rows know it when they are read again
			t.Fatal(err)
		}
		if e, err = Open("db", Options{FS: fs}); err != nil {
			t.Fatal(err)
		}
		s = e.Session()
	}
	defer func() { e.Close() }()
	do(t, s, "CREATE VIEW v AS SELECT id, __doris_commit_tso_col__ AS w FROM t;\nBEGIN")
	is(t, "by a view, in a transaction", rows(t, s, "SELECT * FROM v ORDER BY id"), want)
	do(t, s, "INSERT INTO t VALUES (9, 9)")
	fails(t, s, "SELECT __doris_commit_tso_col__ FROM t", "0A000")
	do(t, s, "ROLLBACK")
	for _, text := range []string{"SELECT __doris_commit_tso_col__ FROM v", "SELECT __doris_commit_tso_col__ FROM (SELECT id FROM t) x",
		"CREATE MATERIALIZED VIEW x AS SELECT __doris_commit_tso_col__ AS w FROM t", "SELECT __doris_commit_tso_col__ FROM information_schema.tables"} {
		fails(t, s, text, "42703")
	}
	do(t, s, "SET show_hidden_columns = true")
	is(t, "shown", rows(t, s, "DESC b"), "v|integer|yes||\n__doris_commit_tso_col__|bigint|no||")
}
