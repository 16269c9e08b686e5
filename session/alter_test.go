package session

import (
	"strings"
	"testing"
)

// TestCreateTableAs: a table of a query's rows and types, in one commit, that views
// follow, a dump makes again and a reopened store has.
func TestCreateTableAs(t *testing.T) {
	e, again := reopened(t)
	s := (*e).Session()
	do(t, s, "CREATE TABLE a(id INT PRIMARY KEY, g NUMERIC(5,2) NOT NULL, s VARCHAR(7));\nINSERT INTO a VALUES (1, 1.5, 'x'), (2, 2.5, NULL), (3, 2.5, 'x')")
	res := do(t, s, "CREATE TABLE b AS SELECT s, g, 'lit' AS l, count(*) OVER () AS n FROM a UNION ALL SELECT 'more', 0, 'm', 7 UNION ALL SELECT 'more', 0, 'm', 7")
	is(t, "tag", res.Tag, "SELECT 5")
	is(t, "rows", rows(t, s, "SELECT * FROM b ORDER BY n, g, s"), "x|1.50|lit|3\nx|2.50|lit|3\nNULL|2.50|lit|3\nmore|0|m|7\nmore|0|m|7")
	is(t, "types", rows(t, s, "DESCRIBE b"), "s|character varying|yes||\ng|numeric|yes||\nl|text|yes||\nn|bigint|yes||")
	is(t, "keyed", do(t, s, "CREATE TABLE k(g, n) UNIQUE KEY (g) AS SELECT g, id FROM a ORDER BY id").Tag, "SELECT 3")
	is(t, "the last of a key", rows(t, s, "SELECT * FROM k ORDER BY g"), "1.50|1\n2.50|3")
	is(t, "no data", do(t, s, "CREATE TABLE none AS SELECT * FROM a WITH NO DATA").Tag, "CREATE TABLE AS")
	is(t, "no rows", rows(t, s, "SELECT count(*) FROM none"), "0")
	is(t, "skipped", do(t, s, "CREATE TABLE IF NOT EXISTS b AS SELECT 1").Tag, "CREATE TABLE AS")
	do(t, s, "CREATE MATERIALIZED VIEW v REFRESH INCREMENTAL AS SELECT l, count(*) AS c FROM b GROUP BY l;\nINSERT INTO b(l) VALUES ('m')")
	text := dumped(t, *e)
	if e2, _ := restored(t, text); dumped(t, e2) != text {
		t.Errorf("dumped:\n%s", text)
	}
	s = again()
	do(t, s, "REFRESH MATERIALIZED VIEW v INCREMENTAL")
	is(t, "view", rows(t, s, "SELECT * FROM v ORDER BY l"), "lit|3\nm|3")
	for _, c := range []struct{ text, code string }{
		{"CREATE TABLE b AS SELECT 1 AS x", "42P07"},
		{"CREATE TABLE c AS SELECT 1 AS x, 2 AS x", "42701"},
		{"CREATE TABLE c(p, q) AS SELECT 1 AS x", "42601"},
		{"CREATE TABLE c AS SELECT nope FROM a", "42703"},
		{"CREATE TABLE c AS SELECT 1 / (id - 2) AS x FROM a", "22012"},
		{"CREATE TABLE c UNIQUE KEY (s) AS SELECT s FROM a", "23502"},
		{"CREATE TABLE c UNIQUE KEY (z) AS SELECT s FROM a", "42703"},
	} {
		fails(t, s, c.text, c.code)
	}
	is(t, "nothing stays", rows(t, s, "SELECT count(*) FROM information_schema.tables WHERE table_name = 'c'"), "0")
	is(t, "budget", (*e).budget.Used(), int64(0))
}

// TestCreateTableLike takes columns with NOT NULL, and what it is told to.
func TestCreateTableLike(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, `CREATE TABLE a(id INT PRIMARY KEY, g INT DEFAULT 5 UNIQUE, s TEXT NOT NULL, CONSTRAINT pos CHECK (a.g > 0), CHECK (length(s) < 9));
CREATE VIEW p AS SELECT id, s FROM a;
CREATE TABLE up(k INT, v TEXT) UNIQUE KEY (k);
CREATE TABLE plain(LIKE a);
CREATE TABLE full_(x INT, LIKE a INCLUDING ALL, y INT DEFAULT 3);
CREATE TABLE some_(LIKE a INCLUDING ALL EXCLUDING INDEXES EXCLUDING DEFAULTS);
CREATE TABLE both_(LIKE p, LIKE up INCLUDING ALL);
`)
	for name, want := range map[string]string{
		"plain": "CREATE TABLE plain (id integer NOT NULL, g integer, s text NOT NULL)",
		"full_": "CREATE TABLE full_ (x integer, id integer, g integer DEFAULT 5, s text NOT NULL, y integer DEFAULT 3, PRIMARY KEY (id), CONSTRAINT full__g_key UNIQUE (g), CONSTRAINT a_s_check CHECK (length(s) < 9), CONSTRAINT pos CHECK (full_.g > 0))",
		"some_": "CREATE TABLE some_ (id integer NOT NULL, g integer, s text NOT NULL, CONSTRAINT a_s_check CHECK (length(s) < 9), CONSTRAINT pos CHECK (some_.g > 0))",
		"both_": "CREATE TABLE both_ (id integer, s text, k integer, v text) UNIQUE KEY (k)",
	} {
		_, got, _ := strings.Cut(rows(t, s, "SHOW CREATE TABLE "+name), "|")
		is(t, name, got, want)
	}
	fails(t, s, "INSERT INTO full_ VALUES (1, 1, 0, 's')", "23514")
	fails(t, s, "CREATE TABLE b(LIKE nope)", "42P01")
	fails(t, s, "CREATE TABLE b(id INT, LIKE a)", "42701")
	fails(t, s, "CREATE TABLE b(x INT PRIMARY KEY, LIKE a INCLUDING INDEXES)", "42P16")
}

// TestAlterTable changes what is demanded of rows to come.
func TestAlterTable(t *testing.T) {
	e, again := reopened(t)
	s := (*e).Session()
	do(t, s, `CREATE TABLE a(id INT PRIMARY KEY, g INT UNIQUE, n INT DEFAULT 1, CONSTRAINT pos CHECK (n > 0));
INSERT INTO a(id) VALUES (1);
CREATE MATERIALIZED VIEW v REFRESH INCREMENTAL AS SELECT n, count(*) AS c FROM a GROUP BY n;
ALTER TABLE a ALTER n SET DEFAULT 1 + 1;
INSERT INTO a(id) VALUES (2);
ALTER TABLE a ADD COLUMN x TEXT DEFAULT 'old';
ALTER TABLE a ALTER COLUMN x SET DEFAULT 'new', ALTER COLUMN n DROP DEFAULT, DROP CONSTRAINT pos, ALTER g SET DEFAULT 9;
`)
	s = again()
	do(t, s, "INSERT INTO a(id) VALUES (3);\nINSERT INTO a(id, n, g) VALUES (4, -1, 8);\nREFRESH MATERIALIZED VIEW v INCREMENTAL")
	is(t, "rows", rows(t, s, "SELECT * FROM a ORDER BY id"), "1|NULL|1|old\n2|NULL|2|old\n3|9|NULL|new\n4|8|-1|new")
	is(t, "view", rows(t, s, "SELECT * FROM v ORDER BY n"), "-1|1\n1|1\n2|1\nNULL|1")
	text := dumped(t, *e)
	if e2, _ := restored(t, text); dumped(t, e2) != text {
		t.Errorf("dumped:\n%s", text)
	}
	for _, c := range []struct{ text, code, msg string }{
		{"ALTER TABLE a ALTER nope SET DEFAULT 1", "42703", `column "nope" of relation "a" does not exist`},
		{"ALTER TABLE a ALTER n SET DEFAULT 'x'", "22P02", `invalid input syntax for type integer: "x"`},
		{"ALTER TABLE a ALTER n SET DEFAULT TRUE", "42804", `column "n" is of type integer but default expression is of type boolean`},
		{"ALTER TABLE a DROP CONSTRAINT pos", "42704", `constraint "pos" of relation "a" does not exist`},
		{"ALTER TABLE a DROP CONSTRAINT a_pkey", "0A000", "DROP CONSTRAINT of a key is not supported"},
		{"ALTER TABLE a DROP COLUMN n", "0A000", "DROP COLUMN is not supported"},
		{"ALTER TABLE a ALTER n SET NOT NULL", "23502", `column "n" of relation "a" contains null values`},
		{"ALTER TABLE a ADD CHECK (n > 0)", "23514", `check constraint "a_n_check" of relation "a" is violated by some row`},
		{"ALTER TABLE a ALTER n SET DEFAULT 5, DROP COLUMN g", "0A000", "DROP COLUMN is not supported"},
	} {
		is(t, c.text, fails(t, s, c.text, c.code).Msg, c.msg)
	}
	is(t, "notice", do(t, s, "ALTER TABLE a DROP CONSTRAINT IF EXISTS pos").Notices[0].Message, `constraint "pos" of relation "a" does not exist, skipping`)
	do(t, s, "INSERT INTO a(id, g) VALUES (5, 5)")
	is(t, "nothing of a refused one", rows(t, s, "SELECT n FROM a WHERE id = 5"), "NULL")
}
