package main

import (
	"bytes"
	"os"
	"testing"
)

// TestTerminal: files, pipes and the null device are none.
func TestTerminal(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	for _, f := range []any{null, r, &bytes.Buffer{}, nil} {
		if terminal(f) {
			t.Errorf("%v is no terminal", f)
		}
	}
}

func TestWidth(t *testing.T) {
	for s, want := range map[string]int{"": 0, "abc": 3, "é": 1, "e\u0301": 1, "日本": 4, "👍": 2, "한": 2, "\u200b": 0, "ÿ": 1, "\xff": 1, "ｶ": 1, "Ａ": 2} {
		if got := width(s); got != want {
			t.Errorf("width(%q) = %d, wanted %d", s, got, want)
		}
	}
}

func TestBytesOf(t *testing.T) {
	for s, want := range map[string]int64{"0": 0, "17": 17, "2kB": 2048, "3 MB": 3 << 20, "1gb": 1 << 30} {
		if got, err := bytesOf(s); err != nil || got != want {
			t.Errorf("%q: %d %v", s, got, err)
		}
	}
	for _, s := range []string{"", "-1", "x", "1TBx", "9999999999GB", "MB"} {
		if _, err := bytesOf(s); err == nil {
			t.Errorf("%q: no error", s)
		}
	}
}
