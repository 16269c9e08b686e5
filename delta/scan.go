package delta

import (
	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// Scan.
//
// Identity: Δ(R) is what the change log says of R over (lo, hi].
// Class: D.
// State: none.
// Cost: O(|ΔR|); from empty O(|R|), or O(1) a key for a look-up by primary key.
// Careful: an update that leaves the columns read as they are yields -r +r; the
// delta is not consolidated.

// Find reads rows by primary key.
type Find struct {
	// Keys are the wanted keys: one expression without columns for each column
	// of the input's key, of that column's type. The same key may stand twice.
	Keys [][]*expr.Expr `json:"keys"`
}

func deriveScan(d *deriver, n *algebra.Scan, need []bool, path string) stream {
	cols := wanted(need, len(n.Schema()))
	addr := false
	if n.Addr && len(cols) > 0 && cols[len(cols)-1] == len(n.Cols) {
		addr = true
	}
	if n.Reading != nil && !d.full {
		d.block(Blocker{Code: CodeNotSupported, Pos: int(n.Pos), Object: n.Name, Permanent: true, Reason: "the records of a window and the rows of another time do not change", Rewrite: "read the relation itself"})
	}
	if d.opts.NoLog[n.Rel] && !d.full {
		d.block(Blocker{Code: CodeNoLog, Pos: int(n.Pos), Object: n.Name, Reason: "it keeps no change log (\"binlog.enable\" = \"false\"), so that nobody can say what changed",
			Rewrite: "make the table again with its change log on"})
	}
	i := d.input(n, cols, addr, path)
	node := &Node{Op: OpChanges, Class: ClassDelta, Input: i, Types: make([]zset.Type, len(cols))}
	if d.full {
		node.Op = OpScan
	}
	at := make([]int, len(n.Schema()))
	for k := range at {
		at[k] = -1
	}
	schema := n.Schema()
	for k, c := range cols {
		node.Types[k] = schema[c].Type
		at[c] = k
	}
	if len(cols) == len(schema) {
		at = nil
	}
	return stream{node: node, at: at}
}

// input enters the scan n with the columns cols (positions in its schema) among
// the inputs of the plan.
func (d *deriver) input(n *algebra.Scan, cols []int, addr bool, path string) int {
	if addr {
		cols = cols[:len(cols)-1]
	}
	if i, ok := d.scans[path]; ok {
		return i
	}
	in := Input{Rel: n.Rel, Name: n.Name, As: n.As, Key: n.Key, IsView: n.IsView, Addr: addr, Pos: n.Pos,
		Cols: make([]int, len(cols)), Fields: make(zset.Schema, len(cols))}
	if r := n.Reading; r != nil {
		in.Read = &Read{Kind: ReadKind(r.Kind.String()), Lo: r.Lo, Hi: r.Hi}
	}
	for k, c := range cols {
		in.Cols[k] = n.Cols[c]
		in.Fields[k] = n.Fields[c]
	}
	d.plan.Inputs = append(d.plan.Inputs, in)
	d.scans[path] = len(d.plan.Inputs) - 1
	return d.scans[path]
}

// findKeys recognises predicates that pin the primary key of a scan to
// constants: key = c for every column of the key, or key IN (c, ..) for a key
// of one column. The predicate stays above the look-up.
func findKeys(pred *expr.Expr, s *algebra.Scan) [][]*expr.Expr {
	if len(s.Key) == 0 || s.Reading != nil {
		return nil
	}
	found := make([]*expr.Expr, len(s.Key))
	for _, c := range conjuncts(pred) {
		switch {
		case isEqual(c):
			for side := range 2 {
				k := keyColumn(c.Args[side], s)
				v := c.Args[1-side]
				if k >= 0 && pinned(v, s, k) {
					found[k] = v
				}
			}
		case c.Op == expr.OpIn && len(s.Key) == 1 && keyColumn(c.Args[0], s) == 0:
			var keys [][]*expr.Expr
			for _, v := range c.Args[1:] {
				if !pinned(v, s, 0) {
					keys = nil
					break
				}
				keys = append(keys, []*expr.Expr{v})
			}
			if keys != nil {
				return keys
			}
		}
	}
	for _, f := range found {
		if f == nil {
			return nil
		}
	}
	return [][]*expr.Expr{found}
}

// pinned reports whether v is a value for key column k that does not depend on
// the row and whose key encoding is that of the column.
func pinned(v *expr.Expr, s *algebra.Scan, k int) bool {
	return len(v.Cols()) == 0 && !v.Raises() && !v.Volatile() && sameEncoding(v.Typ, fieldType(s, s.Key[k]))
}

// keyColumn is which key column e is, -1: none.
func keyColumn(e *expr.Expr, s *algebra.Scan) int {
	e = bare(e)
	if e.Op != expr.OpCol || e.Col >= len(s.Cols) {
		return -1
	}
	for k, c := range s.Key {
		if c == s.Cols[e.Col] {
			return k
		}
	}
	return -1
}

func fieldType(s *algebra.Scan, rel int) zset.Type {
	for i, c := range s.Cols {
		if c == rel {
			return s.Fields[i].Type
		}
	}
	return zset.TUnknown
}

func printScan(c *canon, n *algebra.Scan) {
	c.add("%d %v %v ", n.Rel, n.Cols, n.Addr)
	if n.Reading != nil {
		c.add("%v ", *n.Reading)
	}
	c.schema(n.Fields)
}
