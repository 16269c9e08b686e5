package slt

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Kind is what a record is.
type Kind uint8

// The kinds. Other records are passed over.
const (
	Statement Kind = iota
	Query
	Halt
	Threshold // hash-threshold: Count
	Control   // SQL: what is controlled, and its value
	Other
)

// Record is one record of a file.
type Record struct {
	Line  int // of its first line, from 1
	Kind  Kind
	SQL   string
	Fails bool
	Error string // what the error must be: a SQLSTATE, or a regular expression over "CODE message"; "" for any
	Count int    // statement count, hash-threshold; -1: none

	Types string // a letter for each column; "" is not said
	Sort  string // nosort, rowsort, valuesort; "" is not said
	Label string
	Want  []string // the lines after ----
	Said  bool     // there was a ----

	Skip []string // skipif
	Only []string // onlyif

	head [2]int // first line of the record's own and the line after its SQL, from 0
	end  int    // the line after its last
}

// For reports whether the record is for an engine of these names.
func (r *Record) For(names []string) bool {
	has := func(n string) bool {
		for _, m := range names {
			if strings.EqualFold(n, m) {
				return true
			}
		}
		return false
	}
	for _, n := range r.Skip {
		if has(n) {
			return false
		}
	}
	for _, n := range r.Only {
		if !has(n) {
			return false
		}
	}
	return true
}

var hashed = regexp.MustCompile(`^(\d+) values hashing to ([0-9a-f]{32})$`)

// Hash is the number of values and their hash, where the file gives those alone.
func (r *Record) Hash() (n int, sum string, ok bool) {
	if len(r.Want) != 1 {
		return 0, "", false
	}
	m := hashed.FindStringSubmatch(r.Want[0])
	if m == nil {
		return 0, "", false
	}
	n, err := strconv.Atoi(m[1])
	return n, m[2], err == nil
}

// reader goes over the lines of a file.
type reader struct {
	lines []string
	at    int
}

// Parse reads a file.
func Parse(text string) ([]Record, error) {
	r := &reader{lines: strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")}
	var out []Record
	var skip, only []string
	for r.at < len(r.lines) {
		line := strings.TrimSpace(r.lines[r.at])
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || strings.HasPrefix(line, "#"):
			r.at++
			continue
		case words[0] == "skipif" && len(words) > 1:
			skip = append(skip, words[1])
			r.at++
			continue
		case words[0] == "onlyif" && len(words) > 1:
			only = append(only, words[1])
			r.at++
			continue
		}
		rec := Record{Line: r.at + 1, Count: -1, Skip: skip, Only: only, head: [2]int{r.at, r.at + 1}}
		skip, only = nil, nil
		if err := r.record(&rec, words, line); err != nil {
			return nil, fmt.Errorf("line %d: %w", rec.Line, err)
		}
		rec.end = r.at
		out = append(out, rec)
	}
	return out, nil
}

func (r *reader) record(rec *Record, words []string, line string) error {
	switch words[0] {
	case "halt":
		rec.Kind = Halt
		r.at++
	case "hash-threshold":
		rec.Kind = Threshold
		r.at++
		if len(words) < 2 {
			return fmt.Errorf("%q needs a number", line)
		}
		n, err := strconv.Atoi(words[1])
		rec.Count = n
		return err
	case "control":
		rec.Kind, rec.SQL = Control, strings.Join(words[1:], " ")
		r.at++
	case "statement":
		return r.statement(rec, words, line)
	case "query":
		return r.query(rec, words, line)
	case "system": // the command follows
		rec.Kind = Other
		r.at++
		r.body()
	default:
		rec.Kind = Other
		r.at++
	}
	return nil
}

// body is the lines up to a blank one or ----, which is passed over.
func (r *reader) body() (lines []string, said bool) {
	for ; r.at < len(r.lines); r.at++ {
		switch line := strings.TrimRight(r.lines[r.at], " \t"); line {
		case "":
			return lines, false
		case "----":
			r.at++
			return lines, true
		default:
			lines = append(lines, line)
		}
	}
	return lines, false
}

// results is the lines up to a blank one.
func (r *reader) results() (lines []string) {
	for ; r.at < len(r.lines) && strings.TrimRight(r.lines[r.at], " \t") != ""; r.at++ {
		lines = append(lines, r.lines[r.at])
	}
	return lines
}

func sqlOf(lines []string) string {
	return strings.TrimRight(strings.TrimSpace(strings.Join(lines, "\n")), "; \n")
}

func (r *reader) statement(rec *Record, words []string, line string) error {
	rec.Kind = Statement
	r.at++
	body, said := r.body()
	rec.SQL, rec.head[1] = sqlOf(body), r.at
	var after []string
	if said {
		after = r.results()
	}
	if len(words) < 2 {
		return fmt.Errorf("%q says nothing of the outcome", line)
	}
	switch words[1] {
	case "ok":
	case "error":
		rec.fail(line, after)
	case "count":
		if len(words) < 3 {
			return fmt.Errorf("%q needs a number", line)
		}
		n, err := strconv.Atoi(words[2])
		rec.Count = n
		return err
	default:
		return fmt.Errorf("unknown outcome %q", words[1])
	}
	return nil
}

// fail takes the pattern behind the word error, or the message after ----.
func (rec *Record) fail(line string, after []string) {
	rec.Fails = true
	_, rec.Error, _ = strings.Cut(line, "error")
	rec.Error = strings.TrimSpace(rec.Error)
	if len(after) > 0 {
		rec.Error = regexp.QuoteMeta(strings.TrimSpace(strings.Join(after, "\n")))
	}
}

func (r *reader) query(rec *Record, words []string, line string) error {
	rec.Kind = Query
	r.at++
	body, said := r.body()
	rec.SQL, rec.Said, rec.head[1] = sqlOf(body), said, r.at
	if said {
		rec.Want = r.results()
	}
	words = words[1:]
	if len(words) > 0 && words[0] == "error" {
		rec.Kind = Statement
		rec.fail(line, rec.Want)
		rec.Want = nil
		return nil
	}
	for i, w := range words {
		switch {
		case w == "nosort" || w == "rowsort" || w == "valuesort":
			rec.Sort = w
		case w == "retry" || w == "backoff":
			return nil
		case i == 0:
			rec.Types = w
		default:
			rec.Label = w
		}
	}
	return nil
}
