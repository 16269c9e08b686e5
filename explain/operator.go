package explain

import (
	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/delta"
)

// Operator is a node of the tree.
type Operator struct {
	ID       int          `json:"id"`
	Op       string       `json:"op"`
	Class    string       `json:"class,omitempty"`
	Text     string       `json:"text"`
	Columns  []string     `json:"columns"`
	Identity *Identity    `json:"identity,omitempty"`
	Reads    *delta.Reads `json:"reads,omitempty"`
	Keeps    []Kept       `json:"keeps,omitempty"`
	Cost     *delta.Cost  `json:"cost,omitempty"`
	Measured *Measured    `json:"measured,omitempty"`
	Inputs   []*Operator  `json:"inputs"`
	plain    bool
	once     bool
}

// Identity is what tells the rows of an operator apart.
type Identity struct {
	// By is "columns", "whole row" (which may stand several times) or "one row".
	By      string   `json:"by"`
	Columns []string `json:"columns"`
}

// Kept is what an operator keeps between refreshes.
type Kept struct {
	delta.Kept
	Size *Size `json:"size,omitempty"`
}

// Measured is what an operator did in a run.
type Measured struct {
	RowsIn  int64   `json:"rows_in"`
	RowsOut int64   `json:"rows_out"`
	Lookups *int64  `json:"lookups,omitempty"`
	Millis  float64 `json:"ms"`
}

func operator(d *delta.Description) *Operator {
	o := &Operator{ID: d.ID, Op: string(d.Op), Class: string(d.Class), Text: d.Text, Columns: d.Columns, Reads: d.Reads,
		Cost: &d.Cost, plain: d.Plain(), once: d.Once(), Inputs: []*Operator{}, Identity: &Identity{By: "whole row", Columns: []string{}}}
	switch {
	case d.OneRow:
		o.Identity.By = "one row"
	case len(d.Identity) > 0 && d.Identity[0] != delta.TheRow:
		o.Identity.By, o.Identity.Columns = "columns", d.Identity
	}
	for _, k := range d.Keeps {
		o.Keeps = append(o.Keeps, Kept{Kept: k})
	}
	for _, in := range d.Inputs {
		o.Inputs = append(o.Inputs, operator(in))
	}
	return o
}

func outlined(n *algebra.Outline, next *int) *Operator {
	*next++
	o := &Operator{ID: *next, Op: n.Op, Text: n.Text, Columns: n.Columns, Inputs: []*Operator{}}
	for _, in := range n.Inputs {
		o.Inputs = append(o.Inputs, outlined(in, next))
	}
	return o
}

// walk calls f for every operator, readers before their inputs.
func (o *Operator) walk(f func(*Operator)) {
	if o == nil {
		return
	}
	f(o)
	for _, in := range o.Inputs {
		in.walk(f)
	}
}

// measure gives each operator its share of the run, which lists inputs first.
func (r *Report) measure(run *Run) {
	next := 0
	var visit func(o *Operator) int64
	visit = func(o *Operator) int64 {
		m := &Measured{}
		for _, in := range o.Inputs {
			m.RowsIn += visit(in)
		}
		if next < len(run.Operators) {
			m.RowsOut, m.Millis = run.Operators[next].Rows, run.Operators[next].Millis
		}
		next++
		if o.Op == string(delta.OpLookup) {
			n := m.RowsIn
			m.Lookups = &n
		}
		o.Measured = m
		return m.RowsOut
	}
	visit(r.Plan)
}
