package expr

import (
	"math"

	"github.com/ivmc/ivmc/zset"
)

// bitFuncs are the operators on bits, and what divides two integers. Shifts
// take their distance modulo the width, as PostgreSQL's on x86 do.
func bitFuncs() []Func {
	var rows []Func
	for _, k := range []zset.Kind{zset.Int2, zset.Int4, zset.Int8} {
		w, width := widths[k], int64(32)
		if k == zset.Int8 {
			width = 64
		}
		fit := func(v int64) int64 { return v << (64 - width) >> (64 - width) }
		if k == zset.Int2 { // shifted as an integer, then cut
			fit = func(v int64) int64 { return int64(int16(v)) }
		}
		cheap := func(name string, op func(a, b int64) int64, second zset.Kind) Func {
			return Func{Name: name, Args: []zset.Kind{k, second}, Result: k, Strict: true,
				row:   func(f *frame, i int) { f.setI(i, op(f.i(0, i), f.i(1, i))) },
				dense: func(f *frame) bool { return denseBits(f, op) }}
		}
		rows = append(rows,
			cheap("&", func(a, b int64) int64 { return a & b }, k),
			cheap("|", func(a, b int64) int64 { return a | b }, k),
			cheap("#", func(a, b int64) int64 { return a ^ b }, k),
			cheap("<<", func(a, b int64) int64 { return fit(a << uint64(b&(width-1))) }, zset.Int4),
			cheap(">>", func(a, b int64) int64 { return a >> uint64(b&(width-1)) }, zset.Int4),
			Func{Name: "~", Args: []zset.Kind{k}, Result: k, Strict: true, row: func(f *frame, i int) { f.setI(i, ^f.i(0, i)) }})
		if k == zset.Int2 {
			continue
		}
		rows = append(rows,
			Func{Name: "gcd", Args: []zset.Kind{k, k}, Result: k, Strict: true, Raises: true, row: func(f *frame, i int) {
				g := gcdWords(f.i(0, i), f.i(1, i))
				w.put(f, i, int64(g), g <= math.MaxInt64)
			}},
			Func{Name: "lcm", Args: []zset.Kind{k, k}, Result: k, Strict: true, Raises: true, row: func(f *frame, i int) {
				a, b := f.i(0, i), f.i(1, i)
				if a == 0 || b == 0 {
					f.setI(i, 0)
					return
				}
				g := gcdWords(a, b)
				r, ok := mulInt(int64(magnitude(a)/g), b)
				if r < 0 {
					r = -r
				}
				w.put(f, i, r, ok && r >= 0 && magnitude(a)/g <= math.MaxInt64)
			}})
	}
	return rows
}

func denseBits(f *frame, op func(a, b int64) int64) bool {
	a, b, c, ok := intOperands(f, false)
	if !ok {
		return false
	}
	out := f.out.I64[:len(a)]
	for i, x := range a {
		if b != nil {
			c = b[i]
		}
		out[i] = op(x, c)
	}
	return true
}

func magnitude(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}

func gcdWords(a, b int64) uint64 {
	x, y := magnitude(a), magnitude(b)
	for y != 0 {
		x, y = y, x%y
	}
	return x
}
