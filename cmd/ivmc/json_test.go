package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/ivmc/ivmc"
	"github.com/ivmc/ivmc/serve"
)

// TestSpill: a line that went through a file is the line that did not.
func TestSpill(t *testing.T) {
	db, err := ivmc.Open("", &ivmc.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ctx := context.Background()
	if _, err := db.Exec(ctx, "CREATE TABLE t(a INT, s TEXT); INSERT INTO t VALUES (1, 'x\"'), (2, NULL), (3, ''), (4, E'\\n')"); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, limit := range []int{0, 1, 30} {
		s, err := serve.Local(db).Session(ctx)
		if err != nil {
			t.Fatal(err)
		}
		o, err := s.Run(ctx, "SELECT a, s FROM t ORDER BY a")
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		w := bufio.NewWriter(&out)
		p := &jsonPrinter{out: w, spillAt: limit}
		if err := p.outcome(o); err != nil {
			t.Fatal(err)
		}
		w.Flush()
		s.Close()
		lines = append(lines, out.String())
	}
	want := `{"columns":[{"name":"a","type":"integer"},{"name":"s","type":"text"}],"rows":[["1","x\""],["2",null],["3",""],["4","\n"]]}` + "\n"
	for i, l := range lines {
		if l != want {
			t.Errorf("%d: %s", i, l)
		}
	}
}

// TestAppendString agrees with encoding/json on every text.
func TestAppendString(t *testing.T) {
	for _, s := range []string{"", "plain", "q\"b\\s/", "\x00\x01\x1f\x7f", "\n\r\t", "ä€😀", "<&>", "\u2028\u2029", "bad\xff\xfeend", "\xed\xa0\x80"} {
		var got string
		if err := json.Unmarshal(appendString(nil, s), &got); err != nil {
			t.Errorf("%q: %v", s, err)
			continue
		}
		b, _ := json.Marshal(s)
		var want string
		json.Unmarshal(b, &want)
		if got != want {
			t.Errorf("%q: %q, wanted %q", s, got, want)
		}
	}
}
