package ast

// Children calls f for every node directly under n: expressions, tables, bodies,
// queries. Names, types and the parts of a list (a CTE, an order item, an arm of
// CASE) are no nodes of their own here; what they hold is.
func Children(n Node, f func(Node)) {
	switch n := n.(type) {
	case *CreateTable:
		for _, c := range n.Columns {
			expr(c.Default, f)
		}
		checks(n.Checks, f)
	case *CreateTableAs:
		f(n.Query)
	case *AlterTable:
		for _, a := range n.Actions {
			f(a)
		}
	case *AddColumn:
		expr(n.Column.Default, f)
		checks(n.Checks, f)
	case *AddConstraint:
		checks(n.Checks, f)
	case *SetDefault:
		expr(n.Value, f)
	case *Insert:
		ctes(n.With, f)
		f(n.Query)
		if c := n.Conflict; c != nil {
			assigned(c.Set, f)
			expr(c.Where, f)
		}
		items(n.Returning, f)
	case *Update:
		ctes(n.With, f)
		assigned(n.Set, f)
		tables(n.From, f)
		expr(n.Where, f)
		items(n.Returning, f)
	case *Delete:
		ctes(n.With, f)
		tables(n.Using, f)
		expr(n.Where, f)
		items(n.Returning, f)
	case *CreateView:
		f(n.Query)
	case *CreateMaterializedView:
		f(n.Query)
	case *Copy:
		if n.Query != nil {
			f(n.Query)
		}
	case *ShowStreams:
		expr(n.Where, f)
	case *Explain:
		f(n.Stmt)
	case *Query:
		ctes(n.With, f)
		f(n.Body)
		order(n.OrderBy, f)
		expr(n.Limit, f)
		expr(n.Offset, f)
	case *Select:
		list(n.On, f)
		items(n.Items, f)
		tables(n.From, f)
		expr(n.Where, f)
		list(n.GroupBy, f)
		expr(n.Having, f)
		for i := range n.Windows {
			spec(&n.Windows[i].WindowSpec, f)
		}
	case *SetOp:
		f(n.Left)
		f(n.Right)
	case *Values:
		for _, r := range n.Rows {
			list(r, f)
		}
	case *Join:
		f(n.Left)
		f(n.Right)
		expr(n.On, f)
	case *Derived:
		f(n.Query)
	case *FuncTable:
		f(n.Call)
	case *TableRef:
		if n.Reading != nil {
			expr(n.Reading.Target, f)
		}
	case Expr:
		exprChildren(n, f)
	}
}

func exprChildren(n Expr, f func(Node)) {
	switch n := n.(type) {
	case *Binary:
		expr(n.L, f)
		expr(n.R, f)
	case *Unary:
		expr(n.X, f)
	case *Call:
		list(n.Args, f)
		order(n.OrderBy, f)
		order(n.Within, f)
		expr(n.Filter, f)
	case *Window:
		f(n.Call)
		spec(&n.WindowSpec, f)
	case *Case:
		expr(n.Operand, f)
		for _, w := range n.Whens {
			expr(w.Cond, f)
			expr(w.Then, f)
		}
		expr(n.Else, f)
	case *Cast:
		expr(n.X, f)
	case *Collate:
		expr(n.X, f)
	case *Is:
		expr(n.X, f)
	case *IsDistinct:
		expr(n.L, f)
		expr(n.R, f)
	case *In:
		expr(n.X, f)
		list(n.List, f)
		if n.Query != nil {
			f(n.Query)
		}
	case *Quantified:
		expr(n.X, f)
		expr(n.Array, f)
		if n.Query != nil {
			f(n.Query)
		}
	case *Row:
		list(n.Items, f)
	case *GroupingSets:
		list(n.Items, f)
	case *Array:
		list(n.Items, f)
		if n.Query != nil {
			f(n.Query)
		}
	case *Subscript:
		expr(n.X, f)
		expr(n.Low, f)
		expr(n.High, f)
	case *Between:
		expr(n.X, f)
		expr(n.Low, f)
		expr(n.High, f)
	case *Like:
		expr(n.X, f)
		expr(n.Pattern, f)
		expr(n.Escape, f)
	case *Extract:
		expr(n.X, f)
	case *Exists:
		f(n.Query)
	case *Subquery:
		f(n.Query)
	}
}

func expr(e Expr, f func(Node)) {
	if e != nil {
		f(e)
	}
}

func tables(ts []TableExpr, f func(Node)) {
	for _, t := range ts {
		f(t)
	}
}

func assigned(as []Assign, f func(Node)) {
	for _, a := range as {
		expr(a.Value, f)
		if a.Query != nil {
			f(a.Query)
		}
	}
}

func ctes(cs []CTE, f func(Node)) {
	for _, c := range cs {
		f(c.Query)
	}
}

func items(is []SelectItem, f func(Node)) {
	for _, it := range is {
		expr(it.Expr, f)
	}
}

func spec(w *WindowSpec, f func(Node)) {
	list(w.PartitionBy, f)
	order(w.OrderBy, f)
	if w.Frame != nil {
		expr(w.Frame.Start.Offset, f)
		expr(w.Frame.End.Offset, f)
	}
}

func checks(cs []Check, f func(Node)) {
	for _, c := range cs {
		expr(c.Expr, f)
	}
}

func list(es []Expr, f func(Node)) {
	for _, e := range es {
		expr(e, f)
	}
}

func order(items []OrderItem, f func(Node)) {
	for _, it := range items {
		expr(it.Expr, f)
	}
}

// tooHigh finds a node more than most levels under n.
func tooHigh(n Node, most int) (found Node) {
	if most < 0 {
		return n
	}
	Children(n, func(c Node) {
		if found == nil {
			found = tooHigh(c, most-1)
		}
	})
	return found
}
