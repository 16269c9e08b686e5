package querygen

import (
	"fmt"
	"strings"
)

// Statement is a random change of one of ts: rows inserted, updated or deleted.
// An inserted or updated row may have the key of another.
func (g *Gen) Statement(ts []Table) string {
	t := pick(g, ts)
	if !g.opt.Joined {
		return g.change(t)
	}
	q := ""
	switch g.r.IntN(4) {
	case 0:
		q = g.joinedChange(t, pick(g, ts))
	case 1:
		u := pick(g, ts)
		q = fmt.Sprintf("WITH w AS (SELECT %s FROM %s WHERE a > %d) UPDATE %s SET a = a + 40 WHERE a IN (SELECT * FROM w)", u.Schema[0].Name, u.Name, g.r.IntN(30)-2, t.Name)
	default:
		q = g.change(t)
	}
	if g.chance(40) {
		q += " RETURNING " + pick(g, []string{"*", t.Name + ".*", "a + 1 AS n, *", "(SELECT count(*) FROM " + pick(g, ts).Name + ") AS n, a"})
		if strings.Contains(q, " AS o ") { // whose columns are there too
			q = q[:strings.Index(q, " RETURNING")] + " RETURNING " + t.Name + ".*"
		}
	}
	return q
}

// joinedChange changes the rows of t that have a partner in u. What they become
// does not depend on which, where they have several.
func (g *Gen) joinedChange(t, u Table) string {
	cols := []column{}
	for _, f := range t.Schema {
		cols = append(cols, column{t.Name + "." + f.Name, f.Type.Kind})
	}
	more := []column{}
	for _, f := range u.Schema {
		more = append(more, column{"o." + f.Name, f.Type.Kind})
	}
	where := g.joinCondition(cols, more)
	if g.chance(30) {
		where += " AND " + g.boolean(more, 1)
	}
	if g.chance(50) {
		return fmt.Sprintf("DELETE FROM %s USING %s AS o WHERE %s", t.Name, u.Name, where)
	}
	set := "a = " + t.Name + ".a + 40"
	if c := g.r.IntN(len(t.Schema)); !t.Schema[c].NotNull {
		set = t.Schema[c].Name + " = " + g.cells(t)[c]
	}
	return fmt.Sprintf("UPDATE %s SET %s FROM %s AS o WHERE %s", t.Name, set, u.Name, where)
}

// change is a statement that reads t alone.
func (g *Gen) change(t Table) string {
	where := func() string {
		f := pick(g, t.Schema)
		switch g.r.IntN(4) {
		case 0:
			return ""
		case 1:
			return fmt.Sprintf(" WHERE %s IS NULL", f.Name)
		}
		return fmt.Sprintf(" WHERE a %s %d", pick(g, []string{"=", "<", ">", "<>"}), g.r.IntN(30)-2)
	}
	switch k := g.r.IntN(10); {
	case k < 5:
		rows := make([]string, 1+g.r.IntN(5))
		for i := range rows {
			rows[i] = g.Row(t)
		}
		return "INSERT INTO " + t.Name + " VALUES " + strings.Join(rows, ", ")
	case k < 8:
		if c := g.r.IntN(len(t.Schema)); !t.Schema[c].NotNull {
			// a cell of a random row, so that the value has the column's type
			return fmt.Sprintf("UPDATE %s SET %s = %s%s", t.Name, t.Schema[c].Name, g.cells(t)[c], where())
		}
		return fmt.Sprintf("UPDATE %s SET a = a + 1%s", t.Name, where())
	}
	return "DELETE FROM " + t.Name + where()
}
