package algebra

import "github.com/ivmc/ivmc/zset"

// Limit skips the first Offset rows of its input, taken as a list, and keeps
// the Count that follow. The list is the order of a [Sort] right below, or of a
// [Project] over one; any other input is listed by row encoding, ascending (I13).
// A row of weight w stands w times in the list.
type Limit struct {
	Input  Node  `json:"-"`
	Count  int64 // NoCount: all of them
	Offset int64
}

// NoCount is the Count of a Limit that only skips.
const NoCount = int64(-1)

// Schema is that of the input.
func (l *Limit) Schema() zset.Schema { return l.Input.Schema() }

// Inputs is the input.
func (l *Limit) Inputs() []Node { return []Node{l.Input} }

func (l *Limit) with(ins []Node) Node { return &Limit{Input: ins[0], Count: l.Count, Offset: l.Offset} }
