package algebra

import (
	"bytes"
	"strings"
	"testing"

	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/internal/testkit/querygen"
	"github.com/ivmc/ivmc/zset"
)

// TestDefinitionsAndAccumulators: what is written here by math/big and what
// runs are the same to the last bit, for every aggregate over every column type.
func TestDefinitionsAndAccumulators(t *testing.T) {
	compared := map[string]int{}
	for seed := range uint64(450) {
		w := newWorld(t, seed, querygen.Options{})
		for _, r := range w.cat {
			b := w.data[r.ID]
			for c := range r.Schema {
				for name := range definitions {
					args := []*expr.Expr{expr.Col(c, r.Schema[c].Type)}
					if pairOf := name == "corr" || strings.HasPrefix(name, "covar") || strings.HasPrefix(name, "regr"); pairOf {
						d := (c + int(seed)) % len(r.Schema)
						args = append(args, expr.Col(d, r.Schema[d].Type))
					}
					call, err := expr.ResolveAggregate(name, args, false, -1)
					if err != nil {
						continue
					}
					p, err := expr.Compile([]*expr.Expr{call.Arg})
					if err != nil {
						t.Fatal(err)
					}
					cols, err := p.New().Eval(b)
					if err != nil {
						t.Fatal(err)
					}
					weights := make([]int64, b.N)
					for i := range weights {
						weights[i] = b.Weight(i)
					}
					want, wantErr := definition(call, cols[:1], weights)
					acc := call.New()
					acc.Resize(1)
					acc.Add(make([]uint32, b.N), &cols[0], weights)
					got := zset.NewColumn(call.Typ, 1)
					gotErr := acc.Result([]uint32{0}, &got)
					if (wantErr == nil) != (gotErr == nil) {
						t.Fatalf("%s: error %v, definition %v", call, gotErr, wantErr)
					}
					if wantErr != nil {
						continue
					}
					def := zset.NewColumn(call.Typ, 1)
					def.AppendValue(want)
					if !bytes.Equal(zset.AppendRow(nil, &def, 0), zset.AppendRow(nil, &got, 0)) {
						t.Fatalf("%s over %s:\n%sgot %s, definition %s", call, r.Schema[c].Type, printed(b),
							zset.AppendText(nil, &got, 0), zset.AppendText(nil, &def, 0))
					}
					compared[name]++
				}
			}
		}
	}
	for name := range definitions {
		if compared[name] < 100 {
			t.Errorf("%s compared %d times", name, compared[name])
		}
	}
}
