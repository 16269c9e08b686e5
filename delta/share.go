package delta

import "github.com/ivmc/ivmc/algebra"

// Share makes the rows of its input once for several readers. The first node of
// an ID in the plan has the input, the others have none.
type Share struct {
	ID int `json:"id"`
}

// shared is a node of the algebra that the rule of an operator reads twice.
type shared struct {
	path string
	id   int
	s    stream
	done bool
}

// share says that n will be derived more than once: its delta is made once, at
// path. A stored relation under filters and projections is not worth it: its
// changes are there already.
func (d *deriver) share(n algebra.Node, path string) {
	if d.shared[n] == nil && !leafLike(n) {
		d.shared[n] = &shared{path: path}
	}
}

func leafLike(n algebra.Node) bool {
	switch n := n.(type) {
	case *algebra.Scan:
		return true
	case *algebra.Filter:
		return !n.Pred.Raises() && !n.Pred.Volatile() && leafLike(n.Input)
	case *algebra.Project:
		return !raises(n.Exprs) && !anyVolatile(n.Exprs) && leafLike(n.Input)
	}
	return false
}

func (d *deriver) reuse(r *rule, n algebra.Node, sh *shared) stream {
	var ins []*Node
	if !sh.done {
		s := r.derive(d, n, nil, sh.path)
		ins = []*Node{s.arrange(all(len(n.Schema())))}
		sh.id, sh.done, sh.s = d.shares, true, stream{unique: s.unique}
		d.shares++
	}
	s := sh.s
	s.node = &Node{Op: OpShare, Class: ClassDelta, Types: n.Schema().Types(), Ins: ins, Share: &Share{ID: sh.id}}
	return s
}
