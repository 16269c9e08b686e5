package expr

import (
	"strconv"
)

// Frame is the rows of the partition that a function OVER sees: from Start to End,
// without what Exclude says. An end that counts (Preceding, Following) is N rows or
// groups of peers away; under FrameRange it is where Key, the only expression of the
// order, meets the value of At. Key and both At are of one type.
type Frame struct {
	Unit    FrameUnit `json:"unit"`
	Start   FrameEnd  `json:"start"`
	End     FrameEnd  `json:"end"`
	Exclude Exclusion `json:"exclude"`
	Key     *Expr     `json:"key,omitempty"` // nil: no end is a value
}

// FrameEnd is an end of a frame.
type FrameEnd struct {
	Kind BoundKind `json:"kind"`
	N    int64     `json:"n,omitempty"`
	At   *Expr     `json:"at,omitempty"` // nil: not a value
}

// FrameUnit is what the offsets of a frame count.
type FrameUnit uint8

// What the offsets of a frame count: values of the sort key, rows, or groups of peers.
const (
	FrameRange FrameUnit = iota
	FrameRows
	FrameGroups
)

// BoundKind tells the ends of frames apart, in the order of where they are.
type BoundKind uint8

// The ends of frames.
const (
	UnboundedPreceding BoundKind = iota
	Preceding
	CurrentRow
	Following
	UnboundedFollowing
)

// Exclusion is what a frame leaves out.
type Exclusion uint8

// What a frame leaves out: nothing, the row itself, it and its peers, or its peers.
const (
	ExcludeNothing Exclusion = iota
	ExcludeRow
	ExcludeGroup
	ExcludeTies
)

// DefaultFrame is what is meant where no frame is written: all rows up to the last peer.
func DefaultFrame() Frame {
	return Frame{Start: FrameEnd{Kind: UnboundedPreceding}, End: FrameEnd{Kind: CurrentRow}}
}

// Exprs is the expressions of f: Key, then the values of its ends; each may be nil.
func (f *Frame) Exprs() [3]*Expr { return [3]*Expr{f.Key, f.Start.At, f.End.At} }

// Map is f with g of each of its expressions.
func (f Frame) Map(g func(*Expr) *Expr) Frame {
	for _, p := range []**Expr{&f.Key, &f.Start.At, &f.End.At} {
		if *p != nil {
			*p = g(*p)
		}
	}
	return f
}

// Format prints f as SQL; "" for the default. col names the columns.
func (f *Frame) Format(col func(int) string) string {
	if *f == DefaultFrame() {
		return ""
	}
	return [...]string{"range", "rows", "groups"}[f.Unit] + " between " + f.Start.format(col) + " and " + f.End.format(col) +
		[...]string{"", " exclude current row", " exclude group", " exclude ties"}[f.Exclude]
}

func (e *FrameEnd) format(col func(int) string) string {
	word := [...]string{"unbounded preceding", "preceding", "current row", "following", "unbounded following"}[e.Kind]
	switch {
	case e.At != nil:
		return e.At.Format(col)
	case e.Kind == Preceding || e.Kind == Following:
		return strconv.FormatInt(e.N, 10) + " " + word
	}
	return word
}

// Check reports whether f can be run: its words are known, no count is negative,
// and what is a value has a key of its type.
func (f *Frame) Check() bool {
	if f.Unit > FrameGroups || f.Exclude > ExcludeTies {
		return false
	}
	for _, e := range []FrameEnd{f.Start, f.End} {
		if e.Kind > UnboundedFollowing || e.N < 0 || e.At != nil && (f.Key == nil || e.At.Typ != f.Key.Typ) {
			return false
		}
	}
	return true
}
