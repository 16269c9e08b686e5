package runtime

import (
	"bytes"
	"sort"

	"github.com/ivmc/ivmc/expr"
)

// partitionRows is one partition while a call goes through it: places in the order
// of the rows.
type partitionRows struct {
	from, to int
	groups   []int // where groups of peers begin; the last entry is to
	at       int   // the row
	group    int   // its group
}

func (p *partitionRows) peers() (from, to int) { return p.groups[p.group], p.groups[p.group+1] }

// span is places [from, to) without [xfrom, xto), which lies anywhere, but with
// the row itself at keep, if keep is not -1 and it lies in [from, to).
type span struct {
	from, to, xfrom, xto, keep int
}

// frame is the frame of the row at p.at.
func (c *windowCall) frame(p *partitionRows) span {
	f := &c.Frame
	s := span{from: c.end(p, &f.Start, c.starts, true), to: c.end(p, &f.End, c.ends, false), keep: -1}
	s.from, s.to = max(s.from, p.from), min(s.to, p.to)
	if s.to < s.from {
		s.to = s.from
	}
	s.xfrom, s.xto = s.from, s.from
	switch f.Exclude {
	case expr.ExcludeRow:
		s.xfrom, s.xto = p.at, p.at+1
	case expr.ExcludeGroup:
		s.xfrom, s.xto = p.peers()
	case expr.ExcludeTies:
		s.xfrom, s.xto = p.peers()
		if p.at >= s.from && p.at < s.to {
			s.keep = p.at
		}
	}
	s.xfrom, s.xto = max(s.xfrom, s.from), min(s.xto, s.to)
	if s.xto <= s.xfrom {
		s.xfrom, s.xto, s.keep = s.from, s.from, -1
	}
	return s
}

// end is the place of an end of the frame: of its first row (start), or behind its
// last one. It may lie outside of the partition.
func (c *windowCall) end(p *partitionRows, e *expr.FrameEnd, ats ends, start bool) int {
	size := int64(p.to - p.from + 1)
	n := int(min(e.N, size)) // farther is outside all the same
	switch e.Kind {
	case expr.UnboundedPreceding:
		return p.from
	case expr.UnboundedFollowing:
		return p.to
	case expr.CurrentRow:
		n = 0
	case expr.Preceding:
		n = -n
	}
	switch {
	case e.At != nil && e.Kind != expr.CurrentRow:
		return p.from + sort.Search(p.to-p.from, func(i int) bool {
			d := bytes.Compare(c.framed.of(c.order.idx[p.from+i]), ats.of(c.order.idx[p.at]))
			return d > 0 || d == 0 && start
		})
	case c.Frame.Unit == expr.FrameRows && start:
		return p.at + n
	case c.Frame.Unit == expr.FrameRows:
		return p.at + n + 1
	}
	g := p.group + n
	if !start {
		g++
	}
	return p.groups[max(0, min(g, len(p.groups)-1))]
}

// ends is the sort keys of values, by row.
type ends struct {
	buf []byte
	off []int
}

func (e *ends) of(i int32) []byte { return e.buf[e.off[i]:e.off[i+1]] }

// each calls f with the runs of places of s, in order.
func (s span) each(f func(from, to int)) {
	if s.xfrom > s.from {
		f(s.from, s.xfrom)
	}
	if s.keep >= 0 {
		f(s.keep, s.keep+1)
	}
	if s.xto < s.to {
		f(s.xto, s.to)
	}
}

// len is the number of rows.
func (s span) len() (n int) {
	s.each(func(from, to int) { n += to - from })
	return n
}

// nth is the place of row n, from 0; -1 if there is none.
func (s span) nth(n int) int {
	at := -1
	s.each(func(from, to int) {
		if at < 0 && n < to-from {
			at = from + n
		}
		n -= to - from
		if at < 0 && n < 0 {
			n = 0
		}
	})
	return at
}
