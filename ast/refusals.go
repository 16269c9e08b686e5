package ast

import (
	"strings"

	"github.com/antlr4-go/antlr/v4"
)

// refused is a clause that other engines have and the grammar does not.
type refused struct{ what, hint string }

const aggregateHint = "Keep the rows as they come, and make a materialized view that groups them."

// refusals are such clauses by the statement that they stand in and the word at
// which the parser stops: there the clause is named, instead of the word.
var refusals = map[string]map[string]refused{
	"create table": {
		"aggregate":           {"AGGREGATE KEY", aggregateHint},
		"sum":                 {"an aggregate of a column", aggregateHint},
		"max":                 {"an aggregate of a column", aggregateHint},
		"min":                 {"an aggregate of a column", aggregateHint},
		"replace":             {"an aggregate of a column", aggregateHint},
		"replace_if_not_null": {"an aggregate of a column", aggregateHint},
		"hll_union":           {"an aggregate of a column", aggregateHint},
		"bitmap_union":        {"an aggregate of a column", aggregateHint},
		"quantile_union":      {"an aggregate of a column", aggregateHint},
		"auto_increment":      {"AUTO_INCREMENT", "Give the values yourself."},
		"cluster":             {"CLUSTER BY", "Leave it out: there are no cluster keys."},
		"partition":           {"PARTITION BY", "Leave it out: a table has no partitions."},
		"rollup":              {"ROLLUP", "Make a materialized view."},
		"comment":             {"COMMENT in CREATE TABLE", "Use COMMENT ON TABLE and COMMENT ON COLUMN."},
	},
	"alter table": {
		"modify": {"MODIFY", "Create another table and insert the rows there."},
		"order":  {"ORDER BY in ALTER TABLE", "Create another table and insert the rows there."},
	},
}

// refusal names the clause that begins at t, where the parser stopped.
func refusal(t *token, rec antlr.Recognizer) (what, hint string) {
	first, second := opening(rec)
	r := refusals[first+" "+second][t.value]
	return r.what, r.hint
}

// opening is the first two words of the statement that is parsed.
func opening(rec antlr.Recognizer) (first, second string) {
	p, ok := rec.(antlr.Parser)
	if !ok {
		return "", ""
	}
	ts, ok := p.GetTokenStream().(*tokens)
	if !ok || len(ts.list) < 2 {
		return "", ""
	}
	return ts.list[0].value, ts.list[1].value
}

// described is DESC or DESCRIBE, if the kind of a relation stands behind it, which
// other engines want there.
func described(rec antlr.Recognizer) string {
	first, second := opening(rec)
	switch second {
	case "table", "view", "materialized", "stream":
		if first == "desc" || first == "describe" {
			return strings.ToUpper(first)
		}
	}
	return ""
}
