package ast

func (p *printer) window(w *Window) {
	p.plainCall(w.Call)
	p.put(" OVER ")
	if w.Name.Text != "" {
		p.name(w.Name)
		return
	}
	p.windowSpec(&w.WindowSpec)
}

func (p *printer) windowSpec(w *WindowSpec) {
	p.put("(")
	sep := ""
	part := func(word string) {
		p.put(sep, word)
		sep = " "
	}
	if w.Base.Text != "" {
		part(quoteWindow(w.Base.Text))
	}
	if len(w.PartitionBy) > 0 {
		part("PARTITION BY ")
		p.exprs(w.PartitionBy)
	}
	if len(w.OrderBy) > 0 {
		part("")
		p.orderBy("ORDER BY ", w.OrderBy)
	}
	if f := w.Frame; f != nil {
		part([...]string{FrameRange: "RANGE", FrameRows: "ROWS", FrameGroups: "GROUPS"}[f.Unit])
		p.put(" BETWEEN ")
		p.bound(f.Start)
		p.put(" AND ")
		p.bound(f.End)
		p.put([...]string{ExcludeNothing: "", ExcludeRow: " EXCLUDE CURRENT ROW", ExcludeGroup: " EXCLUDE GROUP", ExcludeTies: " EXCLUDE TIES"}[f.Exclude])
	}
	p.put(")")
}

// quoteWindow writes the name of a window that stands where a clause could.
func quoteWindow(name string) string {
	switch name {
	case "partition", "range", "rows", "groups":
		return `"` + name + `"`
	}
	return QuoteIdent(name)
}

func (p *printer) bound(b Bound) {
	if b.Offset != nil {
		p.expr(b.Offset, 0)
	}
	p.put([...]string{UnboundedPreceding: "UNBOUNDED PRECEDING", Preceding: " PRECEDING", CurrentRow: "CURRENT ROW",
		Following: " FOLLOWING", UnboundedFollowing: "UNBOUNDED FOLLOWING"}[b.Kind])
}
