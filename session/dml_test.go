package session

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/zset"
)

// TestStatementKeys: keys are judged when the statement is done.
func TestStatementKeys(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, "CREATE TABLE t(id INT PRIMARY KEY, n INT);\nINSERT INTO t VALUES (1, 1), (2, 2), (3, 3)")
	is(t, "shift", do(t, s, "UPDATE t SET id = id + 1").Tag, "UPDATE 3")
	is(t, "swap", do(t, s, "UPDATE t SET id = 6 - id").Tag, "UPDATE 3")
	is(t, "rows", rows(t, s, "SELECT id, n FROM t ORDER BY id"), "2|3\n3|2\n4|1")
	e := fails(t, s, "UPDATE t SET id = 7", "23505")
	is(t, "text", e.Msg+"/"+e.Detail, `duplicate key value violates unique constraint "t_pkey"/Key (id)=(7) already exists.`)
	fails(t, s, "UPDATE t SET id = 3 WHERE id = 2", "23505")
	fails(t, s, "INSERT INTO t VALUES (9, 1), (9, 2)", "23505")
	fails(t, s, "INSERT INTO t VALUES (9, 1), (2, 2)", "23505")
	is(t, "unchanged", rows(t, s, "SELECT id, n FROM t ORDER BY id"), "2|3\n3|2\n4|1")
	do(t, s, "BEGIN;\nDELETE FROM t WHERE id = 2;\nINSERT INTO t VALUES (2, 9);\nDELETE FROM t WHERE id = 2;\nINSERT INTO t VALUES (2, 10)")
	fails(t, s, "INSERT INTO t VALUES (2, 11)", "23505")
	do(t, s, "ROLLBACK")
}

// TestConstraints are the errors of values that do not fit.
func TestConstraints(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, "CREATE TABLE t(id INT PRIMARY KEY, s VARCHAR(3) NOT NULL, d DECIMAL(4,1), b BIGINT)")
	e := fails(t, s, "INSERT INTO t VALUES (1, NULL, 1, 1)", "23502")
	is(t, "text", e.Msg+"/"+e.Detail, `null value in column "s" of relation "t" violates not-null constraint/Failing row contains (1, null, 1.0, 1).`)
	fails(t, s, "INSERT INTO t(s) VALUES ('a')", "23502")
	fails(t, s, "INSERT INTO t VALUES (1, 'abcd', 1, 1)", "22001")
	fails(t, s, "INSERT INTO t VALUES (1, 'abc', 999.95, 1)", "22003")
	fails(t, s, "INSERT INTO t VALUES (2147483648, 'abc', 1, 1)", "22003")
	fails(t, s, "INSERT INTO t VALUES (1, 'abc', 1, 9223372036854775808)", "22003")
	fails(t, s, "INSERT INTO t VALUES (1, 'abc', 'x', 1)", "22P02")
	fails(t, s, "INSERT INTO t VALUES (1, 'abc', 1, 1, 1)", "42601")
	do(t, s, "INSERT INTO t VALUES (1, 'abc  ', 99.95, -9223372036854775808)")
	is(t, "row", rows(t, s, "SELECT id, s, d, b FROM t"), "1|abc|100.0|-9223372036854775808")
	fails(t, s, "UPDATE t SET s = NULL", "23502")
	fails(t, s, "UPDATE t SET s = 'long'", "22001")
	fails(t, s, "UPDATE t SET id = NULL", "23502")
	fails(t, s, "UPDATE t SET d = 1 / (id - 1)", "22012")
	is(t, "row", rows(t, s, "SELECT id, s, d, b FROM t"), "1|abc|100.0|-9223372036854775808")
}

// TestUniqueKeyUpserts: a table declared UNIQUE KEY takes an INSERT of a live
// key as an update, the last of one statement wins.
func TestUniqueKeyUpserts(t *testing.T) {
	e := newEngine(t)
	s := e.Session()
	do(t, s, "CREATE TABLE u(id INT, n INT) UNIQUE KEY(id);\nINSERT INTO u VALUES (1, 1), (2, 2), (1, 3);\nINSERT INTO u VALUES (2, 4), (3, 5)")
	is(t, "rows", rows(t, s, "SELECT id, n FROM u ORDER BY id"), "1|3\n2|4\n3|5")
	do(t, s, "BEGIN;\nINSERT INTO u VALUES (3, 6);\nINSERT INTO u VALUES (3, 7);\nCOMMIT")
	is(t, "rows", rows(t, s, "SELECT id, n FROM u ORDER BY id"), "1|3\n2|4\n3|7")
	apply(t, e, "u", rec(t, "id:i32 n:i32", []any{1, 10}))
	is(t, "rows", rows(t, s, "SELECT id, n FROM u ORDER BY id"), "1|10\n2|4\n3|7")
	do(t, s, "CREATE TABLE d(id INT, n INT) DUPLICATE KEY(id);\nINSERT INTO d VALUES (1, 1), (1, 1)")
	is(t, "bag", rows(t, s, "SELECT count(*) FROM d"), "2")
}

// TestViewsAreReadOnly: DML on a view is 42809.
func TestViewsAreReadOnly(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, "CREATE TABLE t(a INT);\nCREATE MATERIALIZED VIEW v AS SELECT a FROM t")
	for _, sql := range []string{"INSERT INTO v VALUES (1)", "UPDATE v SET a = 1", "DELETE FROM v"} {
		e := fails(t, s, sql, "42809")
		is(t, sql, e.Msg, `cannot change materialized view "v"`)
		if e.Pos < 0 {
			t.Errorf("%s: no position", sql)
		}
	}
	fails(t, s, "DELETE FROM nope", "42P01")
}

// TestBagDML: equal rows are told apart by address.
func TestBagDML(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, "CREATE TABLE b(a INT, c TEXT);\nINSERT INTO b VALUES (1, 'x'), (1, 'x'), (NULL, NULL), (2, 'y')")
	is(t, "update", do(t, s, "UPDATE b SET a = a + 1 WHERE a = 1").Tag, "UPDATE 2")
	is(t, "delete", do(t, s, "DELETE FROM b WHERE a IS NULL").Tag, "DELETE 1")
	is(t, "rows", rows(t, s, "SELECT a, c FROM b ORDER BY a, c"), "2|x\n2|x\n2|y")
	is(t, "all", do(t, s, "DELETE FROM b").Tag, "DELETE 3")
	is(t, "none", do(t, s, "DELETE FROM b").Tag, "DELETE 0")
	is(t, "none", do(t, s, "UPDATE b SET a = 1").Tag, "UPDATE 0")
}

// TestLiteralRows: what the fast path takes is what binding gives, cell by cell.
func TestLiteralRows(t *testing.T) {
	e := newEngine(t)
	s := e.Session()
	types := []string{"INT", "BIGINT", "DOUBLE PRECISION", "DECIMAL(6,2)", "DECIMAL(30,4)", "NUMERIC", "VARCHAR(4)", "TEXT", "BOOLEAN", "DATE", "TIMESTAMP"}
	lits := []string{"0", "-0", "-0.0", "1", "-1", "2147483647", "-2147483648", "2147483648", "1.5", "2.5", "-2.5", ".5", "1e3", "1e400", "1.50", "99999.999",
		"9223372036854775807", "-9223372036854775808", "123456789012345678901234567890", "'1'", "' 1 '", "'x'", "''", "'abcd'", "'abcde'", "'abcd  '", "'NaN'",
		"'-0'", "true", "'t'", "'yes'", "NULL", "'2024-02-30'", "'2024-02-29'", "DATE '2024-02-29'", "TIMESTAMP '2024-02-29 10:00:00'", "'2024-02-29 10:11:12.5'", "+5", "'1e3'"}
	took := 0
	for i, typ := range types {
		table := fmt.Sprintf("t%d", i)
		do(t, s, "CREATE TABLE "+table+"(c "+typ+")")
		for _, lit := range lits {
			stmt, err := ast.Parse("INSERT INTO " + table + " VALUES (" + lit + ")")
			if err != nil {
				t.Fatal(err)
			}
			obj, _ := e.store.Catalog().ByName(table)
			b := literalRows(stmt.(*ast.Insert), &rules{obj: obj})
			if b == nil {
				continue
			}
			took++
			// A CASE is no literal: the binder does it. (A cast of the whole would
			// be explicit, and not an assignment.)
			do(t, s, "DELETE FROM "+table)
			tx := e.begin()
			st := &statement{s: s, res: &Result{}}
			mod, err := st.bindModify(tx, stmt)
			if err != nil {
				t.Fatalf("%s into %s: binding fails, the fast path does not: %v", lit, typ, err)
			}
			all, err := st.collect(context.Background(), tx, mod)
			tx.end()
			if err != nil {
				t.Fatalf("%s into %s: running fails, the fast path does not: %v", lit, typ, err)
			}
			got, want := rowBytes(b), rowBytes(all.rows)
			is(t, lit+" into "+typ, got, want)
		}
	}
	if took < 100 {
		t.Errorf("the fast path took only %d literals", took)
	}
}

func rowBytes(b *zset.Batch) string {
	var out []byte
	for i := range b.N {
		for c := range b.Cols {
			out = zset.AppendRow(out, &b.Cols[c], i)
		}
	}
	return fmt.Sprintf("%d %x", b.N, out)
}

// TestMillionLiterals: an INSERT of a million literals works, and not slowly.
func TestMillionLiterals(t *testing.T) {
	if testing.Short() {
		t.Skip("a million literals")
	}
	s := newEngine(t).Session()
	do(t, s, "CREATE TABLE t(id INT PRIMARY KEY, n INT)")
	var sql strings.Builder
	sql.WriteString("INSERT INTO t VALUES ")
	for i := range 500_000 {
		if i > 0 {
			sql.WriteByte(',')
		}
		fmt.Fprintf(&sql, "(%d,%d)", i, i%7)
	}
	start := time.Now()
	is(t, "tag", do(t, s, sql.String()).Tag, "INSERT 0 500000")
	t.Logf("%d MiB in %v", sql.Len()>>20, time.Since(start))
	is(t, "sum", rows(t, s, "SELECT count(*), sum(id) FROM t"), "500000|124999750000")
}

// TestInsertSelect reads its own table before it writes.
func TestInsertSelect(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, "CREATE TABLE t(a INT);\nINSERT INTO t VALUES (1), (2)")
	is(t, "tag", do(t, s, "INSERT INTO t SELECT a + 10 FROM t").Tag, "INSERT 0 2")
	is(t, "rows", rows(t, s, "SELECT a FROM t ORDER BY a"), "1\n2\n11\n12")
}
