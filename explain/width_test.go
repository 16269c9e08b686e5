package explain_test

import (
	"context"
	"os"
	"testing"
	"unicode/utf8"

	"github.com/ivmc/ivmc"
)

// TestNarrow: the text of every golden fits the columns that are asked for, the
// tables of sources too.
func TestNarrow(t *testing.T) {
	for _, columns := range []string{"60", "80"} {
		most := map[string]int{"60": 60, "80": 80}[columns]
		for _, f := range goldens(t) {
			for i, l := range narrow(t, columns, "testdata/schema.sql", f) {
				if utf8.RuneCountInString(l) > most {
					t.Errorf("%s at %d columns, line %d has %d: %s", f, most, i+1, utf8.RuneCountInString(l), l)
				}
			}
		}
	}
}

// narrow is the explanation of the last file, line by line.
func narrow(t *testing.T, columns string, files ...string) []string {
	t.Helper()
	set, err := os.CreateTemp(t.TempDir(), "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	if _, err := set.WriteString("SET explain_width = " + columns); err != nil {
		t.Fatal(err)
	}
	return lines(rehearse(t, ivmc.ExplainOptions{Stage: "all"}, append([]string{set.Name()}, files...)...))
}

// TestTooNarrow: what no text fits is refused.
func TestTooNarrow(t *testing.T) {
	db, err := ivmc.Open("", &ivmc.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, bad := range []string{"0", "39", "1001", "'wide'", "-80"} {
		if _, err := db.Exec(context.Background(), "SET explain_width = "+bad); err == nil {
			t.Errorf("SET explain_width = %s is accepted", bad)
		}
	}
}
