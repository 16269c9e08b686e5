package session

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestTruthOfQueriesInFilters: a filter tells no unknown from FALSE, and does without
// what would; a column of the same condition does not.
func TestTruthOfQueriesInFilters(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, "CREATE TABLE t(a INT, b INT);\nCREATE TABLE u(c INT, d INT)")
	r := rand.New(rand.NewPCG(1, 2))
	leaf := []string{
		"a IN (SELECT c FROM u)", "a NOT IN (SELECT c FROM u)", "a IN (SELECT c FROM u WHERE d = b)", "a NOT IN (SELECT c FROM u WHERE d = b)",
		"b > ANY (SELECT d FROM u)", "b <= ALL (SELECT d FROM u)", "a <> ANY (SELECT c FROM u)", "(a, b) IN (SELECT c, d FROM u)",
		"NULL IN (SELECT c FROM u)", "1 IN (SELECT c FROM u)", "EXISTS (SELECT 1 FROM u WHERE c = a)", "a = 1", "b IS NULL",
		"CASE WHEN a IN (SELECT c FROM u) THEN true WHEN b = 1 THEN NULL ELSE false END", "10 / a IN (SELECT c FROM u)",
	}
	var cond func(depth int) string
	cond = func(depth int) string {
		if depth == 0 || r.IntN(4) == 0 {
			return leaf[r.IntN(len(leaf))]
		}
		switch r.IntN(5) {
		case 0:
			return "NOT (" + cond(depth-1) + ")"
		case 1:
			return "(" + cond(depth-1) + ") IS NOT TRUE"
		case 2:
			return "(" + cond(depth-1) + " AND " + cond(depth-1) + ")"
		}
		return "(" + cond(depth-1) + " OR " + cond(depth-1) + ")"
	}
	value := func() string { return []string{"NULL", "1", "2", "3"}[r.IntN(4)] }
	for round := range 150 {
		do(t, s, "TRUNCATE t;\nTRUNCATE u")
		for _, table := range []string{"t", "u"} {
			var rows []string
			for range r.IntN(5) {
				rows = append(rows, fmt.Sprintf("(%s, %s)", value(), value()))
			}
			if len(rows) > 0 {
				do(t, s, "INSERT INTO "+table+" VALUES "+strings.Join(rows, ", "))
			}
		}
		c := cond(3)
		filtered := "SELECT a, b FROM t WHERE " + c
		is(t, fmt.Sprintf("%d: %s", round, c), sortedLines(rows(t, s, filtered)),
			sortedLines(rows(t, s, "SELECT a, b FROM (SELECT a, b, "+c+" AS p FROM t) s WHERE p")))
		is(t, fmt.Sprintf("%d: HAVING %s", round, c), sortedLines(rows(t, s, "SELECT a, b FROM t GROUP BY a, b HAVING "+c)),
			sortedLines(rows(t, s, "SELECT DISTINCT a, b FROM (SELECT a, b, "+c+" AS p FROM t) s WHERE p")))
	}
}
