package slt

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
)

// anyone runs what others skip.
type anyone struct{ Engine }

func (anyone) Names() []string { return nil }

const skipOurs = "skipif ivmc"

// mark puts skipif before the records of a file that fail, and takes it away
// from those that pass.
func mark(name string, e Engine, records []Record) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	failed := Run(anyone{e}, records, Options{}).Lines
	var out []string
	line := map[int]bool{}
	for i := range records {
		line[records[i].Line] = true
	}
	for i, l := range strings.Split(string(text), "\n") {
		if l == skipOurs {
			continue
		}
		if line[i+1] && slices.Contains(failed, i+1) {
			out = append(out, skipOurs)
		}
		out = append(out, l)
	}
	return os.WriteFile(name, []byte(strings.Join(out, "\n")), 0o644)
}

// rewrite puts the results that an engine gives into a file; the rows of a query
// without ORDER BY are sorted.
func rewrite(name string, e Engine, records []Record) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	in := strings.Split(string(text), "\n")
	var out []string
	at := 0
	for i := range records {
		rec := &records[i]
		if rec.Kind != Query && rec.Kind != Statement || !rec.For(e.Names()) {
			continue
		}
		res, err := e.Exec(rec.SQL)
		out = append(out, in[at:rec.head[0]]...)
		at = rec.end
		head := "statement ok"
		var f *Failure
		var rows []string
		switch {
		case errors.As(err, &f):
			head = "statement error " + f.Code
		case err != nil:
			return err
		case rec.Kind == Query:
			head, rows = queryHead(rec, res)
		case rec.Count >= 0:
			head = in[rec.head[0]]
		}
		out = append(append(out, head), strings.Split(rec.SQL, "\n")...)
		if strings.HasPrefix(head, "query") {
			out = append(append(out, "----"), rows...)
		}
	}
	out = append(out, in[at:]...)
	return os.WriteFile(name, []byte(strings.Join(out, "\n")), 0o644)
}

var inner = regexp.MustCompile(`\([^()]*\)`)

func queryHead(rec *Record, res *Result) (string, []string) {
	types := ""
	for _, t := range res.Types {
		switch {
		case t == "smallint" || t == "integer" || t == "bigint":
			types += "I"
		case strings.HasPrefix(t, "numeric") || t == "real" || t == "double precision":
			types += "R"
		default:
			types += "T"
		}
	}
	head := "query " + types
	rows := lines(res)
	outer := rec.SQL // an order inside parentheses is none of the rows
	for inner.MatchString(outer) {
		outer = inner.ReplaceAllString(outer, "")
	}
	if !strings.Contains(strings.ToUpper(outer), "ORDER BY") || rec.Sort == "rowsort" {
		head += " rowsort"
		sortLines(rows)
	}
	if rec.Label != "" {
		head += " " + rec.Label
	}
	return head, rows
}
