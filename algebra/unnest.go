package algebra

import (
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// Unnest is, for each row of Input, as many rows as the longest of Lists has
// elements: the row with the elements of one place beside it, and NULL for those
// of shorter lists. A list that is NULL has no elements.
type Unnest struct {
	Input   Node
	Lists   []*expr.Expr // arrays
	Names   []string     // of the elements, and of the place if it is Placed
	Placed  bool         // the place of the elements, from 1, stands behind them
	OrNulls bool         // a row without elements stands beside NULLs, once
}

// Schema is the columns of the input, an element of each list, and the place.
func (u *Unnest) Schema() zset.Schema {
	s := u.Input.Schema()
	s = s[:len(s):len(s)]
	for i, l := range u.Lists {
		s = append(s, zset.Field{Name: u.Names[i], Type: l.Typ.Element()})
	}
	if u.Placed {
		s = append(s, zset.Field{Name: u.Names[len(u.Lists)], Type: zset.TInt8, NotNull: !u.OrNulls})
	}
	return s
}

// Inputs is the input.
func (u *Unnest) Inputs() []Node { return []Node{u.Input} }

func (u *Unnest) with(ins []Node) Node { c := *u; c.Input = ins[0]; return &c }

func (u *Unnest) eval(o *oracle) (*zset.Batch, error) {
	b, err := o.set(u.Input)
	if err != nil {
		return nil, err
	}
	lists, err := newRowwise(u.Lists)
	if err != nil {
		return nil, err
	}
	out := zset.NewBatch(u.Schema().Types(), 0)
	for i := range b.N {
		cells, err := lists.at(b, i)
		if err != nil {
			return nil, err
		}
		elements, most := make([]zset.Column, len(cells)), 0
		for k := range cells {
			elements[k] = zset.NewColumn(u.Lists[k].Typ.Element(), 0)
			if !cells[k].IsNull(0) {
				if err := zset.Elements(cells[k].Bytes(0), &elements[k]); err != nil {
					return nil, err
				}
			}
			most = max(most, elements[k].Len())
		}
		if most == 0 && u.OrNulls {
			most = 1
		}
		for at := range most {
			var added []zset.Column
			for k := range elements {
				c := zset.NewColumn(elements[k].Type, 1)
				if at < elements[k].Len() {
					c.AppendCell(&elements[k], at)
				} else {
					c.AppendNull()
				}
				added = append(added, c)
			}
			if u.Placed {
				c := zset.NewColumn(zset.TInt8, 1)
				if c.AppendI64(int64(at + 1)); u.OrNulls && noElements(elements) {
					c.Reset()
					c.AppendNull()
				}
				added = append(added, c)
			}
			appendRow(out, beside(b.Slice(i, i+1).Cols, added), b.Weight(i))
		}
	}
	return out, nil
}

func noElements(lists []zset.Column) bool {
	for k := range lists {
		if lists[k].Len() > 0 {
			return false
		}
	}
	return true
}

func (u *Unnest) line() string {
	col := columns(u.Input)
	s := "unnest " + list(len(u.Lists), ", ", func(i int) string { return named(u.Lists[i].Format(col), u.Names[i]) })
	if u.Placed {
		s += ", place as " + u.Names[len(u.Lists)]
	}
	if u.OrNulls {
		s += ", or NULLs"
	}
	return s
}

// pushFilterBelowUnnest (PushFilterBelowUnnest) filters the rows before they are
// multiplied. Legal if the conjunct reads columns of the input alone and cannot raise.
// Must not fire:
//
//	SELECT * FROM t, unnest(t.a) AS u(x) WHERE x > 1
func pushFilterBelowUnnest(n Node) Node {
	f, ok := n.(*Filter)
	if !ok {
		return n
	}
	u, ok := f.Input.(*Unnest)
	if !ok {
		return n
	}
	width := len(u.Input.Schema())
	down, stay := split(conjuncts(f.Pred), func(c *expr.Expr) bool {
		for _, i := range c.Cols() {
			if i >= width {
				return false
			}
		}
		return fixed(c)
	})
	if len(down) == 0 {
		return n
	}
	return filtered(u.with([]Node{filtered(u.Input, down)}), stay)
}
