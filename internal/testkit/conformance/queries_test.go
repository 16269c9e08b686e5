package conformance

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/internal/testkit/querygen"
	"github.com/ivmc/ivmc/zset"
)

// TestQueries: the same tables, transactions and queries give the same answers
// and errors, and views brought forward step by step hold what PostgreSQL answers.
func TestQueries(t *testing.T) {
	p := newPair(t)
	c := &counts{}
	for p.seed = *seedFlag; p.seed < *seedFlag+uint64(cases()/50); p.seed++ {
		p.world(c)
	}
	t.Logf("queries answered %d, failed on both sides %d, on one side %d; views compared %d", c.answered, c.failed, c.oneSided, c.views)
}

type counts struct{ answered, failed, oneSided, views int }

type view struct{ name, query string }

// world is a random schema with views, some transactions, and queries.
func (p *pair) world(c *counts) {
	r := rand.New(rand.NewPCG(p.seed, 11))
	opt := querygen.Options{Joined: true, Windows: true, Distinct: true, Aggs: append(shared(), expr.OrderedSets()...), Judged: true, Plain: r.IntN(3) == 0, Raise: r.IntN(3) == 0}
	if r.IntN(3) == 0 {
		opt.Kinds = []zset.Kind{zset.Int4, zset.Int8, zset.Varchar, zset.Text, zset.Date, zset.Timestamp, zset.Numeric, zset.Bool}
	}
	// PostgreSQL rounds the moments of doubles at every row; pairs are always of doubles.
	opt.Aggs = slices.DeleteFunc(opt.Aggs, func(name string) bool {
		return expr.Arity(name) == 2 && name != "string_agg" ||
			opt.Kinds == nil && (strings.HasPrefix(name, "var") || strings.HasPrefix(name, "stddev"))
	})
	p.log, p.parted = nil, false
	p.open()
	p.theirs("ROLLBACK; DROP SCHEMA public CASCADE; CREATE SCHEMA public")
	g := querygen.New(p.seed, opt)
	tables := g.Tables(1 + r.IntN(3))
	for _, tab := range tables {
		p.both(tab.DDL())
	}
	var views []view
	for i := range 1 + r.IntN(4) {
		v := view{fmt.Sprintf("v%d", i), tame(g.Query(tables))}
		if p.create(v, opt.Raise) {
			views = append(views, v)
		}
	}
	for range 1 + r.IntN(6) {
		if r.IntN(2) == 0 {
			p.both("BEGIN")
			for range 1 + r.IntN(5) {
				p.both(tame(g.Statement(tables)))
			}
			p.both([]string{"COMMIT", "ROLLBACK"}[r.IntN(5)/4])
		} else {
			p.both(tame(g.Statement(tables)))
		}
		if p.parted { // what follows stands on different rows
			c.oneSided++
			return
		}
		for _, v := range views {
			p.view(v, opt.Raise, c)
		}
	}
	opt.Whole = true
	whole := querygen.New(p.seed, opt)
	for range 8 {
		p.query(tame(whole.Query(tables)), opt.Raise, c)
	}
	for _, tab := range tables {
		var by []string
		for i := range tab.Schema {
			by = append(by, fmt.Sprint(i+1)+[]string{"", " DESC", " NULLS FIRST", " DESC NULLS LAST"}[r.IntN(4)])
		}
		p.query(fmt.Sprintf("SELECT * FROM %s ORDER BY %s LIMIT %d OFFSET %d", tab.Name, strings.Join(by, ", "), r.IntN(9), r.IntN(4)), false, c)
	}
}

func (p *pair) create(v view, raise bool) bool {
	sql := "CREATE MATERIALIZED VIEW " + v.name + " AS " + v.query
	ours := p.ours(sql)
	if ours.code == "" {
		p.log = append(p.log, sql+";")
		return true
	}
	if pg := p.theirs(v.query); ours.code != pg.code && !(raise && pg.code == "") {
		p.complain("%s\nours: %s\npostgres: %s", v.query, ours, pg)
	}
	return false
}

// query compares one query, with names and types of the columns. raise: rows may
// fail, and a planner may spare them or not.
func (p *pair) query(q string, raise bool, c *counts) {
	p.t.Helper()
	ours, pg := p.answers(q)
	switch {
	case noFullJoin(pg):
		c.oneSided++
	case ours.code != pg.code && raise && either(ours.code, pg.code):
		c.oneSided++
	case ours.code != pg.code:
		p.judge(q, ours, pg)
	case ours.code != "":
		c.failed++
	default:
		c.answered++
		// The planner drops arms that are never taken, and their types with them.
		if !strings.Contains(q, "UNION") && !strings.Contains(q, "CASE") && ours.head() != pg.head() {
			p.judge(q, ours, pg)
		}
		ordered := strings.Contains(outermost(q), "ORDER BY") // where 1 and 1.00 are a tie
		if diff := compare(ours, pg, !merging(q) && !ordered, ordered); diff != "" && !shapeless(q) {
			p.complain("%s\n%s\nours: %s\npostgres: %s", q, diff, ours, pg)
		}
	}
}

// view refreshes a view and compares it with what its query gives PostgreSQL.
func (p *pair) view(v view, raise bool, c *counts) {
	p.t.Helper()
	refresh := "REFRESH MATERIALIZED VIEW " + v.name + " INCREMENTAL"
	p.log = append(p.log, refresh+";")
	ours, pg := p.answersOf(refresh, v.query)
	if noFullJoin(pg) {
		return
	}
	if ours.code != "" || pg.code != "" {
		if ours.code != pg.code && !raise { // which of several errors comes first is open
			p.complain("view %s (%s)\nours: %s\npostgres: %s", v.name, v.query, ours, pg)
		}
		return
	}
	c.views++
	ours = p.ours("SELECT * FROM " + v.name)
	if diff := compare(ours, pg, !merging(v.query), false); ours.code != "" || diff != "" && !shapeless(v.query) {
		p.complain("view %s (%s)\n%s\nours: %s\npostgres: %s", v.name, v.query, diff, ours, pg)
	}
}

// either: rows fail, and which fails first, or whether it is computed at all, is open.
func either(a, b string) bool {
	data := func(code string) bool { return code == "" || code == "21000" || strings.HasPrefix(code, "22") }
	return data(a) && data(b)
}

// outermost is q without what stands in parentheses.
func outermost(q string) string {
	depth := 0
	return strings.Map(func(r rune) rune {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth > 0 {
			return -1
		}
		return r
	}, q)
}

// noFullJoin: PostgreSQL joins both sides in full by equality alone; we by any condition.
func noFullJoin(pg *outcome) bool {
	return pg.code == "0A000" && strings.HasPrefix(pg.msg, "FULL JOIN is only supported")
}

func (p *pair) answersOf(mine, yours string) (ours, pg *outcome) {
	return p.ours(mine), p.theirs(yours)
}

// tame takes the numbers away whose float sums depend on the order: what is
// left is exact for both.
func tame(sql string) string {
	return strings.NewReplacer("'1e15'", "'1e6'", "'0.1'", "'0.125'").Replace(sql)
}

// merging reports whether a query may show one of several equal values, such as
// 1.0 and 1.00 of one group: which one is a choice of PostgreSQL's plan, and of ours.
func merging(q string) bool {
	for _, w := range []string{"OVER (", "sum(", "avg(", "GROUP BY", "DISTINCT", "UNION SELECT", "min(", "max("} {
		if strings.Contains(q, w) {
			return true
		}
	}
	return false
}

// shapeless reports whether such a choice may change the value of a row.
func shapeless(q string) bool { return merging(q) && strings.Contains(q, "AS TEXT)") }

// compare says how the rows differ. exact: cell by cell as text; else by value.
func compare(ours, pg *outcome, exact, ordered bool) string {
	a, b := texts(ours, exact), texts(pg, exact)
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
