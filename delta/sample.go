package delta

import (
	"math"

	"github.com/ivmc/ivmc/expr"
)

// KeySource is where the keys of an aggregate's groups follow from a change of one
// input alone.
type KeySource struct {
	Of    *Aggregate
	Input int          // position in Plan.Inputs
	Keys  []*expr.Expr // over the columns read of it
}

// KeySources are those of the aggregates of a step that have one. Filters in between
// are passed by: what they let through is taken to be like the rest.
func (p *Plan) KeySources() (out []KeySource) {
	p.Root.Walk(func(n *Node) {
		if n.Op != OpAggregate || len(n.Aggregate.Keys) == 0 {
			return
		}
		keys, below := n.Aggregate.Keys, n.Ins[0]
		for {
			switch below.Op {
			case OpChanges:
				if !p.Inputs[below.Input].Addr && p.Inputs[below.Input].Read == nil {
					out = append(out, KeySource{n.Aggregate, below.Input, keys})
				}
				return
			case OpFilter, OpConsolidate:
			case OpProject:
				keys = substituted(keys, below.Project.Exprs)
			case OpLookup:
				if keys = beforeLookup(keys, below.Lookup); keys == nil {
					return
				}
			default:
				return
			}
			below = below.Ins[0]
		}
	})
	return out
}

func substituted(keys, es []*expr.Expr) []*expr.Expr {
	out := make([]*expr.Expr, len(keys))
	for i, k := range keys {
		out[i] = k.Substitute(es)
	}
	return out
}

// beforeLookup is keys over the input of l; nil: they need what it finds.
func beforeLookup(keys []*expr.Expr, l *Lookup) []*expr.Expr {
	known := true
	out := make([]*expr.Expr, len(keys))
	for i, k := range keys {
		out[i] = k.MapCols(func(c int) int {
			if l.Anti {
				return c
			}
			if c >= len(l.Keep) {
				known = false
				return 0
			}
			return l.Keep[c]
		})
	}
	if !known {
		return nil
	}
	return out
}

// Spread is how changes are spread over groups, as a sample of them says.
//
// Law: changes of n rows touch Often groups, and as many as n*Rest balls of Bins bins
// that they fall into evenly. Groups that the sample saw four times and more are Often.
type Spread struct {
	Often float64
	Rest  float64 // part of the changes
	Bins  float64 // +Inf: no two of the sample met
}

const seenOften = 4

// SpreadOf is the spread of a sample that saw groups so many times each. If more were seen
// three times than bins would have it, those seen more than once are Often too, and
// the others are seldom: no two of them met.
func SpreadOf(seen []int) (s Spread) {
	all, rest, few := 0, 0, [seenOften]float64{}
	for _, n := range seen {
		all += n
		if n >= seenOften {
			s.Often++
		} else {
			rest += n
			few[n]++
		}
	}
	if all == 0 {
		return s
	}
	s.Rest, s.Bins = float64(rest)/float64(all), bins(float64(rest), few[1]+few[2]+few[3])
	if r := float64(rest) / s.Bins; few[3] > 5+3*s.Bins*r*r*r/6*math.Exp(-r) {
		s.Often += few[2] + few[3]
		s.Rest, s.Bins = few[1]/float64(all), math.Inf(1)
	}
	return s
}

// bins is how many bins n balls fall into evenly if they touch d of them.
func bins(n, d float64) float64 {
	if d >= n {
		return math.Inf(1)
	}
	lo, hi := d, n*n // no fewer than were touched; with more, two seldom meet
	for range 60 {
		if mid := (lo + hi) / 2; touched(mid, n) < d {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// touched is how many bins n balls touch.
func touched(bins, n float64) float64 {
	if bins == 0 {
		return 0
	}
	return bins * -math.Expm1(-n/bins)
}

// groups is how many of all groups n changes touch.
func (s Spread) groups(n, all float64) float64 {
	return min(s.Often+touched(min(s.Bins, all), n*s.Rest), n, all)
}
