package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/ivmc/ivmc"
)

// lines hands out one line a read, as a terminal does.
type lines struct{ left []string }

func (l *lines) Read(b []byte) (int, error) {
	if len(l.left) == 0 {
		return 0, io.EOF
	}
	n := copy(b, l.left[0])
	l.left = l.left[1:]
	return n, nil
}

// TestPrompt: a prompt for every line, and another one inside a statement.
func TestPrompt(t *testing.T) {
	var out bytes.Buffer
	p := &prompted{ReadCloser: io.NopCloser(&lines{[]string{"SELECT 1;\n", "SELECT\n", "'a;\n", "' ;SELECT 3;\n"}}), out: &out}
	script := ivmc.NewScript(p)
	p.script = script
	var got []string
	for {
		st, err := script.Next()
		if err != nil {
			break
		}
		got = append(got, strings.TrimSpace(st.Text))
	}
	if want := "ivmc=> ivmc=> ivmc-> ivmc-> ivmc=> \n"; out.String() != want {
		t.Errorf("prompts %q, wanted %q", out.String(), want)
	}
	if len(got) != 3 {
		t.Errorf("statements %q", got)
	}
}

// TestPromptWords: a line between statements may be for the prompt; one within a
// statement never is.
func TestPromptWords(t *testing.T) {
	var out bytes.Buffer
	p := &prompted{ReadCloser: io.NopCloser(&lines{[]string{"help\n", "\\x\n", "\\d sale\n", "SELECT '\n", "\\q\n", "';\n", "\\q\n", "SELECT 2;\n"}}), out: &out}
	p.script = ivmc.NewScript(p)
	st, err := p.script.Next()
	if err != nil || st.Text != "DESCRIBE sale" {
		t.Errorf("%q, %v", st.Text, err)
	}
	st, err = p.script.Next()
	if err != nil || strings.TrimSpace(st.Text) != "SELECT '\n\\q\n'" {
		t.Errorf("%q, %v", st.Text, err)
	}
	if st, err = p.script.Next(); err != io.EOF {
		t.Errorf("after \\q: %q, %v", st.Text, err)
	}
	if n := strings.Count(out.String(), promptHelp); n != 2 {
		t.Errorf("help stands %d times in %q", n, out.String())
	}
}

// TestPromptInterrupt: at a prompt an interrupt stops the statement that runs,
// and the next one runs as if nothing had been.
func TestPromptInterrupt(t *testing.T) {
	var out, errs bytes.Buffer
	a := &app{out: &out, err: &errs, memory: true}
	ten := "(VALUES (1),(2),(3),(4),(5),(6),(7),(8),(9),(10)) "
	long := "SELECT count(*) FROM " + ten + "a"
	for _, n := range []string{"b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"} {
		long += ", " + ten + n
	}
	in, src, _ := record(&prompted{ReadCloser: io.NopCloser(&lines{[]string{long + ";\n", "SELECT 7 AS seven;\n"}}), out: &out}, "stdin")
	buf := bufio.NewWriter(&out)
	stopped := make(chan struct{})
	go func() {
		for !a.interrupt() {
			runtime.Gosched()
		}
		close(stopped)
	}()
	err := a.runScript(context.Background(), in, src, &tablePrinter{out: buf, err: &errs}, buf, false)
	<-stopped
	var e *exit
	if !errors.As(err, &e) || e.status != exitFailed {
		t.Errorf("%v", err)
	}
	if !strings.Contains(errs.String(), "57014") || !strings.Contains(out.String(), "seven") {
		t.Errorf("output %q, errors %q", out.String(), errs.String())
	}
	if a.interrupt() {
		t.Error("a statement is still there to be stopped")
	}
}

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
	for s, want := range map[string]int64{"": 0, "17": 17, "2kB": 2048, "3 MB": 3 << 20, "1gb": 1 << 30} {
		if got, err := bytesOf(s); err != nil || got != want {
			t.Errorf("%q: %d %v", s, got, err)
		}
	}
	for _, s := range []string{"-1", "x", "1TBx", "9999999999GB", "MB"} {
		if _, err := bytesOf(s); err == nil {
			t.Errorf("%q: no error", s)
		}
	}
}
