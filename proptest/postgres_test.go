//go:build postgres

package proptest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ivmc/ivmc"
	"github.com/ivmc/ivmc/internal/testkit/querygen"
	"github.com/ivmc/ivmc/zset"
)

// A real PostgreSQL as judge:
//
//	IVMC_TEST_PG=/run/postgresql/.s.PGSQL.5432 go test -tags postgres -run TestPostgres ./proptest/
//
// The server must trust the user postgres and have the time zone UTC; its
// database IVMC_TEST_PG_DATABASE (postgres) will be wiped and must be one of
// UTF-8, with collation C and character type C.UTF-8. IVMC_TEST_PG_SEED and
// IVMC_TEST_PG_CASES say where to begin and how many worlds to make.
func judge(t *testing.T) (pg *pgConn, first, n uint64) {
	t.Helper()
	where := os.Getenv("IVMC_TEST_PG")
	if where == "" {
		t.Skip("IVMC_TEST_PG names no PostgreSQL")
	}
	pg, err := dialPostgres(where)
	if err != nil {
		t.Fatal(err)
	}
	number := func(name string, or uint64) uint64 {
		if v, err := strconv.ParseUint(os.Getenv(name), 10, 64); err == nil {
			return v
		}
		return or
	}
	if _, err := pg.exec("SET client_min_messages = error; SET statement_timeout = '20s'"); err != nil {
		t.Fatal(err)
	}
	return pg, number("IVMC_TEST_PG_SEED", 1), number("IVMC_TEST_PG_CASES", 200)
}

// pair is one database of ours and one of the judge, with the same tables.
type pair struct {
	t    *testing.T
	seed uint64
	db   *ivmc.DB
	pg   *pgConn
	log  []string
}

func (p *pair) complain(format string, args ...any) {
	p.t.Helper()
	p.t.Errorf("seed %d: %s\n-- script:\n%s", p.seed, fmt.Sprintf(format, args...), strings.Join(p.log, "\n"))
}

// tame takes the numbers away whose float sums depend on the order: what is
// left is exact for both.
func tame(sql string) string {
	return strings.NewReplacer("'1e15'", "'1e6'", "'0.1'", "'0.125'").Replace(sql)
}

// both runs a statement of one session on both sides; it wants the same
// SQLSTATE and the same tag.
func (p *pair) both(s *ivmc.Session, sql string) (ok bool) {
	p.t.Helper()
	p.log = append(p.log, sql+";")
	// Keys are checked at the end of a statement, and not row by row.
	want, err := p.pg.exec(strings.Replace(sql, "))", ") DEFERRABLE INITIALLY IMMEDIATE)", map[bool]int{true: 1}[strings.Contains(sql, "PRIMARY KEY")]))
	if err != nil {
		p.t.Fatal(err)
	}
	res, err := s.Exec(context.Background(), sql)
	if got := codeOf(err); got != want.code {
		p.complain("%s\nours: %s %v\npostgres: %s %s", sql, got, err, want.code, want.msg)
		return false
	}
	if err == nil && res.Tag != want.tag {
		p.complain("%s: tag %q, want %q", sql, res.Tag, want.tag)
	}
	return err == nil
}

func codeOf(err error) string {
	var e *ivmc.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &e):
		return e.Code
	}
	return "(" + err.Error() + ")"
}

// ours runs a query of ours.
func (p *pair) ours(sql string) (*pgResult, error) {
	rows, err := p.db.Text(context.Background(), sql)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := &pgResult{}
	for rows.Next() {
		row := make([]pgCell, len(rows.Columns()))
		for i := range row {
			text, null := rows.Cell(i)
			row[i] = pgCell{string(text), null}
		}
		out.rows = append(out.rows, row)
	}
	return out, rows.Err()
}

// compare wants the rows of ours to be those of judge's query. exact: cell by
// cell as text; else equal values may be written in two ways (1.0 and 1.00 in
// one group: which of them shows is a choice of ours).
func compare(ours, judge *pgResult, exact, ordered bool) string {
	a, b := texts(ours, exact), texts(judge, exact)
	if !ordered {
		slices.Sort(a)
		slices.Sort(b)
	}
	if len(a) != len(b) {
		return fmt.Sprintf("%d rows, postgres %d", len(a), len(b))
	}
	for i := range a {
		if a[i] != b[i] {
			return fmt.Sprintf("row %q, postgres %q", a[i], b[i])
		}
	}
	return ""
}

func texts(r *pgResult, exact bool) []string {
	out := make([]string, len(r.rows))
	for i, row := range r.rows {
		cells := make([]string, len(row))
		for j, c := range row {
			cells[j] = c.text
			if c.null {
				cells[j] = `\N`
			} else if !exact {
				cells[j] = valueText(c.text)
			}
		}
		out[i] = strings.Join(cells, "|")
	}
	return out
}

// valueText writes equal numbers in one way.
func valueText(s string) string {
	if strings.Trim(s, "-0123456789.e+") != "" || s == "" {
		return s
	}
	if !strings.Contains(s, "e") && strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if s == "-0" || s == "" || s == "-" {
		return "0"
	}
	return s
}

// merging reports whether a query may show one of several equal values. Sums are
// among them: ours are exact and know no negative zero.
func merging(q string) bool {
	for _, w := range []string{"sum(", "avg(", "GROUP BY", "DISTINCT", "UNION SELECT", "min(", "max("} {
		if strings.Contains(q, w) {
			return true
		}
	}
	return false
}

// shapeless reports whether such a choice may change the value of a row.
func shapeless(q string) bool { return merging(q) && strings.Contains(q, "AS TEXT)") }

// query compares one query, with names and types of the columns.
func (p *pair) query(q string, raise bool) {
	p.t.Helper()
	want, err := p.pg.exec(q)
	if err != nil {
		p.t.Fatal(err)
	}
	rows, err := p.db.Text(context.Background(), q)
	var got *pgResult
	if err == nil {
		// The planner drops arms that are never taken, and their types with them.
		arms := strings.Contains(q, "UNION") || strings.Contains(q, "CASE")
		for i, c := range rows.Columns() {
			if want.code == "" && (c.Name != want.cols[i].name || c.Type != want.cols[i].typeName() && !arms) {
				p.complain("%s\ncolumn %d: %s %s, postgres %s %s", q, i+1, c.Name, c.Type, want.cols[i].name, want.cols[i].typeName())
				break
			}
		}
		rows.Close()
		got, err = p.ours(q)
	}
	switch code := codeOf(err); {
	case code != want.code && raise && (code == "" || want.code == ""):
		oneSided++
		if os.Getenv("IVMC_TEST_PG_ONESIDED") != "" && want.code == "" {
			p.complain("one side: %s\nours: %s %v\npostgres: %s %s", q, code, err, want.code, want.msg)
		}
	case code != want.code:
		p.complain("%s\nours: %s %v\npostgres: %s %s", q, code, err, want.code, want.msg)
	case code != "":
		failed++
	default:
		answered++
		ordered := strings.Contains(q, "ORDER BY") // where 1 and 1.00 are a tie
		if diff := compare(got, want, !merging(q) && !ordered, ordered); diff != "" && !shapeless(q) {
			p.complain("%s\n%s\nours:\n%s\npostgres:\n%s", q, diff, strings.Join(texts(got, true), "\n"), strings.Join(texts(want, true), "\n"))
		}
	}
}

var oneSided, answered, failed, viewChecks int

// TestPostgres: the same tables, transactions and queries give the same answers
// and errors, and views brought forward step by step hold what PostgreSQL answers.
func TestPostgres(t *testing.T) {
	pg, first, n := judge(t)
	defer pg.close()
	bad := 0
	for seed := first; seed < first+n && bad < 25; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			p := &pair{t: t, seed: seed, pg: pg}
			p.world()
			if t.Failed() {
				bad++
			}
		})
	}
	t.Logf("queries answered %d, failed on both sides %d, on one side %d; views compared %d", answered, failed, oneSided, viewChecks)
}

func (p *pair) world() {
	r := rand.New(rand.NewPCG(p.seed, 11))
	opt := querygen.Options{Distinct: true, Plain: r.IntN(3) == 0, Raise: r.IntN(3) == 0}
	if r.IntN(3) == 0 {
		opt.Kinds = []zset.Kind{zset.Int4, zset.Int8, zset.Varchar, zset.Text, zset.Date, zset.Timestamp, zset.Numeric, zset.Bool}
	}
	db, err := ivmc.Open("", &ivmc.Options{InMemory: true, NoSync: true})
	if err != nil {
		p.t.Fatal(err)
	}
	defer db.Close()
	p.db = db
	s := db.Session()
	defer s.Close()
	if _, err := p.pg.exec("ROLLBACK; DROP SCHEMA public CASCADE; CREATE SCHEMA public"); err != nil {
		p.t.Fatal(err)
	}
	w := &world{t: p.t, r: r, g: querygen.New(p.seed, opt), db: db}
	w.tables = w.g.Tables(1 + r.IntN(3))
	for _, tab := range w.tables {
		p.both(s, tab.DDL())
	}
	for range 1 + r.IntN(4) {
		v := view{fmt.Sprintf("v%d", len(w.views)), tame(w.g.Query(w.tables))}
		p.log = append(p.log, "CREATE MATERIALIZED VIEW "+v.name+" AS "+v.query+";")
		if _, err := s.Exec(context.Background(), "CREATE MATERIALIZED VIEW "+v.name+" AS "+v.query); err != nil {
			want, _ := p.pg.exec(v.query)
			if want.code != codeOf(err) && !(opt.Raise && want.code == "") {
				p.complain("%s\nours: %v\npostgres: %s %s", v.query, err, want.code, want.msg)
			}
			p.log = p.log[:len(p.log)-1]
			continue
		}
		w.views = append(w.views, v)
	}
	for range 1 + r.IntN(6) {
		if r.IntN(2) == 0 {
			p.both(s, "BEGIN")
			for range 1 + r.IntN(5) {
				p.both(s, tame(w.statement()))
			}
			if r.IntN(5) == 0 {
				p.both(s, "ROLLBACK")
			} else {
				p.both(s, "COMMIT")
			}
		} else {
			p.both(s, tame(w.statement()))
		}
		for _, v := range w.views {
			p.view(s, v, opt.Raise)
		}
	}
	for range 8 {
		p.query(tame(w.g.Query(w.tables)), opt.Raise)
	}
	for _, tab := range w.tables {
		var by []string
		for i := range tab.Schema {
			by = append(by, fmt.Sprint(i+1)+[]string{"", " DESC", " NULLS FIRST", " DESC NULLS LAST"}[r.IntN(4)])
		}
		p.query(fmt.Sprintf("SELECT * FROM %s ORDER BY %s LIMIT %d OFFSET %d", tab.Name, strings.Join(by, ", "), r.IntN(9), r.IntN(4)), false)
	}
}

// view refreshes a view and compares it with what its query gives PostgreSQL.
func (p *pair) view(s *ivmc.Session, v view, raise bool) {
	p.t.Helper()
	p.log = append(p.log, "REFRESH MATERIALIZED VIEW "+v.name+" INCREMENTAL;")
	_, err := s.Exec(context.Background(), "REFRESH MATERIALIZED VIEW "+v.name+" INCREMENTAL")
	want, perr := p.pg.exec(v.query)
	if perr != nil {
		p.t.Fatal(perr)
	}
	switch code := codeOf(err); {
	case code != "" || want.code != "":
		if code != want.code && !(raise && (code == "" || want.code == "")) {
			p.complain("view %s (%s)\nours: %v\npostgres: %s %s", v.name, v.query, err, want.code, want.msg)
		}
		return
	}
	got, err := p.ours("SELECT * FROM " + v.name)
	if err != nil {
		p.complain("view %s: %v", v.name, err)
		return
	}
	viewChecks++
	if diff := compare(got, want, !merging(v.query), false); diff != "" && !shapeless(v.query) {
		p.complain("view %s (%s)\n%s\nours:\n%s\npostgres:\n%s", v.name, v.query, diff, strings.Join(texts(got, true), "\n"), strings.Join(texts(want, true), "\n"))
	}
}
