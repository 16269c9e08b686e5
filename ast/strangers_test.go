package ast

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// TestStrangers: every row of the table is met by a statement of the golden file.
func TestStrangers(t *testing.T) {
	b, err := os.ReadFile("testdata/errors/strangers")
	if err != nil {
		t.Fatal(err)
	}
	met := map[stranger]bool{}
	for _, part := range strings.Split(string(b), "errors\n")[1:] {
		src, _, _ := strings.Cut(part, "\n----\n")
		_, err := Parse(src)
		var es Errors
		if !errors.As(err, &es) {
			t.Errorf("%s: %v", src, err)
			continue
		}
		ts, _, _ := tokenise(nil, src, DefaultLimits())
		for _, s := range strangers {
			n, fits := spelled(ts, 0, s.words)
			if fits && stands(ts, s.at) && es[0].Code == codeUnsupported && es[0].Message == s.what+" is not supported" {
				if len(es) != 1 || es[0].Hint != s.hint || s.at == "" && int(es[0].Pos) > int(ts.list[n].pos) {
					t.Errorf("%s: %v", src, es)
				}
				met[s] = true
			}
		}
	}
	for _, s := range strangers {
		if !met[s] {
			t.Errorf("no statement meets %q %q", s.words, s.at)
		}
		if s.hint == "" || !strings.HasSuffix(s.hint, ".") {
			t.Errorf("%s: hint %q", s.what, s.hint)
		}
	}
}

// stands says whether words stand somewhere in ts; no words do everywhere.
func stands(ts *tokens, words string) bool {
	for i := range ts.list {
		if _, ok := spelled(ts, i, words); ok || words == "" {
			return true
		}
	}
	return false
}
