package delta

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ivmc/ivmc/expr"
)

// Description is an operator of a plan for people and tools: what it does in the
// words of SQL, how it follows a change, what it reads and keeps, what it costs.
type Description struct {
	// ID numbers the operators of a plan, readers before their inputs, from 1.
	ID    int
	Op    Op
	Class Class // none in a full plan
	Text  string
	// Columns are those of its rows, as the query calls them.
	Columns []string
	// Identity are the columns that tell its rows apart; none: the row as a whole.
	Identity []string
	OneRow   bool // there is one row at most
	Reads    *Reads
	Keeps    []Kept
	Cost     Cost
	Inputs   []*Description

	node   *Node
	ident  []int  // positions of Identity; nil: the row as a whole
	plain  bool   // nothing but columns dropped or moved, none renamed
	factor string // what each changed row becomes as many of; "": one
	whole  string // what is read as a whole, once; "": nothing
}

// Plain reports whether the operator only drops or moves columns.
func (d *Description) Plain() bool { return d.plain }

// Tells is Identity by position: none, and not nil, where there is one row at most;
// nil where nothing tells the rows apart but all that is in them.
func (d *Description) Tells() []int {
	switch {
	case d.OneRow:
		return []int{}
	case len(d.ident) == 0:
		return nil
	}
	return d.ident
}

// Once reports whether the operator reads a relation as a whole, but once a step
// at most, whatever the number of changed rows.
func (d *Description) Once() bool { return d.whole != "" }

// Reads is what an operator reads of a stored relation or of kept rows. Its JSON
// is part of the contract of EXPLAIN, as is that of what follows.
type Reads struct {
	Relation string `json:"relation,omitempty"` // "": kept rows
	As       string `json:"as,omitempty"`
	State    int    `json:"state,omitempty"` // number of the kept rows
	// How it is read: "changes", "scan", "primary key", "arrangement", "every row", "kept rows".
	How string `json:"how"`
	// Side is the TSO at which it is read: "lo" where the view stands, "hi" where
	// the refresh leads; of changes "(lo, hi]". A full plan reads at one moment.
	Side        string   `json:"side,omitempty"`
	Arrangement string   `json:"arrangement,omitempty"`
	Key         []string `json:"key,omitempty"`
	Columns     []string `json:"columns"`
}

// Kept is what an operator keeps between refreshes.
type Kept struct {
	State int       `json:"state"`
	Kind  StateKind `json:"kind"`
	What  string    `json:"what"`
}

// Cost is an order of work, and what its letters count.
type Cost struct {
	Order string `json:"order"`
	Where []Term `json:"where,omitempty"`
}

// Term is a letter of a cost.
type Term struct {
	Letter string `json:"letter"`
	Counts string `json:"counts"`
}

// The letters of costs.
func changed(s string) Term { return Term{"d", s} }

func matching(s string) Term { return Term{"m", s} }

func cost(order string, where ...Term) Cost { return Cost{order, where} }

// Describe describes the plan's operators from the root down.
func (p *Plan) Describe() *Description {
	x := &describer{plan: p, known: map[*Node]*Description{}, shares: map[int]*Node{}, kept: map[int]keptRows{}, says: sayings()}
	p.Root.Walk(func(n *Node) {
		switch {
		case n.Op == OpShare && len(n.Ins) > 0:
			x.shares[n.Share.ID] = n
		case n.Op == OpKeep:
			for _, k := range n.Keep.By {
				x.kept[k.State] = keptRows{n, k.Keys}
			}
		}
	})
	d := x.describe(p.Root)
	next := 0
	number(d, &next)
	return d
}

// Columns are the names that EXPLAIN has for the columns of n, a node of p.
func (p *Plan) Columns(n *Node) []string {
	var find func(d *Description) []string
	find = func(d *Description) []string {
		if d.node == n {
			return d.Columns
		}
		for _, in := range d.Inputs {
			if names := find(in); names != nil {
				return names
			}
		}
		return nil
	}
	return find(p.Describe())
}

func number(d *Description, next *int) {
	*next++
	d.ID = *next
	for _, in := range d.Inputs {
		number(in, next)
	}
}

// describer is one run of Describe. Operators may tell of others that stand
// elsewhere in the tree: rows that are shared, rows that are kept.
type describer struct {
	plan   *Plan
	known  map[*Node]*Description
	shares map[int]*Node
	kept   map[int]keptRows
	says   map[Op]saying
}

// keptRows is a private relation: who keeps it, by which keys.
type keptRows struct {
	node *Node
	keys []*expr.Expr
}

// saying fills in the description of one operator, whose inputs are described.
type saying func(x *describer, n *Node, d *Description)

// sayings is the table: one row for every operator of plans.
func sayings() map[Op]saying {
	return map[Op]saying{
		OpChanges:     sayChanges,
		OpScan:        sayScan,
		OpFind:        sayFind,
		OpNothing:     sayNothing,
		OpValues:      sayValues,
		OpFilter:      sayFilter,
		OpProject:     sayProject,
		OpUnion:       sayUnion,
		OpConsolidate: sayConsolidate,
		OpLookup:      sayLookup,
		OpHashJoin:    sayHashJoin,
		OpNegate:      sayNegate,
		OpRepeat:      sayRepeat,
		OpShare:       sayShare,
		OpKeep:        sayKeep,
		OpAggregate:   sayAggregate,
		OpSort:        saySort,
		OpWindow:      sayWindow,
		OpLimit:       sayLimit,
		OpUnnest:      sayUnnest,
	}
}

func (x *describer) describe(n *Node) *Description {
	if d := x.known[n]; d != nil {
		return d
	}
	d := &Description{Op: n.Op, Class: n.Class, node: n}
	if x.plan.FromEmpty {
		d.Class = ""
	}
	x.known[n] = d
	for _, in := range n.Ins {
		d.Inputs = append(d.Inputs, x.describe(in))
	}
	if len(d.Inputs) > 0 { // most hand on what they get
		d.Columns, d.ident, d.OneRow = d.Inputs[0].Columns, d.Inputs[0].ident, d.Inputs[0].OneRow
	}
	if say := x.says[n.Op]; say != nil {
		say(x, n, d)
	}
	if d.Columns == nil {
		d.Columns = []string{}
	}
	if d.ident != nil { // in the order of the columns, whatever term it is of
		d.ident = slices.Clone(d.ident)
		slices.Sort(d.ident)
	}
	d.Identity = pickNames(d.Columns, d.ident)
	return d
}

// moved is the identity of an input in a row that has the input's columns at; nil
// if it lost one.
func moved(ident, at []int) []int {
	if ident == nil {
		return nil
	}
	out := make([]int, len(ident))
	for i, c := range ident {
		if out[i] = slices.Index(at, c); out[i] < 0 {
			return nil
		}
	}
	return out
}

// coveredBy reports whether ident is known and a subset of cols: then a row is
// the only one with its values of cols.
func coveredBy(ident, cols []int) bool {
	for _, c := range ident {
		if !slices.Contains(cols, c) {
			return false
		}
	}
	return ident != nil
}

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func (d *Description) name(i int) string {
	if i < len(d.Columns) {
		return d.Columns[i]
	}
	return fmt.Sprintf("column%d", i+1)
}

func pickNames(names []string, at []int) []string {
	out := make([]string, 0, len(at))
	for _, i := range at {
		if i < len(names) {
			out = append(out, names[i])
			continue
		}
		out = append(out, fmt.Sprintf("column%d", i+1))
	}
	return out
}

func numbered(n int) []string { return pickNames(nil, all(n)) }

func list(s []string) string {
	if len(s) == 0 {
		return "no columns"
	}
	return strings.Join(s, ", ")
}
