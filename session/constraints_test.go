package session

import (
	"context"
	"strings"
	"testing"
)

func TestDefaults(t *testing.T) {
	e := newEngine(t)
	s := e.Session()
	do(t, s, `CREATE TABLE d(id INT PRIMARY KEY, a INT DEFAULT 1 + 6, b TEXT DEFAULT 'x', c NUMERIC(4,1) NOT NULL DEFAULT 2.25);
INSERT INTO d(id) VALUES (1);
INSERT INTO d VALUES (2, DEFAULT, NULL, 3);
INSERT INTO d(id, a) SELECT 3, 4;
INSERT INTO d VALUES (4);
UPDATE d SET a = DEFAULT, b = DEFAULT WHERE id = 3;
`)
	is(t, "rows", rows(t, s, "SELECT * FROM d ORDER BY id"), "1|7|x|2.3\n2|7|NULL|3.0\n3|7|x|2.3\n4|7|x|2.3")
	do(t, s, "CREATE TABLE dd(a INT DEFAULT 5, b INT);\nINSERT INTO dd DEFAULT VALUES;\n")
	is(t, "default values", rows(t, s, "SELECT * FROM dd"), "5|NULL")
	fails(t, s, "CREATE TABLE bad(a INT DEFAULT TRUE)", "42804")
	fails(t, s, "CREATE TABLE bad(a INT, b INT DEFAULT a)", "42703")
	e2 := fails(t, s, "INSERT INTO d(id, c) VALUES (9, NULL)", "23502")
	is(t, "detail", e2.Detail, "Failing row contains (9, 7, x, null).")
}

func TestCheck(t *testing.T) {
	e := newEngine(t)
	s := e.Session()
	do(t, s, `CREATE TABLE c(id INT PRIMARY KEY, a INT CHECK (a > 0), b INT, CHECK (a < b), CONSTRAINT "Odd one" CHECK (b % 2 = 1 OR 10 / (b - 4) > 0));
INSERT INTO c VALUES (1, NULL, NULL), (2, 1, 3);
`)
	for _, c := range []struct{ text, code, msg, detail string }{
		{"INSERT INTO c VALUES (3, 0, 1)", "23514", `new row for relation "c" violates check constraint "c_a_check"`, "Failing row contains (3, 0, 1)."},
		{"INSERT INTO c VALUES (3, 5, 7), (4, 5, 3)", "23514", `new row for relation "c" violates check constraint "c_check"`, "Failing row contains (4, 5, 3)."},
		{"UPDATE c SET a = 9 WHERE id = 2", "23514", `new row for relation "c" violates check constraint "c_check"`, "Failing row contains (2, 9, 3)."},
		{"INSERT INTO c VALUES (3, 0, 1), (NULL, 1, 3)", "23514", `new row for relation "c" violates check constraint "c_a_check"`, "Failing row contains (3, 0, 1)."},
		{"INSERT INTO c VALUES (NULL, 1, 3), (3, 0, 1)", "23502", `null value in column "id" of relation "c" violates not-null constraint`, "Failing row contains (null, 1, 3)."},
		{"INSERT INTO c VALUES (5, 1, 4), (6, 0, 1)", "22012", "division by zero", ""},
		{"INSERT INTO c VALUES (6, 0, 1), (5, 1, 4)", "23514", `new row for relation "c" violates check constraint "c_a_check"`, "Failing row contains (6, 0, 1)."},
	} {
		err := fails(t, s, c.text, c.code)
		is(t, c.text, err.Msg, c.msg)
		is(t, c.text, err.Detail, c.detail)
	}
	is(t, "nothing stays", rows(t, s, "SELECT * FROM c ORDER BY id"), "1|NULL|NULL\n2|1|3")
	fails(t, s, "CREATE TABLE bad(a INT CHECK (a))", "42804")
	fails(t, s, "CREATE TABLE bad(a INT CHECK (z > 1))", "42703")
	fails(t, s, "CREATE TABLE bad(a INT CHECK (count(*) > 1))", "42803")
	fails(t, s, "CREATE TABLE bad(a INT REFERENCES c)", "0A000")
}

func TestUnique(t *testing.T) {
	e := newEngine(t)
	s := e.Session()
	do(t, s, `CREATE TABLE u(id INT PRIMARY KEY, a INT UNIQUE, b INT, c TEXT, UNIQUE (b, c));
INSERT INTO u VALUES (1, 1, 1, 'x'), (2, 2, 1, 'y'), (3, NULL, NULL, 'x'), (4, NULL, NULL, 'x');
`)
	err := fails(t, s, "INSERT INTO u VALUES (5, 2, 9, 'z')", "23505")
	is(t, "text", err.Msg, `duplicate key value violates unique constraint "u_a_key"`)
	is(t, "detail", err.Detail, "Key (a)=(2) already exists.")
	err = fails(t, s, "INSERT INTO u VALUES (5, 5, 7, 'z'), (6, 6, 7, 'z')", "23505")
	is(t, "text", err.Msg, `duplicate key value violates unique constraint "u_b_c_key"`)
	is(t, "detail", err.Detail, "Key (b, c)=(7, z) already exists.")
	do(t, s, `UPDATE u SET a = 3 - a WHERE id < 3;
BEGIN;
UPDATE u SET a = a + 1;
DELETE FROM u WHERE a = 3;
INSERT INTO u VALUES (1, 3, 1, 'x');
UPDATE u SET a = 7 WHERE id = 1;
INSERT INTO u VALUES (9, 3, 5, 'x');
COMMIT;
`)
	is(t, "rows", rows(t, s, "SELECT * FROM u ORDER BY id"), "1|7|1|x\n2|2|1|y\n3|NULL|NULL|x\n4|NULL|NULL|x\n9|3|5|x")
	do(t, s, "BEGIN")
	fails(t, s, "UPDATE u SET a = 2 WHERE id = 9", "23505")
	do(t, s, "ROLLBACK")
	// two transactions take the same key
	o := e.Session()
	do(t, s, "BEGIN;\nINSERT INTO u VALUES (10, 100, 100, 'k')")
	do(t, o, "BEGIN;\nINSERT INTO u VALUES (11, 100, 101, 'k')")
	do(t, s, "COMMIT")
	fails(t, o, "COMMIT", "40001")
	do(t, o, "CREATE TABLE bag(a INT UNIQUE, b INT);\nINSERT INTO bag VALUES (1, 1), (NULL, 1), (NULL, 1);\nUPDATE bag SET a = a + 1, b = 2;\n")
	fails(t, o, "INSERT INTO bag VALUES (2, 1)", "23505")
	do(t, o, `CREATE TABLE up(k INT, v INT UNIQUE) UNIQUE KEY (k);
INSERT INTO up VALUES (1, 1), (2, 2), (1, 3);
INSERT INTO up VALUES (1, 2), (2, 3), (2, 1);
`)
	is(t, "upsert", rows(t, o, "SELECT * FROM up ORDER BY k"), "1|2\n2|1")
	fails(t, o, "INSERT INTO up VALUES (3, 1)", "23505")
	fails(t, o, "CREATE TABLE bad(a INT, CONSTRAINT n UNIQUE (a), CONSTRAINT n CHECK (a > 0))", "42710")
	do(t, o, "CREATE TABLE n(a INT, CONSTRAINT mine PRIMARY KEY (a));\nINSERT INTO n VALUES (1)")
	is(t, "name of the key", fails(t, o, "INSERT INTO n VALUES (1)", "23505").Msg, `duplicate key value violates unique constraint "mine"`)
}

func TestOnConflict(t *testing.T) {
	e := newEngine(t)
	s := e.Session()
	do(t, s, `CREATE TABLE o(id INT PRIMARY KEY, a INT UNIQUE, n INT DEFAULT 0, CHECK (n < 100));
INSERT INTO o VALUES (1, 1), (2, 2);
`)
	is(t, "nothing", do(t, s, "INSERT INTO o VALUES (1, 9), (3, 3), (3, 4), (4, 2), (5, NULL) ON CONFLICT DO NOTHING").Tag, "INSERT 0 2")
	is(t, "rows", rows(t, s, "SELECT * FROM o ORDER BY id"), "1|1|0\n2|2|0\n3|3|0\n5|NULL|0")
	fails(t, s, "INSERT INTO o VALUES (7, 1) ON CONFLICT (id) DO NOTHING", "23505")
	is(t, "update", do(t, s, "INSERT INTO o AS t VALUES (1, 77, 5), (8, 8, 8) ON CONFLICT (id) DO UPDATE SET n = t.n + excluded.n, a = DEFAULT").Tag, "INSERT 0 2")
	is(t, "where", do(t, s, "INSERT INTO o VALUES (2, 0, 5), (3, 0, 6) ON CONFLICT ON CONSTRAINT o_pkey DO UPDATE SET n = excluded.n / (o.id - 2) WHERE o.id > 2").Tag, "INSERT 0 1")
	is(t, "rows", rows(t, s, "SELECT * FROM o ORDER BY id"), "1|NULL|5\n2|2|0\n3|3|6\n5|NULL|0\n8|8|8")
	err := fails(t, s, "INSERT INTO o VALUES (1, 5), (1, 6) ON CONFLICT (id) DO UPDATE SET n = 1", "21000")
	is(t, "text", err.Msg, "ON CONFLICT DO UPDATE command cannot affect row a second time")
	fails(t, s, "INSERT INTO o VALUES (20, 5), (20, 6) ON CONFLICT (id) DO UPDATE SET n = 1", "21000")
	fails(t, s, "INSERT INTO o VALUES (1, 5, 100) ON CONFLICT (id) DO NOTHING", "23514")
	fails(t, s, "INSERT INTO o VALUES (1, 5, 9) ON CONFLICT (id) DO UPDATE SET n = 100", "23514")
	fails(t, s, "INSERT INTO o VALUES (1, 5, 9) ON CONFLICT (n) DO NOTHING", "42P10")
	fails(t, s, "INSERT INTO o VALUES (1, 5, 9) ON CONFLICT (z) DO NOTHING", "42703")
	fails(t, s, "INSERT INTO o VALUES (1, 5, 9) ON CONFLICT ON CONSTRAINT nope DO NOTHING", "42704")
	fails(t, s, "INSERT INTO o VALUES (1, 5, 9) ON CONFLICT DO UPDATE SET n = 1", "42601")
	fails(t, s, "INSERT INTO o VALUES (1, 5, 9) ON CONFLICT (id) DO UPDATE SET n = n + 1", "42702")
	// a row leaves its key to the next one
	do(t, s, "DELETE FROM o WHERE id > 2;\nINSERT INTO o VALUES (1, 5, 9), (1, 6, 9), (30, 31, 1) ON CONFLICT (id) DO UPDATE SET id = 10, n = 3;\n")
	is(t, "moved", rows(t, s, "SELECT * FROM o ORDER BY id"), "1|6|9\n2|2|0\n10|NULL|3\n30|31|1")
	fails(t, s, "INSERT INTO o VALUES (1, 5, 9), (11, 6, 9) ON CONFLICT (id) DO UPDATE SET id = 11", "21000")
	do(t, s, `BEGIN;
INSERT INTO o VALUES (40, 40, 40);
INSERT INTO o VALUES (40, 1, 41), (2, 1, 1) ON CONFLICT (id) DO UPDATE SET n = excluded.n;
COMMIT;
`)
	is(t, "own rows", rows(t, s, "SELECT * FROM o ORDER BY id"), "1|6|9\n2|2|1\n10|NULL|3\n30|31|1\n40|40|41")
	do(t, s, "CREATE TABLE bag(a INT);\nINSERT INTO bag VALUES (1), (1) ON CONFLICT DO NOTHING;\n")
	is(t, "bag", rows(t, s, "SELECT * FROM bag"), "1\n1")
	fails(t, s, "INSERT INTO bag VALUES (1) ON CONFLICT (a) DO NOTHING", "42P10")
}

func TestTruncate(t *testing.T) {
	e := newEngine(t)
	s := e.Session()
	do(t, s, `CREATE TABLE a(id INT PRIMARY KEY, g INT);
CREATE TABLE b(x INT);
INSERT INTO a VALUES (1, 1), (2, 1), (3, 2);
INSERT INTO b VALUES (1), (1);
CREATE MATERIALIZED VIEW v AS SELECT g, count(*) AS n FROM a GROUP BY g;
BEGIN;
INSERT INTO a VALUES (4, 4);
TRUNCATE a, b;
INSERT INTO a VALUES (1, 7);
`)
	is(t, "inside", rows(t, s, "SELECT * FROM a"), "1|7")
	do(t, s, "ROLLBACK")
	is(t, "rolled back", rows(t, s, "SELECT count(*) FROM a"), "3")
	is(t, "tag", do(t, s, "TRUNCATE TABLE a, b").Tag, "TRUNCATE TABLE")
	do(t, s, "INSERT INTO a VALUES (1, 9);\nREFRESH MATERIALIZED VIEW v INCREMENTAL;\n")
	is(t, "view", rows(t, s, "SELECT * FROM v"), "9|1")
	is(t, "bag", rows(t, s, "SELECT * FROM b"), "")
	fails(t, s, "TRUNCATE v", "42809")
}

func TestAddColumn(t *testing.T) {
	e := newEngine(t)
	s := e.Session()
	do(t, s, `CREATE TABLE a(id INT PRIMARY KEY, g INT);
CREATE TABLE b(x INT);
INSERT INTO a VALUES (1, 1), (2, 1);
INSERT INTO b VALUES (1), (1);
CREATE MATERIALIZED VIEW v AS SELECT * FROM a;
CREATE VIEW p AS SELECT * FROM a;
ALTER TABLE a ADD COLUMN c TEXT NOT NULL DEFAULT 'new';
ALTER TABLE a ADD COLUMN d INT;
ALTER TABLE b ADD COLUMN y INT DEFAULT 5;
INSERT INTO a VALUES (3, 3);
INSERT INTO a(id, c, d) VALUES (4, 'c', 4);
UPDATE a SET d = 1 WHERE id = 1;
REFRESH MATERIALIZED VIEW v INCREMENTAL;
`)
	is(t, "rows", rows(t, s, "SELECT * FROM a ORDER BY id"), "1|1|new|1\n2|1|new|NULL\n3|3|new|NULL\n4|NULL|c|4")
	is(t, "view", rows(t, s, "SELECT * FROM v ORDER BY id"), "1|1\n2|1\n3|3\n4|NULL")
	is(t, "plain view", rows(t, s, "SELECT * FROM p ORDER BY id"), "1|1\n2|1\n3|3\n4|NULL")
	is(t, "where", rows(t, s, "SELECT id FROM a WHERE c = 'new' ORDER BY id"), "1\n2\n3")
	is(t, "bag", rows(t, s, "SELECT * FROM b"), "1|5\n1|5")
	fails(t, s, "ALTER TABLE a ADD COLUMN c INT", "42701")
	fails(t, s, "ALTER TABLE a ADD COLUMN e INT NOT NULL", "23502")
	fails(t, s, "ALTER TABLE a ADD COLUMN e INT UNIQUE", "0A000")
	fails(t, s, "ALTER TABLE a ADD COLUMN e INT CHECK (e > 0)", "0A000")
	do(t, s, "ALTER TABLE a ADD COLUMN IF NOT EXISTS c INT;\nALTER TABLE IF EXISTS nope ADD COLUMN c INT;\n")
	// a transaction that began before keeps its columns, and loses if it wrote
	o := e.Session()
	do(t, o, "BEGIN;\nINSERT INTO a VALUES (7, 7)")
	do(t, s, "ALTER TABLE a ADD COLUMN z INT DEFAULT 8")
	is(t, "old columns", rows(t, o, "SELECT * FROM a WHERE id IN (1, 7) ORDER BY id"), "1|1|new|1\n7|7|new|NULL")
	fails(t, o, "COMMIT", "40001")
	is(t, "new columns", rows(t, s, "SELECT * FROM a WHERE id = 1"), "1|1|new|1|8")
	do(t, s, "CREATE TABLE empty(a INT);\nALTER TABLE empty ADD b INT NOT NULL")
}

func TestPlainView(t *testing.T) {
	e := newEngine(t)
	s := e.Session()
	do(t, s, `CREATE TABLE a(id INT PRIMARY KEY, g INT);
INSERT INTO a VALUES (1, 1), (2, 1), (3, 2);
CREATE VIEW p (k, two) AS SELECT id, g * 2 FROM a WHERE id > 1;
CREATE VIEW q AS SELECT two, count(*) AS n FROM p GROUP BY two;
CREATE MATERIALIZED VIEW m AS SELECT q.two, n, k FROM q JOIN p ON q.two = p.two;
INSERT INTO a VALUES (4, 2);
REFRESH MATERIALIZED VIEW m INCREMENTAL;
`)
	is(t, "q", rows(t, s, "SELECT * FROM q ORDER BY two"), "2|1\n4|2")
	is(t, "m", rows(t, s, "SELECT * FROM m ORDER BY k"), "2|1|2\n4|2|3\n4|2|4")
	fails(t, s, "DROP TABLE a", "2BP01")
	fails(t, s, "DROP VIEW p", "2BP01")
	fails(t, s, "CREATE VIEW p AS SELECT 1", "42P07")
	fails(t, s, "CREATE OR REPLACE VIEW p AS SELECT 1 AS k, 2 AS two", "2BP01")
	fails(t, s, "INSERT INTO p VALUES (1, 1)", "42809")
	fails(t, s, "DROP TABLE p", "42809")
	fails(t, s, "DROP MATERIALIZED VIEW p", "42809")
	fails(t, s, "REFRESH MATERIALIZED VIEW p", "42809")
	fails(t, s, "CREATE OR REPLACE VIEW a AS SELECT 1", "42809")
	do(t, s, "DROP MATERIALIZED VIEW m")
	fails(t, s, "CREATE OR REPLACE VIEW p AS SELECT 1 AS k", "42P16")
	fails(t, s, "CREATE OR REPLACE VIEW p AS SELECT 1 AS k, 2 AS three", "42P16")
	fails(t, s, "CREATE OR REPLACE VIEW p AS SELECT 'x' AS k, 2 AS two", "42P16")
	fails(t, s, "CREATE OR REPLACE VIEW p AS SELECT 1 AS k, two FROM q", "42P17")
	do(t, s, "CREATE OR REPLACE VIEW p AS SELECT id AS k, g * 3 AS two, 'more' AS m FROM a")
	is(t, "replaced", rows(t, s, "SELECT * FROM q ORDER BY two"), "3|2\n6|2")
	is(t, "more", rows(t, s, "SELECT m FROM p WHERE k = 1"), "more")
	fails(t, s, "SELECT nope FROM p", "42703")
	do(t, s, "DROP TABLE a CASCADE")
	is(t, "all gone", rows(t, s, "SELECT count(*) FROM information_schema.tables"), "0")
}

func TestInformationSchema(t *testing.T) {
	e := newEngine(t)
	s := e.Session()
	do(t, s, `CREATE TABLE a(id INT PRIMARY KEY, g NUMERIC(5,2) DEFAULT 1.5, s VARCHAR(7) NOT NULL, CONSTRAINT ok CHECK (g > 0), UNIQUE (s, g));
CREATE VIEW p AS SELECT id FROM a;
CREATE MATERIALIZED VIEW m (x) REFRESH COMPLETE AS SELECT id FROM a;
CREATE TABLE up(k INT, v INT) UNIQUE KEY (k);
`)
	is(t, "tables", rows(t, s, "SELECT table_name, table_type, is_insertable_into FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1"),
		"a|BASE TABLE|YES\nm|MATERIALIZED VIEW|NO\np|VIEW|NO\nup|BASE TABLE|YES")
	is(t, "columns", rows(t, s, `SELECT column_name, ordinal_position, column_default, is_nullable, data_type, character_maximum_length, numeric_precision, numeric_scale
		FROM information_schema.columns c JOIN information_schema.tables t ON c.table_name = t.table_name WHERE t.table_name = 'a' ORDER BY 2`),
		"id|1|NULL|NO|integer|NULL|32|0\ng|2|1.5|YES|numeric|NULL|5|2\ns|3|NULL|NO|character varying|7|NULL|NULL")
	is(t, "views", rows(t, s, "SELECT table_name, view_definition FROM information_schema.views ORDER BY 1"), "m|SELECT id FROM a\np|SELECT id FROM a")
	fails(t, s, "SELECT * FROM information_schema.nope", "42P01")
	fails(t, s, "CREATE MATERIALIZED VIEW bad AS SELECT table_name FROM information_schema.tables", "0A000")
	do(t, s, "CREATE VIEW names AS SELECT table_name AS n FROM information_schema.tables")
	fails(t, s, "CREATE MATERIALIZED VIEW bad AS SELECT n FROM names", "0A000")
	is(t, "show tables", rows(t, s, "SHOW TABLES"), "a|table\nup|table")
	is(t, "show views", rows(t, s, "SHOW VIEWS"), "m|materialized view\nnames|view\np|view")
	is(t, "describe", rows(t, s, "DESCRIBE a"), "id|integer|no|primary|\ng|numeric(5,2)|yes|unique|1.5\ns|character varying(7)|no|unique|")
	is(t, "show columns", rows(t, s, "SHOW COLUMNS FROM m"), "x|integer|yes||")
	fails(t, s, "DESCRIBE nope", "42P01")
	for _, q := range []string{"TABLE a", "TABLE up", "VIEW p", "MATERIALIZED VIEW m"} {
		made := rows(t, s, "SHOW CREATE "+q)
		_, text, _ := strings.Cut(made, "|")
		again := newEngine(t).Session()
		if !strings.Contains(q, "TABLE") {
			do(t, again, "CREATE TABLE a(id INT PRIMARY KEY)")
		}
		if _, err := again.Run(context.Background(), text); err != nil {
			t.Fatalf("%s: %s", text, describeError(err))
		}
		is(t, q, rows(t, again, "SHOW CREATE "+q), made)
	}
}

func TestReplaceMaterializedView(t *testing.T) {
	e := newEngine(t)
	s := e.Session()
	do(t, s, `CREATE TABLE a(id INT PRIMARY KEY, g INT);
INSERT INTO a VALUES (1, 1), (2, 1), (3, 2);
CREATE OR REPLACE MATERIALIZED VIEW m AS SELECT g, count(*) AS n FROM a GROUP BY g;
CREATE MATERIALIZED VIEW top AS SELECT max(n) AS x FROM m;
CREATE OR REPLACE MATERIALIZED VIEW m AS SELECT id AS g, count(*) AS n FROM a WHERE id > 1 GROUP BY id;
REFRESH MATERIALIZED VIEW top INCREMENTAL;
`)
	is(t, "m", rows(t, s, "SELECT * FROM m ORDER BY g"), "2|1\n3|1")
	is(t, "top", rows(t, s, "SELECT * FROM top"), "1")
	do(t, s, `INSERT INTO a VALUES (4, 4);
REFRESH MATERIALIZED VIEW m INCREMENTAL;
REFRESH MATERIALIZED VIEW top INCREMENTAL;
`)
	is(t, "m", rows(t, s, "SELECT * FROM m ORDER BY g"), "2|1\n3|1\n4|1")
	fails(t, s, "CREATE OR REPLACE MATERIALIZED VIEW m AS SELECT id FROM a", "2BP01")
	fails(t, s, "CREATE OR REPLACE MATERIALIZED VIEW m AS SELECT g, n FROM m", "42P17")
	fails(t, s, "CREATE OR REPLACE MATERIALIZED VIEW m AS SELECT g, CAST(x AS BIGINT) AS n FROM a, top", "42P17")
	fails(t, s, "CREATE OR REPLACE MATERIALIZED VIEW m AS SELECT g, CAST(1 / (g - 4) AS BIGINT) AS n FROM a", "22012")
	fails(t, s, "CREATE OR REPLACE MATERIALIZED VIEW a AS SELECT 1 AS one", "42809")
	is(t, "as it was", rows(t, s, "SELECT * FROM m ORDER BY g"), "2|1\n3|1\n4|1")
	do(t, s, "INSERT INTO a VALUES (5, 5);\nREFRESH MATERIALIZED VIEW m INCREMENTAL;\nDROP MATERIALIZED VIEW top;\n")
	is(t, "goes on", rows(t, s, "SELECT count(*) FROM m"), "4")
	do(t, s, "CREATE OR REPLACE MATERIALIZED VIEW m AS SELECT id FROM a WHERE id < 3;\nINSERT INTO a VALUES (0, 0);\nREFRESH MATERIALIZED VIEW m INCREMENTAL;\n")
	do(t, s, "CREATE MATERIALIZED VIEW z AS SELECT id FROM a;\nCREATE VIEW zp AS SELECT id FROM z;\nCREATE OR REPLACE MATERIALIZED VIEW m AS SELECT id FROM zp WHERE id < 3;\n")
	is(t, "sources first", strings.Join(e.Views(), " "), "z m")
	is(t, "other columns", rows(t, s, "SELECT * FROM m ORDER BY id"), "0\n1\n2")
	for _, v := range e.Views() {
		rep, err := e.Verify(context.Background(), v)
		if err != nil || !rep.Equal {
			t.Errorf("%s: %+v %v", v, rep, err)
		}
	}
}
