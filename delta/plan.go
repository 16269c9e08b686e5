package delta

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// Layout is the version of the plan and of the state layouts it speaks of. A
// state written under another layout is rebuilt.
const Layout = 1

// Plan is a delta plan: data only, immutable once derived. Columns are positions.
type Plan struct {
	Layout    int         `json:"layout"`
	FromEmpty bool        `json:"from_empty,omitempty"`
	Print     string      `json:"fingerprint"`
	Inputs    []Input     `json:"inputs"`
	Arranged  []Arranged  `json:"arrangements,omitempty"`
	States    []State     `json:"states,omitempty"`
	Root      *Node       `json:"root"`
	Output    zset.Schema `json:"output"`
	// Custom: it calls functions of the program around, which are not stored with it.
	Custom bool `json:"custom,omitempty"`
}

// Input is one occurrence of a stored relation. Two scans of one relation are
// two inputs, so that a self-join needs nothing special.
type Input struct {
	Rel    uint64      `json:"rel"`
	Name   string      `json:"name"`         // for people
	As     string      `json:"as,omitempty"` // the name in the query; for people
	Cols   []int       `json:"cols"`         // the columns read, as positions in the relation
	Fields zset.Schema `json:"fields"`       // those columns
	Key    []int       `json:"key,omitempty"`
	IsView bool        `json:"is_view,omitempty"`
	Addr   bool        `json:"addr,omitempty"` // a last column BIGINT: the address of the row version
	Pos    int32       `json:"pos"`
	// Read is what is read if not the rows of the reader's TSO.
	Read *Read `json:"read,omitempty"`
}

// Read is another reading of a relation: the records of the log in (Lo, Hi], or
// the rows at Hi.
type Read struct {
	Kind ReadKind `json:"kind"`
	Lo   uint64   `json:"lo,omitempty"`
	Hi   uint64   `json:"hi"`
}

// ReadKind tells the readings apart.
type ReadKind string

// The readings.
const (
	ReadImage   ReadKind = "image"
	ReadNet     ReadKind = "min_delta"
	ReadInserts ReadKind = "append_only"
	ReadRecords ReadKind = "detail"
)

// Arranged is the requirement of an index of a relation by key expressions.
// Requirements of one ID are met by one arrangement, whatever plan they are of.
type Arranged struct {
	ID   string       `json:"id"`
	Rel  uint64       `json:"rel"`
	Name string       `json:"name"`
	Cols []int        `json:"cols"` // the columns the key reads, as positions in the relation
	Keys []*expr.Expr `json:"keys"` // over those columns
}

// State is the layout of one durable map from key bytes to value bytes that an
// operator keeps between steps. Its number is its position in the plan plus 1.
type State struct {
	Kind StateKind `json:"kind"`
	Path string    `json:"path"` // which operator it belongs to
	// Of is a hash of what it holds, but for the rows of the relations: equal ones are
	// good for each other at one TSO. "": only for itself.
	Of string `json:"of,omitempty"`
}

// StateKind is the layout of a state.
type StateKind string

// The kinds of state.
const (
	// StateGroups: group key -> row count and accumulators.
	StateGroups StateKind = "groups"
	// StateOrdered: group key and value by row encoding -> count.
	StateOrdered StateKind = "ordered"
	// StateLeast: group key and its key columns by row encoding -> count.
	StateLeast StateKind = "least"
	// StatePrivate: join key and row by row encoding -> count. A private relation.
	StatePrivate StateKind = "private"
)

// Arrangement is the name of arrangement i for people, and its key as SQL.
func (p *Plan) Arrangement(i int) (name string, key []string) {
	a := &p.Arranged[i]
	in := slices.IndexFunc(p.Inputs, func(in Input) bool { return in.Rel == a.Rel && covers(in.Cols, a.Cols) })
	for _, k := range a.Keys {
		if wholeText(k) != "" || in < 0 {
			key = append(key, "whole row")
			continue
		}
		key = append(key, readable(k).Format(func(c int) string { return p.Inputs[in].bareColumn(a.Cols[c]) }))
	}
	if len(key) == 0 {
		return a.Name + " (every row)", key
	}
	return a.Name + "(" + strings.Join(key, ", ") + ")", key
}

func covers(all, some []int) bool {
	for _, c := range some {
		if !slices.Contains(all, c) {
			return false
		}
	}
	return true
}

// Fingerprint identifies meaning and state layout: two plans of one fingerprint
// can work on each other's states. It does not cover join order, costs, names
// or positions (I7).
func (p *Plan) Fingerprint() string { return p.Print }

// MarshalJSON writes the plan as data.
func (p *Plan) MarshalJSON() ([]byte, error) {
	type plain Plan
	return json.Marshal((*plain)(p))
}

// UnmarshalJSON reads what MarshalJSON wrote, of this layout alone, and checks
// that every reference in it stays inside the plan.
func (p *Plan) UnmarshalJSON(b []byte) error {
	type plain Plan
	if err := json.Unmarshal(b, (*plain)(p)); err != nil {
		return fmt.Errorf("delta: read plan: %w", err)
	}
	if p.Layout != Layout {
		return zset.Errorf(zset.CodeCorrupt, -1, "delta: plan of layout %d, this program reads %d", p.Layout, Layout)
	}
	return p.check()
}

// Relations lists the ids of the relations that the plan reads, each once.
func (p *Plan) Relations() []uint64 {
	var out []uint64
	seen := map[uint64]bool{}
	for _, in := range p.Inputs {
		if !seen[in.Rel] {
			seen[in.Rel] = true
			out = append(out, in.Rel)
		}
	}
	return out
}
