package algebra

import (
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// Project is one row of Exprs for every row of Input, with its weight. Rows
// that were distinct may become equal: their weights add up.
type Project struct {
	Input Node `json:"-"`
	Exprs []*expr.Expr
	Names []string
}

// Schema is the expressions under their names.
func (p *Project) Schema() zset.Schema {
	in := p.Input.Schema()
	s := make(zset.Schema, len(p.Exprs))
	for i, e := range p.Exprs {
		s[i] = zset.Field{Name: p.Names[i], Type: e.Typ, NotNull: notNull(e, in)}
	}
	return s
}

// Inputs is the input.
func (p *Project) Inputs() []Node { return []Node{p.Input} }

func (p *Project) with(ins []Node) Node {
	return &Project{Input: ins[0], Exprs: p.Exprs, Names: p.Names}
}
