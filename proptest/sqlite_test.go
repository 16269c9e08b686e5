package proptest

import (
	"database/sql"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // a judge that shares no code with us
	"pgregory.net/rapid"

	"github.com/ivmc/ivmc/internal/testkit/querygen"
	"github.com/ivmc/ivmc/zset"
)

// TestSQLite: views hold what SQLite answers, where the two mean the same:
// integers, text and plain doubles (sums with a tolerance). A query that SQLite
// cannot read is not judged; most must be.
func TestSQLite(t *testing.T) {
	judged, all := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		opt := querygen.Options{Kinds: []zset.Kind{zset.Int8, zset.Text, zset.Float8}, Plain: true, Distinct: true,
			Aggs: []string{"count", "sum", "avg", "min", "max"}, Judged: true, FlatComma: true}
		w := newWorld(rt, rapid.Uint64().Draw(rt, "seed"), opt, 2, 2)
		defer w.close()
		lite, err := sql.Open("sqlite", ":memory:")
		if err != nil {
			rt.Fatalf("sqlite: %v", err)
		}
		defer lite.Close()
		lite.SetMaxOpenConns(1)
		for _, tab := range w.tables {
			if _, err := lite.Exec(tab.DDL()); err != nil {
				rt.Fatalf("sqlite: %v", err)
			}
		}
		for _, v := range w.views {
			if _, err := lite.Exec("CREATE VIEW " + v.name + " AS " + v.query); err != nil {
				rt.Logf("sqlite: %v", err)
			}
		}
		for range rapid.IntRange(1, 5).Draw(rt, "steps") {
			for _, stmt := range w.transaction() {
				for _, part := range forSQLite(stmt) {
					if _, err := lite.Exec(part); err != nil {
						w.fail("sqlite refuses %s: %v", part, err)
					}
				}
			}
			w.refreshAll("INCREMENTAL")
			for _, v := range w.views {
				all++
				want, err := liteBag(lite, "SELECT * FROM "+v.name)
				if err != nil {
					continue
				}
				judged++
				got, err := bag(w.db, "SELECT * FROM "+v.name)
				if err != nil {
					w.fail("%v", err)
				}
				if diff := differ(got, want); diff != "" {
					w.fail("view %s (%s): %s\nours:\n%s\nsqlite:\n%s", v.name, v.query, diff, strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			}
		}
	})
	if judged*10 < all*6 {
		t.Fatalf("SQLite judged %d of %d", judged, all)
	}
}

// forSQLite is stmt as SQLite can do it: it checks a primary key row by row, we
// when the statement is done, so keys move out of the way first.
func forSQLite(stmt string) []string {
	table, rest, found := strings.Cut(stmt, " SET a = a + 1")
	if !found {
		return []string{stmt}
	}
	return []string{table + " SET a = a + 1000001" + rest, table + " SET a = a - 1000000 WHERE a > 500000"}
}

func liteBag(db *sql.DB, q string) ([]string, error) {
	rows, err := db.Query(q)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	cols, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var out []string
	for rows.Next() {
		cells, ptrs := make([]any, len(cols)), make([]any, len(cols))
		for i := range cells {
			ptrs[i] = &cells[i]
		}
		if err := rows.Scan(ptrs...); err != nil {
			return nil, err
		}
		line := make([]string, len(cols))
		for i, c := range cells {
			switch c := c.(type) {
			case nil:
				line[i] = `\N`
			case float64:
				line[i] = strconv.FormatFloat(c, 'g', -1, 64)
			case []byte:
				line[i] = string(c)
			default:
				line[i] = fmt.Sprint(c)
			}
		}
		out = append(out, strings.Join(line, "|"))
	}
	sort.Strings(out)
	return out, rows.Err()
}

// differ compares two bags of rows, numbers as numbers, booleans as 0 and 1; it
// pairs the rows up by their canonical text.
func differ(got, want []string) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%d rows, want %d", len(got), len(want))
	}
	a, b := canonical(got), canonical(want)
	for i := range a {
		if a[i] != b[i] {
			return fmt.Sprintf("row %q, want %q", a[i], b[i])
		}
	}
	return ""
}

// canonical rounds numbers to nine digits and sorts again.
func canonical(rows []string) []string {
	out := make([]string, len(rows))
	for i, row := range rows {
		cells := strings.Split(row, "|")
		for j, c := range cells {
			switch {
			case c == "t":
				cells[j] = "1"
			case c == "f":
				cells[j] = "0"
			default:
				if f, err := strconv.ParseFloat(c, 64); err == nil && !math.IsNaN(f) {
					cells[j] = strconv.FormatFloat(f+0, 'g', 9, 64)
				}
			}
		}
		out[i] = strings.Join(cells, "|")
	}
	sort.Strings(out)
	return out
}
