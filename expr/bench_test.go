package expr

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/ivmc/ivmc/zset"
)

const benchRows = 4096

var benchSchema = zset.Schema{
	{Name: "delay", Type: zset.TInt8}, {Name: "a", Type: zset.TInt8}, {Name: "b", Type: zset.TInt8},
	{Name: "ts", Type: zset.TTimestamp}, {Name: "origin", Type: zset.TText},
	{Name: "price", Type: zset.Type{Kind: zset.Numeric, Prec: 10, Scale: 2}},
	{Name: "tax", Type: zset.Type{Kind: zset.Numeric, Prec: 10, Scale: 4}},
	{Name: "n", Type: zset.TNumeric}, {Name: "x", Type: zset.TFloat8}, {Name: "i", Type: zset.TInt4},
}

func benchBatch(nulls bool) *zset.Batch {
	r := rand.New(rand.NewPCG(1, 2))
	b := zset.NewBatch(benchSchema.Types(), benchRows)
	for range benchRows {
		for c := range b.Cols {
			col := &b.Cols[c]
			switch {
			case nulls && r.IntN(10) == 0:
				col.AppendNull()
			case benchSchema[c].Type.Kind == zset.Timestamp:
				col.AppendI64(946684800000000 + r.Int64N(10*365*usDay))
			case benchSchema[c].Type == zset.TNumeric:
				col.AppendBytes(zset.FromFixed(r.Int64N(1e8), 2).AppendTo(nil))
			case col.Type.Phys() == zset.PhysI64:
				col.AppendI64(r.Int64N(200) - 40)
			case col.Type.Phys() == zset.PhysF64:
				col.AppendF64(r.Float64())
			default:
				col.AppendBytes([]byte("A" + strconv.Itoa(r.IntN(300))))
			}
		}
		b.N++
	}
	return b
}

func perRow(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows, "ns/row")
}

func BenchmarkFilter(b *testing.B) {
	for _, text := range []string{"delay > 60", "delay > 60 and a < 10", "delay > a", "x > 0.5::float8", "origin = 'A17'", "price > 12.5",
		"origin like 'A1%'", "a in (1,2,3,50,60)", "delay + 1 > 60"} {
		for _, nulls := range []bool{false, true} {
			name := text
			if nulls {
				name += " with NULLs"
			}
			b.Run(name, func(b *testing.B) {
				v, batch := benchProgram(b, text), benchBatch(nulls)
				var sel []int32
				b.ReportAllocs()
				for b.Loop() {
					sel, _ = v.Filter(batch, sel[:0])
				}
				perRow(b)
			})
		}
	}
}

func benchProgram(b *testing.B, texts ...string) *Evaluator {
	var es []*Expr
	for _, text := range texts {
		es = append(es, mustRead(b, text, benchSchema))
	}
	p, err := Compile(es)
	if err != nil {
		b.Fatal(err)
	}
	return p.New()
}

func BenchmarkEval(b *testing.B) {
	for _, text := range []string{"a + b * 2", "a + b", "a * b", "i + 1", "a / b", "x * 2 + 1", "date_trunc('month', ts)", "date_trunc('day', ts)",
		"date_trunc('year', ts)", "extract(month from ts)", "date_part('hour', ts)", "origin = 'A17'", "origin || '-'", "upper(origin)", "price + tax", "price + tax > 100",
		"price * i", "n + n", "n > 5", "price + 1", "case when delay > 60 then 1 else 0 end", "case when b = 0 then null else a / b end",
		"coalesce(a, b, 0)", "a > 5 and b < 10 or x > 0.5", "a::float8", "price::numeric", "a::text", "round(n, 1)"} {
		b.Run(text, func(b *testing.B) {
			v, batch := benchProgram(b, text), benchBatch(true)
			if text == "a / b" {
				for i := range batch.Cols[2].I64 {
					batch.Cols[2].I64[i] |= 1
				}
			}
			if _, err := v.Eval(batch); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				v.Eval(batch)
			}
			perRow(b)
		})
	}
}
