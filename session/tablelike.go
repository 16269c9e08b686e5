package session

import (
	"fmt"
	"slices"

	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/storage"
)

// likes adds the columns of the LIKE clauses that stand behind the first before
// columns, and puts what else they take among the keys and checks of n. NOT NULL
// comes always; names of keys are made anew, those of checks stay.
func (m *tableMaker) likes(n *ast.CreateTable, cat *storage.Catalog, before int) {
	for _, l := range n.Like {
		if l.Before != before {
			continue
		}
		obj, ok := cat.ByName(l.Table.Text)
		if !ok || obj.Kind == storage.Private {
			m.errs = append(m.errs, noSuch("relation", cat, l.Table.Text, int(l.Table.Pos())))
			continue
		}
		options, err := tableOptions(obj)
		if err != nil {
			m.errs = append(m.errs, All(err)...)
			continue
		}
		for i, f := range obj.Schema {
			text := ""
			if i < len(options.Defaults) && slices.Contains(l.Including, "defaults") {
				text = options.Defaults[i]
			}
			f.NotNull = f.NotNull && obj.Kind == storage.Table
			m.field(f, text, l.Pos())
		}
		if obj.Kind == storage.Table {
			m.likeKeys(n, l, obj, &options)
			if err := m.likeChecks(n, l, obj, &options); err != nil {
				m.errs = append(m.errs, All(err)...)
			}
		}
	}
}

func (m *tableMaker) likeKeys(n *ast.CreateTable, l ast.TableLike, obj *storage.Object, options *tablePayload) {
	if !slices.Contains(l.Including, "indexes") {
		return
	}
	add := func(kind ast.KeyKind, cols []int) {
		k := ast.KeyDef{At: l.At, Kind: kind}
		for _, c := range cols {
			k.Columns = append(k.Columns, ast.Name{At: l.At, Text: obj.Schema[c].Name})
		}
		n.Keys = append(n.Keys, k)
	}
	switch {
	case obj.Key != nil && options.Upsert:
		add(ast.UniqueKey, obj.Key)
	case obj.Key != nil:
		add(ast.PrimaryKey, obj.Key)
	}
	for _, u := range obj.Unique {
		add(ast.UniqueConstraint, u.Cols)
	}
}

func (m *tableMaker) likeChecks(n *ast.CreateTable, l ast.TableLike, obj *storage.Object, options *tablePayload) error {
	if !slices.Contains(l.Including, "constraints") {
		return nil
	}
	for _, c := range options.Checks {
		x, err := algebra.ParseExpr(c.Cond)
		if err != nil {
			return fmt.Errorf("check constraint %q of table %q: %w", c.Name, obj.Name, err)
		}
		requalify(x, obj.Name, n.Name.Text)
		n.Checks = append(n.Checks, ast.Check{At: l.At, Name: ast.Name{At: l.At, Text: c.Name}, Expr: x})
	}
	return nil
}

// requalify puts the name of another table before columns that are named with it.
func requalify(x ast.Node, from, to string) {
	if id, ok := x.(*ast.Ident); ok {
		if k := len(id.Parts); k > 1 && id.Parts[k-2].Text == from {
			id.Parts[k-2].Text = to
		}
	}
	ast.Children(x, func(y ast.Node) { requalify(y, from, to) })
}
