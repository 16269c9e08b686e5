package slt

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// ChurnReport is what became of the queries of a file as views.
type ChurnReport struct {
	Strict  int      // maintained incrementally
	Auto    int      // taken, but refreshed by COMPLETE
	Refused []string // "CODE message: query"
	Slow    []string // of Auto: why, and the query
	Wrong   []string // differences, with the script that shows them
	Steps   int      // comparisons of a view with its query
}

// Add adds the figures of another report.
func (r *ChurnReport) Add(o *ChurnReport) {
	r.Strict, r.Auto, r.Steps = r.Strict+o.Strict, r.Auto+o.Auto, r.Steps+o.Steps
	r.Refused, r.Slow, r.Wrong = append(r.Refused, o.Refused...), append(r.Slow, o.Slow...), append(r.Wrong, o.Wrong...)
}

// Churn runs a file, and its queries as views under change. open gives an empty
// database; one seed does the same for ever.
func Churn(open func() (Engine, func(), error), records []Record, seed uint64) (*ChurnReport, error) {
	rep := &ChurnReport{}
	e, done, err := open()
	if err != nil {
		return nil, err
	}
	defer done()
	f := &file{engine: e}
	for i := range records {
		rec := &records[i]
		switch {
		case !rec.For(e.Names()) || rec.Kind == Control || rec.Kind == Other || rec.Kind == Threshold:
			continue
		case rec.Kind == Halt:
			return rep, f.flush(open, seed, rep)
		case rec.Kind == Query && isQuery.MatchString(rec.SQL):
			if _, err := e.Exec(rec.SQL); err != nil {
				rep.refuse(err, rec.SQL)
			} else if !volatile.MatchString(rec.SQL) {
				f.queries = append(f.queries, rec.SQL)
			}
			continue
		}
		if err := f.flush(open, seed, rep); err != nil {
			return nil, err
		}
		f.statement(rec)
	}
	return rep, f.flush(open, seed, rep)
}

var (
	isQuery     = regexp.MustCompile(`(?is)^\s*\(*\s*(SELECT|WITH|VALUES)\b`)
	volatile    = regexp.MustCompile(`(?i)\b(now|random|clock_timestamp|current_\w+|localtimestamp|localtime)\b|information_schema`)
	changesRows = regexp.MustCompile(`(?is)^\s*(INSERT|UPDATE|DELETE|TRUNCATE|BEGIN|COMMIT|ROLLBACK|REFRESH|EXPLAIN|SHOW|DESCRIBE|DROP\s+MATERIALIZED)\b`)
	createTable = regexp.MustCompile(`(?is)^\s*CREATE\s+(?:OR\s+REPLACE\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?("[^"]+"|[\w.]+)`)
)

// file is what a file has made so far.
type file struct {
	engine  Engine
	ddl     []string // statements that make the same objects, in order
	tables  []string
	queries []string // since the last change
}

func (f *file) statement(rec *Record) {
	_, err := f.engine.Exec(rec.SQL)
	if err != nil || rec.Fails || changesRows.MatchString(rec.SQL) {
		return
	}
	if viewName(rec.SQL) == "" { // a view is made by the churn
		f.ddl = append(f.ddl, rec.SQL)
	} else {
		f.ddl = append(f.ddl, createView.ReplaceAllString(rec.SQL, "CREATE MATERIALIZED VIEW $1 AS $3"))
	}
	if m := createTable.FindStringSubmatch(rec.SQL); m != nil && !slices.Contains(f.tables, m[1]) {
		f.tables = append(f.tables, m[1])
	}
}

// refuse notes a query that is not taken.
func (r *ChurnReport) refuse(err error, sql string) {
	r.Refused = append(r.Refused, err.Error()+": "+flat(sql))
}

func flat(sql string) string { return strings.Join(strings.Fields(sql), " ") }

// flush makes the queries views and churns them.
func (f *file) flush(open func() (Engine, func(), error), seed uint64, rep *ChurnReport) error {
	if len(f.queries) == 0 {
		return nil
	}
	queries := f.queries
	f.queries = nil
	e, done, err := open()
	if err != nil {
		return err
	}
	defer done()
	c := &churn{engine: e, rep: rep, r: rand.New(rand.NewPCG(seed, uint64(len(f.ddl))))}
	for _, sql := range f.ddl {
		if _, err := c.exec(sql); err != nil {
			rep.Wrong = append(rep.Wrong, fmt.Sprintf("%v: %s\n%s", err, flat(sql), c.script()))
			return nil
		}
		if m := createView.FindStringSubmatch(sql); m != nil {
			c.views = append(c.views, &churnView{name: m[1], query: m[3]})
		}
	}
	for _, t := range f.tables {
		res, err := f.engine.Exec("SELECT * FROM " + t)
		if err != nil { // it was dropped
			continue
		}
		tab := &table{name: t, names: res.Names, types: res.Types}
		c.tables = append(c.tables, tab)
		for _, row := range res.Rows {
			c.rows = append(c.rows, tuple{tab, row})
		}
	}
	for i, q := range queries {
		c.create(fmt.Sprintf("churn_%d", i), q)
	}
	c.run()
	return nil
}

// create makes a view and finds out whether it is maintained incrementally.
func (c *churn) create(name, query string) {
	_, err := c.exec("CREATE MATERIALIZED VIEW " + name + " AS " + query)
	var f *Failure
	if errors.As(err, &f) && f.Code == "42701" { // two columns of one name: no view for PostgreSQL either
		c.forget()
		if res, qerr := c.engine.Exec(query); qerr == nil {
			_, err = c.exec("CREATE MATERIALIZED VIEW " + name + " AS SELECT * FROM (" + query + ") AS q (" + distinctNames(len(res.Names)) + ")")
		}
	}
	if err != nil {
		c.forget()
		c.rep.refuse(err, query)
		return
	}
	v := &churnView{name: name, query: query, mode: " INCREMENTAL"}
	if _, err := c.exec("REFRESH MATERIALIZED VIEW " + name + v.mode); err != nil {
		c.forget()
		c.rep.Auto++
		c.rep.Slow = append(c.rep.Slow, err.Error()+": "+flat(query))
		v.mode = ""
	} else {
		c.rep.Strict++
	}
	c.views = append(c.views, v)
}

func distinctNames(n int) string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("c%d", i)
	}
	return strings.Join(out, ", ")
}
