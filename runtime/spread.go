package runtime

import (
	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// sampleSize is how many changes of an input are looked at.
const sampleSize = 2048

// Spread samples the pending changes of a step to a base, for how they are spread over
// the groups whose keys follow from them alone. It is an estimate, and what cannot be
// had, for an expression raises, say, is not there.
func (v *View) Spread(base *Base) (out map[*delta.Aggregate]delta.Spread) {
	if v.inc == nil {
		return nil
	}
	var ignored error
	defer guard(&ignored)
	rd, _, unpin := v.reading(base)
	defer unpin()
	out = map[*delta.Aggregate]delta.Spread{}
	for _, k := range v.inc.KeySources() {
		in := &v.inc.Inputs[k.Input]
		rel, err := v.store.Relation(storage.ID(in.Rel))
		if err != nil {
			continue
		}
		b := rel.SampleChanges(v.offsets.Inputs[rel.ID()], rd.at(rel.ID()), in.Cols, sampleSize)
		if b == nil {
			continue
		}
		if seen := occurrences(k.Keys, b); seen != nil {
			out[k.Of] = delta.SpreadOf(seen)
		}
	}
	return out
}

// occurrences is how many rows of b have each of the keys; nil if they cannot be computed.
func occurrences(keys []*expr.Expr, b *zset.Batch) []int {
	p, err := expr.Compile(keys)
	if err != nil {
		return nil
	}
	cols, err := p.New().Eval(b)
	if err != nil {
		return nil
	}
	var ks zset.Keys
	ks.EncodeRows(cols, b.N)
	ids := make([]uint32, b.N)
	table := zset.NewKeyTable(b.N)
	table.FindOrAdd(&ks, ids)
	seen := make([]int, table.Cap())
	for _, id := range ids {
		seen[id]++
	}
	return seen
}
