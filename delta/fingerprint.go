package delta

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// canon writes the normalised algebra by object id: what a view means and how
// its states are laid out, without names, positions, join order and costs (I7).
type canon struct {
	b     strings.Builder
	rules []rule // of the operators, made once
}

func (c *canon) add(format string, args ...any) { fmt.Fprintf(&c.b, format, args...) }

// number writes as %d does. Wide projections are written once for each state above
// them: their columns and types do without fmt.
func (c *canon) number(i int) {
	var digits [20]byte
	c.b.Write(strconv.AppendInt(digits[:0], int64(i), 10))
}

func (c *canon) node(n algebra.Node) {
	if c.rules == nil {
		c.rules = rules()
	}
	r := ruleIn(c.rules, n)
	if r == nil {
		c.add("(%T", n)
	} else {
		c.add("(%s ", r.name)
		r.print(c, n)
	}
	for _, in := range n.Inputs() {
		c.node(in)
	}
	c.add(")")
}

func (c *canon) typ(t zset.Type) {
	c.number(int(t.Kind))
	c.b.WriteByte('.')
	c.number(int(t.Prec))
	c.b.WriteByte('.')
	c.number(int(t.Scale))
	if t.Kind == zset.Array {
		c.add(".%d", t.Elem)
	}
}

func (c *canon) expr(e *expr.Expr) {
	if e == nil {
		c.add("*")
		return
	}
	c.b.WriteByte('[')
	c.number(int(e.Op))
	c.b.WriteByte(':')
	c.typ(e.Typ)
	switch e.Op {
	case expr.OpCol:
		c.b.WriteByte('#')
		c.number(e.Col)
	case expr.OpConst:
		c.value(e.Val)
	case expr.OpCall:
		c.b.WriteString(e.Fn)
	}
	for _, a := range e.Args {
		c.expr(a)
	}
	c.b.WriteByte(']')
}

func (c *canon) value(v zset.Value) {
	if v.Null {
		c.add("null")
		return
	}
	c.add("%d,%x,%q", v.I, math.Float64bits(v.F), v.S)
}

func (c *canon) exprs(es []*expr.Expr) {
	for _, e := range es {
		c.expr(e)
	}
}

func (c *canon) schema(s zset.Schema) {
	for _, f := range s {
		c.typ(f.Type)
		c.b.WriteByte(';')
	}
}

// fingerprint hashes the meaning of n.
func fingerprint(n algebra.Node) string {
	var c canon
	c.add("layout %d ", Layout)
	c.schema(n.Schema())
	c.node(n)
	h := sha256.Sum256([]byte(c.b.String()))
	return hex.EncodeToString(h[:16])
}

// holding hashes what a state holds of columns cols of n, nil for all: states of one hash, over the same rows of the
// same relations, are the same, in whatever plans they are. "" where that cannot
// be said: of functions of the program around.
func holding(n algebra.Node, cols []int, role string) func() string {
	return func() string {
		if len(algebra.Customs(n)) > 0 {
			return ""
		}
		h := sha256.Sum256(fmt.Appendf(nil, "%v %s %s", cols, fingerprint(n), role))
		return hex.EncodeToString(h[:16])
	}
}

// key is the canonical text of key expressions: equal text, equal key bytes.
func keyText(es []*expr.Expr) string {
	var c canon
	c.exprs(es)
	return c.b.String()
}
