package conformance

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// TestAggregates: every aggregate over random bags of the edges of every type,
// empty ones and NULLs included.
func TestAggregates(t *testing.T) {
	p := newPair(t)
	g := newGenerator(*seedFlag, nil)
	n := 0
	for _, typ := range g.types {
		table := "g_" + identifier(typ)
		if !p.both(fmt.Sprintf("CREATE TABLE %s (k integer, x %s, y %s)", table, typ, typ)) {
			t.Fatal("no table")
		}
		p.log = nil
		for k := range max(4, cases()/400) {
			var rows []string
			for range g.r.IntN(7) {
				cell := func() string {
					if g.r.IntN(6) == 0 {
						return "NULL"
					}
					return quote(pick(g, edgesOf(typ)))
				}
				rows = append(rows, fmt.Sprintf("(%d, %s, %s)", k, cell(), cell()))
			}
			if len(rows) > 0 && !p.both("INSERT INTO "+table+" VALUES "+strings.Join(rows, ", ")) {
				continue
			}
			p.log = nil
			for _, name := range append(shared(), expr.OrderedSets()...) {
				for _, call := range g.aggregate(name, typ) {
					q := fmt.Sprintf("SELECT %s FROM %s WHERE k = %d", call, table, k)
					ours, pg := p.answers(q)
					if strings.HasPrefix(name, "m") && ours.head() == pg.head() && compare(ours, pg, false, true) == "" {
						continue // MIN and MAX: which of 1.0 and 1.00 shows is nobody's promise
					}
					if p.sameInterval(ours, pg) {
						continue // the same of 1 mon and 30 days
					}
					p.judge(q, ours, pg)
					n++
				}
			}
		}
	}
	t.Logf("%d aggregates", n)
}

// sameInterval reports whether both answers are one cell, and intervals that compare equal.
func (p *pair) sameInterval(ours, pg *outcome) bool {
	if len(ours.rows) != 1 || len(pg.rows) != 1 || ours.head() != pg.head() || len(pg.cols) != 1 || pg.cols[0].Type != "interval" {
		return false
	}
	a, b := ours.rows[0][0], pg.rows[0][0]
	if a.Null || b.Null {
		return a == b
	}
	r := p.theirs(fmt.Sprintf("SELECT CAST(%s AS interval) = CAST(%s AS interval)", quote(a.Text), quote(b.Text)))
	return len(r.rows) == 1 && r.rows[0][0].Text == "t"
}

// shared is the aggregates that PostgreSQL 15 has too.
func shared() []string {
	return slices.DeleteFunc(expr.Aggregates(), func(name string) bool { return name == "any_value" || name == "count_if" })
}

// aggregate is calls of one aggregate over the columns x and y.
func (g *generator) aggregate(name string, typ zset.Type) []string {
	if name == "array_agg" && typ.Kind == zset.Array {
		return nil // of two dimensions
	}
	switch {
	case strings.HasSuffix(name, "_agg"):
		return g.ordered(name)
	case expr.IsOrderedSet(name):
		return g.within(name, typ)
	}
	if expr.Arity(name) == 2 {
		return []string{name + "(x, y)", name + "(y, k)", name + "(x, y) FILTER (WHERE x > y)", name + "(DISTINCT x, y)", name + "(x)"}
	}
	out := []string{name + "(x)", name + "(x) FILTER (WHERE x > y)"}
	if zset.KeyExact(typ) {
		out = append(out, name+"(DISTINCT x)", name+"(DISTINCT x) FILTER (WHERE y IS NOT NULL)")
	}
	if g.r.IntN(3) == 0 {
		out = append(out, name+"(*)", name+"(NULL)", name+"(x, y)", name+"(k)", name+"(x ORDER BY y)")
	}
	return out
}

// within is calls of an ordered-set aggregate.
func (g *generator) within(name string, typ zset.Type) []string {
	if typ.Kind == zset.Array {
		return nil // a list of arrays
	}
	args := ""
	if name != "mode" {
		args = pick(g, []string{"0.5", "0", "1", "0.25", "0.9", "NULL", "1.5", "'NaN'", "ARRAY[0.5, NULL, 1]", "ARRAY[-1]", "'a'", "true", "k", "0.1 + 0.3"})
	}
	return []string{
		name + "(" + args + ") WITHIN GROUP (ORDER BY x)",
		name + "(" + args + ") WITHIN GROUP (ORDER BY x DESC NULLS LAST) FILTER (WHERE x > y)",
		name + "(0.5) WITHIN GROUP (ORDER BY k)",
		name + "(DISTINCT x)", name + "(x)",
	}
}

// ordered is calls of an aggregate whose result depends on the order.
func (g *generator) ordered(name string) []string {
	sep := ""
	if name == "string_agg" {
		sep = ", '-'"
	}
	out := []string{
		name + "(x" + sep + " ORDER BY x DESC, CAST(x AS TEXT))",
		name + "(DISTINCT CAST(x AS TEXT)" + sep + " ORDER BY CAST(x AS TEXT)) FILTER (WHERE x > y)",
		name + "(CAST(y AS TEXT)" + sep + " ORDER BY CAST(y AS TEXT) NULLS FIRST, CAST(x AS TEXT) DESC NULLS LAST)",
	}
	if g.r.IntN(3) == 0 {
		out = append(out, name+"(x, y ORDER BY x, y)", name+"(x, k)", name+"(DISTINCT x"+sep+" ORDER BY y)", name+"(*)")
	}
	return out
}
