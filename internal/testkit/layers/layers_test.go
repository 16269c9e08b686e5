// Package layers holds the test of the layer law: which package may import which, directly.
package layers

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/ivmc/ivmc"

// law maps each package to the packages of ours that it may import directly.
// Data flows one way, parse to commit. A package that is missing here fails.
var law = map[string][]string{
	"zset":                         {},
	"grammar/gen":                  {},
	"ast":                          {"grammar/gen"},
	"expr":                         {"zset"},
	"trace":                        {},
	"storage":                      {"trace", "zset"},
	"algebra":                      {"ast", "expr", "zset"},
	"delta":                        {"algebra", "expr", "zset"},
	"explain":                      {"algebra", "delta", "zset"},
	"runtime":                      {"delta", "expr", "storage", "zset"},
	"refresh":                      {"runtime", "storage", "delta", "trace", "zset"},
	"load":                         {"zset"},
	"schedule":                     {},
	"session":                      {"ast", "algebra", "delta", "explain", "expr", "load", "refresh", "runtime", "schedule", "storage", "trace", "zset"},
	"":                             {"ast", "algebra", "delta", "expr", "load", "refresh", "runtime", "schedule", "session", "storage", "trace", "zset"},
	"serve":                        {""},
	"cmd/ivmc":                     {"", "serve"},
	"driver":                       {""},
	"ivmctest":                     {""},
	"examples/large":               {""},
	"proptest":                     {"*"},
	"internal/testkit/bench":       {"", "zset"},
	"internal/testkit/cases":       {""},
	"internal/testkit/crashfs":     {},
	"internal/testkit/docs":        {},
	"internal/testkit/layers":      {},
	"internal/testkit/conformance": {},
	"internal/testkit/postgres":    {},
	"internal/testkit/slt":         {"*"},
	"internal/testkit/querygen":    {"expr", "zset"},
	"internal/testkit/oracle":      {"*"},
}

// outside maps a foreign module to the packages that may import it directly;
// a foreign module that is not listed is free for tests only.
var outside = map[string][]string{
	"github.com/antlr4-go/antlr/":    {"grammar/gen", "ast"},
	"github.com/apache/arrow/":       {"zset", "load", "", "serve", "session", "internal/testkit/bench"},
	"github.com/cockroachdb/pebble/": {"storage", "", "session", "internal/testkit/crashfs"},
	"github.com/prometheus/":         {"serve"},
	"github.com/spf13/":              {"cmd/ivmc"},
	"github.com/peterh/liner":        {"cmd/ivmc"},
	"golang.org/x/term":              {"cmd/ivmc"},
	"modernc.org/sqlite":             {"internal/testkit/bench", "internal/testkit/oracle", "proptest"},
}

// TestLayers checks the direct imports of every package against the law.
func TestLayers(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		pkg := local(words[0])
		allowed, known := law[pkg]
		if !known {
			t.Errorf("package %q is not in the layer map", pkg)
			continue
		}
		for _, imp := range words[1:] {
			if imp == module || strings.HasPrefix(imp, module+"/") {
				if !slices.Contains(allowed, local(imp)) && !slices.Contains(allowed, "*") {
					t.Errorf("%q imports %q: not allowed", pkg, local(imp))
				}
				continue
			}
			for prefix, users := range outside {
				if strings.HasPrefix(imp+"/", prefix) && !slices.Contains(users, pkg) {
					t.Errorf("%q imports %s: not allowed", pkg, imp)
				}
			}
		}
	}
}

// local is the path inside the module; "" is the root package.
func local(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, module), "/")
}
