package runtime

import (
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// frameAggregate is an aggregate over frames that move from row to row. Of a linear
// one rows that leave are taken back, exactly; of the others the rows are gone
// through anew where the start of the frame has moved or something is left out.
type frameAggregate struct {
	call   expr.AggCall
	acc    expr.Accumulator // nil: a list
	arg    int              // places among the arguments; -1: none
	sep    int
	filter int

	from, to int // the rows that are in, before any are left out
	last     span
	have     bool // last has a result
	result   int32

	text []byte // of a list so far
	any  bool
	zero []uint32
	one  []int64
}

func newFrameAggregate(a expr.AggCall, es *[]*expr.Expr) *frameAggregate {
	f := &frameAggregate{call: a, zero: []uint32{0}, one: []int64{1}}
	f.arg, f.sep, f.filter = place(es, a.Arg), place(es, a.Sep), -1
	if a.Class() == expr.List {
		f.filter = place(es, a.Filter)
		return f
	}
	f.acc = a.New()
	f.acc.Resize(1)
	return f
}

// reset begins a partition.
func (f *frameAggregate) reset() { f.from, f.to, f.have = -1, -1, false }

// value is the place in c.out of the result for the row at p.at.
func (f *frameAggregate) value(c *windowCall, p *partitionRows) (int32, error) {
	s := c.frame(p)
	if f.have && s == f.last {
		return f.result, nil
	}
	f.last, f.have = s, true
	f.result = int32(c.out.Len())
	switch {
	case f.acc == nil:
		return f.result, f.list(c, s)
	case f.call.Class() == expr.Linear:
		f.move(c, s)
	default:
		f.gather(c, s)
	}
	err := f.acc.Result(f.zero, &c.out)
	if f.call.Class() == expr.Linear && s.xto > s.xfrom { // as before
		f.add(c, s.xfrom, s.xto, 1)
		if s.keep >= 0 {
			f.add(c, s.keep, s.keep+1, -1)
		}
	}
	return f.result, rowErr(err)
}

// rowErr is an error of Result without the number of its group.
func rowErr(err error) error {
	if e, ok := err.(*expr.RowError); ok {
		return e.Err
	}
	return err
}

// move brings a linear aggregate to s, from where it is.
func (f *frameAggregate) move(c *windowCall, s span) {
	if f.from < 0 || s.from >= f.to || s.to <= f.from || s.from < f.from {
		f.acc.Clear(0)
		f.from, f.to = s.from, s.from
	}
	f.add(c, f.from, s.from, -1)
	f.from = s.from
	if s.to >= f.to {
		f.add(c, f.to, s.to, 1)
	} else {
		f.add(c, s.to, f.to, -1)
	}
	f.to = s.to
	if s.xto > s.xfrom {
		f.add(c, s.xfrom, s.xto, -1)
		if s.keep >= 0 {
			f.add(c, s.keep, s.keep+1, 1)
		}
	}
}

// gather is an extreme over s: rows can be added, and not be taken back.
func (f *frameAggregate) gather(c *windowCall, s span) {
	plain := s.xto == s.xfrom
	if plain && s.from == f.from && s.to >= f.to {
		f.add(c, f.to, s.to, 1)
		f.to = s.to
		return
	}
	f.acc.Clear(0)
	s.each(func(from, to int) { f.add(c, from, to, 1) })
	f.from, f.to = -1, -1
	if plain {
		f.from, f.to = s.from, s.to
	}
}

func (f *frameAggregate) add(c *windowCall, from, to int, w int64) {
	f.one[0] = w
	for _, i := range c.order.idx[from:max(from, to)] {
		if f.arg < 0 {
			f.acc.Add(f.zero, nil, f.one)
			continue
		}
		cell := c.args[f.arg].Slice(int(i), int(i)+1)
		f.acc.Add(f.zero, &cell, f.one)
	}
}

// list appends the list of s to c.out.
func (f *frameAggregate) list(c *windowCall, s span) error {
	if plain := s.xto == s.xfrom; plain && s.from == f.from && s.to >= f.to {
		f.write(c, f.to, s.to)
		f.to = s.to
	} else {
		f.text, f.any, f.from, f.to = f.text[:0], false, -1, -1
		s.each(func(from, to int) { f.write(c, from, to) })
		if plain {
			f.from, f.to = s.from, s.to
		}
	}
	if len(f.text) > maxList {
		return zset.Errorf(zset.CodeOutOfMemory, -1, "a list of an aggregate is longer than 1 GiB")
	}
	if f.any {
		c.out.AppendBytes(f.text)
	} else {
		c.out.AppendNull()
	}
	return nil
}

func (f *frameAggregate) write(c *windowCall, from, to int) {
	array := f.call.Name == "array_agg"
	for _, row := range c.order.idx[from:to] {
		i := int(row)
		if f.filter >= 0 && (c.args[f.filter].IsNull(i) || c.args[f.filter].I64[i] == 0) {
			continue
		}
		switch {
		case array:
			f.text = zset.AppendElement(f.text, &c.args[f.arg], i)
		case c.args[f.arg].IsNull(i):
			continue
		default:
			if f.any && !c.args[f.sep].IsNull(i) {
				f.text = append(f.text, c.args[f.sep].Bytes(i)...)
			}
			f.text = append(f.text, c.args[f.arg].Bytes(i)...)
		}
		f.any = true
	}
}
