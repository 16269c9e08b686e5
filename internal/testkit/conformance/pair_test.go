package conformance

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/ivmc/ivmc"
	"github.com/ivmc/ivmc/internal/testkit/postgres"
	"github.com/ivmc/ivmc/zset"
)

var (
	seedFlag  = flag.Uint64("seed", 1, "the first seed of random cases")
	countFlag = flag.Int("cases", 1500, "how many expressions; other tests scale with it")
)

// cases is the size of a test.
func cases() int {
	if testing.Short() {
		return *countFlag / 5
	}
	return *countFlag
}

// pair is a database of ours and the judge.
type pair struct {
	t     *testing.T
	db    *ivmc.DB
	s     *ivmc.Session
	pg    *postgres.Conn
	meant []*difference
	bad   int
	said  map[string]bool // shapes of complaints
	seed  uint64
	log   []string // statements of both, for the report
	// parted: a statement changed one of the two alone, as it is meant to.
	parted bool
}

// newPair starts the judge and opens a database, both empty; both end with the test.
func newPair(t *testing.T) *pair {
	t.Helper()
	srv, err := postgres.Start()
	if errors.Is(err, postgres.ErrAbsent) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	p := &pair{t: t, meant: differences(t)}
	if p.pg, err = srv.Connect(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(p.pg.Close(), srv.Stop()); err != nil {
			t.Error(err)
		}
	})
	p.open()
	return p
}

// open begins with a new database of ours, until the test ends.
func (p *pair) open() {
	p.t.Helper()
	db, err := ivmc.Open("", &ivmc.Options{InMemory: true, NoSync: true})
	if err != nil {
		p.t.Fatal(err)
	}
	p.db, p.s = db, db.Session()
	s := p.s
	p.t.Cleanup(func() {
		if err := errors.Join(s.Close(), db.Close()); err != nil {
			p.t.Error(err)
		}
	})
}

// outcome is what a statement gave: an error, or columns and rows, or a tag.
type outcome struct {
	code, msg string
	cols      []postgres.Column
	rows      [][]postgres.Cell
	tag       string
}

// head is the names and types of the columns.
func (o *outcome) head() string { return fmt.Sprint(o.cols) }

// String is "ERROR code message", or the columns and a line for each row.
func (o *outcome) String() string {
	if o.code != "" {
		return "ERROR " + o.code + " " + o.msg
	}
	var b strings.Builder
	for i, c := range o.cols {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(c.Name + " " + c.Type)
	}
	for _, line := range texts(o, true) {
		b.WriteString("\n" + line)
	}
	return b.String()
}

// same compares everything but the text of errors.
func same(a, b *outcome) bool {
	if a.code != "" || b.code != "" {
		return a.code == b.code
	}
	return a.String() == b.String()
}

// answers runs a query on both sides.
func (p *pair) answers(sql string) (ours, pg *outcome) {
	p.t.Helper()
	return p.ours(sql), p.theirs(sql)
}

func (p *pair) theirs(sql string) *outcome {
	p.t.Helper()
	r, err := p.pg.Exec(sql)
	if err != nil {
		p.t.Fatal(err)
	}
	if r.Code != "" {
		return &outcome{code: r.Code, msg: r.Message}
	}
	return &outcome{cols: r.Columns, rows: r.Rows, tag: r.Tag}
}

func (p *pair) ours(sql string) *outcome {
	out, err := p.s.Run(context.Background(), sql)
	if err != nil {
		return failure(err)
	}
	o := &outcome{tag: out.Tag}
	if out.Rows == nil {
		return o
	}
	defer out.Rows.Close()
	for _, c := range out.Rows.Columns() {
		o.cols = append(o.cols, postgres.Column{Name: c.Name, Type: c.Type})
	}
	for out.Rows.Next() {
		row := make([]postgres.Cell, len(o.cols))
		for i := range row {
			text, null := out.Rows.Cell(i)
			row[i] = postgres.Cell{Text: string(text), Null: null}
		}
		o.rows = append(o.rows, row)
	}
	if err := out.Rows.Err(); err != nil {
		return failure(err)
	}
	return o
}

func failure(err error) *outcome {
	var e *ivmc.Error
	if errors.As(err, &e) {
		return &outcome{code: e.Code, msg: e.Message}
	}
	return &outcome{code: "?????", msg: err.Error()}
}

// gaveUp is the code of a judge that ran out of time (a pattern that backtracks), and
// says nothing.
const gaveUp = "57014"

// judge complains about a difference that is not meant.
func (p *pair) judge(sql string, ours, pg *outcome) {
	p.t.Helper()
	if same(ours, pg) || pg.code == gaveUp || p.isMeant(sql, ours, pg) {
		return
	}
	// One complaint for each shape of query and answers.
	shape := constant.ReplaceAllString(sql, "?") + constant.ReplaceAllString(ours.code+ours.head()+pg.code+pg.head(), "?")
	if p.said[shape] {
		p.bad++
		return
	}
	if p.said == nil {
		p.said = map[string]bool{}
	}
	p.said[shape] = true
	a, b := apart(ours.String(), pg.String())
	p.complain("%s\nours: %s\npostgres: %s", sql, a, b)
}

// isMeant reports whether an entry of differences.txt explains that the answers differ.
func (p *pair) isMeant(sql string, ours, pg *outcome) bool {
	for _, d := range p.meant {
		if d.covers(sql, ours, pg) {
			d.used = true
			return true
		}
	}
	return false
}

var constant = regexp.MustCompile(`'[^']*'|\b\d+(\.\d+)?\b`)

// apart leaves only the lines that differ, of answers of as many lines.
func apart(a, b string) (string, string) {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	if len(x) != len(y) {
		return a, b
	}
	var outA, outB []string
	for i := range x {
		if x[i] != y[i] {
			outA, outB = append(outA, x[i]), append(outB, y[i])
		}
	}
	return strings.Join(outA, "\n"), strings.Join(outB, "\n")
}

// tooMany ends a test that has said enough.
const tooMany = 60

func (p *pair) complain(format string, args ...any) {
	p.t.Helper()
	script := ""
	if len(p.log) > 0 {
		script = "\n-- script:\n" + strings.Join(p.log, "\n")
	}
	p.t.Errorf("seed %d: %s%s", p.seed, fmt.Sprintf(format, args...), script)
	if p.bad++; len(p.said) > tooMany {
		p.t.FailNow()
	}
}

// both runs a statement on both sides and wants the same SQLSTATE and tag. Where one
// side is meant to fail alone, they part.
func (p *pair) both(sql string) bool {
	p.t.Helper()
	p.log = append(p.log, sql+";")
	// Keys are checked at the end of a statement, and not row by row.
	theirs := sql
	if strings.Contains(sql, "PRIMARY KEY") {
		theirs = strings.Replace(sql, "))", ") DEFERRABLE INITIALLY IMMEDIATE)", 1)
	}
	ours, pg := p.ours(sql), p.theirs(theirs)
	if ours.code != pg.code && p.isMeant(sql, ours, pg) {
		p.parted = true
		return false
	}
	if ours.code != pg.code || ours.code == "" && ours.tag != pg.tag {
		p.complain("%s\nours: %s %s\npostgres: %s %s", sql, ours, ours.tag, pg, pg.tag)
		return false
	}
	if diff := compare(ours, pg, true, false); ours.code == "" && (diff != "" || ours.head() != pg.head()) { // of RETURNING
		p.complain("%s\n%s\nours: %s\npostgres: %s", sql, diff, ours, pg)
	}
	return ours.code == ""
}

// texts is a line for each row. exact: as text; else equal numbers are written in one way.
func texts(o *outcome, exact bool) []string {
	out := make([]string, len(o.rows))
	for i, row := range o.rows {
		cells := make([]string, len(row))
		for j, c := range row {
			cells[j] = c.Text
			if c.Null {
				cells[j] = `\N`
			} else if !exact {
				cells[j] = valueOf(o.cols[j].Type, c.Text)
			}
		}
		out[i] = strings.Join(cells, "|")
	}
	return out
}

// valueOf writes values that are not distinct in one way.
func valueOf(typ, s string) string {
	name, _, _ := strings.Cut(typ, "(")
	array := strings.HasSuffix(typ, "[]")
	name = strings.TrimSuffix(name, "[]")
	for _, k := range zset.Kinds() {
		t := zset.Type{Kind: k}
		if k.String() != name && t.String() != name || !array && (k == zset.Numeric || zset.KeyExact(t)) {
			continue
		}
		if array {
			t = zset.ArrayOf(t)
		}
		v, err := zset.ParseText(t, s)
		if err != nil {
			break
		}
		c := zset.NewColumn(t, 1)
		c.AppendValue(v)
		return fmt.Sprintf("%x", zset.AppendKey(nil, &c, 0))
	}
	return valueText(s)
}

// valueText writes equal numbers in one way.
func valueText(s string) string {
	if strings.Trim(s, "-0123456789.e+") != "" || s == "" {
		return s
	}
	if !strings.Contains(s, "e") && strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if s == "-0" || s == "" || s == "-" {
		return "0"
	}
	return s
}
