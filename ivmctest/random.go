package ivmctest

import (
	"context"
	"database/sql/driver"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/ivmc/ivmc"
)

// table is what the changes must know of a table.
type table struct {
	name string
	cols []column
}

// column is a column with the values, as SQL, that the changes take for it.
type column struct {
	name   string
	values []string
}

// tries is how many rows of a table may be refused by its constraints before one
// must have been taken.
const tries = 400

// random changes the tables at random.
func (w *world) random() (*failure, error) {
	if f := w.step(); f != nil {
		return f, nil
	}
	tables, err := w.tables()
	if err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(w.o.Seed, 0x1234))
	for range w.o.Steps {
		for n := 1 + r.IntN(w.o.Changes); n > 0; n-- {
			sql := w.change(r, tables[r.IntN(len(tables))])
			if r.IntN(8) == 0 { // several in one transaction
				for range 1 + r.IntN(3) {
					sql += ";\n" + w.change(r, tables[r.IntN(len(tables))])
				}
				sql = "BEGIN;\n" + sql + ";\nCOMMIT"
			}
			if err := w.run(sql); err != nil {
				return nil, err
			}
		}
		if f := w.step(); f != nil {
			return f, nil
		}
	}
	return nil, nil
}

// tables lists the tables with the values of their columns, and sees to it that
// each takes some row.
func (w *world) tables() ([]table, error) {
	names, err := w.column("SELECT table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE' AND table_schema = 'public' ORDER BY 1")
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, errors.New("the schema has no table")
	}
	given := w.o.Values
	used := map[string]bool{}
	var out []table
	for _, name := range names {
		t := table{name: name}
		rows, err := w.db.Text(context.Background(), "SELECT * FROM "+quoted(name)+" LIMIT 0")
		if err != nil {
			return nil, err
		}
		infos := rows.Columns()
		rows.Close()
		for _, c := range infos {
			key := name + "." + c.Name
			used[key] = true
			col := column{name: c.Name}
			if vs, ok := given[key]; ok {
				for _, v := range vs {
					lit, err := literal(v)
					if err != nil {
						return nil, fmt.Errorf("Values[%q]: %w", key, err)
					}
					col.values = append(col.values, lit)
				}
			} else {
				col.values = domain(c)
				there, err := w.column("SELECT DISTINCT " + quoted(c.Name) + "::text FROM " + quoted(name) + " WHERE " + quoted(c.Name) + " IS NOT NULL LIMIT 20")
				if err != nil {
					return nil, err
				}
				for _, v := range there {
					col.values = append(col.values, quotedText(v))
				}
				if c.Nullable {
					for range 1 + len(col.values)/5 {
						col.values = append(col.values, "NULL")
					}
				}
			}
			if len(col.values) == 0 {
				return nil, fmt.Errorf("column %s of type %s: no values, name some in Options.Values", key, c.Type)
			}
			t.cols = append(t.cols, col)
		}
		out = append(out, t)
	}
	for key := range given {
		if !used[key] {
			return nil, fmt.Errorf("Values[%q]: there is no such column", key)
		}
	}
	return out, w.taken(out)
}

// taken puts a row into each empty table, sources of foreign keys or not: an
// error says which table takes none of what is made up.
func (w *world) taken(tables []table) error {
	r := rand.New(rand.NewPCG(w.o.Seed, 0x5678))
	for _, t := range tables {
		var last error
		for n := 0; w.count(t) == 0; n++ {
			if n == tries {
				return fmt.Errorf("table %s takes none of %d rows that were made up; name values in Options.Values: %w", t.name, tries, last)
			}
			sql := t.insert(r)
			if _, err := w.db.Exec(context.Background(), sql); err != nil {
				last = explained(err)
			} else {
				w.done = append(w.done, sql)
			}
		}
	}
	return nil
}

// column is a query's one column, as text.
func (w *world) column(query string) (out []string, err error) {
	rows, err := w.db.Text(context.Background(), query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		cell, _ := rows.Cell(0)
		out = append(out, string(cell))
	}
	return out, rows.Err()
}

func (w *world) count(t table) int {
	n, err := w.column("SELECT count(*) FROM " + quoted(t.name))
	if err != nil || len(n) != 1 {
		return 0
	}
	rows, _ := strconv.Atoi(n[0])
	return rows
}

// change is one change of a table. Rows go as fast as they come once there are enough.
func (w *world) change(r *rand.Rand, t table) string {
	full := w.count(t) >= w.o.Rows
	switch k := r.IntN(20); {
	case k == 0 && full:
		return "DELETE FROM " + quoted(t.name)
	case k < 4 || k < 11 && full:
		return "DELETE FROM " + quoted(t.name) + " WHERE " + t.where(r)
	case k < 12: // also of a column of the key, which moves the row
		c := t.cols[r.IntN(len(t.cols))]
		sql := "UPDATE " + quoted(t.name) + " SET " + quoted(c.name) + " = " + c.pick(r)
		if d := t.cols[r.IntN(len(t.cols))]; d.name != c.name && r.IntN(2) == 0 {
			sql += ", " + quoted(d.name) + " = " + d.pick(r)
		}
		if r.IntN(6) > 0 {
			sql += " WHERE " + t.where(r)
		}
		return sql
	case k < 14: // the row that was there, again
		return "INSERT INTO " + quoted(t.name) + " SELECT * FROM " + quoted(t.name) + " WHERE " + t.where(r)
	}
	return t.insert(r)
}

func (t *table) insert(r *rand.Rand) string {
	cells := make([]string, len(t.cols))
	for i, c := range t.cols {
		cells[i] = c.pick(r)
	}
	return "INSERT INTO " + quoted(t.name) + " VALUES (" + strings.Join(cells, ", ") + ")"
}

func (t *table) where(r *rand.Rand) string {
	c := t.cols[r.IntN(len(t.cols))]
	v := c.pick(r)
	switch {
	case v == "NULL":
		return quoted(c.name) + " IS NULL"
	case r.IntN(4) == 0:
		return quoted(c.name) + " > " + v
	}
	return quoted(c.name) + " = " + v
}

func (c *column) pick(r *rand.Rand) string { return c.values[r.IntN(len(c.values))] }

// domain is a few values of a type: equal ones meet in joins and groups.
func domain(c ivmc.ColumnInfo) []string {
	name, _, _ := strings.Cut(c.Type, "(")
	if elem, ok := strings.CutSuffix(c.Type, "[]"); ok {
		out := []string{"'{}'", "'{NULL}'"}
		vs := domain(ivmc.ColumnInfo{Type: elem})
		for i := range vs {
			v, w := strings.Trim(vs[i], "'"), strings.Trim(vs[(i+1)%len(vs)], "'")
			if !strings.ContainsAny(v+w, `\{}"'`) {
				out = append(out, `'{"`+v+`","`+w+`"}'`)
			}
		}
		return out
	}
	switch name {
	case "smallint", "integer", "bigint":
		return []string{"0", "1", "2", "3", "4", "5", "7", "10", "-1"}
	case "numeric":
		out := []string{"0", "1", "2", "-1"}
		if c.Precision == 0 || c.Scale >= 2 && c.Precision-c.Scale >= 2 {
			out = append(out, "0.25", "1.5", "-2.75", "10.01")
		}
		return out
	case "real", "double precision":
		return []string{"0", "'-0'", "1.5", "-2.25", "0.1", "1e10", "'NaN'", "'Infinity'"}
	case "boolean":
		return []string{"TRUE", "FALSE"}
	case "text":
		return []string{"''", "'a'", "'b'", "'c'", "'B'", "'a b'", "'ä'"}
	case "character varying", "character":
		out := []string{"'a'", "'b'", "'c'", "''", "'B'"}
		if c.Length == 0 || c.Length >= 3 {
			out = append(out, "'a b'", "'ä'")
		}
		return out
	case "bytea":
		return []string{`'\x'`, `'\x00'`, `'\xff01'`}
	case "uuid":
		return []string{"'00000000-0000-0000-0000-000000000001'", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12'"}
	case "date":
		return []string{"'2024-02-29'", "'2024-03-01'", "'2023-12-31'", "'2024-01-01'", "'1969-07-20'"}
	case "time without time zone":
		return []string{"'00:00:00'", "'12:30:00'", "'23:59:59.999999'"}
	case "timestamp without time zone", "timestamp with time zone":
		return []string{"'2024-02-29 00:00:00'", "'2024-02-29 23:59:59.5'", "'2024-03-01 12:00:00'", "'2023-12-31 23:59:59'", "'1969-07-20 20:17:00'"}
	case "interval":
		return []string{"'0'", "'1 day'", "'24:00:00'", "'1 mon'", "'30 days'", "'-00:00:01'"}
	}
	return nil
}

// literal is a Go value as SQL.
func literal(v any) (string, error) {
	if valuer, ok := v.(driver.Valuer); ok {
		in, err := valuer.Value()
		if err != nil {
			return "", err
		}
		v = in
	}
	switch v := v.(type) {
	case nil:
		return "NULL", nil
	case bool, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		return strings.ToUpper(fmt.Sprint(v)), nil
	case float32, float64:
		return quotedText(fmt.Sprint(v)), nil
	case string:
		return quotedText(v), nil
	case []byte:
		return `'\x` + hex.EncodeToString(v) + `'`, nil
	case time.Time:
		return quotedText(v.Format("2006-01-02 15:04:05.999999-07:00")), nil
	}
	return "", fmt.Errorf("a value of Go type %T has no SQL literal", v)
}

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func quotedText(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
