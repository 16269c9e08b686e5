package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"
)

const root = "../../.."

// block is a fenced block of a file.
type block struct {
	lang string
	line int // of its first line, from 1
	text string
}

func blocks(text string) []block {
	var out []block
	var cur *block
	for i, l := range strings.Split(text, "\n") {
		switch {
		case cur == nil && strings.HasPrefix(l, "```"):
			cur = &block{lang: strings.TrimPrefix(l, "```"), line: i + 2}
		case cur != nil && strings.TrimSpace(l) == "```":
			out = append(out, *cur)
			cur = nil
		case cur != nil:
			cur.text += l + "\n"
		}
	}
	return out
}

// files are README.md and docs/*.md.
func files(t *testing.T) []string {
	t.Helper()
	out, err := filepath.Glob(root + "/docs/*.md")
	if err != nil || len(out) == 0 {
		t.Fatal("no docs", err)
	}
	return append([]string{root + "/README.md"}, out...)
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestLinks: every relative link of the documentation leads to a file.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#\s]+)(#[^)]*)?\)`)
	for _, f := range append(files(t), root+"/CONTRIBUTING.md") {
		for _, m := range link.FindAllStringSubmatch(read(t, f), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(f), m[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", filepath.Base(f), m[1])
			}
		}
	}
}

// TestGoBlocks: the code of the tutorial is code that runs.
func TestGoBlocks(t *testing.T) {
	trim := func(s string) string {
		var out []string
		for _, l := range strings.Split(s, "\n") {
			if l = strings.TrimSpace(l); l != "" {
				out = append(out, l)
			}
		}
		return "\n" + strings.Join(out, "\n") + "\n"
	}
	var code string
	for _, f := range []string{"example_test.go", "examples_test.go", "example_consumer_test.go", "example_schedule_test.go", "driver/example_test.go", "ivmctest/ivmctest_test.go"} {
		code += trim(read(t, filepath.Join(root, f)))
	}
	for _, f := range []string{"library.md", "tutorial-embed.md"} {
		for _, b := range blocks(read(t, root+"/docs/"+f)) {
			if b.lang == "go" && !strings.Contains(code, trim(b.text)) {
				t.Errorf("%s:%d: this code stands in no example:\n%s", f, b.line, b.text)
			}
		}
	}
}

// targets are the targets of the Makefile.
func targets(t *testing.T) map[string]bool {
	out := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^([a-z-]+):`).FindAllStringSubmatch(read(t, root+"/Makefile"), -1) {
		out[m[1]] = true
	}
	return out
}

// codes are the SQLSTATEs and reasons that the sources name.
func codes(t *testing.T) []string {
	t.Helper()
	sqlstate := regexp.MustCompile(`"([0-9][0-9A-Z]{2}[0-9A-Z]{2}|XX00[0-9]|P000[0-9])"`)
	digits := regexp.MustCompile(`[0-9]`)
	reason := regexp.MustCompile(`(?m)^\s*Code[A-Za-z]+ += "([A-Z_]+)"`)
	seen := map[string]bool{}
	for _, dir := range []string{".", "ast", "algebra", "delta", "expr", "runtime", "refresh", "session", "storage", "zset"} {
		names, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range names {
			if strings.HasSuffix(f, "_test.go") {
				continue
			}
			text := read(t, f)
			for _, m := range sqlstate.FindAllStringSubmatch(text, -1) {
				if len(digits.FindAllString(m[1], -1)) >= 3 {
					seen[m[1]] = true
				}
			}
			if dir == "delta" {
				for _, m := range reason.FindAllStringSubmatch(text, -1) {
					seen[m[1]] = true
				}
			}
		}
	}
	delete(seen, "00000") // of notices
	var out []string
	for c := range seen {
		out = append(out, c)
	}
	sort.Strings(out)
	return out
}

// TestErrorsListed: every code that the sources raise has its row in errors.md.
func TestErrorsListed(t *testing.T) {
	text := read(t, root+"/docs/errors.md")
	for _, c := range codes(t) {
		if !strings.Contains(text, "| `"+c+"` |") {
			t.Errorf("docs/errors.md has no row for %s", c)
		}
	}
}
