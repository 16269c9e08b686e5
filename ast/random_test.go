package ast

import (
	"fmt"
	goast "go/ast"
	"go/parser"
	gotoken "go/token"
	"math/rand"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// grower makes random trees, such as the parser could have made.
type grower struct{ *rand.Rand }

func (g grower) pick(words ...string) string { return words[g.Intn(len(words))] }

func (g grower) name() Name {
	return Name{Text: g.pick("a", "b", "t", "Odd name", "select", "at", "rows", "position", "interval", "case", "x$1", `q"q`)}
}

func (g grower) flip() bool { return g.Intn(2) == 0 }

// binaries are the operators of the table, and some that have no row.
func binaries() []string {
	ops := []string{"~", "#", "&", "|", "<<", "->>", "@>", "!~*", "?"}
	for _, row := range infixes {
		if row.op != "" {
			ops = append(ops, row.op)
		}
	}
	return ops
}

var randomTypes = []TypeName{{Name: "int"}, {Name: "double precision"}, {Name: "numeric", Args: []int{10, 2}},
	{Name: "character varying", Args: []int{3}}, {Name: "text", Array: true}, {Name: "interval day to second", Args: []int{3}},
	{Name: "timestamp with time zone", Args: []int{3}}, {Name: "time without time zone"}, {Name: "interval year", Array: true}}

// expr makes a tree of at most the given height.
func (g grower) expr(height int) Expr {
	kinds := g.exprKinds(height)
	return kinds[g.Intn(len(kinds))]()
}

// exprKinds has a row for every kind of expression; TestRandomTrees holds that
// none of them is missing.
func (g grower) exprKinds(height int) []func() Expr {
	sub := func() Expr { return g.expr(height - 1) }
	some := func(least int) []Expr {
		out := make([]Expr, least+g.Intn(3))
		for i := range out {
			out[i] = sub()
		}
		return out
	}
	leaves := []func() Expr{
		func() Expr { return &Ident{Parts: []Name{g.name()}} },
		func() Expr { return &Ident{Parts: []Name{g.name(), g.name()}} },
		func() Expr {
			return &Literal{Kind: NumberLit, Text: g.pick("0", "1.5", ".5", "1e10", "12345678901234567890")}
		},
		func() Expr { return &Literal{Kind: StringLit, Text: g.pick("", "it's", `back\slash`, "é\n", "--")} },
		func() Expr { return &Literal{Kind: BoolLit, Text: g.pick("true", "false")} },
		func() Expr { return &Literal{Kind: NullLit} },
		func() Expr { return &Param{N: 1 + g.Intn(9)} },
		func() Expr {
			return &TypedLiteral{Type: TypeName{Name: g.pick("date", "interval", "interval hour")}, Text: "x'y"}
		},
	}
	if height <= 0 {
		return leaves
	}
	return append(leaves,
		func() Expr { return &Binary{Op: g.pick(binaries()...), L: sub(), R: sub()} },
		func() Expr { return &Binary{Op: g.pick(binaries()...), L: sub(), R: sub()} },
		func() Expr { return &Unary{Op: g.pick("-", "+", "not", "~", "@"), X: sub()} },
		func() Expr {
			c := &Call{Name: Name{Text: g.pick("f", "left", "substring", "overlay", "timezone", "count", "if", "Odd")}, Args: some(1)}
			if c.Distinct = g.Intn(4) == 0; g.Intn(4) == 0 {
				c.OrderBy = g.order(sub)
			}
			if g.Intn(6) == 0 {
				c.Within = g.order(sub)
			}
			if g.Intn(4) == 0 {
				c.Filter = sub()
			}
			if g.Intn(6) == 0 {
				if g.flip() {
					return &Window{Call: c, Name: g.name()}
				}
				return &Window{Call: c, WindowSpec: g.window(sub, some)}
			}
			return c
		},
		func() Expr { return &Call{Name: Name{Text: "position"}, Args: []Expr{sub(), sub()}} },
		func() Expr { return &Call{Name: Name{Text: "count"}, Star: true} },
		func() Expr { return &Call{Name: Name{Text: "current_date"}} },
		func() Expr {
			c := &Case{Whens: []When{{Cond: sub(), Then: sub()}}}
			if g.flip() {
				c.Operand, c.Else = sub(), sub()
			}
			return c
		},
		func() Expr { return &Collate{X: sub(), Name: Name{Text: []string{"C", "default"}[g.Intn(2)]}} },
		func() Expr { return &Cast{X: sub(), Type: randomTypes[g.Intn(len(randomTypes))]} },
		func() Expr { return &Is{X: sub(), What: g.pick("null", "true", "false", "unknown"), Not: g.flip()} },
		func() Expr { return &IsDistinct{L: sub(), R: sub(), Not: g.flip()} },
		func() Expr {
			if g.flip() {
				return &In{X: sub(), Query: g.query(height - 1), Not: g.flip()}
			}
			items := some(1)
			if _, alone := items[0].(*Subquery); alone { // that is IN (query)
				items[0] = &Literal{Kind: NullLit}
			}
			return &In{X: sub(), List: items, Not: g.flip()}
		},
		func() Expr {
			op := g.pick("<", "=", "<>", "+", "~")
			q := &Quantified{Op: op, All: g.flip(), X: sub()}
			switch in := op == "=" && !q.All || op == "<>" && q.All; {
			case !in && g.flip():
				q.Query = g.query(height - 1)
			default:
				q.Array = &Ident{Parts: []Name{g.name()}}
			}
			return q
		},
		func() Expr { return &Row{Items: some(0)} },
		func() Expr {
			if g.flip() {
				return &Array{Query: g.query(height - 1)}
			}
			return &Array{Items: some(0)}
		},
		func() Expr {
			switch s := (&Subscript{X: sub(), Slice: g.flip()}); {
			case !s.Slice || g.flip():
				s.Low = sub()
				return s
			default:
				s.High = sub()
				return s
			}
		},
		func() Expr { return &Between{X: sub(), Low: sub(), High: sub(), Symmetric: g.flip(), Not: g.flip()} },
		func() Expr {
			l := &Like{X: sub(), Pattern: sub(), Fold: g.flip(), Not: g.flip()}
			if g.flip() {
				l.Escape = sub()
			}
			return l
		},
		func() Expr { return &Extract{Field: g.pick("year", "epoch"), X: sub()} },
		func() Expr { return &Exists{Query: g.query(height - 1)} },
		func() Expr { return &Subquery{Query: g.query(height - 1)} },
	)
}

func (g grower) window(sub func() Expr, some func(int) []Expr) WindowSpec {
	w := WindowSpec{PartitionBy: some(0)}
	if len(w.PartitionBy) == 0 {
		w.PartitionBy = nil
	}
	if g.flip() {
		w.OrderBy = g.order(sub)
	}
	if g.flip() {
		w.Base = g.name()
	}
	if g.flip() {
		w.Frame = &Frame{Unit: FrameUnit(g.Intn(3)), Exclude: Exclusion(g.Intn(4)), Start: Bound{Kind: BoundKind(g.Intn(3))}}
		if w.Frame.Start.Kind == Preceding {
			w.Frame.Start.Offset = sub()
		}
		if w.Frame.End.Kind = CurrentRow + BoundKind(g.Intn(3)); w.Frame.End.Kind == Following {
			w.Frame.End.Offset = sub()
		}
	}
	return w
}

func (g grower) order(sub func() Expr) []OrderItem {
	return []OrderItem{{Expr: sub(), Desc: g.flip(), NullsFirst: g.flip()}}
}

func (g grower) query(height int) *Query {
	q := &Query{Body: g.body(height)}
	if g.Intn(4) == 0 {
		q.With = []CTE{{Name: g.name(), Query: g.query(height - 1)}}
	}
	if g.Intn(3) == 0 {
		q.OrderBy = g.order(func() Expr { return g.expr(height - 1) })
	}
	if g.Intn(4) == 0 {
		q.Limit = g.expr(height - 1)
	}
	if g.Intn(4) == 0 {
		q.Offset = g.expr(0)
	}
	return q
}

func (g grower) body(height int) Body {
	if height > 0 && g.Intn(4) == 0 {
		return &SetOp{Op: SetOpKind(g.Intn(3)), All: g.flip(), Left: g.body(height - 1), Right: g.body(height - 1)}
	}
	if g.Intn(4) == 0 {
		return &Values{Rows: [][]Expr{{g.expr(height - 1)}, {g.expr(height - 1)}}}
	}
	s := &Select{Distinct: g.flip(), Items: []SelectItem{{Expr: g.expr(height - 1), Alias: g.name()}, {Expr: &Star{}}}}
	if s.Distinct && g.flip() {
		s.On = []Expr{g.expr(height - 1)}
	}
	if g.Intn(6) == 0 {
		sub := func() Expr { return g.expr(height - 1) }
		s.Windows = []NamedWindow{{Name: g.name(), WindowSpec: g.window(sub, func(int) []Expr { return []Expr{sub()} })}}
	}
	if g.flip() {
		s.From = []TableExpr{g.table(height), g.table(height - 1)}
		s.Where, s.GroupBy = g.expr(height-1), []Expr{g.groupItem()}
	}
	return s
}

func (g grower) table(height int) TableExpr {
	kinds := []func() TableExpr{
		func() TableExpr { return &TableRef{Name: g.name()} },
		func() TableExpr {
			return &TableRef{Schema: g.name(), Name: g.name(), Alias: g.name(), Columns: []Name{g.name()}}
		},
	}
	if height > 0 {
		kinds = append(kinds,
			func() TableExpr {
				r := &Reading{Kind: ReadingKind(g.Intn(6))}
				if r.Kind == ReadTime || r.Kind == ReadVersion {
					r.Target = g.expr(height - 1)
				} else if g.flip() {
					r.Params = []Property{{Name: "startTSO", Value: "1"}, {Name: "x", Value: "it's"}}
				}
				return &TableRef{Name: g.name(), Reading: r, Alias: g.name()}
			},
			func() TableExpr { return &Derived{Lateral: g.flip(), Query: g.query(height - 1), Alias: g.name()} },
			func() TableExpr {
				j := &Join{Kind: JoinKind(g.Intn(5)), Left: g.table(height - 1), Right: g.table(height - 1)}
				switch {
				case j.Kind == CrossJoin:
				case g.Intn(3) == 0:
					j.Natural = true
				case g.flip():
					j.Using = []Name{g.name()}
				default:
					j.On = g.expr(height - 1)
				}
				return j
			})
	}
	return kinds[g.Intn(len(kinds))]()
}

// TestRandomTrees prints random trees and parses them: the same tree comes back,
// so Print sets the parentheses that the strengths of operators ask for.
func TestRandomTrees(t *testing.T) {
	n := 5_000
	if testing.Short() {
		n = 500
	}
	seen := map[string]bool{}
	for seed := range n {
		g := grower{rand.New(rand.NewSource(int64(seed)))}
		tree := g.query(1 + g.Intn(4))
		text := Print(tree)
		again, err := Parse(text)
		if err != nil {
			t.Fatalf("seed %d: %s\n%s", seed, text, err.(Errors).Render(text, "printed"))
		}
		if d := cmp.Diff(Statement(tree), again, equalTrees); d != "" {
			t.Fatalf("seed %d: %s\n%s", seed, text, d)
		}
		noteKinds(tree, seen)
	}
	for _, kind := range allExprs() {
		if !seen[kind] {
			t.Errorf("no random tree has a %s", kind)
		}
	}
}

func noteKinds(n Node, seen map[string]bool) {
	seen[fmt.Sprintf("%T", n)] = true
	Children(n, func(c Node) { noteKinds(c, seen) })
}

// allExprs reads the kinds of expressions off the node_*.go files.
func allExprs() []string {
	names, err := filepath.Glob("node_*.go")
	if err != nil {
		panic(err)
	}
	var out []string
	for _, name := range names {
		file, err := parser.ParseFile(gotoken.NewFileSet(), name, nil, 0)
		if err != nil {
			panic(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*goast.FuncDecl); ok && f.Name.Name == "expr" {
				out = append(out, "*ast."+f.Recv.List[0].Type.(*goast.StarExpr).X.(*goast.Ident).Name)
			}
		}
	}
	return out
}

// groupItem is an item of GROUP BY.
func (g grower) groupItem() Expr {
	if g.flip() {
		return g.expr(0)
	}
	col := func() Expr { return &Ident{Parts: []Name{g.name()}} }
	switch g.Intn(4) {
	case 0:
		return &GroupingSets{}
	case 1:
		return &GroupingSets{Kind: Rollup, Items: []Expr{col(), &Row{Items: []Expr{col(), col()}}}}
	case 2:
		return &GroupingSets{Kind: Cube, Items: []Expr{col(), col()}}
	}
	return &GroupingSets{Items: []Expr{&GroupingSets{}, col(), &GroupingSets{Kind: Rollup, Items: []Expr{col()}}}}
}
