package slt

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/ivmc/ivmc"
)

// Engine runs SQL. The error has a SQLSTATE if it is a [*Failure].
type Engine interface {
	// Names are the names for skipif and onlyif.
	Names() []string
	Exec(sql string) (*Result, error)
}

// Result is what a statement gave.
type Result struct {
	Names, Types []string // of the columns, types as PostgreSQL's format_type
	Rows         [][]Cell
	Count        int // rows of a command tag; -1: none
}

// Cell is a value as text.
type Cell struct {
	Text string
	Null bool
}

// Failure is an error of a statement.
type Failure struct{ Code, Message string }

func (f *Failure) Error() string { return f.Code + " " + f.Message }

// NewEngine is ours.
func NewEngine(s *ivmc.Session) Engine { return ours{s} }

type ours struct{ s *ivmc.Session }

func (o ours) Names() []string { return []string{"ivmc", "postgresql", "postgres"} }

func (o ours) Exec(sql string) (*Result, error) {
	out, err := o.s.Run(context.Background(), sql)
	if err != nil {
		return nil, failure(err)
	}
	r := &Result{Count: tagCount(out.Tag)}
	if out.Rows == nil {
		return r, nil
	}
	defer out.Rows.Close()
	for _, c := range out.Rows.Columns() {
		r.Names, r.Types = append(r.Names, c.Name), append(r.Types, c.Type)
	}
	for out.Rows.Next() {
		row := make([]Cell, len(r.Names))
		for i := range row {
			text, null := out.Rows.Cell(i)
			row[i] = Cell{string(text), null}
		}
		r.Rows = append(r.Rows, row)
	}
	if err := out.Rows.Err(); err != nil {
		return nil, failure(err)
	}
	return r, nil
}

func failure(err error) error {
	var e *ivmc.Error
	if errors.As(err, &e) {
		return &Failure{e.Code, e.Message}
	}
	return err
}

// tagCount is the number at the end of a command tag.
func tagCount(tag string) int {
	n, err := strconv.Atoi(tag[strings.LastIndexByte(tag, ' ')+1:])
	if err != nil {
		return -1
	}
	return n
}
