package querygen

import (
	"strings"

	"github.com/ivmc/ivmc/zset"
)

// typeNames are the names to cast to.
var typeNames = map[zset.Kind]string{
	zset.Int2: "SMALLINT", zset.Int4: "INTEGER", zset.Int8: "BIGINT", zset.Float4: "REAL", zset.Float8: "DOUBLE PRECISION", zset.Numeric: "NUMERIC",
	zset.Text: "TEXT", zset.Varchar: "VARCHAR", zset.Char: "BPCHAR", zset.Bytea: "BYTEA", zset.Bool: "BOOLEAN", zset.Date: "DATE", zset.Time: "TIME",
	zset.Timestamp: "TIMESTAMP", zset.TimestampTZ: "TIMESTAMPTZ", zset.Interval: "INTERVAL", zset.UUID: "UUID",
}

func (g *Gen) typeName(k zset.Kind) string {
	if k == zset.Array {
		return typeNames[g.elem] + "[]"
	}
	return typeNames[k]
}

// scalar is an expression of just kind k over cols, at most depth levels deep.
func (g *Gen) scalar(k zset.Kind, cols []column, depth int) string {
	var fit []column
	for _, c := range cols {
		if c.kind == k {
			fit = append(fit, c)
		}
	}
	if g.nest > 0 && len(cols) > 0 && g.chance(3) {
		return g.value(1, k, cols)
	}
	if depth == 0 || g.chance(45) {
		if len(fit) > 0 && g.chance(85) {
			return pick(g, fit).ref
		}
		return "CAST(" + g.literal(k) + " AS " + g.typeName(k) + ")"
	}
	sub := func(k zset.Kind) string { return g.scalar(k, cols, depth-1) }
	switch {
	case k == zset.Bool:
		return "(" + g.boolean(cols, depth) + ")"
	case g.chance(20):
		return "CASE WHEN " + g.boolean(cols, depth-1) + " THEN " + sub(k) + " ELSE " + sub(k) + " END"
	case g.chance(15):
		return "CASE WHEN " + g.boolean(cols, depth-1) + " THEN " + sub(k) + " END"
	case g.chance(20):
		return "coalesce(" + sub(k) + ", " + sub(k) + ")"
	case g.opt.Raise && isNumber(k) && g.chance(30):
		return "(" + sub(k) + " / " + sub(k) + ")"
	case k == zset.Int2 || k == zset.Interval:
		return "(" + sub(k) + pick(g, []string{" + ", " - "}) + sub(k) + ")"
	case k == zset.Array:
		return "(" + sub(k) + " || " + sub(k) + ")"
	case k == g.elem && g.arrays() && g.chance(20):
		return "(" + sub(zset.Array) + ")[" + pick(g, []string{"1", "2", "cardinality(" + sub(zset.Array) + ")"}) + "]"
	case isNumber(k):
		return "(" + sub(k) + pick(g, []string{" + ", " - ", " * "}) + sub(k) + ")"
	case k == zset.Text && g.chance(60):
		return "(" + sub(k) + " || " + sub(k) + ")"
	case k == zset.Text && len(cols) > 0 && !g.opt.Plain:
		return "CAST(" + pick(g, cols).ref + " AS TEXT)"
	}
	return sub(k)
}

// boolean is a condition over cols.
func (g *Gen) boolean(cols []column, depth int) string {
	c := pick(g, cols)
	switch {
	case g.chance(3):
		return "TRUE"
	case g.opt.Raise && isNumber(c.kind) && g.chance(25):
		return "10 / " + c.ref + pick(g, []string{" > ", " <> ", " < "}) + g.literal(c.kind)
	}
	if g.nest > 0 && g.chance(4) {
		return g.queryTest(1, cols)
	}
	if depth > 0 {
		switch g.r.IntN(6) {
		case 0:
			return "(" + g.boolean(cols, depth-1) + " AND " + g.boolean(cols, depth-1) + ")"
		case 1:
			return "(" + g.boolean(cols, depth-1) + " OR " + g.boolean(cols, depth-1) + ")"
		case 2:
			return "(NOT " + g.boolean(cols, depth-1) + ")"
		case 3:
			return c.ref + pick(g, []string{" IS NULL", " IS NOT NULL"})
		}
	}
	switch {
	case c.kind == zset.Bool && g.chance(50):
		return c.ref
	case c.kind == g.elem && g.arrays() && g.chance(10):
		list := g.scalar(zset.Array, cols, min(depth, 1))
		if strings.HasPrefix(list, "(SELECT") { // ANY ((SELECT ..)) compares with its rows, not with the elements of its one array
			list = "coalesce(" + list + ", NULL)"
		}
		return c.ref + pick(g, []string{" = ANY (", " <> ALL (", " < ANY (", " >= ALL ("}) + list + ")"
	case g.chance(10):
		list := []string{g.literal(c.kind), g.literal(c.kind), "NULL"}[:2+g.r.IntN(2)]
		return c.ref + pick(g, []string{" IN (", " NOT IN ("}) + strings.Join(list, ", ") + ")"
	case g.chance(10):
		return "(" + c.ref + " BETWEEN " + g.literal(c.kind) + " AND " + g.literal(c.kind) + ")"
	case g.chance(10):
		return "(" + c.ref + pick(g, []string{" IS DISTINCT FROM ", " IS NOT DISTINCT FROM "}) + g.scalar(c.kind, cols, 0) + ")"
	}
	return c.ref + pick(g, []string{" = ", " <> ", " < ", " <= ", " > ", " >= "}) + g.scalar(c.kind, cols, min(depth, 1))
}
