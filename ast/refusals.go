package ast

import "github.com/antlr4-go/antlr/v4"

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
	p, ok := rec.(antlr.Parser)
	if !ok {
		return "", ""
	}
	ts, ok := p.GetTokenStream().(*tokens)
	if !ok || len(ts.list) < 2 {
		return "", ""
	}
	r := refusals[ts.list[0].value+" "+ts.list[1].value][t.value]
	return r.what, r.hint
}
