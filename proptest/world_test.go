package proptest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	"github.com/ivmc/ivmc"
	"github.com/ivmc/ivmc/internal/testkit/querygen"
)

// fataler is what both *testing.T and *rapid.T can do.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
	Logf(format string, args ...any)
}

// world is a database with random tables and views.
type world struct {
	t      fataler
	r      *rand.Rand
	g      *querygen.Gen
	db     *ivmc.DB
	tables []querygen.Table
	views  []view
	log    []string // every statement, for the report of a failure
}

type view struct{ name, query string }

func newWorld(t fataler, seed uint64, opt querygen.Options, nTables, nViews int) *world {
	t.Helper()
	db, err := ivmc.Open("", &ivmc.Options{InMemory: true, NoSync: true})
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	w := &world{t: t, r: rand.New(rand.NewPCG(seed, 7)), g: querygen.New(seed, opt), db: db}
	w.tables = w.g.Tables(nTables)
	for _, tab := range w.tables {
		w.must(tab.DDL())
	}
	for len(w.views) < nViews {
		w.addView()
	}
	return w
}

func (w *world) close() {
	if err := w.db.Close(); err != nil {
		w.t.Fatalf("close: %v", err)
	}
}

// addView makes one more view; one in four reads another view too. A query
// whose data raise an error makes none.
func (w *world) addView() {
	from := w.tables
	q := w.g.Query(from)
	name := fmt.Sprintf("v%d", len(w.views))
	if len(w.views) > 0 && w.r.IntN(4) == 0 {
		q = fmt.Sprintf("SELECT * FROM %s", w.views[w.r.IntN(len(w.views))].name)
		if w.r.IntN(2) == 0 {
			q = fmt.Sprintf("SELECT count(*) AS n FROM (%s) AS s", q)
		}
	}
	if err := w.try("CREATE MATERIALIZED VIEW " + name + " AS " + q); err != nil {
		w.fail("create view: %v", err)
	}
	w.views = append(w.views, view{name, q})
}

func (w *world) try(sql string) error {
	w.log = append(w.log, sql+";")
	_, err := w.db.Exec(context.Background(), sql)
	return err
}

func (w *world) must(sql string) {
	w.t.Helper()
	if err := w.try(sql); err != nil {
		w.fail("%s: %v", sql, err)
	}
}

func (w *world) fail(format string, args ...any) {
	w.t.Helper()
	w.t.Fatalf("%s\n-- script:\n%s", fmt.Sprintf(format, args...), strings.Join(w.log, "\n"))
}

// transaction runs one to four statements as one transaction. A failing one
// (a duplicate key) rolls it back: nothing of it may reach a view. It returns
// the statements that were committed.
func (w *world) transaction() []string {
	ctx := context.Background()
	s := w.db.Session()
	defer s.Close()
	n := 1 + w.r.IntN(4)
	run := func(sql string) error {
		w.log = append(w.log, sql+";")
		_, err := s.Exec(ctx, sql)
		return err
	}
	var done []string
	if n > 1 {
		if err := run("BEGIN"); err != nil {
			w.fail("begin: %v", err)
		}
	}
	for range n {
		sql := w.g.Statement(w.tables)
		err := run(sql)
		var e *ivmc.Error
		switch {
		case err == nil:
			done = append(done, sql)
		case errors.As(err, &e) && e.Code == "23505":
			if n > 1 {
				if err := run("ROLLBACK"); err != nil {
					w.fail("rollback: %v", err)
				}
			}
			return nil
		default:
			w.fail("%s: %v", sql, err)
		}
	}
	if n > 1 {
		if w.r.IntN(8) == 0 {
			if err := run("ROLLBACK"); err != nil {
				w.fail("rollback: %v", err)
			}
			return nil
		}
		if err := run("COMMIT"); err != nil {
			w.fail("commit: %v", err)
		}
	}
	return done
}

// refreshAll brings all views forward, parents first.
func (w *world) refreshAll(mode string) {
	w.t.Helper()
	for _, v := range w.views {
		w.must("REFRESH MATERIALIZED VIEW " + v.name + " " + mode)
	}
}

// checkAll compares all views, which are up to date, with their queries.
func (w *world) checkAll() {
	w.t.Helper()
	for _, v := range w.views {
		got, want := w.rows("SELECT * FROM "+v.name), w.rows(v.query)
		if got != want {
			w.fail("view %s differs from its query %s\nview:\n%s\nquery:\n%s", v.name, v.query, got, want)
		}
		rep, err := w.db.Verify(context.Background(), v.name)
		if err != nil {
			w.fail("verify %s: %v", v.name, err)
		}
		if !rep.Equal {
			w.fail("verify %s (%s): %v", v.name, v.query, rep.Diff)
		}
	}
}

// rows is the bag of a query's rows as sorted text.
func (w *world) rows(q string) string {
	w.t.Helper()
	out, err := bag(w.db, q)
	if err != nil {
		w.fail("%s: %v", q, err)
	}
	return strings.Join(out, "\n")
}

// bag is the rows of a query as sorted text; NULL is \N.
func bag(db *ivmc.DB, q string) ([]string, error) {
	rows, err := db.Text(context.Background(), q)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []string
	width := len(rows.Columns())
	for rows.Next() {
		line := make([]string, width)
		for i := range line {
			if text, null := rows.Cell(i); null {
				line[i] = `\N`
			} else {
				line[i] = string(text)
			}
		}
		out = append(out, strings.Join(line, "|"))
	}
	sort.Strings(out)
	return out, rows.Err()
}

// checks is how many random cases a property tries by default.
func checks(t *testing.T, n int) int {
	if testing.Short() {
		return n / 4
	}
	return n
}
