package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/ivmc/ivmc"
)

// historyLines is how many entries are kept.
const historyLines = 1000

// history is what was typed before, in a file that only its owner reads. It is
// kept for a database in memory too: that is where statements are tried out.
type history struct {
	file string // "": nowhere
	last string
}

// historyFile is $IVMC_HISTORY, or a file in the user's state directory. An
// empty $IVMC_HISTORY is none.
func historyFile(env func(string) (string, bool)) string {
	if f, ok := env("IVMC_HISTORY"); ok {
		return f
	}
	if dir, ok := env("XDG_STATE_HOME"); ok && filepath.IsAbs(dir) {
		return filepath.Join(dir, "ivmc", "history")
	}
	if home, ok := env("HOME"); ok && home != "" {
		return filepath.Join(home, ".local", "state", "ivmc", "history")
	}
	return ""
}

// load reads the entries, and cuts a file that grew long. Whatever goes wrong
// with the file is no reason not to work.
func (h *history) load() []string {
	b, err := os.ReadFile(h.file)
	if err != nil {
		return nil
	}
	lines := strings.Split(strings.TrimRight(string(b), "\n"), "\n")
	if n := len(lines); n > 2*historyLines {
		lines = lines[n-historyLines:]
		_ = os.WriteFile(h.file, []byte(strings.Join(lines, "\n")+"\n"), 0o600)
	}
	lines = lines[max(0, len(lines)-historyLines):]
	if len(lines) == 1 && lines[0] == "" {
		return nil
	}
	h.last = lines[len(lines)-1]
	return lines
}

// add appends an entry at once, so that shells beside each other do not lose
// what the other one has.
func (h *history) add(entry string) {
	if h.file == "" || entry == h.last {
		return
	}
	h.last = entry
	if os.MkdirAll(filepath.Dir(h.file), 0o700) != nil {
		return
	}
	f, err := os.OpenFile(h.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	_, _ = f.WriteString(entry + "\n")
	_ = f.Close()
}

// entryOf is a statement as an entry of one line; "" for one with a line that ends
// within a quote, where a line end is not a blank: half of it, called up alone, would
// open a quote. open has what each line leaves open.
func entryOf(lines []string, open []byte) string {
	whole := ""
	for i, l := range lines {
		switch {
		case i == len(lines)-1:
			whole += l
		case open[i] == '*':
			whole += l + " "
		case open[i] != 0:
			return ""
		default:
			whole = closed(whole+l) + " "
		}
	}
	return whole
}

// closed is a text that begins outside quotes, with the comment that its end closes
// as one that closes itself: its line is not to end any more.
func closed(line string) string {
	for from := 0; ; {
		i := strings.Index(line[from:], "--")
		if i < 0 {
			return line
		}
		from += i
		before := ivmc.NewScript(nil)
		before.Feed(line[:from])
		for more := true; more; {
			_, more = before.Take()
		}
		if before.Open() != 0 { // within quotes, or a comment
			from++
			continue
		}
		text := line[from+len("--"):]
		if strings.Contains(text, "*/") || strings.Contains(text, "/*") {
			return strings.TrimRight(line[:from], " ")
		}
		return line[:from] + "/*" + text + " */"
	}
}
