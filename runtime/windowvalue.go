package runtime

import (
	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// windowCall is one call and what it reads of the rows.
type windowCall struct {
	delta.WindowCall
	order *windowOrder
	x     *exprs // arguments, then what the frame compares

	args                 []zset.Column
	framed, starts, ends ends
	agg                  *frameAggregate
	out                  zset.Column
	vals                 []int32 // by row: the row whose argument it is; -1: NULL, -2: its default
	groups               []int
}

func newWindowCall(c *compiler, spec delta.WindowCall, o *windowOrder) (*windowCall, error) {
	call := &windowCall{WindowCall: spec, order: o}
	es := append([]*expr.Expr(nil), spec.Args...)
	if spec.Agg != nil {
		if err := spec.Agg.Check(); err != nil {
			return nil, err
		}
		call.agg = newFrameAggregate(*spec.Agg, &es)
	}
	for _, e := range spec.Frame.Exprs() {
		if e != nil {
			es = append(es, e)
		}
	}
	var err error
	call.x, err = c.exprs(es)
	return call, err
}

// read takes the arguments and the ends of frames of all rows.
func (c *windowCall) read(r *run, rows *windowRows) error {
	c.args = c.args[:0]
	n := len(c.x.es)
	var marks []*ends
	for i, e := range c.Frame.Exprs() {
		if e != nil {
			m := []*ends{&c.framed, &c.starts, &c.ends}[i]
			m.buf, m.off = m.buf[:0], append(m.off[:0], 0)
			marks = append(marks, m)
			n--
		}
	}
	for _, e := range c.x.es[:n] {
		c.args = append(c.args, zset.NewColumn(e.Typ, rows.b.N))
	}
	return evalRows(r, c.x, rows, func(cols []zset.Column, rows int) {
		for k := range c.args {
			c.args[k].AppendColumn(&cols[k])
		}
		for k, m := range marks {
			for i := range rows {
				m.buf = appendSortKey(m.buf, &cols[n+k], i, c.By[0])
				m.off = append(m.off, len(m.buf))
			}
		}
	})
}

// compute is the results, by row.
func (c *windowCall) compute(r *run, rows *windowRows) (zset.Column, error) {
	if err := c.read(r, rows); err != nil {
		return zset.Column{}, err
	}
	n := rows.b.N
	step := c.step(n)
	p := partitionRows{}
	for p.from = 0; p.from < n; p.from = p.to {
		p.to, c.groups = c.order.partition(p.from, c.groups)
		p.groups, p.group = c.groups, 0
		if c.agg != nil {
			c.agg.reset()
		}
		for p.at = p.from; p.at < p.to; p.at++ {
			if p.at == p.groups[p.group+1] {
				p.group++
			}
			if err := step(&p); err != nil {
				return zset.Column{}, r.dataError(err, c.x.es, nil, nil, 0)
			}
		}
	}
	return c.column(n), nil
}

// step is what works out the result of the row at p.at.
func (c *windowCall) step(n int) func(p *partitionRows) error {
	switch c.Name {
	case "row_number", "rank", "dense_rank", "ntile":
		c.out = zset.Column{Type: c.Typ, I64: make([]int64, n)}
	case "percent_rank", "cume_dist":
		c.out = zset.Column{Type: c.Typ, F64: make([]float64, n)}
	default:
		c.vals = sized(c.vals, n)
	}
	if c.agg != nil {
		c.out = zset.NewColumn(c.Typ, n)
		return func(p *partitionRows) error {
			at, err := c.agg.value(c, p)
			c.vals[c.order.idx[p.at]] = at
			return err
		}
	}
	row := func(p *partitionRows) int32 { return c.order.idx[p.at] }
	switch c.Name {
	case "row_number":
		return func(p *partitionRows) error { c.out.I64[row(p)] = int64(p.at-p.from) + 1; return nil }
	case "rank":
		return func(p *partitionRows) error { c.out.I64[row(p)] = int64(p.groups[p.group]-p.from) + 1; return nil }
	case "dense_rank":
		return func(p *partitionRows) error { c.out.I64[row(p)] = int64(p.group) + 1; return nil }
	case "percent_rank":
		return func(p *partitionRows) error {
			if n := p.to - p.from; n > 1 {
				c.out.F64[row(p)] = float64(p.groups[p.group]-p.from) / float64(n-1)
			}
			return nil
		}
	case "cume_dist":
		return func(p *partitionRows) error {
			c.out.F64[row(p)] = float64(p.groups[p.group+1]-p.from) / float64(p.to-p.from)
			return nil
		}
	case "ntile":
		return c.ntile(n)
	case "lag":
		return func(p *partitionRows) error { return c.neighbour(p, -1) }
	case "lead":
		return func(p *partitionRows) error { return c.neighbour(p, 1) }
	}
	return c.framedValue
}

// ntile deals the rows of a partition out, from the first one with a number on.
func (c *windowCall) ntile(n int) func(p *partitionRows) error {
	c.out.Null = make([]bool, n)
	var k, size, larger int64
	return func(p *partitionRows) error {
		if p.at == p.from {
			size = -1
		}
		i := c.order.idx[p.at]
		if size < 0 {
			if c.args[0].IsNull(int(i)) {
				c.out.Null[i] = true
				return nil
			}
			buckets := c.args[0].I64[i]
			if buckets <= 0 {
				return zset.Errorf("22014", -1, "argument of ntile must be greater than zero")
			}
			rows := int64(p.to - p.from)
			k, size, larger = 0, rows/buckets, rows%buckets
		}
		bucket := k / (size + 1)
		if bucket >= larger {
			bucket = larger + (k-larger*(size+1))/max(size, 1)
		}
		c.out.I64[i] = bucket + 1
		k++
		return nil
	}
}

// The values of vals that are no row.
const (
	noValue    = int32(-1) // NULL
	ownDefault = int32(-2)
)

// neighbour is lag and lead.
func (c *windowCall) neighbour(p *partitionRows, dir int64) error {
	i := c.order.idx[p.at]
	off := int64(1)
	if len(c.Args) > 1 {
		if c.args[1].IsNull(int(i)) {
			c.vals[i] = noValue
			return nil
		}
		off = c.args[1].I64[i]
	}
	switch at := int64(p.at) + dir*off; {
	case at >= int64(p.from) && at < int64(p.to):
		c.vals[i] = c.order.idx[at]
	case len(c.Args) > 2:
		c.vals[i] = ownDefault
	default:
		c.vals[i] = noValue
	}
	return nil
}

// framedValue is first_value, last_value and nth_value.
func (c *windowCall) framedValue(p *partitionRows) error {
	i := c.order.idx[p.at]
	s := c.frame(p)
	nth := 0
	switch c.Name {
	case "last_value":
		nth = s.len() - 1
	case "nth_value":
		if c.args[1].IsNull(int(i)) {
			c.vals[i] = noValue
			return nil
		}
		n := c.args[1].I64[i]
		if n <= 0 {
			return zset.Errorf("22016", -1, "argument of nth_value must be greater than zero")
		}
		nth = int(n - 1)
	}
	c.vals[i] = noValue
	if nth >= 0 {
		if at := s.nth(nth); at >= 0 {
			c.vals[i] = c.order.idx[at]
		}
	}
	return nil
}

// column is the results of the n rows.
func (c *windowCall) column(n int) zset.Column {
	if c.out.I64 != nil && c.agg == nil || c.out.F64 != nil && c.agg == nil {
		out := c.out
		c.out = zset.Column{}
		return out
	}
	out := zset.NewColumn(c.Typ, n)
	for i, at := range c.vals[:n] {
		switch {
		case at == noValue:
			out.AppendNull()
		case at == ownDefault:
			out.AppendCell(&c.args[2], i)
		case c.agg != nil:
			out.AppendCell(&c.out, int(at))
		default:
			out.AppendCell(&c.args[0], int(at))
		}
	}
	return out
}
