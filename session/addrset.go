package session

import "github.com/ivmc/ivmc/storage"

// addrSet is a set of addresses of stored rows: a bitmap in chunks, because a
// transaction removes either few rows or neighbours.
type addrSet struct {
	chunks map[uint64]*[chunkBits / 64]uint64
	n      int
}

const chunkBits = 4096

func (s *addrSet) add(a storage.Addr) {
	if s.chunks == nil {
		s.chunks = map[uint64]*[chunkBits / 64]uint64{}
	}
	c := s.chunks[uint64(a)/chunkBits]
	if c == nil {
		c = new([chunkBits / 64]uint64)
		s.chunks[uint64(a)/chunkBits] = c
	}
	bit := uint64(a) % chunkBits
	if c[bit/64]&(1<<(bit%64)) == 0 {
		c[bit/64] |= 1 << (bit % 64)
		s.n++
	}
}

func (s *addrSet) has(a storage.Addr) bool {
	if s.n == 0 {
		return false
	}
	c := s.chunks[uint64(a)/chunkBits]
	bit := uint64(a) % chunkBits
	return c != nil && c[bit/64]&(1<<(bit%64)) != 0
}

// clone is a copy that later additions to s do not reach.
func (s *addrSet) clone() addrSet {
	out := addrSet{n: s.n}
	if s.n > 0 {
		out.chunks = make(map[uint64]*[chunkBits / 64]uint64, len(s.chunks))
		for k, c := range s.chunks {
			d := *c
			out.chunks[k] = &d
		}
	}
	return out
}

func (s *addrSet) memBytes() int64 { return int64(len(s.chunks)) * (chunkBits/8 + 32) }
