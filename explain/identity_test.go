package explain_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ivmc/ivmc"
	"github.com/ivmc/ivmc/explain"
)

// rows fill the tables of the goldens: few values, so that rows meet, copies and NULLs.
const rows = `
INSERT INTO flights VALUES (1, '2024-01-01', 'SFO', 'OAK', 70, 10), (2, '2024-01-01', 'SFO', 'OAK', 70, 10), (3, '2024-01-02', 'OAK', 'SFO', 5, 20),
  (4, NULL, NULL, 'SFO', 90, 30), (5, '2024-01-01', 'OAK', 'SFO', 20, 20), (6, '2024-01-01', 'JFK', 'SFO', 61, 0);
INSERT INTO airports VALUES ('SFO', 'San Francisco', 'CA', 37.6), ('OAK', 'Oakland', 'CA', 37.6), ('JFK', NULL, 'NY', 40.6), ('LGA', 'Bern', 'NY', 40.7);
INSERT INTO shop VALUES ('a', 'Bern', NULL), ('b', 'Bern', '2020-01-01'), ('c', 'Oakland', NULL), ('d', NULL, NULL);
INSERT INTO sale VALUES (1, 'a', 'x', 1.50, NULL), (2, 'a', 'x', 1.50, NULL), (3, 'b', 'y', 3, '2024-01-01'), (4, NULL, 'y', 3, NULL), (5, 'z', 'x', 2.50, NULL);
INSERT INTO price VALUES ('x', 1, 2, 0.0), ('x', 1, 3, -0.0), ('y', 0, 9, 1), ('y', 0, 9, 1), (NULL, 2, 3, NULL);
`

// TestIdentity: of the result of every view that a golden shows, no two rows agree
// in the columns that the full and the delta plan call its identity, and there is
// one row at most where they say so.
func TestIdentity(t *testing.T) {
	ctx := context.Background()
	told := 0
	for _, f := range goldens(t) {
		db, err := ivmc.Open("", &ivmc.Options{InMemory: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{"testdata/schema.sql", f} {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := db.Exec(ctx, strings.ReplaceAll(string(b), "REFRESH INCREMENTAL", "")); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
		}
		for _, r := range strings.Split(strings.TrimSpace(rows), ";\n") {
			if _, err := db.Exec(ctx, r); err != nil {
				t.Fatal(err)
			}
		}
		for _, v := range db.Views() {
			if _, err := db.Refresh(ctx, v, ivmc.Complete); err != nil {
				if strings.Contains(err.Error(), "division by zero") {
					continue
				}
				t.Fatalf("%s: %s: %v", f, v, err)
			}
			for _, stage := range []string{"delta", "full"} {
				text, err := db.Explain(ctx, fmt.Sprintf("EXPLAIN (FORMAT json, STAGE '%s') REFRESH MATERIALIZED VIEW %s", stage, v))
				if err != nil {
					t.Fatal(err)
				}
				var r explain.Report
				if err := json.Unmarshal([]byte(text), &r); err != nil {
					t.Fatal(err)
				}
				told += identified(t, ctx, db, f, v, &r)
			}
		}
		db.Close()
	}
	if told < 40 {
		t.Errorf("%d identities", told)
	}
}

// identified checks the identity of the root of r, and gives 1 if it has one.
func identified(t *testing.T, ctx context.Context, db *ivmc.DB, file, view string, r *explain.Report) int {
	t.Helper()
	by := r.Plan.Identity
	if by.By == "whole row" {
		return 0
	}
	var cols []string
	for _, c := range by.Columns {
		cols = append(cols, r.Columns[slices.Index(r.Plan.Columns, c)].Name)
	}
	group := ""
	if len(cols) > 0 {
		group = " GROUP BY " + strings.Join(cols, ", ")
	}
	text, err := db.Text(ctx, "SELECT count(*) AS n FROM (SELECT count(*) AS k FROM "+view+group+") AS g WHERE k > 1")
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	if !text.Next() {
		t.Fatal(text.Err())
	}
	if n, _ := text.Cell(0); string(n) != "0" {
		t.Errorf("%s: %s: %s values of %s stand several times (%s)", file, view, n, by.Columns, r.Kind)
	}
	return 1
}
