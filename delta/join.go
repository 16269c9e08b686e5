package delta

import (
	"slices"

	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// Join.
//
// Identity: Δ(R1 ⋈ .. ⋈ Rn) = Σi R1' ⋈ .. ⋈ R(i-1)' ⋈ ΔRi ⋈ R(i+1) ⋈ .. ⋈ Rn,
// where R is the side @lo and R' = R + ΔR the side @hi.
// Class: D.
// State: none for inputs that are stored relations under filters and
// projections: an arrangement of the relation is looked up and visibility picks
// the side. Any other input is kept as a private relation, by its readers' keys.
// Cost: O(|ΔRi| × matches), for each i.
// Careful: a row whose key holds a NULL matches nothing (SQL =). A key that can
// raise is no key of an arrangement, which would evaluate it for every stored
// row: it stays a condition, evaluated last, over the consolidated sum of the
// terms, because rows of one term may cancel rows of another (I4). A private
// relation @hi is its state plus its delta, so its own term comes before the
// terms that read it: terms are in the order of the inputs, and only inputs
// before i are read at @hi.
// From empty: every @lo is empty, so one term is left, R1' ⋈ .. ⋈ ΔRn with
// ΔRn = Rn'; it is folded to hash joins, each table built in this run.
// See: docs/citations.md, "joins".

// Lookup joins each row of its input with the rows of a side that have its key.
// Output: the columns Keep of the input, then the columns read of the side. The
// weight is the product.
type Lookup struct {
	Side Side         `json:"side"`
	Keys []*expr.Expr `json:"keys,omitempty"` // over the input; none: every row of the side
	Keep []int        `json:"keep"`
	// Anti turns it round: the rows of the input that find nothing, as they are.
	// For private relations alone.
	Anti bool `json:"anti,omitempty"`

	// A stored relation: Plan.Inputs[Input], through Plan.Arranged[Arranged],
	// or by its primary key if that is -1. Cols are positions in the relation.
	Input    int   `json:"input"`
	Arranged int   `json:"arranged"`
	Cols     []int `json:"cols"`

	// A private relation: Plan.States[State]; -1: a stored one.
	State int `json:"state"`
}

// HashJoin joins the rows of its first input with those of its second, which
// are put in a table first. Output: the columns Left of the first, Right of the
// second.
type HashJoin struct {
	Probe []*expr.Expr `json:"probe,omitempty"` // over the first input; none: a cross product
	Build []*expr.Expr `json:"build,omitempty"` // over the second
	Left  []int        `json:"left"`
	Right []int        `json:"right"`
	// Anti turns it round: the rows of the first input that find nothing.
	Anti bool `json:"anti,omitempty"`
}

// Keep hands its input on and keeps it as a private relation, once for each key
// by which it is looked up.
type Keep struct {
	By []KeepBy `json:"by"`
}

// KeepBy is one copy of a private relation: Plan.States[State] maps the key
// encoding of Keys, followed by the row encoding of the row, to its count.
type KeepBy struct {
	State int          `json:"state"`
	Keys  []*expr.Expr `json:"keys,omitempty"`
}

func deriveJoin(d *deriver, n *algebra.Join, need []bool, path string) stream {
	if len(n.Ins) == 1 {
		return deriveSingle(d, n, need, path)
	}
	j := newJoin(d, n, need, path)
	var out *Node
	if d.full {
		out = j.term(j.first())
	} else {
		terms := make([]*Node, 0, len(j.ins))
		for i := range j.ins {
			if d.opts.Off["join"] && i > 0 {
				break
			}
			terms = append(terms, j.term(i))
		}
		out = &Node{Op: OpUnion, Class: ClassDelta, Types: terms[0].Types, Ins: terms, Union: &Union{Terms: true}}
	}
	s := stream{node: out, at: positions(j.out, j.width)}
	for _, c := range j.on {
		if c.raises {
			s = d.settled(s)
			s.node = filtered(s.node, s.expr(c.e))
		}
	}
	return s
}

// deriveSingle is a join of one input: a filter.
func deriveSingle(d *deriver, n *algebra.Join, need []bool, path string) stream {
	width := len(n.Schema())
	inner := marks(width, n.On...)
	for _, c := range wanted(need, width) {
		inner[c] = true
	}
	s := d.node(n.Ins[0], inner, path+".0")
	for _, e := range n.On {
		p := s.expr(e)
		if p.Raises() {
			s = d.settled(s)
		}
		s.node = filtered(s.node, p)
	}
	return s
}

// join is the derivation of one join. Columns of the join are global: those of
// the inputs one after the other.
type join struct {
	d     *deriver
	path  string
	width int
	off   []int
	types []zset.Type
	ins   []joinInput
	on    []conjunct
	out   []int // columns that the terms yield, ascending
}

type joinInput struct {
	node   *Node // its delta; from empty its rows. Columns: cols
	cols   []int // global columns that anything reads, ascending
	stored *leaf // nil: a private relation
	keep   *Keep // of a private relation
	rows   int64

	from  algebra.Node // whose columns local it is
	local []int
}

// leaf is an input that is a stored relation under filters and projections.
type leaf struct {
	input int // position in Plan.Inputs
	scan  *algebra.Scan
	preds []*expr.Expr // over the scan's columns
	outs  []*expr.Expr // the input's columns over the scan's
}

type conjunct struct {
	e      *expr.Expr
	raises bool
	eq     bool    // both sides can be keys
	reads  []int   // which inputs
	side   [2]side // of an eq
}

type side struct {
	e     *expr.Expr
	reads []int
}

func newJoin(d *deriver, n *algebra.Join, need []bool, path string) *join {
	d.volatile(n.On...)
	j := &join{d: d, path: path, off: n.Offsets(), types: n.Schema().Types()}
	j.width = j.off[len(n.Ins)]
	final := make([]bool, j.width) // read above the terms
	for _, c := range wanted(need, j.width) {
		final[c] = true
	}
	for _, on := range n.On {
		for _, e := range conjuncts(on) {
			c := j.conjunct(e)
			j.on = append(j.on, c)
			if c.raises {
				mark(final, e)
			}
		}
	}
	j.out = wanted(final, j.width)
	read := append([]bool(nil), final...)
	for _, c := range j.on {
		mark(read, c.e)
	}
	for i, in := range n.Ins {
		j.ins = append(j.ins, j.input(i, in, read[j.off[i]:j.off[i+1]]))
	}
	return j
}

// input derives input i, of which the columns read are wanted.
func (j *join) input(i int, n algebra.Node, read []bool) joinInput {
	p := child(j.path, i)
	s := j.d.node(n, read, p)
	local := wanted(read, len(read))
	in := joinInput{cols: make([]int, len(local)), rows: -1, from: n, local: local}
	for k, c := range local {
		in.cols[k] = j.off[i] + c
	}
	in.stored = j.d.leaf(n, p)
	if in.stored != nil {
		in.node = s.arrange(local)
		if r, ok := j.d.opts.Rows[in.stored.scan.Rel]; ok {
			in.rows = r
		}
		return in
	}
	in.node = s.arrange(local)
	in.keep = j.d.keeps[p]
	if in.keep == nil && !j.d.fixed {
		in.keep = &Keep{}
		j.d.keeps[p] = in.keep
	}
	if in.keep != nil {
		in.node = &Node{Op: OpKeep, Class: ClassDelta, Types: in.node.Types, Ins: []*Node{in.node}, Keep: in.keep}
	}
	return in
}

// leaf recognises a stored relation under filters and projections none of which
// can raise: nil if n is anything else.
func (d *deriver) leaf(n algebra.Node, path string) *leaf {
	switch n := n.(type) {
	case *algebra.Scan:
		outs := make([]*expr.Expr, len(n.Schema()))
		for i, f := range n.Schema() {
			outs[i] = expr.Col(i, f.Type)
		}
		i, ok := d.scans[path]
		if !ok || n.Addr {
			return nil
		}
		return &leaf{input: i, scan: n, outs: outs}
	case *algebra.Filter:
		l := d.leaf(n.Input, path+".0")
		if l == nil || n.Pred.Raises() || d.opts.Off["filter"] {
			return nil
		}
		l.preds = append(l.preds, n.Pred.Substitute(l.outs))
		return l
	case *algebra.Project:
		l := d.leaf(n.Input, path+".0")
		if l == nil || raises(n.Exprs) {
			return nil
		}
		outs := make([]*expr.Expr, len(n.Exprs))
		for i, e := range n.Exprs {
			outs[i] = e.Substitute(l.outs)
		}
		l.outs = outs
		return l
	}
	return nil
}

func (j *join) conjunct(e *expr.Expr) conjunct {
	c := conjunct{e: e, raises: e.Raises(), reads: j.reads(e)}
	if !c.raises && isEqual(e) {
		c.eq = true
		for k, a := range e.Args {
			a = bare(a)
			c.side[k] = side{e: a, reads: j.reads(a)}
		}
	}
	return c
}

// reads lists the inputs that e reads, ascending.
func (j *join) reads(e *expr.Expr) (ins []int) {
	for _, c := range e.Cols() {
		i, exact := slices.BinarySearch(j.off, c)
		if !exact {
			i--
		}
		for i+1 < len(j.off) && j.off[i+1] == c { // inputs without columns
			i++
		}
		ins = append(ins, i)
	}
	slices.Sort(ins)
	return slices.Compact(ins)
}

// first is the input that is streamed from empty: the one with the most rows;
// without statistics one that no other input's primary key is compared with.
func (j *join) first() int {
	best, most := 0, int64(-1)
	for i, in := range j.ins {
		if in.rows > most {
			best, most = i, in.rows
		}
	}
	if most >= 0 {
		return best
	}
	score := func(i int) (n int) {
		bound := make([]bool, len(j.ins))
		bound[i] = true
		for k, keys := range j.keys(bound, make([]bool, len(j.on))) {
			if j.unique(k, keys) {
				n++
			}
		}
		return n
	}
	for i := range j.ins {
		if score(i) > score(best) {
			best = i
		}
	}
	return best
}

func printJoin(c *canon, n *algebra.Join) { c.exprs(n.On) }
