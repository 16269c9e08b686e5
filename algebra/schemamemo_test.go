package algebra

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// TestSchemaFollowsChanges: the binder changes nodes that were asked for their
// schema, at the node itself and far below it.
func TestSchemaFollowsChanges(t *testing.T) {
	scan := &Scan{Fields: zset.Schema{{Name: "a", Type: zset.TInt8, NotNull: true}}}
	low := &Project{Input: scan, Exprs: []*expr.Expr{expr.Col(0, zset.TInt8)}, Names: []string{"a"}}
	outer := &Outer{L: low, R: scan, Left: true}
	window := &Window{Input: outer, Calls: []WindowCall{{Name: "rank", Typ: zset.TInt8}}}
	top := &Project{Input: window, Exprs: []*expr.Expr{expr.Col(0, zset.TInt8), expr.Col(1, zset.TInt8), expr.Col(2, zset.TInt8)}, Names: []string{"x", "y", "z"}}
	expect := func(n Node, want zset.Schema) {
		t.Helper()
		for range 2 { // made, and remembered
			if d := cmp.Diff(want, n.Schema()); d != "" {
				t.Error(d)
			}
		}
	}
	expect(outer, zset.Schema{{Name: "a", Type: zset.TInt8, NotNull: true}, {Name: "a", Type: zset.TInt8}})
	expect(top, zset.Schema{{Name: "x", Type: zset.TInt8, NotNull: true}, {Name: "y", Type: zset.TInt8}, {Name: "z", Type: zset.TInt8, NotNull: true}})

	low.Names[0] = "b"
	expect(outer, zset.Schema{{Name: "b", Type: zset.TInt8, NotNull: true}, {Name: "a", Type: zset.TInt8}})
	low.Exprs[0] = expr.Const(zset.NullOf(zset.TInt8))
	expect(top, zset.Schema{{Name: "x", Type: zset.TInt8}, {Name: "y", Type: zset.TInt8}, {Name: "z", Type: zset.TInt8, NotNull: true}})
	window.Calls[0].Name = "lag"
	expect(top, zset.Schema{{Name: "x", Type: zset.TInt8}, {Name: "y", Type: zset.TInt8}, {Name: "z", Type: zset.TInt8}})
	top.Exprs, top.Names = append(top.Exprs, expr.Col(0, zset.TInt8)), append(top.Names, "w")
	if got := len(top.Schema()); got != 4 {
		t.Errorf("%d columns", got)
	}

	for _, kind := range []ApplyKind{Each, EachOrNull, Some, None, Mark} {
		a := &Apply{L: &Filter{Input: outer}, R: top, Kind: kind}
		if got := columnsOf(a); got != len(a.Schema()) {
			t.Errorf("kind %d: %d columns, of %d", kind, got, len(a.Schema()))
		}
	}

	s := outer.Schema() // a reader that appends does not write into what is remembered
	_ = append(s, zset.Field{Name: "q"})
	if got := outer.Schema(); len(got) != 2 || cap(got) != 2 {
		t.Errorf("%d columns, room for %d", len(got), cap(got))
	}
}
