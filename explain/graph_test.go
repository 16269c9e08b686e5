package explain

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

// sales is a graph with everything that there is.
func sales() *Graph {
	view := func(v NodeView) *NodeView { return &v }
	return &Graph{Nodes: []*Node{
		{Name: "sale", Kind: "table", Rows: 3, Bytes: 120},
		{Name: "takings", Kind: "materialized view", Reads: []string{"sale"}, Rows: 1, Bytes: 20_000,
			View: view(NodeView{Mode: "AUTO", Built: true, Pending: 2, LagMS: 1500})},
		{Name: `odd "<&` + "`#\n", Kind: "view", Reads: []string{"sale", "takings"}},
		{Name: "top", Kind: "materialized view", Reads: []string{"sale", `odd "<&` + "`#\n"},
			View: view(NodeView{Mode: "INCREMENTAL", Trigger: "EVERY 1 MINUTE", Blockers: []string{"COST"}})},
		{Name: "news", Kind: "stream", Reads: []string{"takings"}, Stream: &NodeStream{Type: "min_delta", Pending: 7}},
		{Name: "old", Kind: "stream", Reads: []string{"takings"}, Stream: &NodeStream{Type: "append_only", Pending: 7, Stale: "its log is gone"}},
		{Name: "read", Kind: "stream", Reads: []string{"takings"}, Stream: &NodeStream{Type: "append_only"}},
		{Name: "alone", Kind: "table"},
	}}
}

func TestGraphText(t *testing.T) {
	got, err := sales().Format("text")
	if err != nil {
		t.Fatal(err)
	}
	want := `sale: table; 3 rows, 120 bytes
├─ takings: materialized view; AUTO; 1 row, 20 kB; 2 pending, 1.5s behind
│  ├─ odd "<&` + "`# " + `: view
│  │  └─ top: materialized view; INCREMENTAL, EVERY 1 MINUTE; not incremental: COST; not built yet
│  ├─ news: stream; min_delta; 7 pending
│  ├─ old: stream; append_only; stale
│  └─ read: stream; append_only; up to date
├─ odd "<&` + "`# " + ` (see above)
└─ top (see above)
alone: table; 0 rows, 0 bytes
`
	if got != want {
		t.Errorf("%s", got)
	}
	if got, _ := (&Graph{}).Format("text"); got != "There are no tables and views.\n" {
		t.Errorf("%q", got)
	}
	if _, err := sales().Format("png"); err == nil {
		t.Error("a format that is none")
	}
}

// TestGraphDrawn: every drawing has every node and every arrow, whatever the names are.
func TestGraphDrawn(t *testing.T) {
	text := map[string]string{}
	for _, f := range GraphFormats() {
		s, err := sales().Format(f)
		if err != nil {
			t.Fatal(err)
		}
		text[f] = s
	}
	var back Graph
	if err := json.Unmarshal([]byte(text["json"]), &back); err != nil || len(back.Nodes) != 8 {
		t.Error(err)
	}
	if n := strings.Count(text["dot"], " -> "); n != 8 {
		t.Errorf("dot has %d arrows", n)
	}
	if n := strings.Count(text["mermaid"], " --> "); n != 8 {
		t.Errorf("mermaid has %d arrows", n)
	}
	if n := strings.Count(text["svg"], "marker-end"); n != 8 {
		t.Errorf("svg has %d arrows", n)
	}
	for d := xml.NewDecoder(strings.NewReader(text["svg"])); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// TestGraphLayout: in random graphs boxes do not lie on each other, and every arrow
// leads to the right.
func TestGraphLayout(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		g := &Graph{}
		for i := range 1 + rng.IntN(30) {
			n := &Node{Name: fmt.Sprint("n", i, strings.Repeat("x", rng.IntN(60))), Kind: "view"}
			for range rng.IntN(4) {
				if i > 0 {
					n.Reads = append(n.Reads, g.Nodes[rng.IntN(i)].Name)
				}
			}
			g.Nodes = append(g.Nodes, n)
		}
		cols, all := g.columns()
		arrange(cols)
		seen := 0
		for _, col := range cols {
			for i, s := range col {
				if s.node != nil {
					seen++
				}
				if i > 0 && s.y-s.h/2 < col[i-1].y+col[i-1].h/2+siblingGap-0.01 {
					t.Fatalf("%v lies on %v", s, col[i-1])
				}
			}
		}
		if seen != len(g.Nodes) {
			t.Fatalf("%d of %d nodes have a place", seen, len(g.Nodes))
		}
		for _, way := range all {
			for i := range len(way) - 1 {
				if way[i+1].column != way[i].column+1 {
					t.Fatal("an arrow does not lead to the next column")
				}
			}
		}
	}
}
