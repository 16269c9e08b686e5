package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/ivmc/ivmc"
)

// prompted asks a terminal for a line before it reads one.
type prompted struct {
	io.ReadCloser
	out    io.Writer
	script *ivmc.Script // set before the first read
}

// greeting is what a person at the prompt needs to know.
const greeting = `A statement ends with a semicolon. Ctrl-C stops the one that runs; \q or Ctrl-D leaves; help says more.
`

const promptHelp = `CREATE TABLE, INSERT, UPDATE, DELETE, SELECT, CREATE MATERIALIZED VIEW, REFRESH MATERIALIZED VIEW, DROP,
BEGIN, COMMIT, ROLLBACK, SET, SHOW ALL; EXPLAIN before SELECT, CREATE or REFRESH MATERIALIZED VIEW.
A line "ivmc-> " goes on with a statement: end it with ";". \d lists tables and views, \d NAME its columns; no other command has a
backslash but \q.
`

// Read gives the next line of SQL. A line between statements may be for the
// prompt itself, which answers and asks again.
func (p *prompted) Read(b []byte) (int, error) {
	for {
		prompt, within := "ivmc=> ", p.script != nil && p.script.Partial()
		if within {
			prompt = "ivmc-> " // the statement goes on
		}
		fmt.Fprint(p.out, prompt)
		n, err := p.ReadCloser.Read(b)
		if err == io.EOF {
			fmt.Fprintln(p.out)
		}
		if within || err != nil {
			return n, err
		}
		switch word := strings.TrimRight(strings.TrimSpace(string(b[:n])), "; "); {
		case word == `\q` || word == "quit" || word == "exit":
			return 0, io.EOF
		case word == `\d` || word == `\dt`:
			return copy(b, "SHOW TABLES; SHOW VIEWS;\n"), nil
		case word == `\dv`:
			return copy(b, "SHOW VIEWS;\n"), nil
		case strings.HasPrefix(word, `\d `):
			return copy(b, "DESCRIBE "+strings.TrimSpace(word[3:])+";\n"), nil
		case word == "help" || strings.HasPrefix(word, `\`):
			fmt.Fprint(p.out, promptHelp)
		default:
			return n, nil
		}
	}
}

// terminal reports whether f is one. The null device, a character device too,
// is none.
func terminal(f any) bool {
	file, ok := f.(*os.File)
	if !ok {
		return false
	}
	st, err := file.Stat()
	if err != nil || st.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(st, null)
}
