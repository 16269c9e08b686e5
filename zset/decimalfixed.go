package zset

import (
	"encoding/binary"
	"math/bits"
)

// The physical form of a NUMERIC cell whose coefficient fits 63 bits, without
// the detour over [Decimal]: the fast path of kernels over computed numbers.

// AppendFixed appends the physical form of DecimalFromScaled(coef, scale).
func AppendFixed(dst []byte, coef int64, scale int) []byte {
	abs, head := uint64(coef), byte(0)
	if coef < 0 {
		abs, head = -abs, headSign
	}
	n := (bits.Len64(abs) + 7) / 8
	dst = append(dst, head|byte(n))
	if scale < 0x80 {
		dst = append(dst, byte(scale))
	} else {
		dst = binary.AppendUvarint(dst, uint64(scale))
	}
	dst = binary.LittleEndian.AppendUint64(dst, abs)
	return dst[:len(dst)-8+n]
}

// DecodeFixed reads a physical form as coefficient and scale; ok is false for
// special values, coefficients beyond 63 bits and scales of 128 and more.
func DecodeFixed(b []byte) (coef int64, scale int, ok bool) {
	if len(b) < 2 {
		return 0, 0, len(b) == 0
	}
	head := b[0]
	if head&headNaN != 0 || len(b) > 10 || int(head&headLen) != len(b)-2 || b[1] >= 0x80 {
		return 0, 0, false
	}
	var abs uint64
	for i := len(b) - 1; i >= 2; i-- {
		abs = abs<<8 | uint64(b[i])
	}
	if abs>>63 != 0 {
		return 0, 0, false
	}
	coef = int64(abs)
	if head&headSign != 0 {
		coef = -coef
	}
	return coef, int(b[1]), true
}
