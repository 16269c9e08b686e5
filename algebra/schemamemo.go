package algebra

import (
	"slices"
	"sync/atomic"

	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// schemaMemo is the schema that a node had when it was last asked for it. Every
// pass asks every node, and a chain of a hundred outer joins would otherwise build
// the columns of all joins below anew each time: the cube of their number. The
// zero memo is empty; copies of a node start with an empty one.
//
// The binder still changes nodes it has made: what the schema was made from is
// kept, and a memo whose makings are not those of the node any more is none.
type schemaMemo struct {
	at atomic.Pointer[madeSchema]
}

type madeSchema struct {
	ins    [2]zset.Schema
	exprs  []*expr.Expr
	names  []string
	schema zset.Schema
}

// of is the memo for inputs of these schemas, or nil.
func (m *schemaMemo) of(l, r zset.Schema, exprs []*expr.Expr, names []string) zset.Schema {
	made := m.at.Load()
	if made == nil || !sameSchema(made.ins[0], l) || !sameSchema(made.ins[1], r) ||
		!slices.Equal(made.exprs, exprs) || !slices.Equal(made.names, names) {
		return nil
	}
	return made.schema
}

// keep is schema, remembered. Readers append to what they get: it has no room.
func (m *schemaMemo) keep(l, r zset.Schema, exprs []*expr.Expr, names []string, schema zset.Schema) zset.Schema {
	schema = slices.Clip(schema)
	m.at.Store(&madeSchema{ins: [2]zset.Schema{l, r}, exprs: slices.Clone(exprs), names: slices.Clone(names), schema: schema})
	return schema
}

// sameSchema compares two schemas; an input that has not changed often returns the
// very slice it did.
func sameSchema(a, b zset.Schema) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.Equal(a, b))
}

// columnsOf is how many columns n has, without making their schema: a chain of
// queries under OR asks at each of them for those of all before.
func columnsOf(n Node) int {
	switch n := n.(type) {
	case *Project:
		return len(n.Exprs)
	case *Filter:
		return columnsOf(n.Input)
	case *Outer:
		return columnsOf(n.L) + columnsOf(n.R)
	case *Apply:
		switch n.Kind {
		case Each, EachOrNull:
			return columnsOf(n.L) + columnsOf(n.R)
		case Mark:
			return columnsOf(n.L) + 1
		}
		return columnsOf(n.L)
	}
	return len(n.Schema())
}
