package algebra

import (
	"strconv"

	"github.com/ivmc/ivmc/zset"
)

// Limit skips the first Offset rows of its input, taken as a list, and keeps
// the Count that follow. The input is [Ordered]: where the query gives no order,
// binding puts a [Sort] without keys below, which is by row encoding (I13). A
// row of weight w stands w times in the list.
type Limit struct {
	Input  Node
	Count  int64 // NoCount: all of them
	Offset int64
	Pos    int32 // char offset in the statement; 0 or -1: unknown
}

// NoCount is the Count of a Limit that only skips.
const NoCount = int64(-1)

// Schema is that of the input.
func (l *Limit) Schema() zset.Schema { return l.Input.Schema() }

// Inputs is the input.
func (l *Limit) Inputs() []Node { return []Node{l.Input} }

func (l *Limit) with(ins []Node) Node { c := *l; c.Input = ins[0]; return &c }

func (l *Limit) eval(o *oracle) (*zset.Batch, error) {
	b, err := o.list(l.Input)
	if err != nil {
		return nil, err
	}
	skip, left := l.Offset, l.Count
	out := zset.NewBatch(b.Types(), 0)
	for i := range b.N {
		w := b.Weight(i)
		if w < 0 {
			return nil, errWeight()
		}
		skipped := min(skip, w)
		skip -= skipped
		w -= skipped
		if l.Count != NoCount {
			w = min(w, left)
			left -= w
		}
		if w > 0 {
			row := b.Slice(i, i+1)
			row.W = []int64{w}
			out.Append(row)
		}
	}
	return out, nil
}

func (l *Limit) line() string {
	out := "limit"
	if l.Count == NoCount {
		out += " all"
	} else {
		out += " " + strconv.FormatInt(l.Count, 10)
	}
	if l.Offset > 0 {
		out += " offset " + strconv.FormatInt(l.Offset, 10)
	}
	return out
}
