package querygen

import (
	"fmt"
	"strings"
)

// Statement is a random change of one of ts: rows inserted, updated or deleted.
// An inserted or updated row may have the key of another.
func (g *Gen) Statement(ts []Table) string {
	t := pick(g, ts)
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
