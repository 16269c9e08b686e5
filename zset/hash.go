package zset

import (
	"encoding/binary"
	"math/bits"
)

// Odd constants with about as many ones as zeros.
const (
	hashA = 0x9e3779b97f4a7c15
	hashB = 0xd1342543de82ef95
	hashC = 0xc2b2ae3d27d4eb4f
	hashD = 0xe7037ed1a0b428db
)

// mix folds the 128-bit product of a and b: every bit of the inputs reaches
// low and high bits of the result.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// Hash is a 64-bit hash of b, good in its low and in its high bits. It is the
// same in every process, and not meant against an adversary: whoever decides by
// it compares the bytes too.
func Hash(b []byte) uint64 {
	n := len(b)
	h := uint64(hashA) ^ uint64(n)*hashD
	var x, y uint64
	switch {
	case n > 16:
		p := b
		for len(p) > 16 {
			h = mix(binary.LittleEndian.Uint64(p)^hashB, binary.LittleEndian.Uint64(p[8:])^h)
			p = p[16:]
		}
		x = binary.LittleEndian.Uint64(b[n-16:])
		y = binary.LittleEndian.Uint64(b[n-8:])
	case n >= 8:
		x = binary.LittleEndian.Uint64(b)
		y = binary.LittleEndian.Uint64(b[n-8:])
	case n >= 4:
		x = uint64(binary.LittleEndian.Uint32(b))
		y = uint64(binary.LittleEndian.Uint32(b[n-4:]))
	case n > 0:
		x = uint64(b[0]) | uint64(b[n/2])<<8 | uint64(b[n-1])<<16
	}
	return mix(mix(x^hashB, y^h)^hashC, h|1)
}

// hashWord mixes one more word into h.
func hashWord(h, x uint64) uint64 { return mix(h^x, hashB) + hashC }
