package docs

import (
	"context"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/ivmc/ivmc"
	"github.com/ivmc/ivmc/expr"
)

// TestAbsentFunctions: what docs/sql.md calls absent is, or is one of three whose
// other forms are there.
func TestAbsentFunctions(t *testing.T) {
	b, err := os.ReadFile("../../../docs/sql.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(b), "<!-- absent -->")
	list, _, ends := strings.Cut(rest, "<!-- end absent -->")
	names := regexp.MustCompile("`([a-z0-9_]+)`").FindAllStringSubmatch(list, -1)
	if !ok || !ends || len(names) < 10 {
		t.Fatal("docs/sql.md has no list of absent functions")
	}
	for _, m := range names {
		name := m[1]
		if name == "to_char" || name == "to_timestamp" || name == "width_bucket" {
			continue
		}
		if expr.IsFunction(name) || expr.IsAggregate(name) || expr.IsOrderedSet(name) {
			t.Errorf("%s is there", name)
		}
	}
}

// TestElsewhere: what is to be written for a function of another dialect runs, and
// the name alone leads to it, whatever its arguments are.
func TestElsewhere(t *testing.T) {
	db, err := ivmc.Open("", &ivmc.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ctx := context.Background()
	if _, err := db.Exec(ctx, "CREATE TABLE x(s TEXT, n NUMERIC, m NUMERIC, b BOOLEAN, t TIMESTAMP, u TIMESTAMP, a NUMERIC[]); INSERT INTO x VALUES ('2024-01-31', 1, 2, true, '2024-01-31', '2024-01-30', '{1,2}')"); err != nil {
		t.Fatal(err)
	}
	for names, write := range expr.Elsewhere {
		s := write
		if write == "replace(s, ',', '')::numeric" {
			s = strings.Replace(s, "s,", "'1,000',", 1)
		}
		if _, err := db.Exec(ctx, "SELECT "+s+" FROM x"); err != nil {
			t.Errorf("%s: %v", write, err)
		}
		for _, name := range names {
			_, err := db.Exec(ctx, "SELECT "+name+"(nothing, s) FROM x")
			var e *ivmc.Error
			if !errors.As(err, &e) || e.Code != "42883" || !strings.Contains(e.Hint, write) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
