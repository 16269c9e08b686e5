package runtime

import (
	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/zset"
)

// shared is rows that several operators read, made by the first who asks.
type shared struct {
	in      *task
	batches []*zset.Batch
	ran     bool
}

// MemBytes is the memory of the rows.
func (s *shared) MemBytes() (n int64) {
	for _, b := range s.batches {
		n += batchBytes(b)
	}
	return n
}

// shareOp is one reader.
type shareOp struct {
	of    *shared
	first bool
	at    int
}

func makeShare(c *compiler, n *delta.Node, ins []*task) (operator, error) {
	s := c.shares[n.Share.ID]
	if s == nil {
		s = &shared{}
		c.shares[n.Share.ID] = s
	}
	if len(ins) > 0 {
		s.in = ins[0]
	}
	return &shareOp{of: s, first: len(ins) > 0}, nil
}

func (o *shareOp) open(*run) {
	o.at = 0
	if o.first {
		o.of.batches, o.of.ran = nil, false
	}
}

func (o *shareOp) next(r *run) (*zset.Batch, error) {
	if o.of.in == nil {
		return nil, zset.Errorf(zset.CodeCorrupt, -1, "plan reads shared rows that nothing makes")
	}
	if err := o.of.fill(r); err != nil {
		return nil, err
	}
	if o.at == len(o.of.batches) {
		return nil, nil
	}
	o.at++
	return o.of.batches[o.at-1], nil
}

func (s *shared) fill(r *run) error {
	for !s.ran {
		b, err := s.in.pull(r)
		if err != nil {
			return err
		}
		if b == nil {
			s.ran = true
			break
		}
		c := zset.NewBatch(s.in.node.Types, b.N)
		c.Append(b)
		c.Consolidated = b.Consolidated
		s.batches = append(s.batches, c)
		if err := r.hold("rows that are read twice", s); err != nil {
			return err
		}
	}
	return nil
}
