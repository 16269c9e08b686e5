package docs

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ivmc/ivmc/delta"
)

// TestReasons compares the table of reasons with the codes of delta.
func TestReasons(t *testing.T) {
	file := root + "/docs/errors.md"
	var b strings.Builder
	b.WriteString("| code | told | it means | what to do |\n| --- | --- | --- | --- |\n")
	for _, c := range delta.Codes() {
		told := "by a refresh"
		if c.Definition {
			told = "by CREATE and EXPLAIN, with its place"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", c.Code, told, c.Means, c.Do)
	}
	old := read(t, file)
	text := section(t, old, "reasons", b.String())
	if text == old {
		return
	}
	if !*rewrite {
		t.Fatal("docs/errors.md is not what delta.Codes says: go test ./internal/testkit/docs -rewrite, and read the difference")
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
