package expr

import (
	"bytes"
	"slices"

	"github.com/ivmc/ivmc/zset"
)

// constSet is the right side of an IN of constants, by the equality that =
// has: -0.0 is 0.0, NaN is NaN, numeric 1.0 is 1.00.
type constSet struct {
	hasNull bool
	ints    []int64   // PhysI64
	floats  []float64 // sorted by compareFloats; PhysF64
	keys    [][]byte  // sorted cells of text
	decs    []zset.Decimal
	isDec   bool
	byKey   bool               // keys are key encodings: equal cells may differ in bytes
	hash    map[int64]struct{} // of ints, where there are many
	texts   map[string]struct{}
}

// manyInts is where hashing beats comparing with each.
const manyInts = 16

func (c *compiler) in(e *Expr, always bool) (int, error) {
	x, err := c.exact(e.Args[0], always)
	if err != nil {
		return 0, err
	}
	set := &constSet{}
	for _, a := range e.Args[1:] {
		if a.Op != OpConst {
			return 0, zset.Errorf("XX000", int(e.Pos), "item %s of a set is not constant", a)
		}
		set.add(a.Val)
	}
	set.seal()
	return c.add(node{op: OpIn, typ: zset.TBool, args: []int{x}, set: set, pos: e.Pos, narrow: e.Raises() || costly(e)}, "", always), nil
}

func (s *constSet) add(v zset.Value) {
	switch {
	case v.Null:
		s.hasNull = true
	case v.Type.Phys() == zset.PhysI64:
		s.ints = append(s.ints, v.I)
	case v.Type.Phys() == zset.PhysF64:
		s.floats = append(s.floats, v.F)
	case v.Type.Kind == zset.Numeric:
		s.decs, s.isDec = append(s.decs, zset.DecodeDecimal([]byte(v.S))), true
	case !identityDecides(v.Type):
		s.keys, s.byKey = append(s.keys, cellKey(v.Type, []byte(v.S))), true
	default:
		s.keys = append(s.keys, []byte(v.S))
	}
}

func (s *constSet) seal() {
	slices.SortFunc(s.floats, compareFloats)
	slices.SortFunc(s.decs, zset.Decimal.Cmp)
	slices.SortFunc(s.keys, bytes.Compare)
	if len(s.ints) > manyInts {
		s.hash = make(map[int64]struct{}, len(s.ints))
		for _, v := range s.ints {
			s.hash[v] = struct{}{}
		}
	}
	s.texts = make(map[string]struct{}, len(s.keys))
	for _, k := range s.keys {
		s.texts[string(k)] = struct{}{}
	}
}

// has reports whether cell i of c is in the set.
func (s *constSet) has(c *zset.Column, i int) bool {
	switch {
	case c.Type.Phys() == zset.PhysI64:
		return s.hasInt(c.I64[i])
	case c.Type.Phys() == zset.PhysF64:
		_, ok := slices.BinarySearchFunc(s.floats, c.F64[i], compareFloats)
		return ok
	case s.isDec:
		_, ok := slices.BinarySearchFunc(s.decs, zset.DecodeDecimal(c.Bytes(i)), zset.Decimal.Cmp)
		return ok
	}
	cell := c.Bytes(i)
	if s.byKey {
		cell = cellKey(c.Type, cell)
	}
	_, ok := s.texts[string(cell)]
	return ok
}

func (s *constSet) hasInt(v int64) bool {
	_, ok := s.hash[v]
	return ok
}

// few tests all cells against every one of a few integers, without a branch per row.
func (s *constSet) few(c, a *zset.Column) {
	for i, x := range a.I64[:len(c.I64)] {
		hit := int64(0)
		for _, y := range s.ints {
			hit |= bit(x == y)
		}
		c.I64[i] = hit
	}
	if c.Null == nil {
		return
	}
	miss := bit(s.hasNull)
	for i, hit := range c.I64 {
		null := miss &^ hit
		if a.Null != nil {
			null |= bit(a.Null[i])
		}
		c.Null[i] = null != 0
	}
	clearNulls(c, c.Null)
}

// evalIn: NULL for NULL, and for what is not found beside a NULL in the list.
func evalIn(v *Evaluator, nd *node, st *state, sel []int32) {
	a := v.whole(nd.args[0], sel)
	c := v.prepare(st)
	if a.Null != nil || nd.set.hasNull {
		c.Null = v.nulls(st)
	}
	if a.Type.Phys() == zset.PhysI64 && nd.set.hash == nil {
		nd.set.few(c, a)
		return
	}
	one := func(i int) {
		c.I64[i] = 0
		switch {
		case a.IsNull(i):
			c.Null[i] = true
		case nd.set.has(a, i):
			c.I64[i] = 1
		case nd.set.hasNull:
			c.Null[i] = true
		}
	}
	if sel == nil {
		for i := range v.n {
			one(i)
		}
		return
	}
	for _, i := range sel {
		one(int(i))
	}
}
