package querygen

import (
	"fmt"
	"strings"

	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// partition is the PARTITION BY that all windows of a block have in common; "" for
// none.
func (g *Gen) partition(cols []column) string {
	if g.opt.Whole && g.chance(40) {
		return ""
	}
	return "PARTITION BY " + pick(g, cols).ref
}

// window is a function OVER rows of cols, and the kind of its result. It walks the
// tables of window functions and of aggregates. Where the order among peers would
// matter, there are none: all columns are sorted by.
func (g *Gen) window(cols []column, part string) (string, zset.Kind) {
	over, total := part, g.chance(50)
	if part != "" && g.chance(25) {
		over += ", " + pick(g, cols).ref
	}
	var by []string
	if c := pick(g, cols); !total && g.chance(80) {
		by = append(by, c.ref+g.direction())
	}
	if total {
		for _, c := range cols {
			by = append(by, c.ref+g.direction())
		}
		g.r.Shuffle(len(by), func(i, j int) { by[i], by[j] = by[j], by[i] })
	}
	if len(by) > 0 {
		over += " ORDER BY " + strings.Join(by, ", ")
	}
	if g.chance(45) {
		call, k := g.aggregateOver(cols, total)
		if inner, cast := strings.CutSuffix(call, ")::text"); cast { // OVER stands before the cast
			return inner + " OVER (" + strings.TrimSpace(over+g.frame(by, total)) + "))::text", k
		}
		return call + " OVER (" + strings.TrimSpace(over+g.frame(by, total)) + ")", k
	}
	f := pick(g, expr.WindowFunctions())
	for !total && (len(f.Args) > 0 || f.Name == "row_number") {
		f = pick(g, expr.WindowFunctions())
	}
	c := pick(g, cols)
	var args []string
	for i, k := range f.Args {
		if i >= f.Min && g.chance(60) {
			break
		}
		switch {
		case k != zset.Unknown:
			args = append(args, fmt.Sprint(1+g.r.IntN(3)))
		default:
			args = append(args, g.scalar(c.kind, cols, min(i, 1)))
			if i == 0 {
				args[0] = c.ref
			}
		}
	}
	k := f.Typ.Kind
	if k == zset.Unknown {
		k = c.kind
	}
	if f.Framed {
		over += g.frame(by, total)
	}
	return f.Name + "(" + strings.Join(args, ", ") + ") OVER (" + strings.TrimSpace(over) + ")", k
}

// aggregateOver is an aggregate without what no window takes.
func (g *Gen) aggregateOver(cols []column, total bool) (string, zset.Kind) {
	for {
		call, k := g.aggregate(cols)
		list := strings.HasPrefix(call, "string_agg") || strings.HasPrefix(call, "array_agg")
		if !strings.Contains(call, "DISTINCT ") && !strings.Contains(call, "ORDER BY ") && (total || !list) {
			return call, k
		}
	}
}

// frame is a frame, or nothing.
func (g *Gen) frame(by []string, total bool) string {
	if g.chance(50) {
		return ""
	}
	units := []string{"RANGE"}
	if len(by) > 0 {
		units = append(units, "GROUPS", "GROUPS")
	}
	if total {
		units = append(units, "ROWS", "ROWS")
	}
	unit := pick(g, units)
	n := func() string {
		if unit == "RANGE" {
			return "UNBOUNDED"
		}
		return pick(g, []string{"UNBOUNDED", "0", "1", "2", "5"})
	}
	start, end := pick(g, []string{"CURRENT ROW", n() + " PRECEDING", n() + " PRECEDING"}), pick(g, []string{"CURRENT ROW", n() + " FOLLOWING", n() + " FOLLOWING"})
	if unit != "RANGE" && g.chance(25) {
		start, end = "2 PRECEDING", "1 PRECEDING"
	}
	exclude := []string{"", "", " EXCLUDE GROUP", " EXCLUDE NO OTHERS"}
	if total {
		exclude = append(exclude, " EXCLUDE CURRENT ROW", " EXCLUDE TIES")
	}
	return " " + unit + " BETWEEN " + start + " AND " + end + pick(g, exclude)
}

// firstRows is DISTINCT ON of a table. Its order leaves nothing open but which of
// equal values shows.
func (g *Gen) firstRows(t Table, as string) (string, []column) {
	var cols []column
	var names []string
	for _, f := range t.Schema {
		cols, names = append(cols, column{as + "." + f.Name, f.Type.Kind}), append(names, f.Name)
	}
	on := pick(g, names)
	by := []string{on + g.direction()}
	g.r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for _, n := range names {
		by = append(by, n+g.direction())
	}
	return "(SELECT DISTINCT ON (" + on + ") * FROM " + t.Name + " ORDER BY " + strings.Join(by, ", ") + ") AS " + as, cols
}
