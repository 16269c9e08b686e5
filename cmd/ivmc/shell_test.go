//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/ivmc/ivmc/serve"
)

// person sits at a terminal on which the command runs.
type person struct {
	t    *testing.T
	cmd  *exec.Cmd
	tty  *os.File
	mu   sync.Mutex
	seen bytes.Buffer // what the terminal printed
	from int          // how much of what it shows was looked at
	done chan struct{}
	news chan struct{} // something was printed since it was last read
}

// patience is how long a person waits for an answer on a busy machine.
const patience = 30 * time.Second

// sit starts the command on a terminal of its own, 80 columns wide.
func sit(t *testing.T, env []string, args ...string) *person {
	t.Helper()
	return sitAt(t, pty.Winsize{Rows: 30, Cols: 80}, env, args...)
}

func sitAt(t *testing.T, size pty.Winsize, env []string, args ...string) *person {
	t.Helper()
	p := &person{t: t, cmd: exec.Command("ivmc", args...), done: make(chan struct{}), news: make(chan struct{}, 1)}
	p.cmd.Env = append(os.Environ(), "TERM=xterm", "NO_COLOR=1", "IVMC_DB=", "IVMC_HISTORY=")
	p.cmd.Env = append(p.cmd.Env, env...)
	var err error
	p.tty, err = pty.StartWithSize(p.cmd, &size)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.done)
		b := make([]byte, 4096)
		for {
			n, err := p.tty.Read(b)
			p.mu.Lock()
			p.seen.Write(b[:n])
			p.mu.Unlock()
			select {
			case p.news <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		_ = p.tty.Close()
	})
	return p
}

// sees waits until the terminal shows a text, behind what was seen before.
func (p *person) sees(want string) string {
	p.t.Helper()
	text, ok := p.look(want, patience)
	if !ok {
		p.t.Fatalf("waited for %q, saw\n%s", want, text)
	}
	return text
}

// look is what the terminal shows behind what was seen before, and whether the
// text came within a time.
func (p *person) look(want string, within time.Duration) (string, bool) {
	for end := time.After(within); ; {
		p.mu.Lock()
		text := shown(p.seen.String())[p.from:]
		i := strings.Index(text, want)
		if i >= 0 {
			p.from += i + len(want)
		}
		p.mu.Unlock()
		if i >= 0 {
			return text, true
		}
		select {
		case <-p.news:
		case <-end:
			return text, false
		}
	}
}

// steering are the sequences that move the cursor and colour the text.
var steering = regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]|\r`)

func shown(s string) string { return steering.ReplaceAllString(s, "") }

// types types; a line end is the Enter key.
func (p *person) types(s string) {
	p.t.Helper()
	if _, err := io.WriteString(p.tty, strings.ReplaceAll(s, "\n", "\r")); err != nil {
		p.t.Fatal(err)
	}
}

// says types a line when the prompt is there, and waits for what comes of it.
func (p *person) says(line, want string) string {
	p.t.Helper()
	p.types(line + "\n")
	return p.sees(want)
}

// leaves waits for the end, and returns the status.
func (p *person) leaves() int {
	p.t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- p.cmd.Wait() }()
	select {
	case <-ended:
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(patience):
		p.t.Fatalf("it does not end; the terminal shows\n%s", shown(p.seen.String()))
		return -1
	}
}

// TestShell is an hour of a person's life in a minute.
func TestShell(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "s.sql")
	if err := os.WriteFile(file, []byte("\\echo in the file\nSELECT 11 AS eleven;\n\nSELECT\n  y;\nSELECT 12 AS twelve"), 0o600); err != nil {
		t.Fatal(err)
	}
	editor := filepath.Join(dir, "ed.sh")
	if err := os.WriteFile(editor, []byte("#!/bin/sh\necho \"SELECT 42 AS edited;\" > \"$1\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	hist := filepath.Join(dir, "state", "history")
	p := sit(t, []string{"IVMC_HISTORY=" + hist, "EDITOR=" + editor}, "sql", "--memory")
	p.sees("ivmc=> ")
	p.says("CREATE TABLE sale(id BIGINT PRIMARY KEY, shop TEXT, amount INT);", "CREATE TABLE\n")
	p.says("INSERT INTO sale VALUES", "ivmc-> ")
	p.says("(1, 'nor", "ivmc'> ")
	p.says("th', 10),", "ivmc-> ")
	p.says("(2, NULL, 20000);", "INSERT 0 2\n")
	// Aligned: numbers to the right, NULL to be seen, rows counted.
	p.says("SELECT * FROM sale ORDER BY id;", " id | shop | amount \n----+------+--------\n  1 | nor +|     10\n    | th   |       \n  2 | NULL |  20000\n(2 rows)\n")
	p.says(`\pset null (none)`, "Null display")
	p.says("SELECT NULL AS n;", "(none)")
	// Wider than the window: broken, and marked so.
	p.says("SELECT 1 AS id, repeat('x', 100) AS long, 2 AS n;", ".|")
	p.says(`\x`, "Expanded display is on.")
	p.says("SELECT 1 AS one, 'b' AS two;", "-[ RECORD 1 ]")
	p.sees("ivmc=> ")
	p.says(`\x off`, "off")
	p.says(`\gx`, "-[ RECORD 1 ]")
	// Errors show the line and the place in it.
	p.says("SELECT 1,", "ivmc-> ")
	p.says("  wrong;", "LINE 2:   wrong\n          ^\n")
	// Ctrl-C drops what is half typed, and not the program.
	p.says("SELECT 'half", "ivmc'> ")
	p.types("\x03")
	p.sees("ivmc=> ")
	p.says("SELECT 8 AS eight;", "eight")
	// Views, and what the backslashes know of them.
	p.says("CREATE MATERIALIZED VIEW takings AS SELECT shop, sum(amount) AS total FROM sale GROUP BY shop;", "CREATE MATERIALIZED VIEW\n")
	p.says(`\d`, " takings | materialized view |    2 |       0 |")
	p.says(`\dt s*`, "(1 row)")
	p.says(`\dv nothing`, "There are none.")
	p.says(`\d takings`, "CREATE MATERIALIZED VIEW takings AS SELECT")
	p.says(`\d "sale"`, "CREATE TABLE sale (")
	p.says(`\d nowhere`, `relation "nowhere" does not exist`)
	p.says(`\h refresh`, "REFRESH MATERIALIZED VIEW view [mode] [CASCADE]")
	p.says(`\nonsense`, `Try \? for help.`)
	p.says(`\?`, `\watch [SECONDS]`)
	p.sees("ivmc=> ")
	// Keys: Tab for a keyword, a column, a view.
	p.types("sel\t")
	p.sees("select")
	p.types(" tot\t FROM tak\t t;\n")
	p.sees(" total \n-------\n")
	// A transaction shows in the prompt.
	p.says("BEGIN;", "ivmc=*> ")
	p.says("SELECT 1 / 0;", "ivmc=!> ")
	p.says("SELECT", "ivmc-!> ")
	p.says("1;", "25P02")
	p.says("ROLLBACK;", "ivmc=> ")
	// The text of EXPLAIN fits the window: no line is broken.
	if text := p.says("EXPLAIN REFRESH MATERIALIZED VIEW takings;", " rows)"); strings.Contains(text, ".\n") && strings.Contains(text, "\n.") {
		t.Error(text)
	}
	p.says(`\timing on`, "Timing is on.")
	p.says("SELECT 5 AS five;", "Time: ")
	p.says(`\timing off`, "off")
	p.says(`\i `+file, "twelve")
	if text := shown(p.seen.String()); !strings.Contains(text, "in the file\n") || !strings.Contains(text, file+":5:3: ERROR:") {
		t.Error(text)
	}
	p.says(`\e`, " edited \n")
	out := filepath.Join(dir, "out")
	// Prompts are drawn anew with each key: only what a later line prints says that an earlier one is done.
	p.says(`\o `+out, "ivmc=> ")
	p.says("SELECT NULL AS n, 1 AS one;", "ivmc=> ")
	p.says(`\o`, "ivmc=> ")
	p.says("SELECT 6 AS six;", " six \n")
	if b, err := os.ReadFile(out); err != nil || !strings.Contains(string(b), "(1 row)") {
		t.Errorf("%q %v", b, err)
	}
	p.says("SELECT 77 AS again", "ivmc-> ")
	p.types("\\watch 0.05\n")
	p.sees("77")
	p.sees("77")
	p.types("\x03")
	p.sees("ivmc=> ")
	// What fails is not run again.
	p.says("SELECT 1 / 0 AS nought", "ivmc-> ")
	p.says("\\watch 0.05", "(every 0.05s)")
	p.sees("ERROR:")
	p.says("SELECT 78 AS after;", " after \n")
	// Ctrl-C stops what runs, and the next statement runs.
	ten := "(VALUES (1),(2),(3),(4),(5),(6),(7),(8),(9),(10))"
	long := "SELECT count(*) FROM " + ten + " a"
	for _, n := range []string{"b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"} {
		long += ", " + ten + " " + n
	}
	stopped := false
	for end := time.Now().Add(patience); !stopped && time.Now().Before(end); {
		p.types(long + ";\n")
		p.look("57014", 300*time.Millisecond) // a while; a line that has not begun is dropped by Ctrl-C, and is typed again
		p.types("\x03")
		_, stopped = p.look("57014", 3*time.Second)
	}
	if !stopped {
		t.Fatal("Ctrl-C does not stop a statement")
	}
	p.says("SELECT 9 AS nine;", " nine \n")
	p.types("\x1b[A\x1b[A") // up, up
	p.sees("SELECT count(*)")
	p.types("\x03")
	p.sees("ivmc=> ")
	p.types("\x04")
	if status := p.leaves(); status != exitOK {
		t.Errorf("status %d", status)
	}
	st, err := os.Stat(hist)
	if err != nil || st.Mode().Perm() != 0o600 {
		t.Fatalf("%v %v", st, err)
	}
	b, _ := os.ReadFile(hist)
	for _, want := range []string{"SELECT 1,   wrong;\n", `\d takings` + "\n"} {
		if !strings.Contains(string(b), want) {
			t.Errorf("history has no %q:\n%s", want, b)
		}
	}
	if strings.Contains(string(b), "th', 10)") {
		t.Errorf("history has half of a statement, which would open a quote:\n%s", b)
	}
	// What was typed is there the next time.
	p = sit(t, []string{"IVMC_HISTORY=" + hist}, "sql", "--memory")
	p.sees("ivmc=> ")
	p.types("\x1b[A")
	p.sees("SELECT 9 AS nine;")
	p.types("\x03")
	p.says(`\q`, "")
	if status := p.leaves(); status != exitOK {
		t.Errorf("status %d", status)
	}
}

// TestShellEnds: SIGTERM and a failed open end it, with the terminal as it was.
func TestShellEnds(t *testing.T) {
	p := sit(t, nil, "sql", "--memory")
	p.sees("ivmc=> ")
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if status := p.leaves(); status != exitInterrupted {
		t.Errorf("status %d", status)
	}
	foreign := t.TempDir()
	if err := os.WriteFile(filepath.Join(foreign, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p = sit(t, nil, "sql", "--db", foreign)
	if status := p.leaves(); status != exitStore {
		t.Errorf("status %d", status)
	}
}

// TestShellFiles: a file that runs itself comes to an end, and what it leaves
// half is dropped.
func TestShellFiles(t *testing.T) {
	dir := t.TempDir()
	self := filepath.Join(dir, "self.sql")
	if err := os.WriteFile(self, fmt.Appendf(nil, "\\i %s\n", self), 0o600); err != nil {
		t.Fatal(err)
	}
	p := sit(t, nil, "sql", "--memory")
	p.sees("ivmc=> ")
	p.says(`\i `+self, "more than 32 deep")
	p.says(`\i `+dir, "is a directory")
	p.says(`\i nowhere.sql`, "no such file")
	p.says(`\o `+dir, "is a directory")
	p.says("SELECT 3 AS three;", " three \n")
	p.says("exit", "")
	if status := p.leaves(); status != exitOK {
		t.Errorf("status %d", status)
	}
}

// TestLoadBar: a load shows how far it is, and Ctrl-C in the middle leaves
// neither rows nor the table.
func TestLoadBar(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "t.csv")
	row := []byte("1234567,some text\n")
	if err := os.WriteFile(file, append([]byte("a,b\n"), bytes.Repeat(row, 3_000_000)...), 0o600); err != nil {
		t.Fatal(err)
	}
	db := filepath.Join(dir, "db")
	p := sit(t, nil, "load", "--db", db, "t", file)
	p.sees(" %  ")
	p.types("\x03")
	if status := p.leaves(); status != exitInterrupted {
		t.Errorf("status %d", status)
	}
	if status, out, _ := command("check", "--db", db); status != exitOK || !strings.Contains(out, "ok: 0 relations") {
		t.Errorf("%d %s", status, out)
	}
}

// TestShellServed: a shell on a database that another process serves. Ctrl-C cancels
// the statement there, and leaving in a transaction rolls it back.
func TestShellServed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	server := exec.Command("ivmc", "serve", "--db", dir)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = server.Process.Signal(syscall.SIGTERM)
		if err := server.Wait(); err != nil {
			t.Error(err)
		}
	}()
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		st, err := serve.Dial(t.Context(), dir)
		if err == nil {
			st.Close()
			break
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
	p := sit(t, nil, "sql", "--db", dir)
	p.sees("ivmc=> ")
	p.says("CREATE TABLE sale(id BIGINT PRIMARY KEY, shop TEXT);", "CREATE TABLE\n")
	p.says("BEGIN;", "ivmc=*> ")
	p.says("INSERT INTO sale VALUES (1, 'a'), (2, NULL);", "INSERT 0 2\n")
	p.says("SELECT id FROM sa\t WHERE id = 2;", "(1 row)")
	p.says("ROLLBACK;", "ivmc=> ")
	p.says(`\d sale`, "CREATE TABLE sale (")
	ten := "(VALUES (1),(2),(3),(4),(5),(6),(7),(8),(9),(10))"
	long := "SELECT count(*) FROM " + ten + " a"
	for _, n := range []string{"b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"} {
		long += ", " + ten + " " + n
	}
	stopped := false
	for end := time.Now().Add(patience); !stopped && time.Now().Before(end); {
		p.types(long + ";\n")
		p.look("57014", 300*time.Millisecond)
		p.types("\x03")
		_, stopped = p.look("57014", 3*time.Second)
	}
	if !stopped {
		t.Fatal("Ctrl-C does not stop a statement")
	}
	p.says("SELECT 9 AS nine;", " nine \n")
	p.says("BEGIN; INSERT INTO sale VALUES (7, 'x');", "INSERT 0 1\n")
	p.types("\x04")
	if status := p.leaves(); status != exitOK {
		t.Errorf("status %d", status)
	}
	p = sit(t, nil, "sql", "--db", dir)
	p.sees("ivmc=> ")
	p.says("SELECT count(*) AS rest FROM sale;", "    0\n")
	p.says(`\q`, "")
}

// TestShellNoSize: a terminal that does not know its size is one all the same: lines
// are edited, and words completed.
func TestShellNoSize(t *testing.T) {
	p := sitAt(t, pty.Winsize{}, nil, "sql", "--memory")
	p.sees("ivmc=> ")
	p.types("sel\t 41 + 1 AS answer;\n")
	p.sees("select 41 + 1 AS answer;")
	p.sees("42")
}
