package session

import "testing"

// TestAlterRules: a CHECK and NOT NULL that come later hold for the rows that are
// there, for those to come, and for transactions that began before; views go on.
func TestAlterRules(t *testing.T) {
	e, again := reopened(t)
	s := (*e).Session()
	do(t, s, `CREATE TABLE a(id INT PRIMARY KEY, g INT, s TEXT, CHECK (g < 100));
INSERT INTO a VALUES (1, 5, 'x'), (2, NULL, 'y');
CREATE MATERIALIZED VIEW v REFRESH INCREMENTAL AS SELECT g, count(*) AS n FROM a GROUP BY g`)
	for _, c := range []struct{ text, code string }{
		{"ALTER TABLE a ALTER g SET NOT NULL", "23502"},
		{"ALTER TABLE a ADD CHECK (g > 5)", "23514"},
		{"ALTER TABLE a ADD CHECK (id / (g - 5) > 0)", "22012"},
		{"ALTER TABLE a ADD CHECK (nope > 5)", "42703"},
		{"ALTER TABLE a ADD CONSTRAINT a_g_check CHECK (g > 0)", "42710"},
		{"ALTER TABLE a ADD CONSTRAINT u UNIQUE (g)", "0A000"},
		{"ALTER TABLE a ALTER nope SET NOT NULL", "42703"},
		{"ALTER TABLE a ALTER id DROP NOT NULL", "42P16"},
		{"ALTER TABLE a ALTER s SET NOT NULL, ADD CHECK (g > 5)", "23514"},
	} {
		fails(t, s, c.text, c.code)
	}
	is(t, "nothing stays", rows(t, s, "SHOW CREATE TABLE a"), "a|CREATE TABLE a (id integer, g integer, s text, PRIMARY KEY (id), CONSTRAINT a_g_check CHECK (g < 100))")
	old := (*e).Session()
	do(t, old, "BEGIN;\nINSERT INTO a VALUES (9, -1, NULL)")
	do(t, s, "ALTER TABLE a ADD CHECK (g > 0), ALTER s SET NOT NULL, ADD CONSTRAINT short CHECK (length(s) < 3);\nALTER TABLE a ALTER s SET NOT NULL")
	fails(t, old, "COMMIT", "40001")
	want := "a|CREATE TABLE a (id integer, g integer, s text NOT NULL, PRIMARY KEY (id), CONSTRAINT a_g_check CHECK (g < 100), CONSTRAINT a_g_check1 CHECK (g > 0), CONSTRAINT short CHECK (length(s) < 3))"
	is(t, "the table", rows(t, s, "SHOW CREATE TABLE a"), want)
	s = again()
	is(t, "kept", rows(t, s, "SHOW CREATE TABLE a"), want)
	fails(t, s, "INSERT INTO a VALUES (3, 0, 'z')", "23514")
	fails(t, s, "INSERT INTO a VALUES (3, 1, NULL)", "23502")
	fails(t, s, "UPDATE a SET s = 'long'", "23514")
	do(t, s, "INSERT INTO a VALUES (3, 5, 'z');\nALTER TABLE a DROP CONSTRAINT short;\nUPDATE a SET s = 'long' WHERE id = 1;\nREFRESH MATERIALIZED VIEW v INCREMENTAL")
	is(t, "view", rows(t, s, "SELECT * FROM v ORDER BY g"), "5|2\nNULL|1")
	is(t, "budget", (*e).budget.Used() >= 0, true)
}
