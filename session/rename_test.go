package session

import (
	"strings"
	"testing"
)

// TestRename: views go on to read what they read under other names, refresh
// incrementally, and are printed, dumped and reopened in the names of now.
func TestRename(t *testing.T) {
	e, again := reopened(t)
	s := (*e).Session()
	do(t, s, `CREATE TABLE a(id INT PRIMARY KEY, g INT UNIQUE, n INT, CONSTRAINT pos CHECK (a.n > 0 AND n < 100));
CREATE TABLE b(id INT, w TEXT);
INSERT INTO a VALUES (1, 1, 10), (2, 2, 20);
INSERT INTO b VALUES (1, 'x'), (2, 'y'), (2, 'z');
CREATE VIEW p AS SELECT * FROM a;
CREATE VIEW q(x, y) AS WITH b AS (SELECT id AS i FROM a), c AS (SELECT * FROM public.b) SELECT a.n, c.w FROM a JOIN b ON b.i = a.id JOIN c ON c.id = a.id WHERE EXISTS (SELECT 1 FROM c AS a WHERE a.id = b.i);
CREATE MATERIALIZED VIEW m REFRESH INCREMENTAL AS SELECT public.a.g, a.n, count(*) AS k FROM public.a JOIN b USING (id) GROUP BY a.g, a.n;
CREATE MATERIALIZED VIEW o REFRESH INCREMENTAL AS SELECT x.one, sum(k) AS s FROM m AS x(one) JOIN p ON p.n = x.n GROUP BY x.one;
CREATE MATERIALIZED VIEW star REFRESH INCREMENTAL AS SELECT * FROM a NATURAL JOIN b;
CREATE MATERIALIZED VIEW keyed REFRESH INCREMENTAL AS SELECT id, n, count(*) AS k FROM a GROUP BY id;
`)
	all := func(s *Session) string {
		t.Helper()
		var out []string
		for _, q := range []string{"p", "q", "m", "o", "star", "keyed"} {
			out = append(out, q+": "+rows(t, s, "SELECT * FROM "+q+" ORDER BY 1, 2"))
		}
		return strings.Join(out, "\n")
	}
	want := all(s)
	check := func(what string) {
		t.Helper()
		is(t, what, all(s), want)
		text := dumped(t, *e)
		e2, s2 := restored(t, text)
		is(t, what+", restored", all(s2), want)
		if again := dumped(t, e2); again != text {
			t.Errorf("%s: dumped:\n%s\nagain:\n%s", what, text, again)
		}
	}
	follow := func(row string) {
		t.Helper()
		do(t, s, "INSERT INTO "+row)
		for _, v := range []string{"m", "o", "star", "keyed"} {
			do(t, s, "REFRESH MATERIALIZED VIEW "+v+" INCREMENTAL")
			rep, err := (*e).Verify(t.Context(), v)
			if err != nil || !rep.Equal {
				t.Errorf("%s: %+v, %v", v, rep, err)
			}
		}
		want = all(s)
	}
	is(t, "tag", do(t, s, "ALTER TABLE a RENAME TO first").Tag, "ALTER TABLE")
	check("table")
	do(t, s, "ALTER TABLE b RENAME TO a")
	follow("first VALUES (3, 3, 30)")
	follow("a VALUES (3, 'new')")
	check("a name taken over")
	do(t, s, "ALTER TABLE first RENAME TO b;\nALTER TABLE b RENAME n TO number;\nALTER TABLE b RENAME COLUMN id TO key;\nALTER TABLE a RENAME COLUMN w TO id2")
	check("columns and swapped tables")
	s = again()
	follow("b(key, g, number) VALUES (4, 4, 40)")
	do(t, s, "ALTER TABLE b ADD COLUMN n INT;\nALTER TABLE b ADD COLUMN w TEXT;\nALTER TABLE b RENAME n TO later")
	follow("b(key, g, number) VALUES (5, 5, 50)")
	follow("a VALUES (5, 'w5')")
	is(t, "view", do(t, s, "ALTER MATERIALIZED VIEW m RENAME k TO many").Tag, "ALTER MATERIALIZED VIEW")
	do(t, s, "ALTER MATERIALIZED VIEW m RENAME TO middle;\nALTER VIEW p RENAME TO plain;\nALTER VIEW plain RENAME n TO en;\nALTER TABLE middle RENAME TO m;\nALTER VIEW plain RENAME TO p")
	check("views and wider tables")
	is(t, "column", rows(t, s, "SELECT many FROM m JOIN p ON p.en = m.n WHERE p.en = 50"), "1")
	s = again()
	follow("b(key, g, number) VALUES (6, 6, 60)")
	check("reopened")
	is(t, "check", fails(t, s, "INSERT INTO b VALUES (9, 9, 100)", "23514").Msg, `new row for relation "b" violates check constraint "pos"`)
	is(t, "key", fails(t, s, "INSERT INTO b VALUES (1, 9, 1)", "23505").Msg, `duplicate key value violates unique constraint "a_pkey"`)
	do(t, s, "ALTER TABLE b RENAME CONSTRAINT a_pkey TO \"the key\";\nALTER TABLE b RENAME CONSTRAINT a_g_key TO u;\nALTER TABLE b RENAME CONSTRAINT pos TO positive")
	is(t, "key", fails(t, s, "INSERT INTO b VALUES (1, 9, 1)", "23505").Msg, `duplicate key value violates unique constraint "the key"`)
	is(t, "unique", fails(t, s, "INSERT INTO b VALUES (99, 1, 1)", "23505").Msg, `duplicate key value violates unique constraint "u"`)
	is(t, "check", fails(t, s, "INSERT INTO b VALUES (99, 99, 0)", "23514").Msg, `new row for relation "b" violates check constraint "positive"`)
	check("constraints")
	for _, c := range []struct{ text, code, msg string }{
		{"ALTER TABLE nope RENAME TO x", "42P01", `relation "nope" does not exist`},
		{"ALTER TABLE a RENAME TO b", "42P07", `relation "b" already exists`},
		{"ALTER TABLE a RENAME nope TO x", "42703", `column "nope" does not exist`},
		{"ALTER TABLE a RENAME id TO id2", "42701", `column "id2" of relation "a" already exists`},
		{"ALTER VIEW a RENAME TO x", "42809", `"a" is not a view`},
		{"ALTER MATERIALIZED VIEW p RENAME TO x", "42809", `"p" is not a materialized view`},
		{"ALTER TABLE b RENAME CONSTRAINT nope TO x", "42704", `constraint "nope" for table "b" does not exist`},
		{"ALTER TABLE b RENAME CONSTRAINT u TO positive", "42710", `constraint "positive" for relation "b" already exists`},
	} {
		is(t, c.text, fails(t, s, c.text, c.code).Msg, c.msg)
	}
	is(t, "notice", do(t, s, "ALTER TABLE IF EXISTS nope RENAME TO x").Notices[0].Message, `relation "nope" does not exist, skipping`)
	do(t, s, "BEGIN")
	fails(t, s, "ALTER TABLE a RENAME TO x", "25001")
}
