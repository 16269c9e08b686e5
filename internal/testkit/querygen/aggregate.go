package querygen

import (
	"fmt"
	"slices"

	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// aggregate is a call of an aggregate over cols, and the kind of its result. It
// walks the table of aggregates, so a new one is drawn by itself.
func (g *Gen) aggregate(cols []column) (string, zset.Kind) {
	if g.chance(15) {
		return "count(*)" + g.filter(cols), zset.Int8
	}
	c := pick(g, cols)
	arg := c.ref
	if g.chance(25) {
		arg = g.scalar(c.kind, cols, 1)
	}
	type row struct {
		name string
		call expr.AggCall
	}
	var fit []row
	for _, name := range expr.Aggregates() {
		if !g.drawn(name) {
			continue
		}
		args := []*expr.Expr{expr.Col(0, g.typeOf(c.kind))}
		switch {
		case name != "string_agg" && expr.Arity(name) == 2:
			args = append(args, expr.Col(1, zset.TFloat8))
		case name == "string_agg":
			args = append(args, expr.Col(1, zset.Type{Kind: separatorKind(c.kind)}))
		}
		call, err := expr.ResolveAggregate(name, args, false, -1)
		if err == nil && g.typeName(call.Typ.Kind) != "" {
			fit = append(fit, row{name, call})
		}
	}
	if set := pick(g, []string{"mode", "percentile_disc"}); g.chance(6) && g.drawn(set) && c.kind != zset.Array && !(g.opt.Judged && !zset.KeyExact(g.typeOf(c.kind))) {
		direct := ""
		if set != "mode" {
			direct = pick(g, []string{"0", "0.5", "0.7", "1"})
		}
		return fmt.Sprintf("%s(%s) WITHIN GROUP (ORDER BY %s%s)%s", set, direct, arg, g.direction(), g.filter(cols)), c.kind
	}
	a := pick(g, fit)
	text := arg
	if a.name != "string_agg" && expr.Arity(a.name) == 2 {
		text += ", " + g.scalar(pick(g, []zset.Kind{zset.Int4, zset.Float8}), cols, 1)
	}
	if g.chance(25) && !(g.opt.Judged && !zset.KeyExact(g.typeOf(c.kind))) {
		text = "DISTINCT " + text
		if a.call.Sep != nil {
			text += ", ','"
		}
		if a.call.Class() == expr.List && (g.opt.Judged || g.chance(50)) {
			text += " ORDER BY " + arg + g.direction()
		}
	} else if a.call.Class() == expr.List {
		if a.call.Sep != nil {
			text += ", " + g.separator(c.kind, cols)
		}
		switch {
		case g.opt.Judged:
			text += " ORDER BY " + arg + g.direction()
			if !zset.KeyExact(g.typeOf(c.kind)) {
				text += ", (" + arg + ")::text"
			}
		case g.chance(60):
			text += " ORDER BY " + g.scalar(pick(g, cols).kind, cols, 1) + g.direction()
		}
	}
	out := fmt.Sprintf("%s(%s)%s", a.name, text, g.filter(cols))
	if t := a.call.Typ; t.Kind == zset.Array && t.Elem != g.elem { // of another array than all
		return "(" + out + ")::text", zset.Text
	}
	return out, a.call.Typ.Kind
}

// separatorKind is the type of the separator between values of a kind.
func separatorKind(value zset.Kind) zset.Kind {
	if value == zset.Bytea {
		return zset.Bytea
	}
	return zset.Text
}

// separator is of STRING_AGG. Judges do not agree on which of equal rows comes
// first, so theirs is a constant.
func (g *Gen) separator(value zset.Kind, cols []column) string {
	if g.opt.Judged || g.chance(70) {
		return pick(g, []string{"','", "''", "'--'"})
	}
	return g.scalar(separatorKind(value), cols, 1)
}

func (g *Gen) direction() string {
	return pick(g, []string{"", "", " DESC", " NULLS FIRST", " DESC NULLS LAST"})
}

func (g *Gen) filter(cols []column) string {
	if !g.chance(20) {
		return ""
	}
	return " FILTER (WHERE " + g.boolean(cols, 1) + ")"
}

// drawn reports whether the aggregate name may be drawn.
func (g *Gen) drawn(name string) bool { return g.opt.Aggs == nil || slices.Contains(g.opt.Aggs, name) }
