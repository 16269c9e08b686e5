package ast

type (
	// NamedWindow is name AS (..) of a WINDOW clause.
	NamedWindow struct {
		At
		Name Name
		WindowSpec
	}
	// Window is call OVER name, or call OVER (..).
	Window struct {
		At
		Call *Call
		Name Name // Text "": WindowSpec
		WindowSpec
	}
	// WindowSpec is [base] [PARTITION BY ..] [ORDER BY ..] [frame].
	WindowSpec struct {
		Base        Name // Text "" if absent
		PartitionBy []Expr
		OrderBy     []OrderItem
		Frame       *Frame // nil if absent
	}
	// Frame is {ROWS | RANGE | GROUPS} {start | BETWEEN start AND end} [EXCLUDE ..].
	Frame struct {
		At
		Unit       FrameUnit
		Start, End Bound // End is CURRENT ROW where it is not written
		Exclude    Exclusion
	}
	// Bound is an end of a frame.
	Bound struct {
		At
		Kind   BoundKind
		Offset Expr // of Preceding and Following
	}
)

func (*Window) expr() {}

// FrameUnit is what the offsets of a frame count.
type FrameUnit uint8

// What the offsets of a frame count: rows, values of the sort key, or peers.
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
