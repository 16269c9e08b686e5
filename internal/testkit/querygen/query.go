package querygen

import (
	"fmt"
	"strings"

	"github.com/ivmc/ivmc/zset"
)

// column is a column that an expression may read.
type column struct {
	ref  string
	kind zset.Kind
}

// Query is a random query over ts. Its columns are named c0, c1, ..
func (g *Gen) Query(ts []Table) string {
	g.ts, g.nest = ts, g.opt.Nest
	q, _ := g.query(ts, g.opt.Depth)
	return q
}

// query is a block, or a sum of blocks of the same column kinds, and its columns.
func (g *Gen) query(ts []Table, depth int) (string, []column) {
	q, cols := g.block(ts, depth, nil)
	for n := 0; depth > 0 && g.chance(20); n++ {
		op := " UNION ALL "
		if g.opt.Distinct && g.chance(25) {
			op = " UNION "
		}
		// Judges do not agree how strongly these bind: alone.
		alone := g.opt.Distinct && n == 0 && g.chance(40)
		if alone {
			ops := []string{" INTERSECT ", " EXCEPT "}
			if !g.opt.Plain {
				ops = append(ops, " INTERSECT ALL ", " EXCEPT ALL ")
			}
			op = pick(g, ops)
		}
		var next string
		next, _ = g.block(ts, depth-1, cols)
		if g.chance(25) {
			more, _ := g.block(ts, depth-1, cols)
			next = "(" + next + " UNION ALL " + more + ")"
		}
		q += op + next
		if alone || g.chance(60) {
			break
		}
	}
	if g.opt.Top && g.chance(20) {
		q += " ORDER BY " + fmt.Sprint(1+g.r.IntN(len(cols))) + g.direction() + fmt.Sprintf(" LIMIT %d", g.r.IntN(16))
		if g.chance(30) {
			q += fmt.Sprintf(" OFFSET %d", g.r.IntN(3))
		}
	}
	if g.opt.Order && g.chance(30) {
		q += " ORDER BY " + fmt.Sprint(1+g.r.IntN(len(cols)))
		if g.chance(50) {
			q += " DESC"
		}
		if g.chance(70) {
			q += fmt.Sprintf(" LIMIT %d", g.r.IntN(6))
		}
		if g.chance(30) {
			q += fmt.Sprintf(" OFFSET %d", g.r.IntN(3))
		}
	}
	return q, cols
}

// block is one SELECT. With like, its columns have those kinds.
func (g *Gen) block(ts []Table, depth int, like []column) (string, []column) {
	from, cols := g.from(ts, depth)
	var where []string
	for g.chance(40) && len(where) < 3 {
		where = append(where, g.boolean(cols, 2))
	}
	if depth > 0 && g.opt.Distinct && g.chance(25) {
		where = append(where, g.queryTest(depth, cols))
	}
	values := depth > 0 && g.opt.Distinct && g.chance(20) // queries as values
	if values && g.chance(50) {
		where = append(where, g.compared(depth, pick(g, cols)))
	}
	kinds := g.outputKinds(cols, like)
	var items, group, having []string
	distinct := ""
	switch {
	case g.chance(45):
		items, group, having = g.grouped(cols, &kinds, like != nil)
		if values && g.chance(50) {
			having = append(having, g.compared(depth, column{"count(*)", zset.Int8}))
		}
	default:
		for _, k := range kinds {
			items = append(items, g.scalar(k, cols, 2))
		}
		if g.opt.Windows && g.chance(25) {
			part := g.partition(cols)
			for i := range items {
				if item, k := g.window(cols, part); like == nil && g.chance(60) {
					items[i], kinds[i] = item, k
				}
			}
		}
		if g.opt.Distinct && g.chance(15) {
			distinct = "DISTINCT "
		}
		if item, ok := g.unnested(cols); ok && like == nil && !g.opt.Plain && g.chance(20) {
			items[0], kinds[0] = item, g.elem
		}
	}
	if i := g.r.IntN(len(items)); values && g.chance(60) {
		items[i] = g.value(depth, kinds[i], nil)
	}
	out := make([]column, len(items))
	for i := range items {
		out[i] = column{fmt.Sprintf("c%d", i), kinds[i]}
		items[i] += " AS " + out[i].ref
	}
	q := "SELECT " + distinct + strings.Join(items, ", ") + " FROM " + from
	if len(where) > 0 {
		q += " WHERE " + strings.Join(where, " AND ")
	}
	if len(group) > 0 {
		q += " GROUP BY " + strings.Join(group, ", ")
	}
	if len(having) > 0 {
		q += " HAVING " + strings.Join(having, " AND ")
	}
	return q, out
}

func (g *Gen) outputKinds(cols, like []column) []zset.Kind {
	var out []zset.Kind
	if like != nil {
		for _, c := range like {
			out = append(out, c.kind)
		}
		return out
	}
	for range 1 + g.r.IntN(4) {
		out = append(out, pick(g, cols).kind)
	}
	return out
}

// from is a list of tables and subqueries, joined in the ways there are.
func (g *Gen) from(ts []Table, depth int) (string, []column) {
	from, cols := g.entry(ts, depth)
	comma := 0 // ON sees the columns since the last comma
	for n := 1; n < g.opt.Joins && g.chance(40); n++ {
		right, more := g.entry(ts, depth)
		all := append(cols[:len(cols):len(cols)], more...)
		switch {
		case g.chance(75):
			kinds := []string{" JOIN ", " JOIN ", " LEFT JOIN ", " LEFT JOIN ", " RIGHT JOIN ", " FULL JOIN "}
			if comma > 0 && g.opt.FlatComma { // a, (b RIGHT JOIN c) is read as (a, b) RIGHT JOIN c there
				kinds = kinds[:4]
			}
			kind := pick(g, kinds)
			switch { // of an outer join, a query in ON reads one side at most
			case kind == " JOIN ":
				from += kind + right + " ON " + g.joinCondition(cols[comma:], more)
			default:
				from += kind + right + " ON " + g.plainCondition(cols[comma:], more)
				if g.nest > 0 && g.chance(8) {
					from += " AND " + g.queryTest(depth, pick(g, [][]column{cols[comma:], more}))
				}
			}
			if depth > 0 && g.opt.Distinct && g.chance(5) {
				from += " AND " + g.compared(depth, pick(g, all[comma:]))
			}
		case depth > 0 && g.nest > 0 && !g.opt.Plain && g.chance(40):
			item, c := g.lateral(depth, cols)
			all = append(cols[:len(cols):len(cols)], c)
			if g.chance(50) {
				from += " CROSS JOIN LATERAL " + item
			} else {
				from += " LEFT JOIN LATERAL " + item + " ON " + g.plainCondition(cols[comma:], []column{c})
			}
		case g.arrays() && !g.opt.Plain && g.chance(40):
			item, more := g.listed(cols)
			all = append(cols[:len(cols):len(cols)], more...)
			if from += item; strings.HasPrefix(item, " LEFT") {
				from += " ON " + pick(g, []string{"TRUE", g.plainCondition(cols[comma:], more)})
			}
		case g.chance(50):
			from += ", " + right
			comma = len(cols)
		default:
			from += " CROSS JOIN " + right
		}
		cols = all
	}
	return from, cols
}

func (g *Gen) entry(ts []Table, depth int) (string, []column) {
	as := fmt.Sprintf("r%d", g.tab)
	g.tab++
	var cols []column
	if depth > 0 && g.chance(20) {
		q, inner := g.query(ts, depth-1)
		for _, c := range inner {
			cols = append(cols, column{as + "." + c.ref, c.kind})
		}
		return "(" + q + ") AS " + as, cols
	}
	t := pick(g, ts)
	if depth > 0 && g.opt.Windows && g.chance(8) {
		return g.firstRows(t, as)
	}
	for _, f := range t.Schema {
		cols = append(cols, column{as + "." + f.Name, f.Type.Kind})
	}
	return t.Name + " AS " + as, cols
}

// joinCondition has mostly an equality of columns of both sides, and now and
// then something else.
func (g *Gen) joinCondition(left, right []column) string {
	var on []string
	for range 1 + g.r.IntN(2) {
		l := pick(g, left)
		var fit []column
		for _, c := range right {
			if sameFamily(c.kind, l.kind) {
				fit = append(fit, c)
			}
		}
		if len(fit) == 0 {
			continue
		}
		op := " = "
		if g.chance(15) {
			op = pick(g, []string{" < ", " >= ", " <> "})
		}
		on = append(on, l.ref+op+pick(g, fit).ref)
	}
	if len(on) == 0 || g.chance(15) {
		on = append(on, g.boolean(append(left[:len(left):len(left)], right...), 1))
	}
	return strings.Join(on, " AND ")
}

func isNumber(k zset.Kind) bool {
	return k == zset.Int2 || k == zset.Int4 || k == zset.Int8 || k == zset.Float4 || k == zset.Float8 || k == zset.Numeric
}

func sameFamily(a, b zset.Kind) bool {
	text := func(k zset.Kind) bool { return k == zset.Text || k == zset.Varchar || k == zset.Char }
	time := func(k zset.Kind) bool { return k == zset.Date || k == zset.Timestamp || k == zset.TimestampTZ }
	return a == b || isNumber(a) && isNumber(b) || text(a) && text(b) || time(a) && time(b)
}

// grouped is a select list over groups: keys, aggregates, and expressions over
// both. With like, it must have the given kinds.
func (g *Gen) grouped(cols []column, kinds *[]zset.Kind, like bool) (items, group, having []string) {
	var keys []column
	for g.chance(65) && len(keys) < 2 {
		k := pick(g, cols)
		if g.chance(20) {
			k.ref = g.scalar(k.kind, cols, 1)
			if k.kind == zset.Bool {
				k.ref = "(NOT " + k.ref + ")" // GROUP BY takes no bare TRUE
			}
		}
		keys = append(keys, k)
		group = append(group, k.ref)
	}
	if like {
		for _, k := range *kinds {
			items = append(items, g.overGroup(k, keys, cols))
		}
	} else {
		*kinds = nil
		for range 1 + g.r.IntN(3) {
			item, k := g.aggregate(cols)
			if len(keys) > 0 && g.chance(40) {
				key := pick(g, keys)
				item, k = key.ref, key.kind
			}
			if plain := plainOnes(keys); len(plain) > 0 && g.nest > 0 && g.chance(10) {
				k = pick(g, plain).kind
				item = g.value(1, k, plain)
			}
			items, *kinds = append(items, item), append(*kinds, k)
		}
	}
	if g.chance(25) {
		having = append(having, pick(g, []string{"count(*) > 1", "count(*) < 4", g.overGroup(zset.Int8, keys, cols) + " IS NOT NULL"}))
	}
	if plain := plainOnes(keys); len(plain) > 0 && g.nest > 0 && g.chance(15) {
		having = append(having, g.queryTest(1, plain))
	}
	if len(keys) > 0 && g.chance(15) {
		k := pick(g, keys)
		having = append(having, k.ref+" = "+g.literal(k.kind))
	}
	if len(keys) > 0 && g.opt.Distinct && !g.opt.Plain && g.chance(15) {
		if !like && g.chance(40) {
			items, *kinds = append(items, "GROUPING("+strings.Join(group, ", ")+")"), append(*kinds, zset.Int4)
		}
		group = []string{g.sets(group)}
	}
	return items, group, having
}

// sets is GROUP BY of sets of keys.
func (g *Gen) sets(keys []string) string {
	all := strings.Join(keys, ", ")
	k := pick(g, keys)
	return pick(g, []string{
		"ROLLUP (" + all + ")", "CUBE (" + all + ")", k + ", ROLLUP (" + all + ")",
		"GROUPING SETS ((" + all + "), " + k + ")", "GROUPING SETS ((" + all + "), ())", "GROUPING SETS (ROLLUP (" + all + "), " + k + ")",
	})
}

// overGroup is an expression of kind k over keys and aggregates.
func (g *Gen) overGroup(k zset.Kind, keys, cols []column) string {
	for _, key := range keys {
		if key.kind == k && g.chance(60) {
			return key.ref
		}
	}
	switch k {
	case zset.Int8:
		return "count(" + pick(g, cols).ref + ")"
	case zset.Bool:
		return "count(*) > " + fmt.Sprint(g.r.IntN(4))
	}
	return g.extreme(k, g.scalar(k, cols, 1))
}

// extreme is the least or the greatest x, of kind k; where there is none of that
// kind, of its text.
func (g *Gen) extreme(k zset.Kind, x string) string {
	f := pick(g, []string{"min(", "max("})
	switch k {
	case zset.Bool:
		return "bool_or(" + x + ")"
	case zset.Bytea, zset.UUID:
		return "CAST(" + f + "(" + x + ")::text) AS " + g.typeName(k) + ")"
	}
	return f + x + ")"
}
