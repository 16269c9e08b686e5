package explain

import (
	"slices"

	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/zset"
)

// Version is the version of the JSON contract. Fields are added under one
// version; one that changes or goes makes the next.
const Version = 1

// The kinds of statements.
const (
	Query   = "query"
	Create  = "create materialized view"
	Refresh = "refresh materialized view"
)

// The stages: the query as bound, as rewritten, and its two plans.
const (
	StageAlgebra    = "algebra"
	StageNormalized = "normalized"
	StageDelta      = "delta" // how its result follows changes
	StageFull       = "full"  // how it is computed anew
)

// Stages lists them in the order of the pipeline.
func Stages() []string { return []string{StageAlgebra, StageNormalized, StageDelta, StageFull} }

// Statement is what is explained.
type Statement struct {
	Kind string
	View string // its name; "": a query
	// Text is what positions of blockers count in, in characters.
	Text string
	// Line and Column are where Text begins in its file, from 1; 0: at the beginning.
	Line, Column int
	// Stage is one of [Stages]. Of a view that is not incremental, delta shows the
	// full plan, which runs instead.
	Stage  string
	Schema zset.Schema // columns of the result
	// Bound and Normal are the query before and after rewriting.
	Bound, Normal algebra.Node
	// Delta is nil where there are Blockers.
	Delta, Full *delta.Plan
	Blockers    []delta.Blocker
	// AsView says that the statement is, or is taken for, a view: whether it is
	// incremental is of interest.
	AsView bool
	// RunsFull says that the view is computed anew although it could follow changes.
	RunsFull bool
	// Pending says that of the sources those alone are listed that have changes, in text.
	Pending bool
	// Done says that the refresh was carried out: sizes are those after it.
	Done     bool
	Notices  []string
	Sizes    *Sizes    // nil: nothing was measured
	Decision *Decision // of a refresh; nil: there was none
	Run      *Run      // nil: it was not run
	Width    int       // columns of the text, [LeastWidth] at least; 0: [Width]
}

// Decision is how a refresh goes, or went, and what both ways were expected to take.
type Decision struct {
	Requested string `json:"requested"`
	Planned   string `json:"planned"`
	Reason    string `json:"reason,omitempty"` // why it is not incremental: a code
	Detail    string `json:"detail,omitempty"`
	Tried     bool   `json:"tried,omitempty"` // it seems the dearer way, and is to be measured
	// Pending is the rows born and died in what the view reads; the estimates are
	// absent where there are none.
	Pending     int64    `json:"pending"`
	Rows        int64    `json:"rows,omitempty"` // of what a complete refresh reads
	Incremental *float64 `json:"estimate_incremental_ms,omitempty"`
	Complete    *float64 `json:"estimate_complete_ms,omitempty"`
}

// Sizes is what was measured in a database. What is absent is not known.
type Sizes struct {
	Frontier  string          // where the view stands, in words; "": no view
	Relations map[uint64]Size // by id
	States    map[int]Size    // by number in the plan, from 1
	Arranged  map[int]Size    // by position in the plan
}

// Size is how much there is of something: rows of a relation, keys of an
// arrangement; bytes in memory, of states on disk.
type Size struct {
	Rows  int64 `json:"rows,omitempty"`
	Bytes int64 `json:"bytes"`
	// Pending is the rows that changed after the view was last brought forward;
	// nil: there is no such view.
	Pending *int64 `json:"pending,omitempty"`
}

// Run is what a run of the plan did.
type Run struct {
	Requested string  `json:"requested,omitempty"` // modes of a refresh
	Executed  string  `json:"executed,omitempty"`
	Reason    string  `json:"reason,omitempty"`
	Detail    string  `json:"detail,omitempty"`
	NoOp      bool    `json:"no_op,omitempty"`
	Loaded    bool    `json:"loaded,omitempty"` // what a process loads once was loaded for it
	RowsIn    int64   `json:"rows_in"`
	RowsOut   int64   `json:"rows_out"`
	Millis    float64 `json:"ms"`
	// Plan is the plan that ran; nil: none did. Operators are its operators, inputs first.
	Plan      *delta.Plan `json:"-"`
	Operators []Share     `json:"-"`
}

// Share is one operator's share of a run, its inputs excluded.
type Share struct {
	Rows   int64
	Millis float64
}

// Report is an explained statement. Its JSON is a contract: docs/json.md.
type Report struct {
	Version     int       `json:"version"`
	Statement   string    `json:"statement"`
	View        *string   `json:"view"`
	Stage       string    `json:"stage"`
	Incremental *bool     `json:"incremental"` // null: a query that is no view
	Summary     string    `json:"summary"`
	Columns     []Column  `json:"columns"`
	Frontier    string    `json:"frontier,omitempty"`
	Sources     []Source  `json:"sources"`
	Blockers    []Blocker `json:"blockers"`
	Notices     []string  `json:"notices"`
	// Kind is "algebra", "delta plan" or "full plan": what Plan is.
	Kind         string     `json:"kind"`
	Fingerprint  string     `json:"fingerprint,omitempty"`
	Plan         *Operator  `json:"plan"`
	Arrangements []Arranged `json:"arrangements"`
	Decision     *Decision  `json:"decision,omitempty"`
	Run          *Run       `json:"run,omitempty"`

	plan  *delta.Plan // what Plan describes; nil: algebra
	step  *Operator   // the delta plan, at any stage; nil: there is none
	width int         // of the text

	pending, done bool // see [Statement]
}

// Column is a column of the result.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// Source is a relation that the statement reads, with its grades.
type Source struct {
	Relation string  `json:"relation"`
	Kind     string  `json:"kind"` // "table" or "materialized view"
	Inserts  *Follow `json:"inserts,omitempty"`
	Changes  *Follow `json:"updates_and_deletes,omitempty"`
	Size     *Size   `json:"size,omitempty"`
}

// Follow is a grade and its cost.
type Follow struct {
	Grade string     `json:"grade"`
	Cost  delta.Cost `json:"cost"`
}

// Arranged is an index that the plan looks up.
type Arranged struct {
	Name     string   `json:"name"`
	Relation string   `json:"relation"`
	Key      []string `json:"key"`
	Size     *Size    `json:"size,omitempty"`
}

// New reports on a statement.
func New(s Statement) *Report {
	r := &Report{Version: Version, Statement: s.Kind, Stage: s.Stage, Columns: []Column{}, Sources: []Source{},
		Blockers: []Blocker{}, Notices: append([]string{}, s.Notices...), Arrangements: []Arranged{}, Decision: s.Decision, Run: s.Run, width: s.width(),
		pending: s.Pending, done: s.Done}
	if s.View != "" {
		r.View = &s.View
	}
	for _, f := range s.Schema {
		r.Columns = append(r.Columns, Column{f.Name, f.Type.String()})
	}
	for _, b := range s.Blockers {
		r.Blockers = append(r.Blockers, placed(b, s))
	}
	switch s.Stage {
	case StageAlgebra:
		r.algebra(s.Bound)
	case StageNormalized:
		r.algebra(s.Normal)
	case StageFull:
		r.derived(s.Full)
	case StageDelta:
		r.derived(s.Delta)
	default:
		r.Stage = StageDelta
		if s.RunsFull || !s.AsView {
			r.Stage = StageFull
			r.derived(s.Full)
			break
		}
		r.derived(s.Delta)
	}
	if r.Plan == nil {
		r.derived(s.Full)
	}
	if s.Run != nil && s.Run.Plan != nil && r.plan == s.Run.Plan {
		r.measure(s.Run)
	}
	if !s.AsView {
		r.keepsNothing()
	}
	if s.Delta != nil {
		r.step = operator(s.Delta.Describe())
	}
	if s.AsView {
		yes := len(s.Blockers) == 0
		r.Incremental = &yes
	}
	r.sources(s)
	if s.Sizes != nil {
		r.Frontier = s.Sizes.Frontier
		r.sized(s.Sizes)
	}
	r.Summary = r.summary()
	return r
}

// width is how many columns the text may take.
func (s *Statement) width() int {
	if s.Width == 0 {
		return Width
	}
	return max(s.Width, LeastWidth)
}

// All is the report with the trees of every stage, as text.
func All(s Statement) string {
	p := &page{width: s.width()}
	var last *Report
	for _, stage := range Stages() {
		s.Stage = stage
		r := New(s)
		if stage == StageDelta && (!s.AsView || s.Delta == nil) {
			continue
		}
		if last == nil {
			p.head(r)
		}
		last = r
		p.line("")
		p.par("", "", r.heading())
		p.tree(r.Plan, "", "")
	}
	s.Stage = ""
	p.tail(New(s))
	return p.b.String()
}

// derived makes the tree of a plan.
func (r *Report) derived(p *delta.Plan) {
	if p == nil {
		return
	}
	r.plan, r.Kind, r.Fingerprint = p, p.Kind(), p.Fingerprint()
	r.Plan = operator(p.Describe())
	r.Arrangements = []Arranged{}
	for i := range p.Arranged {
		name, key := p.Arrangement(i)
		r.Arrangements = append(r.Arrangements, Arranged{Name: name, Relation: p.Arranged[i].Name, Key: key})
	}
}

// algebra makes the tree of a query.
func (r *Report) algebra(n algebra.Node) {
	if n == nil {
		return
	}
	r.Kind = "algebra"
	next := 0
	r.Plan = outlined(algebra.Describe(n), &next)
}

// keepsNothing takes back what the plan of a view would keep: a query keeps nothing.
func (r *Report) keepsNothing() {
	r.Plan.walk(func(o *Operator) {
		o.Keeps = nil
		o.plain = o.plain || o.Op == string(delta.OpKeep)
	})
}

// sources lists what is read, with grades where the statement is a view.
func (r *Report) sources(s Statement) {
	p := s.Delta
	if p == nil || !s.AsView {
		p = s.Full
	}
	if p == nil {
		return
	}
	for _, g := range p.Grades() {
		src := Source{Relation: g.Relation, Kind: "table"}
		if g.IsView {
			src.Kind = "materialized view"
		}
		if s.AsView {
			src.Inserts, src.Changes = &Follow{g.Inserts.Grade, g.Inserts.Cost}, &Follow{g.Changes.Grade, g.Changes.Cost}
		}
		if s.Sizes != nil {
			if size, ok := s.Sizes.Relations[g.Rel]; ok {
				src.Size = &size
			}
		}
		r.Sources = append(r.Sources, src)
	}
}

// sized fills in what was measured of states and arrangements.
func (r *Report) sized(sizes *Sizes) {
	r.Plan.walk(func(o *Operator) {
		for i := range o.Keeps {
			if z, ok := sizes.States[o.Keeps[i].State]; ok {
				o.Keeps[i].Size = &z
			}
		}
	})
	for i := range r.Arrangements {
		if z, ok := sizes.Arranged[i]; ok {
			r.Arrangements[i].Size = &z
		}
	}
}

// relations are the names of the sources.
func (r *Report) relations() (names []string) {
	for _, s := range r.Sources {
		if !slices.Contains(names, s.Relation) {
			names = append(names, s.Relation)
		}
	}
	return names
}
