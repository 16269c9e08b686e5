package algebra

import "github.com/ivmc/ivmc/expr"

// paramsOverGroups makes what the queries above the groups read of them speak of
// the groups. A column that such a query reads must be a key; an operand of IN, ANY
// or ALL is an expression like any other.
func (b *binder) paramsOverGroups(g *grouping, targets []target, order []orderKey, having *expr.Expr) {
	var visit func(e *expr.Expr)
	visit = func(e *expr.Expr) {
		if e == nil {
			return
		}
		for _, c := range e.Cols() {
			if c < scalarBase || c >= aggBase {
				continue
			}
			q := &g.scalars.queries[c-scalarBase]
			if q.grouped != nil || len(q.l.params) == 0 {
				continue
			}
			q.grouped = make([]*expr.Expr, len(q.l.params))
			for k, p := range q.l.params {
				q.grouped[k] = b.paramOverGroups(p, g)
			}
			for _, p := range q.grouped {
				visit(p)
			}
		}
	}
	for i := range targets {
		visit(targets[i].e)
	}
	for i := range order {
		visit(order[i].e)
	}
	visit(having)
	g.eachWindow(func(e *expr.Expr) *expr.Expr { visit(e); return e })
}

func (b *binder) paramOverGroups(p *expr.Expr, g *grouping) *expr.Expr {
	if p.Op == expr.OpCol && p.Col < outerBase {
		for k, key := range g.keys {
			if key.Equal(p) {
				return expr.Col(k, key.Typ).At(int(p.Pos))
			}
		}
		return b.ungrouped(p, g, "subquery uses ungrouped column %q from outer query")
	}
	return b.overGroups(p, g)
}

// eachParam is f of what the queries read of the groups.
func (g *grouping) eachParam(f func(*expr.Expr) *expr.Expr) {
	for i := range g.scalars.queries {
		for k, p := range g.scalars.queries[i].grouped {
			g.scalars.queries[i].grouped[k] = f(p)
		}
	}
}
