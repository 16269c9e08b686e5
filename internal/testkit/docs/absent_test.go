package docs

import (
	"os"
	"regexp"
	"strings"
	"testing"

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
