package expr

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/ivmc/ivmc/zset"
)

// BenchmarkAdd is the hot loop of every kernel: batches of 4096 rows, ns per row
// over 1, 16 and 4096 groups at random, with weights, and with NULLs.
func BenchmarkAdd(b *testing.B) {
	const n = 4096
	r := rand.New(rand.NewSource(1))
	cols := map[string]*zset.Column{}
	column := func(t zset.Type) *zset.Column {
		c := zset.NewColumn(t, n)
		for range n {
			v := r.Int63n(200_000) - 50_000
			switch {
			case t.Phys() == zset.PhysI64:
				c.AppendI64(v)
			case t.Phys() == zset.PhysF64:
				c.AppendF64(float64(v) / 100)
			case t.Kind == zset.Numeric:
				appendDecimal(&c, zset.FromFixed(v, 2))
			default:
				c.AppendBytes(fmt.Appendf(nil, "name %d", v))
			}
		}
		return &c
	}
	for _, t := range []zset.Type{zset.TInt8, zset.TFloat8, zset.TNumeric, zset.TText} {
		cols[t.String()] = column(t)
	}
	w := make([]int64, n)
	null := make([]bool, n)
	for i := range w {
		w[i] = 1 - 2*r.Int63n(2)
		null[i] = r.Intn(10) == 0
	}
	for _, a := range []AggCall{
		{Name: "count", Typ: zset.TInt8}, call(b, "sum", zset.TInt8), call(b, "sum", zset.TFloat8),
		call(b, "sum", zset.TNumeric), call(b, "max", zset.TInt8), call(b, "max", zset.TFloat8), call(b, "max", zset.TText),
	} {
		for _, groups := range []int{1, 16, 4096} {
			g := make([]uint32, n)
			for i := range g {
				g[i] = uint32(r.Intn(groups))
			}
			run := func(form string, arg *zset.Column, w []int64) {
				b.Run(fmt.Sprintf("%s-%s/groups=%d/%s", a.Name, a.argType(), groups, form), func(b *testing.B) {
					acc := a.New()
					acc.Resize(groups)
					for i := 0; i < b.N; i += n {
						acc.Add(g, arg, w)
					}
				})
			}
			if a.Arg == nil {
				run("plain", nil, nil)
				continue
			}
			c := cols[a.Arg.Typ.String()]
			run("plain", c, nil)
			if a.Class() == Linear {
				run("weights", c, w)
			}
			d := *c
			d.Null = null
			run("nulls", &d, nil)
		}
	}
}

// BenchmarkResult and BenchmarkState are per group: reading a value, and writing
// and loading a state.
func BenchmarkResult(b *testing.B) { benchGroups(b, false) }

func BenchmarkState(b *testing.B) { benchGroups(b, true) }

func benchGroups(b *testing.B, state bool) {
	const groups = 1024
	g := make([]uint32, groups)
	for i := range g {
		g[i] = uint32(i)
	}
	for _, a := range calls(b) {
		if a.Class() != Linear {
			continue
		}
		c := zset.NewColumn(a.argType(), groups)
		for i := range groups {
			switch {
			case c.Type.Phys() == zset.PhysI64:
				c.AppendI64(int64(i * 1001))
			case c.Type.Phys() == zset.PhysF64:
				c.AppendF64(float64(i) * 10.01)
			case c.Type.Kind == zset.Numeric:
				appendDecimal(&c, zset.FromFixed(int64(i*1001), 2))
			default:
				c.AppendBytes(nil)
			}
		}
		acc := a.New()
		acc.Resize(groups)
		for range 10 {
			if a.Arg == nil {
				acc.Add(g, nil, nil)
			} else {
				acc.Add(g, &c, nil)
			}
		}
		b.Run(a.Name+"-"+a.argType().String(), func(b *testing.B) {
			out := zset.NewColumn(a.Typ, groups)
			var buf []byte
			for i := 0; i < b.N; i += groups {
				if !state {
					out.Reset()
					if err := acc.Result(g, &out); err != nil {
						b.Fatal(err)
					}
					continue
				}
				for k := range g {
					buf = acc.Append(buf[:0], g[k])
					if _, err := acc.Load(g[k], buf); err != nil {
						b.Fatal(err)
					}
				}
			}
			if state {
				b.ReportMetric(float64(len(buf)), "B/state")
			}
		})
	}
}

// BenchmarkPlainSum is what exactness is paid against: doubles added as they
// come, over 16 groups, which gives another value for another order.
func BenchmarkPlainSum(b *testing.B) {
	const n = 4096
	r := rand.New(rand.NewSource(1))
	x, g, st := make([]float64, n), make([]uint32, n), make([]float64, 16)
	for i := range x {
		x[i], g[i] = float64(r.Int63n(200_000)-50_000)/100, uint32(r.Intn(len(st)))
	}
	for i := 0; i < b.N; i += n {
		for j, k := range g {
			st[k] += x[j]
		}
	}
}
