package ast

import "strconv"

// TriggerKind tells what refreshes a view by itself.
type TriggerKind uint8

// The kinds of triggers.
const (
	TriggerManual TriggerKind = iota
	TriggerEvery
	TriggerCron
	TriggerCommit
	TriggerLag
)

type (
	// Trigger is ON MANUAL, ON SCHEDULE EVERY n unit [STARTS 'time'], ON SCHEDULE
	// CRON 'fields' [AT TIME ZONE 'zone'], ON COMMIT [SYNC | ASYNC] or WITH LAG
	// 'interval'.
	Trigger struct {
		At
		Kind  TriggerKind
		Async bool // ON COMMIT ASYNC
		N     int64
		Unit  string // of EVERY: in small letters, without the s of the plural
		// Text is what stands in quotes: the time of STARTS ("": none), the fields
		// of CRON, the interval of LAG.
		Text Name
		Zone Name // of CRON; Text "": none
	}
	// Distribution is DISTRIBUTED BY {HASH (columns) | RANDOM} [BUCKETS {n | AUTO}].
	Distribution struct {
		At
		Columns []Name // nil: RANDOM
		Buckets string // "": none, "auto", or a number
	}
	// AlterView is ALTER MATERIALIZED VIEW [IF EXISTS] name, and one of REFRESH
	// [mode] [trigger], SET (properties) and REPLACE WITH MATERIALIZED VIEW other
	// [PROPERTIES (..)].
	AlterView struct {
		At
		View       Name
		IfExists   bool
		Mode       RefreshMode
		Trigger    *Trigger
		With       Name // Text "": it is no REPLACE
		Properties []Property
	}
	// Job is {PAUSE | RESUME} MATERIALIZED VIEW JOB ON name, or CANCEL MATERIALIZED
	// VIEW TASK id ON name.
	Job struct {
		At
		Action JobAction
		Task   Name // of CANCEL: its number
		View   Name
	}
)

func (*AlterView) statement() {}
func (*Job) statement()       {}

// JobAction is what becomes of a job.
type JobAction uint8

// What becomes of a job.
const (
	PauseJob JobAction = iota
	ResumeJob
	CancelTask
)

// String is the words of the clause.
func (t *Trigger) String() string {
	switch t.Kind {
	case TriggerEvery:
		s := "ON SCHEDULE EVERY " + strconv.FormatInt(t.N, 10) + " " + upper(t.Unit)
		if t.Text.Text != "" {
			s += " STARTS " + QuoteString(t.Text.Text)
		}
		return s
	case TriggerCron:
		s := "ON SCHEDULE CRON " + QuoteString(t.Text.Text)
		if t.Zone.Text != "" {
			s += " AT TIME ZONE " + QuoteString(t.Zone.Text)
		}
		return s
	case TriggerCommit:
		if t.Async {
			return "ON COMMIT ASYNC"
		}
		return "ON COMMIT SYNC"
	case TriggerLag:
		return "WITH LAG " + QuoteString(t.Text.Text)
	}
	return "ON MANUAL"
}

// String is the words of the clause.
func (d *Distribution) String() string {
	s := "DISTRIBUTED BY RANDOM"
	if d.Columns != nil {
		s = "DISTRIBUTED BY HASH ("
		for i, c := range d.Columns {
			if i > 0 {
				s += ", "
			}
			s += QuoteIdent(c.Text)
		}
		s += ")"
	}
	if d.Buckets != "" {
		s += " BUCKETS " + upper(d.Buckets)
	}
	return s
}
