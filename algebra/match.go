package algebra

import (
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// Match is the rows of L, as often as they are there, that belong to some row of
// R; with Anti, those that belong to none. A row belongs to another if every
// conjunct of On is TRUE for the two. It is what EXISTS, IN and their negations
// mean.
type Match struct {
	L, R Node
	On   []*expr.Expr // over the columns of L, then those of R
	Anti bool
}

// Schema is that of L.
func (m *Match) Schema() zset.Schema { return m.L.Schema() }

// Inputs is L and R.
func (m *Match) Inputs() []Node { return []Node{m.L, m.R} }

func (m *Match) with(ins []Node) Node { return &Match{L: ins[0], R: ins[1], On: m.On, Anti: m.Anti} }

func (m *Match) eval(o *oracle) (*zset.Batch, error) {
	p, err := o.pairs(m.L, m.R, m.On)
	if err != nil {
		return nil, err
	}
	out := zset.NewBatch(m.Schema().Types(), 0)
	for i := range p.l.N {
		found := false
		for k := range p.r.N {
			ok, err := p.holds(i, k)
			if err != nil {
				return nil, err
			}
			found = found || ok
		}
		if found != m.Anti {
			appendRow(out, p.l.Slice(i, i+1).Cols, p.l.Weight(i))
		}
	}
	return out, nil
}

func (m *Match) line() string {
	kind := "semi join"
	if m.Anti {
		kind = "anti join"
	}
	if len(m.On) == 0 {
		return kind
	}
	col := columns(&Join{Ins: m.Inputs()})
	return kind + " on " + list(len(m.On), " and ", func(i int) string { return m.On[i].Format(col) })
}
