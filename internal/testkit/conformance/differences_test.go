package conformance

import (
	_ "embed"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

//go:embed differences.txt
var differencesText string

// difference is an entry of differences.txt: where our answer is meant to be another.
type difference struct {
	area, why      string
	example        string // a query that shows it
	query          *regexp.Regexp
	ours, postgres *regexp.Regexp // over outcome.String
	within         float64        // 0, or how far floats may be apart, relative
	twins          bool           // the answers have equal rows, if not identical ones
	used           bool
}

// maxDifferences, and where there may be none.
const maxDifferences = 40

var closed = regexp.MustCompile(`^(comparison|arithmetic|cast|aggregate)`)

const exactSums = "aggregate: exact DOUBLE sums"

// differences reads the file: entries are separated by blank lines, a line is "field: value".
func differences(t *testing.T) []*difference {
	t.Helper()
	var out []*difference
	for _, para := range strings.Split(differencesText, "\n\n") {
		d := &difference{query: regexp.MustCompile(`^$`), ours: regexp.MustCompile(""), postgres: regexp.MustCompile("")}
		for _, line := range strings.Split(strings.TrimSpace(para), "\n") {
			field, value, ok := strings.Cut(line, ": ")
			if strings.HasPrefix(line, "#") || line == "" {
				continue
			}
			var err error
			switch field {
			case "area":
				d.area = value
			case "why":
				d.why = value
			case "example":
				d.example = value
			case "query":
				d.query, err = regexp.Compile(value)
			case "ours":
				d.ours, err = regexp.Compile(`(?s)` + value)
			case "postgres":
				d.postgres, err = regexp.Compile(`(?s)` + value)
			case "rows":
				d.twins = true
				ok = value == "equal"
			case "within":
				d.within, err = strconv.ParseFloat(value, 64)
			default:
				ok = false
			}
			if err != nil || !ok {
				t.Fatalf("differences.txt: %q: %v", line, err)
			}
		}
		if d.example == "" {
			continue
		}
		if d.area == "" || d.why == "" || closed.MatchString(d.area) && d.area != exactSums {
			t.Errorf("differences.txt: %s: an entry needs a reason, and an area that is none of comparison, arithmetic, casts, aggregates but %q", d.example, exactSums)
		}
		out = append(out, d)
	}
	if len(out) > maxDifferences {
		t.Errorf("differences.txt has %d entries, more than %d", len(out), maxDifferences)
	}
	return out
}

// covers reports whether d explains that two answers differ.
func (d *difference) covers(sql string, ours, pg *outcome) bool {
	if !d.query.MatchString(sql) || !d.ours.MatchString(ours.String()) || !d.postgres.MatchString(pg.String()) {
		return false
	}
	return (d.within == 0 || near(ours, pg, d.within)) && (!d.twins || equal(ours, pg))
}

// equal reports whether the answers have the same rows, where values that are equal
// are the same, also within arrays.
func equal(a, b *outcome) bool {
	if a.code != "" || b.code != "" || a.head() != b.head() {
		return false
	}
	return compare(a, b, false, false) == ""
}

// near reports whether the answers are the same but for the last digits of floats.
func near(a, b *outcome, within float64) bool {
	if a.code != "" || b.code != "" || a.head() != b.head() || len(a.rows) != len(b.rows) {
		return false
	}
	for i := range a.rows {
		for j := range a.rows[i] {
			x, y := a.rows[i][j], b.rows[i][j]
			if x == y {
				continue
			}
			f, err1 := strconv.ParseFloat(x.Text, 64)
			g, err2 := strconv.ParseFloat(y.Text, 64)
			if x.Null || y.Null || err1 != nil || err2 != nil || !(math.Abs(f-g) <= within*math.Abs(g)) {
				return false
			}
		}
	}
	return true
}

// TestDifferences: every entry still occurs, as it says.
func TestDifferences(t *testing.T) {
	p := newPair(t)
	for _, d := range p.meant {
		ours, pg := p.answers(d.example)
		switch {
		case same(ours, pg):
			t.Errorf("no longer a difference: %s\nboth: %s", d.example, ours)
		case !d.covers(d.example, ours, pg):
			t.Errorf("the entry does not describe its example: %s\nours: %s\npostgres: %s", d.example, ours, pg)
		}
	}
}
