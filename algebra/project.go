package algebra

import (
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// Project is one row of Exprs for every row of Input, with its weight. Rows
// that were distinct may become equal: their weights add up.
type Project struct {
	Input Node
	Exprs []*expr.Expr
	Names []string

	memo schemaMemo
}

// Schema is the expressions under their names.
func (p *Project) Schema() zset.Schema {
	in := p.Input.Schema()
	if s := p.memo.of(in, nil, p.Exprs, p.Names); s != nil {
		return s
	}
	s := make(zset.Schema, len(p.Exprs))
	for i, e := range p.Exprs {
		s[i] = zset.Field{Name: p.Names[i], Type: e.Typ, NotNull: notNull(e, in)}
	}
	return p.memo.keep(in, nil, p.Exprs, p.Names, s)
}

// Inputs is the input.
func (p *Project) Inputs() []Node { return []Node{p.Input} }

func (p *Project) with(ins []Node) Node {
	return &Project{Input: ins[0], Exprs: p.Exprs, Names: p.Names}
}

func (p *Project) eval(o *oracle) (*zset.Batch, error) {
	b, err := o.rows(p.Input)
	if err != nil {
		return nil, err
	}
	es, err := newRowwise(p.Exprs)
	if err != nil {
		return nil, err
	}
	out := zset.NewBatch(p.Schema().Types(), b.N)
	for i := range b.N {
		cells, err := es.at(b, i)
		if err != nil {
			return nil, err
		}
		appendRow(out, cells, b.Weight(i))
	}
	return out, nil
}

func (p *Project) line() string {
	col := columns(p.Input)
	return "project " + list(len(p.Exprs), ", ", func(i int) string {
		return named(p.Exprs[i].Format(col), p.Names[i])
	})
}
