package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ivmc/ivmc"
	"github.com/ivmc/ivmc/serve"
)

// TestComplete: what the words may be depends on what stands around.
func TestComplete(t *testing.T) {
	db, err := ivmc.Open("", &ivmc.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(t.Context(), `CREATE TABLE sale(id INT, shop TEXT, "Odd one" INT); CREATE VIEW sales_of AS SELECT * FROM sale`); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ line, want string }{ // | is the cursor
		{"SEL|", "SELECT"},
		{"sel|", "select"},
		{"SELECT sho|", "shop show"},
		{"SELECT * FROM sa|", "sale sales_of"},
		{"SELECT * FROM sale, sa|", "sale sales_of"},
		{"SELECT s.| FROM sale AS s", `s."Odd one" s.id s.shop`},
		{"SELECT s.s| FROM x JOIN sale s ON true", "s.shop"},
		{"SELECT sale.i|", "sale.id"},
		{"SELECT 'sa|", ""},
		{"SELECT '' || sho|", "shop show"},
		{`\d sal|`, "sale sales_of"},
		{`\ti|`, "timing"},
		{`\h refr|`, "REFRESH MATERIALIZED VIEW"},
		{"", "    "},
		{"SELECT date_tr|", "date_trunc("},
		{"SELECT assig|", ""},
		{"SELECT order_|", ""},
		{"SELECT cas|", "cascade case cast"},
		{"SELECT arra|", "array array_agg( array_append( array_cat( array_dims( array_length( array_lower( array_ndims( array_position( array_positions( array_prepend( array_remove( array_replace( array_to_string( array_upper("},
		{"DROP |", "MATERIALIZED VIEW STREAM TABLE VIEW"},
		{"create ma|", "materialized view"},
		{"CREATE OR|", "OR REPLACE MATERIALIZED VIEW OR REPLACE VIEW"},
		{"refresh |", "materialized view"},
		{"DROP TABLE sa|", "sale sales_of"},
		{"INSERT i|", "into"},
		{"SELECT * FROM sale WHERE id = 1, sho|", "shop show"},
	} {
		sh := &shell{db: serve.Local(db), script: ivmc.NewScript(nil)}
		before, after, _ := strings.Cut(c.line, "|")
		if i := strings.LastIndex(c.line, "|"); strings.Count(c.line, "|") > 1 {
			before, after = c.line[:i], c.line[i+1:]
		}
		_, words, tail := sh.complete(before+after, utf8.RuneCountInString(before))
		if got := strings.Join(sorted(words), " "); got != c.want || tail != after {
			t.Errorf("%q: %q and %q, wanted %q", c.line, got, tail, c.want)
		}
	}
}
