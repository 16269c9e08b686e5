package proptest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ivmc/ivmc"
)

// lawTable is a table with every kind of constraint, in words that SQLite and we
// both read.
const lawTable = `CREATE TABLE t(id INT NOT NULL PRIMARY KEY, a INT UNIQUE, b INT DEFAULT 3 CHECK (b < 8), c INT NOT NULL DEFAULT 1, UNIQUE (b, c), CHECK (a IS NULL OR a <> c))`

// statements draws statements over lawTable. An UPDATE changes one row, as SQLite
// looks at keys row by row; a DO UPDATE proposes rows that have no other key to
// conflict with, since SQLite's order of looking at keys is its own.
type statements struct {
	rt    *rapid.T
	added int // columns so far
}

func (g *statements) num(hi int) string { return fmt.Sprint(rapid.IntRange(0, hi).Draw(g.rt, "n")) }

func (g *statements) maybe(hi int) string {
	if rapid.IntRange(0, 3).Draw(g.rt, "null") == 0 {
		return "NULL"
	}
	return g.num(hi)
}

func (g *statements) rows() string {
	var out []string
	for range rapid.IntRange(1, 3).Draw(g.rt, "rows") {
		out = append(out, "("+g.num(9)+", "+g.maybe(9)+", "+g.maybe(8)+", "+g.num(9)+")")
	}
	return "INSERT INTO t(id, a, b, c) VALUES " + strings.Join(out, ", ")
}

func (g *statements) next() string {
	switch rapid.IntRange(0, 13).Draw(g.rt, "statement") {
	case 0, 1, 2:
		return g.rows()
	case 3:
		return "INSERT INTO t(id, a) VALUES (" + g.num(9) + ", " + g.maybe(9) + ")"
	case 4:
		return g.rows() + " ON CONFLICT DO NOTHING"
	case 5:
		return g.rows() + " ON CONFLICT (" + rapid.SampledFrom([]string{"id", "a", "c, b"}).Draw(g.rt, "target") + ") DO NOTHING"
	case 6, 7:
		ins := "INSERT INTO t(id, a, b, c) VALUES (" + g.num(9) + ", NULL, NULL, " + g.num(9) + ")"
		set := rapid.SampledFrom([]string{"c = t.c + excluded.c", "a = excluded.id, b = excluded.c", "id = t.id + 3", "b = NULL, c = excluded.id"}).Draw(g.rt, "set")
		where := rapid.SampledFrom([]string{"", " WHERE t.c < 5", " WHERE excluded.c > t.id"}).Draw(g.rt, "where")
		return ins + " ON CONFLICT (id) DO UPDATE SET " + set + where
	case 8, 9:
		set := rapid.SampledFrom([]string{"a = " + g.maybe(9), "b = " + g.maybe(9) + ", c = c + 1", "id = " + g.num(12), "c = NULL"}).Draw(g.rt, "set")
		return "UPDATE t SET " + set + " WHERE id = " + g.num(9)
	case 10:
		return "DELETE FROM t WHERE id % 4 = " + g.num(3)
	case 11:
		return "UPDATE t SET c = c + 10 WHERE c < 5"
	case 12:
		if rapid.IntRange(0, 3).Draw(g.rt, "all") == 0 {
			return "TRUNCATE t"
		}
		return g.rows()
	}
	if g.added == 3 {
		return g.rows()
	}
	g.added++
	return fmt.Sprintf("ALTER TABLE t ADD COLUMN x%d INT%s", g.added, rapid.SampledFrom([]string{"", " DEFAULT 7", " NOT NULL DEFAULT 0"}).Draw(g.rt, "default"))
}

// TestStatements runs random statements here and in SQLite: each is refused by
// both or by none, a refused one leaves nothing, and the table, the log and a
// view that follows incrementally are those of SQLite, also after reopening.
func TestStatements(t *testing.T) {
	ctx := context.Background()
	accepted, refused := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "db")
		if err != nil {
			rt.Fatal(err)
		}
		open := func() *ivmc.DB {
			db, err := ivmc.Open(dir, &ivmc.Options{NoSync: true})
			if err != nil {
				rt.Fatal(err)
			}
			return db
		}
		db := open()
		defer func() { _ = db.Close() }()
		lite, err := sql.Open("sqlite", ":memory:")
		if err != nil {
			rt.Fatal(err)
		}
		defer lite.Close()
		lite.SetMaxOpenConns(1)
		const view = "SELECT c, count(*) AS n, count(b) AS m, sum(a) AS s FROM t GROUP BY c"
		both := func(text string) {
			if _, err := db.Exec(ctx, text); err != nil {
				rt.Fatalf("%s: %v", text, err)
			}
			if _, err := lite.Exec(strings.Replace(text, "MATERIALIZED VIEW", "VIEW", 1)); err != nil {
				rt.Fatalf("sqlite: %s: %v", text, err)
			}
		}
		both(lawTable)
		both("CREATE MATERIALIZED VIEW v AS " + view)
		both("CREATE VIEW p AS SELECT id, a FROM t WHERE c > 2")
		g := &statements{rt: rt}
		var ran []string
		image, from := map[string]int{}, db.Applied()
		for range rapid.IntRange(1, 25).Draw(rt, "statements") {
			text := g.next()
			ran = append(ran, text)
			_, ours := db.Exec(ctx, text)
			_, theirs := lite.Exec(strings.Replace(text, "TRUNCATE t", "DELETE FROM t", 1))
			if (ours == nil) != (theirs == nil) {
				rt.Fatalf("%s\nours: %v\nsqlite: %v", strings.Join(ran, ";\n"), ours, theirs)
			}
			if ours != nil {
				refused++
				if code := stateOf(ours); code != "23505" && code != "23514" && code != "23502" {
					rt.Fatalf("%s: %s %v", text, code, ours)
				}
			} else {
				accepted++
			}
			if rapid.IntRange(0, 5).Draw(rt, "reopen") == 0 {
				if err := db.Close(); err != nil {
					rt.Fatal(err)
				}
				db = open()
			}
			if _, err := db.Exec(ctx, "REFRESH MATERIALIZED VIEW v INCREMENTAL"); err != nil {
				rt.Fatal(err)
			}
			for _, q := range []string{"SELECT * FROM t", "SELECT * FROM v", "SELECT * FROM p"} {
				got, err := bag(db, q)
				if err != nil {
					rt.Fatalf("%s: %v", q, err)
				}
				want, err := liteBag(lite, q)
				if err != nil {
					rt.Fatal(err)
				}
				if diff := differ(got, want); diff != "" {
					rt.Fatalf("%s\n%s: %s\nours:\n%s\nsqlite:\n%s", strings.Join(ran, ";\n"), q, diff, strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			}
			follow(rt, db, image, from)
			from = db.Applied()
		}
	})
	if refused*20 < accepted || accepted*5 < refused {
		t.Fatalf("%d statements accepted, %d refused", accepted, refused)
	}
}

// follow adds the log since from to the image of t, by id and a, b, c, which must
// be the table then.
func follow(rt *rapid.T, db *ivmc.DB, image map[string]int, from ivmc.TSO) {
	key := func(r ivmc.Row) string {
		var cells []string
		for i := range 4 {
			cells = append(cells, r.Text(i))
		}
		return strings.Join(cells, "|")
	}
	for ch, err := range db.Changes(context.Background(), "t", from, db.Applied()) {
		if err != nil {
			rt.Fatal(err)
		}
		if ch.Op != ivmc.Insert {
			image[key(ch.Before)]--
		}
		if ch.Op != ivmc.Delete {
			image[key(ch.After)]++
		}
	}
	rows, err := bag(db, "SELECT id, a, b, c FROM t")
	if err != nil {
		rt.Fatal(err)
	}
	n := 0
	for row, w := range image {
		if w < 0 || w > 1 {
			rt.Fatalf("the log has row %s %d times", row, w)
		}
		n += w
	}
	for _, row := range rows {
		if image[strings.ReplaceAll(row, `\N`, "")] != 1 {
			rt.Fatalf("row %s is not in the log", row)
		}
	}
	if n != len(rows) {
		rt.Fatalf("the log has %d rows, the table %d", n, len(rows))
	}
}

func stateOf(err error) string {
	var e *ivmc.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}
