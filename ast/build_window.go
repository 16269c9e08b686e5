package ast

import "github.com/ivmc/ivmc/grammar/gen"

func (b *builder) windowSpec(n gen.IWindowSpecContext) WindowSpec {
	w := WindowSpec{OrderBy: b.orderBy(n.OrderBy())}
	if n.Name() != nil {
		w.Base = name(n.Name())
	}
	if p := n.PartitionBy(); p != nil {
		w.PartitionBy = b.exprs(p.AllExpr())
	}
	if f := n.Frame(); f != nil {
		w.Frame = b.frame(f)
	}
	return w
}

// frame reads a frame and refuses ends that are no interval, as PostgreSQL does.
func (b *builder) frame(n gen.IFrameContext) *Frame {
	f := &Frame{At: at(n)}
	switch {
	case n.ROWS() != nil:
		f.Unit = FrameRows
	case n.GROUPS() != nil:
		f.Unit = FrameGroups
	}
	bounds := n.AllFrameBound()
	f.Start = b.bound(bounds[0])
	f.End = Bound{At: f.Start.At, Kind: CurrentRow}
	if len(bounds) > 1 {
		f.End = b.bound(bounds[1])
	}
	wrong := ""
	switch {
	case f.Start.Kind == UnboundedFollowing:
		wrong = "frame start cannot be UNBOUNDED FOLLOWING"
	case f.End.Kind == UnboundedPreceding:
		wrong = "frame end cannot be UNBOUNDED PRECEDING"
	case f.Start.Kind == Following && len(bounds) == 1:
		wrong = "frame starting from following row cannot end with current row"
	case f.Start.Kind == CurrentRow && f.End.Kind == Preceding:
		wrong = "frame starting from current row cannot have preceding rows"
	case f.Start.Kind == Following && f.End.Kind == Preceding:
		wrong = "frame starting from following row cannot have preceding rows"
	case f.Start.Kind == Following && f.End.Kind == CurrentRow:
		wrong = "frame starting from following row cannot have preceding rows"
	}
	if wrong != "" {
		b.fail("42P20", f.Start.Start, wrong)
	}
	if x := n.Exclude(); x != nil {
		switch {
		case x.CURRENT() != nil:
			f.Exclude = ExcludeRow
		case x.GROUP() != nil:
			f.Exclude = ExcludeGroup
		case x.TIES() != nil:
			f.Exclude = ExcludeTies
		}
	}
	return f
}

func (b *builder) bound(n gen.IFrameBoundContext) Bound {
	out := Bound{At: at(n), Kind: Preceding}
	switch {
	case n.CURRENT() != nil:
		out.Kind = CurrentRow
		return out
	case n.FOLLOWING() != nil:
		out.Kind = Following
	}
	if t := first(n); t.kind != gen.IVMUNBOUNDED || t != last(n.Expr()) {
		out.Offset = b.expr(n.Expr())
		return out
	}
	if out.Kind == Preceding {
		out.Kind = UnboundedPreceding
	} else {
		out.Kind = UnboundedFollowing
	}
	return out
}
