package algebra

import (
	"slices"
	"strings"

	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// GroupingSets is the sum of several Aggregates of one input: one for each of Sets,
// by those of the Keys that the set names. The keys that it does not name are NULL
// in its rows. The empty set is an aggregate of all rows.
type GroupingSets struct {
	Input Node
	Keys  []*expr.Expr
	Sets  [][]int // positions in Keys, ascending
	Aggs  []expr.AggCall
	// Asked is, for each GROUPING, positions in Keys. Its value has a bit for each, the
	// last the lowest: 1 where the set does not name the key.
	Asked [][]int
	Names []string // of the keys, the aggregates and what was asked
}

// Schema is the keys, the aggregates, and an integer for each GROUPING.
func (g *GroupingSets) Schema() zset.Schema {
	s := (&Aggregate{Input: g.Input, Keys: g.Keys, Aggs: g.Aggs, Names: g.Names}).Schema()
	for k := range g.Keys {
		for _, set := range g.Sets {
			s[k].NotNull = s[k].NotNull && slices.Contains(set, k)
		}
	}
	for range g.Asked {
		s = append(s, zset.Field{Name: g.Names[len(s)], Type: zset.TInt4, NotNull: true})
	}
	return s
}

// Inputs is the input.
func (g *GroupingSets) Inputs() []Node { return []Node{g.Input} }

func (g *GroupingSets) with(ins []Node) Node { c := *g; c.Input = ins[0]; return &c }

func (g *GroupingSets) eval(o *oracle) (*zset.Batch, error) { return g.Sum().eval(o) }

// Sum is g as a sum of Aggregates, all over its Input.
func (g *GroupingSets) Sum() *UnionAll {
	u := &UnionAll{}
	for _, set := range g.Sets {
		a := &Aggregate{Input: g.Input, Aggs: g.Aggs, Global: len(set) == 0}
		p := &Project{Input: a, Names: g.Names}
		for k, e := range g.Keys {
			if !slices.Contains(set, k) {
				p.Exprs = append(p.Exprs, expr.Const(zset.NullOf(e.Typ)))
				continue
			}
			p.Exprs = append(p.Exprs, expr.Col(len(a.Keys), e.Typ))
			a.Keys, a.Names = append(a.Keys, e), append(a.Names, g.Names[k])
		}
		for i, agg := range g.Aggs {
			p.Exprs = append(p.Exprs, expr.Col(len(a.Keys)+i, agg.Typ))
			a.Names = append(a.Names, g.Names[len(g.Keys)+i])
		}
		for _, asked := range g.Asked {
			v := zset.Value{Type: zset.TInt4}
			for _, k := range asked {
				v.I *= 2
				if !slices.Contains(set, k) {
					v.I++
				}
			}
			p.Exprs = append(p.Exprs, expr.Const(v))
		}
		u.Ins = append(u.Ins, p)
	}
	return u
}

func (g *GroupingSets) line() string {
	col := columns(g.Input)
	key := func(k int) string { return named(g.Keys[k].Format(col), g.Names[k]) }
	sets := list(len(g.Sets), ", ", func(i int) string {
		return "(" + list(len(g.Sets[i]), ", ", func(j int) string { return key(g.Sets[i][j]) }) + ")"
	})
	var out []string
	for i, a := range g.Aggs {
		out = append(out, named(a.Format(col), g.Names[len(g.Keys)+i]))
	}
	for _, asked := range g.Asked {
		out = append(out, "grouping("+list(len(asked), ", ", func(i int) string { return key(asked[i]) })+")")
	}
	if len(out) > 0 {
		sets += ": " + strings.Join(out, ", ")
	}
	return "aggregate by sets " + sets
}
