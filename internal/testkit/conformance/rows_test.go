package conformance

import (
	"strings"
	"testing"

	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// series are the bounds and steps of what counts: near each other, or no end is seen.
var series = map[zset.Kind][]string{
	zset.Int4:        {"1", "3", "-2", "0", "2"},
	zset.Int8:        {"1", "3", "-2", "0", "2"},
	zset.Numeric:     {"1", "1.5", "-2.25", "0", "0.10", "3", "NaN", "Infinity"},
	zset.Timestamp:   {"2024-01-30 12:00", "2024-02-29", "2024-03-31 23:59:59.5", "2024-01-01"},
	zset.TimestampTZ: {"2024-03-30 12:00+00", "2024-03-31 00:30+00", "2024-04-02 22:00+00", "2024-03-29 00:00+00"},
	zset.Interval:    {"1 day", "1 mon", "-12 hours", "0", "1 mon -1 day", "36:00"},
}

// ends are the last of what counts: a step leads beyond.
var ends = map[zset.Kind][]string{
	zset.Int4: {"2147483647", "2147483646"},
	zset.Int8: {"9223372036854775807", "9223372036854775806"},
}

// TestRows: every function that gives rows, in FROM, with ORDINALITY, and in a select list.
func TestRows(t *testing.T) {
	p := newPair(t)
	p.both("SET TimeZone = 'Europe/Berlin'")
	var rows []*expr.Func
	for _, f := range expr.Functions() {
		if f.Rows {
			rows = append(rows, f)
		}
	}
	for p.seed = *seedFlag; p.seed < *seedFlag+uint64(cases()/3); p.seed++ {
		g := newGenerator(p.seed, nil)
		f := rows[p.seed%uint64(len(rows))]
		elem := pick(g, arrayKinds)
		last := g.r.IntN(4) == 0
		var args []string
		for i, k := range f.Args {
			pool := edgesOf(g.argument(f, i, elem))
			switch {
			case f.Name == "generate_series" && last && i < 2 && ends[k] != nil:
				pool = ends[k]
			case f.Name == "generate_series":
				pool = series[k]
			case k == zset.Int4:
				pool = []string{"1", "0", "2"}
			case k == zset.Text && i == 1 && strings.HasPrefix(f.Name, "regexp"):
				pool = patterns
			case k == zset.Text && i == 2 && strings.HasPrefix(f.Name, "regexp"):
				pool = []string{"", "i", "g"}
			case k == zset.Text:
				pool = []string{"", "a", "a,b,,c", ",", "abc"}
			}
			arg := quote(pick(g, pool))
			if g.r.IntN(12) == 0 {
				arg = "NULL"
			}
			args = append(args, "CAST("+arg+" AS "+g.argument(f, i, elem).String()+")")
		}
		call := f.Name + "(" + strings.Join(args, ", ") + ")"
		q := "SELECT * FROM " + call + " WITH ORDINALITY"
		switch g.r.IntN(6) {
		case 0:
			q = "SELECT count(*), count(x) FROM " + call + " AS s(x)"
		case 1:
			q = "SELECT * FROM (VALUES (1), (2)) AS v(k) LEFT JOIN " + call + " WITH ORDINALITY AS s(x, n) ON n > k ORDER BY k, n"
		case 2:
			q = "SELECT n, generate_series(1, n) FROM (SELECT count(*) AS n FROM " + call + ") AS s ORDER BY 1, 2"
		}
		ours, pg := p.answers(q)
		p.judge(q, ours, pg)
	}
}
