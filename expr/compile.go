package expr

import (
	"fmt"
	"math"
	"strings"

	"github.com/ivmc/ivmc/zset"
)

// Program is a list of expressions compiled for evaluation over batches. It is
// immutable and shared; [Program.New] makes an evaluator for one goroutine.
type Program struct {
	nodes []node
	roots []int
	types []zset.Type
	cols  []colUse // the columns read, checked against each batch
}

type colUse struct {
	col int
	typ zset.Type
}

// node is one step of a program. Nodes come after their arguments.
type node struct {
	op     Op
	typ    zset.Type // form of the result; a NUMERIC call may be held fixed, see fixedForm
	col    int
	konst  *zset.Column // OpConst: one cell
	single bool         // one cell for all rows: a constant, or a function of constants that was not folded
	fn     *Func
	row    rowFunc
	dense  denseFunc
	each   *Program // of an elementwise call
	args   []int
	set    *constSet // OpIn
	always bool      // evaluated for all rows: computed once per batch, shared
	narrow bool      // worth, or in need of, a narrowed selection (raises or costly)
	pos    int32
}

// compiler builds a program. Only expressions in places that are evaluated for
// every row are shared; what stands behind a condition has nodes of its own,
// because its scratch holds the cells of its own selection alone.
type compiler struct {
	p      *Program
	shared map[string]int
}

// Compile compiles es. A volatile expression has to be frozen first.
func Compile(es []*Expr) (*Program, error) {
	c := &compiler{p: &Program{}, shared: map[string]int{}}
	for _, e := range es {
		if unfrozen(e) {
			return nil, zset.Errorf("XX000", int(e.Pos), "volatile expression %s is not frozen", e)
		}
		id, err := c.exact(Fold(e), true)
		if err != nil {
			return nil, err
		}
		c.p.roots = append(c.p.roots, id)
		c.p.types = append(c.p.types, e.Typ)
	}
	return c.p, nil
}

// unfrozen reports whether e reads the clock.
func unfrozen(e *Expr) bool {
	found := false
	e.Walk(func(x *Expr) bool {
		f := x.fn()
		found = found || x.Op == OpCall && f != nil && f.readsClock()
		return !found
	})
	return found
}

// Types lists the types of the columns that evaluation yields. The slice is the program's.
func (p *Program) Types() []zset.Type { return p.types }

// exact compiles e to a node whose form is that of e.Typ.
func (c *compiler) exact(e *Expr, always bool) (int, error) {
	id, err := c.node(e, always)
	if err != nil {
		return 0, err
	}
	if !sameForm(c.p.nodes[id].typ, e.Typ) {
		sig := castSignature(castName, zset.Numeric, zset.Numeric)
		f := funcs.bySig[sig]
		return c.add(node{op: OpCall, typ: e.Typ, fn: f, row: f.row, dense: f.dense, args: []int{id}, pos: e.Pos,
			narrow: c.p.nodes[id].narrow}, sig, always), nil
	}
	return id, nil
}

// sameForm reports whether columns of two types of one kind hold their cells alike.
func sameForm(a, b zset.Type) bool {
	return a.Kind != zset.Numeric || a.Fixed() == b.Fixed() && (!a.Fixed() || a.Scale == b.Scale)
}

// node compiles e. always: for all rows of the batch.
func (c *compiler) node(e *Expr, always bool) (int, error) {
	switch e.Op {
	case OpCol:
		c.p.cols = append(c.p.cols, colUse{e.Col, e.Typ})
		return c.add(node{op: OpCol, typ: e.Typ, col: e.Col}, "", true), nil
	case OpConst:
		return c.constant(e), nil
	case OpCall:
		return c.call(e, always)
	case OpIn:
		return c.in(e, always)
	}
	n := node{op: e.Op, typ: e.Typ, pos: e.Pos, narrow: e.Raises() || costly(e)}
	for i, a := range e.Args {
		// A cheap argument that cannot fail is computed for all rows: that is
		// faster than choosing them.
		spared := (e.Op == OpAnd || e.Op == OpOr || e.Op == OpCoalesce) && i > 0 && (a.Raises() || costly(a)) ||
			e.Op == OpCase && i > 0
		id, err := c.exact(a, always && !spared)
		if err != nil {
			return 0, err
		}
		n.args = append(n.args, id)
	}
	return c.add(n, "", always), nil
}

// costly reports whether e holds a call worth a narrowed selection.
func costly(e *Expr) bool {
	found := false
	e.Walk(func(x *Expr) bool {
		switch x.Op {
		case OpCase:
			found = true
		case OpCall:
			f := x.fn()
			found = found || f == nil || f.Costly
		}
		return !found
	})
	return found
}

func (c *compiler) constant(e *Expr) int {
	t := e.Typ
	if form, ok := fixedForm(e); ok {
		t = form
	}
	col := zset.NewColumn(t, 1)
	if v := e.Val; t != e.Typ && !v.Null {
		coef, _ := zset.DecodeDecimal([]byte(v.S)).ToFixed(int(t.Prec), int(t.Scale))
		col.AppendI64(coef)
	} else {
		col.AppendValue(v)
	}
	return c.add(node{op: OpConst, typ: t, konst: &col}, constKey(e.Val), true)
}

// constKey is identity of constants as text.
func constKey(v zset.Value) string {
	return fmt.Sprintf("%t,%d,%x,%q", v.Null, v.I, math.Float64bits(v.F), v.S)
}

func (c *compiler) call(e *Expr, always bool) (int, error) {
	f := e.fn()
	if f == nil {
		return 0, zset.Errorf("42883", int(e.Pos), "function %s does not exist", e.Fn)
	}
	if unzoned(e) {
		return 0, zset.Errorf("XX000", int(e.Pos), "the time zone of %s is not set", e)
	}
	n := node{op: OpCall, typ: e.Typ, fn: f, row: f.row, dense: f.dense, pos: e.Pos, narrow: e.Raises() || costly(e)}
	consts := make([]*zset.Value, len(e.Args))
	for i, a := range e.Args {
		arg := c.node
		if f.elementwise { // its program reads the form of the type
			arg = c.exact
		}
		id, err := arg(a, always)
		if err != nil {
			return 0, err
		}
		n.args = append(n.args, id)
		if a.IsConst() && !a.Val.Null {
			consts[i] = &a.Val
		}
	}
	if id, ok := c.relabel(e, n.args); ok {
		return id, nil
	}
	if form, ok := fixedForm(e); ok {
		n.typ = form
	}
	if f.bind != nil {
		if row := f.bind(consts); row != nil {
			n.row = row
		}
	}
	if f.bindDense != nil {
		n.dense = f.bindDense(consts)
	}
	if f.elementwise {
		in, err := e.inner()
		if err != nil {
			return 0, err
		}
		if n.each, err = Compile([]*Expr{in}); err != nil {
			return 0, err
		}
	}
	return c.add(n, f.Signature(), always), nil
}

// relabel skips casts that change no cell: text to VARCHAR and back where
// nothing is cut, and NUMERIC to a form that holds its cells alike (to the
// unconstrained NUMERIC always: exact adjusts the form where it matters).
func (c *compiler) relabel(e *Expr, args []int) (int, bool) {
	if !isCastName(e.Fn[:strings.IndexByte(e.Fn, '(')]) {
		return 0, false
	}
	from, to := e.Args[0].Typ, e.Typ
	switch {
	case to.Kind == zset.Array && from.Kind == zset.Array:
		same := from.Elem == to.Elem || from.Elem == zset.Varchar && to.Elem == zset.Text || from.Elem == zset.Text && to.Elem == zset.Varchar
		return args[0], same && (to.Prec == 0 || to.Prec == from.Prec && to.Scale == from.Scale)
	case to == zset.TNumeric:
		return args[0], from.Kind == zset.Numeric
	case to.Kind.Timed():
		return args[0], from.Kind == to.Kind && (to.Prec == 0 || from.Prec > 0 && from.Prec <= to.Prec)
	case to.Kind == zset.Numeric:
		return args[0], from.Kind == zset.Numeric && to.Fixed() && numericFits(e) && sameForm(c.p.nodes[args[0]].typ, to)
	case categoryOf(to.Kind) != catString || categoryOf(from.Kind) != catString && from.Kind != zset.Unknown:
		return 0, false
	}
	if to.Kind == zset.Char || from.Kind == zset.Char { // blanks come or go, and comparisons differ
		return args[0], from.Kind == to.Kind && (to.Prec == 0 || to.Prec == from.Prec)
	}
	return args[0], assignFits(e)
}

// add appends n, or finds its equal among the nodes that are always evaluated.
func (c *compiler) add(n node, what string, always bool) int {
	key := fmt.Sprintf("%d|%v|%d|%v|%s", n.op, n.typ, n.col, n.args, what)
	if n.set != nil {
		key += fmt.Sprintf("|%p", n.set)
	}
	if id, ok := c.shared[key]; ok && !(n.fn != nil && n.fn.Volatile) {
		return id
	}
	n.always, n.single = always, c.single(&n)
	id := len(c.p.nodes)
	c.p.nodes = append(c.p.nodes, n)
	if always {
		c.shared[key] = id
	}
	return id
}

// single reports whether n has the same cell for all rows.
func (c *compiler) single(n *node) bool {
	if n.op != OpCall || n.fn.Volatile || len(n.args) == 0 {
		return n.op == OpConst
	}
	for _, a := range n.args {
		if !c.p.nodes[a].single {
			return false
		}
	}
	return true
}
