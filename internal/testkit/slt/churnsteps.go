package slt

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

type churnView struct {
	name, query string
	mode        string // of REFRESH
	wrong       bool   // said once
}

type table struct {
	name         string
	names, types []string
}

type tuple struct {
	tab *table
	row []Cell
}

// churn is a database whose tables fill, shrink and change.
type churn struct {
	engine Engine
	rep    *ChurnReport
	r      *rand.Rand
	tables []*table
	rows   []tuple // all that will arrive
	views  []*churnView
	log    []string
}

func (c *churn) exec(sql string) (*Result, error) {
	c.log = append(c.log, sql+";")
	return c.engine.Exec(sql)
}

// forget takes the last statement out of the script.
func (c *churn) forget() { c.log = c.log[:len(c.log)-1] }

func (c *churn) script() string { return strings.Join(c.log, "\n") }

// batches is how many arrivals there are.
const batches = 4

func (c *churn) run() {
	c.compare()
	c.r.Shuffle(len(c.rows), func(i, j int) { c.rows[i], c.rows[j] = c.rows[j], c.rows[i] })
	size := max(1, (len(c.rows)+batches-1)/batches)
	for some := range slices.Chunk(c.rows, size) {
		c.insert(some)
		c.compare()
	}
	if len(c.rows) == 0 {
		return
	}
	gone := c.rows[:(len(c.rows)+3)/4]
	c.delete(gone)
	c.compare()
	c.insert(gone)
	c.compare()
	c.change()
}

// insert adds rows, one statement a table.
func (c *churn) insert(rows []tuple) {
	for _, t := range c.tables {
		var vals []string
		for _, r := range rows {
			if r.tab == t {
				vals = append(vals, "("+strings.Join(literals(r.row), ", ")+")")
			}
		}
		if len(vals) > 0 {
			c.must("INSERT INTO " + t.name + " VALUES " + strings.Join(vals, ", "))
		}
	}
}

// must runs a statement that works on tables; an error is a finding.
func (c *churn) must(sql string) bool {
	if _, err := c.exec(sql); err != nil {
		c.rep.Wrong = append(c.rep.Wrong, fmt.Sprintf("%v\n%s", err, c.script()))
		return false
	}
	return true
}

// delete takes one copy of each of rows away. A statement takes all copies of a
// row; those that stay come back in the same transaction.
func (c *churn) delete(rows []tuple) {
	c.must("BEGIN")
	left := slices.Clone(c.rows)
	for _, r := range rows {
		left = slices.Delete(left, 0, 1) // rows are the first ones
		if c.must("DELETE FROM " + r.tab.name + " WHERE " + r.condition()) {
			for _, o := range left {
				if o.tab == r.tab && slices.Equal(o.row, r.row) {
					c.insert([]tuple{o})
				}
			}
		}
	}
	c.must("COMMIT")
}

// change gives a cell of one row the value of another row's, and takes it back.
func (c *churn) change() {
	r := c.rows[c.r.IntN(len(c.rows))]
	col := c.r.IntN(len(r.row))
	other := c.rows[c.r.IntN(len(c.rows))]
	if other.tab != r.tab || other.row[col] == r.row[col] {
		i := slices.IndexFunc(c.rows, func(o tuple) bool { return o.tab == r.tab && o.row[col] != r.row[col] })
		if i < 0 {
			return
		}
		other = c.rows[i]
	}
	changed := tuple{r.tab, slices.Clone(r.row)}
	changed.row[col] = other.row[col]
	set := "UPDATE " + r.tab.name + " SET " + quoteName(r.tab.names[col]) + " = "
	if _, err := c.exec(set + literal(changed.row[col]) + " WHERE " + r.condition()); err != nil {
		c.forget() // a key that is taken
		return
	}
	c.compare()
	// Rows that were like the changed one before must not go along.
	var same, twins []tuple
	for _, o := range c.rows {
		if o.tab == r.tab && slices.Equal(o.row, r.row) {
			same = append(same, o)
		}
		if o.tab == r.tab && slices.Equal(o.row, changed.row) {
			twins = append(twins, o)
		}
	}
	if len(twins) == 0 {
		c.must(set + literal(r.row[col]) + " WHERE " + changed.condition())
	} else {
		c.must("DELETE FROM " + r.tab.name + " WHERE " + changed.condition())
		c.insert(append(same, twins...))
	}
	c.compare()
}

// condition finds the copies of a row.
func (r tuple) condition() string {
	var out []string
	for i, cell := range r.row {
		name := quoteName(r.tab.names[i])
		if cell.Null {
			out = append(out, name+" IS NULL")
		} else {
			out = append(out, name+" = CAST("+literal(cell)+" AS "+r.tab.types[i]+")")
		}
	}
	return strings.Join(out, " AND ")
}

func quoteName(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

func literal(c Cell) string {
	if c.Null {
		return "NULL"
	}
	return "'" + strings.ReplaceAll(c.Text, "'", "''") + "'"
}

func literals(row []Cell) []string {
	out := make([]string, len(row))
	for i, c := range row {
		out[i] = literal(c)
	}
	return out
}

// compare brings all views up to date, parents first, and compares them with
// their queries.
func (c *churn) compare() {
	for _, v := range c.views {
		if v.wrong {
			continue
		}
		_, err := c.exec("REFRESH MATERIALIZED VIEW " + v.name + v.mode)
		want, qerr := c.engine.Exec(v.query)
		if err != nil || qerr != nil {
			if (err == nil) != (qerr == nil) {
				c.differ(v, fmt.Sprintf("refresh: %v; query: %v", err, qerr))
			}
			continue
		}
		got, err := c.engine.Exec("SELECT * FROM " + v.name)
		if err != nil {
			c.differ(v, err.Error())
			continue
		}
		c.rep.Steps++
		a, b := lines(got), lines(want)
		slices.Sort(a)
		slices.Sort(b)
		if !slices.Equal(a, b) {
			c.differ(v, fmt.Sprintf("view\n  %s\nquery\n  %s", strings.Join(a, "\n  "), strings.Join(b, "\n  ")))
		}
	}
}

// differ reports a view once, with what happened so far, other views left out.
func (c *churn) differ(v *churnView, what string) {
	v.wrong = true
	var script []string
	for _, l := range c.log {
		if !strings.Contains(l, "churn_") || strings.Contains(l, v.name+" ") || strings.Contains(l, v.name+";") {
			script = append(script, l)
		}
	}
	c.rep.Wrong = append(c.rep.Wrong, fmt.Sprintf("%s: %s\n%s\n-- script:\n%s", v.name, flat(v.query), what, strings.Join(script, "\n")))
}
