package load

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestMembers: an object is cut where encoding/json cuts it: keys and values are the
// same, and of a key that stands twice the last one is.
func TestMembers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	blank := func() string { return strings.Repeat([]string{" ", "\n", "\t", "\r"}[r.IntN(4)], r.IntN(3)) }
	text := func() string {
		parts := []string{`a`, `\"`, `\\`, `{`, `}`, `[`, `]`, `,`, `:`, `é`, "\xff", `\u0041`, `\ud83d\ude00`, `\ud800`, ` `, `\n`}
		var b strings.Builder
		for range r.IntN(5) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		return `"` + b.String() + `"`
	}
	var value func(deep int) string
	list := func(open, end string, one func() string) string {
		var all []string
		for range r.IntN(4) {
			all = append(all, blank()+one()+blank())
		}
		if all == nil {
			return open + blank() + end
		}
		return open + strings.Join(all, ",") + end
	}
	value = func(deep int) string {
		switch n := r.IntN(8); {
		case n == 0 && deep < 4:
			return list("[", "]", func() string { return value(deep + 1) })
		case n == 1 && deep < 4:
			return list("{", "}", func() string { return text() + blank() + ":" + blank() + value(deep+1) })
		case n < 5:
			return text()
		}
		return []string{"null", "true", "false", "0", "-1.5e+300", "12"}[r.IntN(6)]
	}
	var m members
	for range 20_000 {
		object := list("{", "}", func() string { return text() + blank() + ":" + blank() + value(0) })
		want := map[string]json.RawMessage{}
		if err := json.Unmarshal([]byte(object), &want); err != nil {
			t.Fatalf("%s: %v", object, err)
		}
		if err := m.cut([]byte(object)); err != nil {
			t.Fatalf("%s: %v", object, err)
		}
		got := map[string]json.RawMessage{}
		for _, in := range m.list {
			got[in.key] = in.raw
		}
		if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
			t.Fatalf("%s: %q, wanted %q", object, got, want)
		}
	}
}
