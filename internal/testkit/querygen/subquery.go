package querygen

import (
	"fmt"
	"strings"

	"github.com/ivmc/ivmc/zset"
)

// plainOnes is those of cols that are columns, which a query in an expression may read.
func plainOnes(cols []column) []column {
	var out []column
	for _, c := range cols {
		if !strings.ContainsAny(c.ref, " (") {
			out = append(out, c)
		}
	}
	return out
}

// inner is FROM of a query in an expression over outer, its columns, and a WHERE
// that most often ties it to outer.
func (g *Gen) inner(depth int, outer []column) (from, where string, cols []column) {
	from, cols = g.entry(g.ts, max(depth-1, 0))
	if g.chance(15) {
		right, more := g.entry(g.ts, 0)
		from += pick(g, []string{" JOIN ", " LEFT JOIN "}) + right + " ON " + g.plainCondition(cols, more)
		cols = append(cols[:len(cols):len(cols)], more...)
	}
	var conds []string
	if len(outer) > 0 && g.chance(65) {
		conds = append(conds, g.joinCondition(outer, cols))
	}
	for g.chance(30) && len(conds) < 3 {
		both := cols[:len(cols):len(cols)]
		if g.chance(40) {
			both = append(both, outer...)
		}
		conds = append(conds, g.boolean(both, 1))
	}
	if len(conds) > 0 {
		where = " WHERE " + strings.Join(conds, " AND ")
	}
	return from, where, cols
}

// plainCondition is a joinCondition without queries.
func (g *Gen) plainCondition(left, right []column) string {
	nest := g.nest
	g.nest = 0
	defer func() { g.nest = nest }()
	return g.joinCondition(left, right)
}

// lateral is a query in FROM that may read outer, and its one column.
func (g *Gen) lateral(depth int, outer []column) (string, column) {
	as := fmt.Sprintf("r%d", g.tab)
	g.tab++
	c := pick(g, outer)
	var item string
	switch {
	case g.chance(15):
		item = "(SELECT " + c.ref + ")"
	case g.chance(50):
		item = g.value(depth, c.kind, outer)
	default:
		item = g.nested(func() string {
			from, where, cols := g.inner(depth, outer)
			return "(SELECT " + g.scalar(c.kind, append(cols[:len(cols):len(cols)], outer...), 1) + " FROM " + from + where + ")"
		})
	}
	return item + " AS " + as + " (c0)", column{as + ".c0", c.kind}
}

// nested is f one level further in.
func (g *Gen) nested(f func() string) string {
	g.nest--
	defer func() { g.nest++ }()
	return f()
}

// queryTest is a test of a query over outer: EXISTS, IN, ANY or ALL, or a negation.
func (g *Gen) queryTest(depth int, outer []column) string {
	return g.nested(func() string { return g.test(depth, outer) })
}

func (g *Gen) test(depth int, outer []column) string {
	from, where, cols := g.inner(depth, outer)
	not := pick(g, []string{"", "NOT "})
	x := pick(g, outer)
	var fit []column
	for _, c := range cols {
		if sameFamily(c.kind, x.kind) {
			fit = append(fit, c)
		}
	}
	if len(fit) == 0 || g.chance(45) {
		return not + "EXISTS (SELECT " + g.presence(from, where, cols, outer) + ")"
	}
	y := pick(g, fit)
	q := "(SELECT " + pick(g, []string{"", "", "DISTINCT "}) + y.ref + " FROM " + from + where
	simple := false
	switch {
	case g.chance(15):
		q = "(SELECT " + g.extreme(y.kind, y.ref) + " FROM " + from + where
		if g.chance(50) {
			q += " GROUP BY " + pick(g, cols).ref
		}
	case g.chance(10):
		more, cond, others := g.inner(0, outer)
		for _, c := range others {
			if c.kind == y.kind {
				q += " UNION ALL SELECT " + c.ref + " FROM " + more + cond
				break
			}
		}
	default:
		simple = true
	}
	q += ")"
	if z := pick(g, cols); simple && g.chance(20) {
		for _, c := range outer {
			if sameFamily(c.kind, z.kind) {
				return "(" + x.ref + ", " + c.ref + ") " + not + "IN (SELECT " + y.ref + ", " + z.ref + " FROM " + from + where + ")"
			}
		}
	}
	if !g.opt.Plain && g.chance(25) {
		return x.ref + pick(g, []string{" = ", " <> ", " < ", " <= ", " > ", " >= "}) + pick(g, []string{"ANY ", "ALL "}) + q
	}
	return x.ref + " " + not + "IN " + q
}

// presence is the rest of a query of which only counts whether it has a row.
func (g *Gen) presence(from, where string, cols, outer []column) string {
	switch {
	case g.chance(15):
		k := pick(g, cols).ref
		q := k + ", count(*) FROM " + from + where + " GROUP BY " + k + " HAVING count(*) > "
		for _, c := range outer {
			if isNumber(c.kind) && g.chance(50) {
				return q + c.ref
			}
		}
		return q + fmt.Sprint(g.r.IntN(3))
	case g.chance(10):
		return "1 FROM " + from + where + " LIMIT 1"
	case g.chance(5):
		return "count(*) FROM " + from + where + " HAVING count(*) > 1"
	}
	return "1 FROM " + from + where
}

// value is a query as a value of kind k, which may read outer: an aggregate of all
// rows, with HAVING or not; with Raise also a query that may have more than one row;
// with Order one with LIMIT.
func (g *Gen) value(depth int, k zset.Kind, outer []column) string {
	return g.nested(func() string {
		from, where, cols := g.inner(depth, outer)
		switch {
		case g.opt.Raise && g.chance(30):
			return "(SELECT " + g.scalar(k, cols, 1) + " FROM " + from + where + ")"
		case g.opt.Order && g.chance(30):
			q := "(SELECT " + g.scalar(k, append(cols[:len(cols):len(cols)], outer...), 1) + " FROM " + from + where
			return q + " ORDER BY " + pick(g, cols).ref + g.direction() + ", 1 LIMIT 1" + pick(g, []string{"", " OFFSET 1"}) + ")"
		}
		item := g.overGroup(k, nil, cols)
		switch {
		case isNumber(k) && g.chance(25):
			item = "coalesce(" + item + ", " + g.literal(k) + ") + 1"
			if k != zset.Int8 && k != zset.Int4 {
				item = "coalesce(" + g.overGroup(k, nil, cols) + ", CAST(" + g.literal(k) + " AS " + g.typeName(k) + "))"
			}
		case k == zset.Int8 && g.chance(30):
			item = "count(*)"
		}
		q := "(SELECT " + item + " FROM " + from + where
		if g.chance(20) {
			q += " HAVING count(*) > " + fmt.Sprint(g.r.IntN(4))
		}
		return q + ")"
	})
}

// compared is c compared with a query as a value.
func (g *Gen) compared(depth int, c column) string {
	return c.ref + pick(g, []string{" = ", " <> ", " < ", " <= ", " > ", " >= "}) + g.value(depth, c.kind, nil)
}
