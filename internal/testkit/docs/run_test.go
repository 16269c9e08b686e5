package docs

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// build makes the command once a test run.
func build(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command("go", "build", "-o", filepath.Join(dir, "ivmc"), "./cmd/ivmc")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return dir
}

// shell runs a command line in dir and gives what it printed, and its status.
func shell(t *testing.T, bin, dir, line, stdin string) (string, int) {
	t.Helper()
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(stdin)
	cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "IVMC_DB=")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s: %v", line, err)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// TestBlocks runs the documentation.
func TestBlocks(t *testing.T) {
	bin, mk := build(t), targets(t)
	for _, f := range files(t) {
		t.Run(filepath.Base(f), func(t *testing.T) {
			dir := t.TempDir()
			bs := blocks(read(t, f))
			for i, b := range bs {
				want := ""
				if i+1 < len(bs) && bs[i+1].lang == "text" {
					want = bs[i+1].text
				}
				switch b.lang {
				case "sql":
					out, status := shell(t, bin, dir, "ivmc sql --db sql-blocks", b.text)
					if wrong := strings.Contains(want, "ERROR:"); wrong != (status == 1) || status > 1 {
						t.Errorf("%d: status %d\n%s", b.line, status, out)
					}
					if !strings.Contains(want, "stdin:") { // a page that is pasted from
						out = prompted(out)
					}
					ends(t, b.line, out, want)
				case "sh":
					out := ""
					for _, l := range strings.Split(b.text, "\n") {
						out += shellLine(t, b.line, bin, dir, mk, l)
					}
					ends(t, b.line, out, want)
				}
			}
		})
	}
}

var statusComment = regexp.MustCompile(`# status (\d+)`)

// shellLine runs a line of a sh block, if it is one of ours.
func shellLine(t *testing.T, at int, bin, dir string, mk map[string]bool, line string) string {
	words := strings.Fields(line)
	if len(words) == 0 {
		return ""
	}
	switch words[0] {
	case "make":
		for _, w := range words[1:] {
			if strings.HasPrefix(w, "#") {
				break
			}
			if !strings.Contains(w, "=") && !mk[w] {
				t.Errorf("%d: the Makefile has no target %s", at, w)
			}
		}
	case "ivmc", "bin/ivmc":
		want := 0
		if m := statusComment.FindStringSubmatch(line); m != nil {
			want, _ = strconv.Atoi(m[1])
		}
		out, status := shell(t, bin, dir, strings.TrimPrefix(strings.TrimSpace(line), "bin/"), "")
		if status != want {
			t.Errorf("%d: %s: status %d, wanted %d\n%s", at, line, status, want, out)
		}
		return out
	}
	return ""
}

// placed is an error as a script shows it.
var placed = regexp.MustCompile(`(?m)^stdin:\d+:\d+: (ERROR:.*)\n  (.*?);?\n  ( *)\^$`)

// prompted is out as the prompt shows it: the line of the statement, not of a file,
// and none where the statement as a whole is the place.
func prompted(out string) string {
	return placed.ReplaceAllStringFunc(out, func(s string) string {
		m := placed.FindStringSubmatch(s)
		if m[3] == "" {
			return m[1]
		}
		return m[1] + "\nLINE 1: " + m[2] + "\n        " + m[3] + "^"
	})
}

// duration is the last column of tables that say how long something took, in
// milliseconds. It counts as the same.
var duration = regexp.MustCompile(`\| +\d+\.\d{3}$`)

// ends compares the end of an output with a text block; blanks at the ends of
// lines, and empty lines around, do not count, nor do durations.
func ends(t *testing.T, at int, out, want string) {
	t.Helper()
	norm := func(s string) string {
		ls := strings.Split(s, "\n")
		for i := range ls {
			ls[i] = duration.ReplaceAllString(strings.TrimRight(ls[i], " "), "| ms")
		}
		return "\n" + strings.Trim(strings.Join(ls, "\n"), "\n") + "\n"
	}
	if want != "" && !strings.HasSuffix(norm(out), norm(want)) {
		t.Errorf("%d: printed\n%s\nwhich does not end with\n%s", at, norm(out), norm(want))
	}
}
