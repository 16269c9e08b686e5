package conformance

import (
	"fmt"
	"testing"

	"github.com/ivmc/ivmc/zset"
)

// TestCasts: every edge value of every type as every other type, asked for and
// on assignment; and texts, right and wrong, as every type.
func TestCasts(t *testing.T) {
	p := newPair(t)
	g := newGenerator(*seedFlag, nil)
	n := 0
	for _, to := range g.types {
		targets := []zset.Type{to}
		switch to.Kind {
		case zset.Numeric:
			targets = append(targets, zset.Type{Kind: to.Kind, Prec: 5, Scale: 2}, zset.Type{Kind: to.Kind, Prec: 30, Scale: 10},
				zset.Type{Kind: to.Kind, Prec: 3, Scale: 5}, zset.Type{Kind: to.Kind, Prec: 4, Scale: -2}, zset.Type{Kind: to.Kind, Prec: 3, Scale: 20})
		case zset.Time, zset.Timestamp, zset.TimestampTZ, zset.Interval:
			targets = append(targets, zset.WithFraction(to.Kind, 0), zset.WithFraction(to.Kind, 3))
		case zset.Varchar, zset.Char:
			targets = append(targets, zset.Type{Kind: to.Kind, Prec: 3})
		}
		for i, target := range targets {
			table := fmt.Sprintf("c_%s_%d", identifier(to), i)
			if !p.both(fmt.Sprintf("CREATE TABLE %s (x %s)", table, target)) {
				t.Fatal("no table")
			}
			p.log = nil
			cast := func(value string) {
				n++
				q := fmt.Sprintf("SELECT CAST(%s AS %s)", value, target)
				ours, pg := p.answers(q)
				p.judge(q, ours, pg)
			}
			assign := func(value string) {
				n++
				in := fmt.Sprintf("INSERT INTO %s SELECT %s", table, value)
				ours, pg := p.answers(in)
				if ours.code == "" && pg.code == "" {
					ours, pg = p.answers("SELECT x FROM " + table)
				}
				p.answers("DELETE FROM " + table)
				p.judge(in, ours, pg)
			}
			cast("NULL")
			for _, text := range odd {
				cast(quote(text))
				cast("CAST(" + quote(text) + " AS TEXT)")
			}
			for _, from := range g.types {
				for _, text := range edgesOf(from) {
					value := fmt.Sprintf("CAST(%s AS %s)", quote(text), from)
					cast(value)
					if i > 0 || g.r.IntN(4) == 0 || !testing.Short() {
						assign(value)
					}
				}
			}
		}
	}
	t.Logf("%d casts", n)
}
