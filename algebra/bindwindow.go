package algebra

import (
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// codeWindowing is PostgreSQL's windowing_error.
const codeWindowing = "42P20"

// window binds a call with OVER; what it stands for is a column of the block's Window.
func (b *binder) window(x *ast.Window, c *exprCtx) *expr.Expr {
	switch {
	case c.group == nil || c.clause != "SELECT" && c.clause != "ORDER BY":
		b.errorf(codeWindowing, x.Pos(), "window functions are not allowed in %s", c.clause)
		return nil
	case c.inAgg:
		b.errorf(codeGrouping, x.Pos(), "aggregate function calls cannot contain window function calls")
		return nil
	case c.inWindow:
		b.errorf(codeWindowing, x.Pos(), "window function calls cannot be nested")
		return nil
	}
	if within := x.Call.Within; len(within) > 0 {
		b.unsupported(within[0].Expr.Pos(), "WITHIN GROUP", "")
		return nil
	}
	spec, ok := b.windowSpec(x, c.group)
	if !ok {
		return nil
	}
	inner := *c
	inner.inWindow = true
	call := WindowCall{Name: x.Call.Name.Text}
	if !b.windowed(x.Call, &call, &inner) {
		return nil
	}
	call.Partition = b.windowKeys(spec.PartitionBy, &inner, &ok)
	for _, it := range spec.OrderBy {
		call.By = append(call.By, SortKey{Expr: b.windowKeys([]ast.Expr{it.Expr}, &inner, &ok)[0], Desc: it.Desc, NullsFirst: it.NullsFirst})
	}
	if !ok || !b.frame(spec.Frame, &call, &inner) {
		return nil
	}
	if len(c.group.windows) == 0 {
		c.group.windowPos = x.Pos()
	}
	c.group.windows = append(c.group.windows, call)
	return expr.Col(winBase+len(c.group.windows)-1, call.Typ).At(int(x.Pos()))
}

// windowKeys binds keys of a window; ok turns false where one cannot be bound.
func (b *binder) windowKeys(es []ast.Expr, c *exprCtx, ok *bool) []*expr.Expr {
	var out []*expr.Expr
	for _, e := range es {
		k := b.expr(e, c)
		if k != nil && k.Typ.Kind == zset.Unknown {
			k = b.cast(k, zset.TText, expr.Implicit, e.Pos())
		}
		*ok = *ok && k != nil
		out = append(out, k)
	}
	return out
}

// windowed binds the function and its arguments.
func (b *binder) windowed(x *ast.Call, call *WindowCall, c *exprCtx) bool {
	name := x.Name.Text
	f := expr.FindWindowFunction(name)
	switch {
	case b.absent(x):
		return false
	case f == nil && !expr.IsAggregate(name):
		if b.apply(name, x.Pos(), c, x.Args...) != nil {
			b.errorf(codeWrongObject, x.Pos(), "OVER specified, but %s is not a window function nor an aggregate function", name)
		}
		return false
	case x.Distinct:
		b.unsupported(x.Pos(), "DISTINCT in a window function", "Aggregate the distinct rows of a query in FROM.")
		return false
	case len(x.OrderBy) > 0:
		b.unsupported(x.OrderBy[0].Pos(), "ORDER BY inside a window function", "The ORDER BY behind OVER says in which order rows come.")
		return false
	case f != nil && x.Filter != nil:
		b.unsupported(x.Pos(), "FILTER for "+name, "Only aggregates take FILTER; use CASE in the argument.")
		return false
	}
	args := b.exprs(x.Args, c)
	if args == nil && len(x.Args) > 0 {
		return false
	}
	if f != nil {
		if x.Star {
			b.errorf(codeWrongObject, x.Pos(), "%s(*) specified, but %s is not an aggregate function", name, name)
			return false
		}
		var err error
		if call.Args, call.Typ, err = f.Resolve(args, int(x.Pos())); err != nil {
			b.fail(err, x.Pos())
			return false
		}
		return true
	}
	var filter *expr.Expr
	if x.Filter != nil {
		in := *c
		in.clause = "FILTER"
		if filter = b.condition(x.Filter, &in, "FILTER"); filter == nil {
			return false
		}
	}
	a, err := expr.ResolveAggregate(name, args, x.Star, int(x.Pos()))
	if err == nil && filter != nil {
		if a.Class() == expr.List {
			a.Filter = filter
			a = spared(a)
		} else {
			a, err = filteredBy(a, filter)
		}
	}
	if err != nil {
		b.fail(err, x.Pos())
		return false
	}
	call.Agg, call.Typ = &a, a.Typ
	return true
}

// defineWindows takes the WINDOW clause of a block: by name, what each stands for.
func (b *binder) defineWindows(g *grouping, list []ast.NamedWindow) {
	for i := range list {
		w := &list[i]
		if _, ok := g.named[w.Name.Text]; ok {
			b.errorf(codeWindowing, w.Name.Pos(), "window %q is already defined", w.Name.Text)
			continue
		}
		spec, ok := b.basedOn(&w.WindowSpec, g, false)
		if !ok {
			continue
		}
		if g.named == nil {
			g.named = map[string]ast.WindowSpec{}
		}
		g.named[w.Name.Text] = spec
	}
}

// windowSpec is what stands behind OVER, names resolved.
func (b *binder) windowSpec(x *ast.Window, g *grouping) (ast.WindowSpec, bool) {
	if x.Name.Text == "" {
		empty := len(x.OrderBy) == 0 && len(x.PartitionBy) == 0 && x.Frame == nil
		return b.basedOn(&x.WindowSpec, g, empty)
	}
	spec, ok := g.named[x.Name.Text]
	if !ok {
		b.errorf("42704", x.Name.Pos(), "window %q does not exist", x.Name.Text)
	}
	return spec, ok
}

// basedOn is w with what it takes from the window that it names. bare: it is
// nothing but that name, in parentheses.
func (b *binder) basedOn(w *ast.WindowSpec, g *grouping, bare bool) (ast.WindowSpec, bool) {
	out := *w
	if w.Base.Text == "" {
		return out, true
	}
	base, ok := g.named[w.Base.Text]
	fail := func(format string) (ast.WindowSpec, bool) {
		e := b.errorf(codeWindowing, w.Base.Pos(), format, w.Base.Text)
		if bare {
			e.Hint = "Omit the parentheses in this OVER clause."
		}
		return out, false
	}
	switch {
	case !ok:
		b.errorf("42704", w.Base.Pos(), "window %q does not exist", w.Base.Text)
		return out, false
	case len(w.PartitionBy) > 0:
		return fail("cannot override PARTITION BY clause of window %q")
	case len(w.OrderBy) > 0 && len(base.OrderBy) > 0:
		return fail("cannot override ORDER BY clause of window %q")
	case base.Frame != nil:
		return fail("cannot copy window %q because it has a frame clause")
	}
	out.Base, out.PartitionBy = ast.Name{}, base.PartitionBy
	if len(out.OrderBy) == 0 {
		out.OrderBy = base.OrderBy
	}
	return out, true
}
