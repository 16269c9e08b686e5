//go:build postgres

package proptest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/ivmc/ivmc"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// edgeCells are the values of one kind where meanings part, as text of that type.
var edgeCells = map[zset.Kind][]string{
	zset.Int4: {"0", "1", "-1", "2", "7", "-7", "100", "2147483647", "-2147483648"},
	zset.Int8: {"0", "1", "-1", "3", "-7", "2147483648", "9223372036854775807", "-9223372036854775808"},
	zset.Float8: {"0", "-0", "1", "1.5", "-2.5", "0.5", "-0.5", "1e308", "-1e308", "5e-324", "1e-300", "NaN", "Infinity", "-Infinity", "0.1",
		"123456789.123456789", "1e15", "1e16", "2147483647.5", "9223372036854775807", "1e-5", "0.0001"},
	zset.Numeric: {"0", "1", "-1", "1.0", "1.00", "0.5", "-0.5", "2.5", "1.005", "123456789012345678901234567890.12345", "99999999999999999999",
		"9223372036854775807.5", "2147483647.4999", "0.000000001", "NaN", "Infinity", "-Infinity", "0.00", "-3.14159"},
	zset.Text: {"", "a", " 1 ", "12", "-1.5", "1e5", "NaN", "true", "t", "2024-02-29", "2024-02-29 12:30:00.123456", "é", "日本語", "%", "_a",
		"a\\%", "ABC", "  ", "month", "day", "week", "quarter", "epoch", "hour", "infinity", "abcabc"},
	zset.Date: {"2024-02-29", "0001-01-01", "infinity", "-infinity", "5874897-12-31", "4713-01-01 BC", "2000-01-01", "1999-12-31", "1969-12-31"},
	zset.Timestamp: {"2024-02-29 12:30:00.5", "2000-01-01 00:00:00", "infinity", "-infinity", "290000-12-31 23:59:59.999999", "0044-03-15 12:00:00 BC",
		"1969-12-31 23:59:59.999999", "0001-01-01 00:00:01"},
	zset.Bool: {"t", "f"},
}

var castNames = map[zset.Kind]string{
	zset.Int4: "INTEGER", zset.Int8: "BIGINT", zset.Float8: "DOUBLE PRECISION", zset.Numeric: "NUMERIC", zset.Text: "TEXT", zset.Varchar: "VARCHAR",
	zset.Bool: "BOOLEAN", zset.Date: "DATE", zset.Timestamp: "TIMESTAMP",
}

// edges makes random expressions from the function table.
type edges struct {
	r    *rand.Rand
	cols map[zset.Kind][]string // columns that may be read
	rows []*expr.Func
	// untyped allows literals without a type. PostgreSQL finds many more
	// overloads for two of them than there are here, and calls that ambiguous.
	untyped, nulls bool
}

func newEdges(seed uint64) *edges {
	e := &edges{r: rand.New(rand.NewPCG(seed, 3))}
	for _, f := range expr.Functions() {
		if !f.Volatile && !strings.HasPrefix(f.Name, "assign") && !strings.HasPrefix(f.Name, "order_as") {
			e.rows = append(e.rows, f)
		}
	}
	return e
}

func (e *edges) pick(xs []string) string { return xs[e.r.IntN(len(xs))] }

func (e *edges) leaf(k zset.Kind) string {
	if cols := e.cols[k]; len(cols) > 0 && e.r.IntN(3) > 0 {
		return e.pick(cols)
	}
	// A NULL that is a constant lets PostgreSQL leave the other argument out, errors and all.
	if e.r.IntN(12) == 0 && e.nulls {
		return "NULL::" + castNames[k]
	}
	pool := k
	if k == zset.Varchar || k == zset.Unknown {
		pool = zset.Text
	}
	text := e.pick(edgeCells[pool])
	quoted := "'" + text + "'"
	if k == zset.Unknown {
		return quoted
	}
	if k == zset.Unknown {
		return quoted
	}
	switch e.r.IntN(4) {
	case 0: // a literal without a type
		if e.untyped {
			return quoted
		}
	case 1:
		if (k == zset.Int4 || k == zset.Numeric) && strings.Trim(text, "0123456789.") == "" && text != "" {
			return text
		}
	}
	return quoted + "::" + castNames[k]
}

// expression is of kind k, or of a kind that may become k.
func (e *edges) expression(k zset.Kind, depth int) string {
	if depth == 0 || k == expr.Any {
		if k == expr.Any {
			k = []zset.Kind{zset.Int4, zset.Int8, zset.Float8, zset.Numeric, zset.Text, zset.Date, zset.Timestamp, zset.Bool}[e.r.IntN(8)]
		}
		return e.leaf(k)
	}
	if e.r.IntN(10) == 0 {
		return e.special(k, depth)
	}
	for range 200 {
		if f := e.rows[e.r.IntN(len(e.rows))]; f.Result == k {
			return e.call(f, depth)
		}
	}
	return e.leaf(k)
}

func (e *edges) special(k zset.Kind, depth int) string {
	a, b := e.expression(k, depth-1), e.expression(k, depth-1)
	c := e.expression(zset.Bool, depth-1)
	switch e.r.IntN(7) {
	case 0:
		return "CASE WHEN " + c + " THEN " + a + " ELSE " + b + " END"
	case 1:
		return "coalesce(" + a + ", " + b + ")"
	case 2:
		return "nullif(" + a + ", " + b + ")"
	case 3:
		return "greatest(" + a + ", " + b + ")"
	case 4:
		return "least(" + a + ", " + b + ")"
	case 5:
		return "CASE " + a + " WHEN " + b + " THEN " + a + " END"
	}
	return "(" + a + ")"
}

func (e *edges) call(f *expr.Func, depth int) string {
	var args []string
	for _, k := range f.Args {
		args = append(args, e.expression(k, e.r.IntN(depth)))
	}
	if f.Variadic {
		args = append(args, e.expression(expr.Any, 0))
	}
	first := f.Name[0]
	switch {
	case f.Name == "cast" && f.Result == zset.Numeric && e.r.IntN(2) == 0:
		return fmt.Sprintf("CAST(%s AS NUMERIC(%d,%d))", args[0], 10+e.r.IntN(20), e.r.IntN(10))
	case f.Name == "cast" && f.Result == zset.Varchar && e.r.IntN(2) == 0:
		return fmt.Sprintf("CAST(%s AS VARCHAR(%d))", args[0], 1+e.r.IntN(4))
	case f.Name == "cast":
		return "CAST(" + args[0] + " AS " + castNames[f.Result] + ")"
	case f.Name == "extract":
		fields := []string{"year", "month", "day", "hour", "minute", "second", "quarter", "week", "dow", "doy", "isodow", "isoyear", "decade", "century", "millennium",
			"epoch", "microseconds", "milliseconds", "julian", "nope"}
		return "extract(" + e.pick(fields) + " from " + args[1] + ")"
	case f.Name == "date_trunc" || f.Name == "date_part":
		fields := []string{"'year'", "'month'", "'day'", "'hour'", "'minute'", "'second'", "'quarter'", "'week'", "'decade'", "'century'", "'millennium'", "'milliseconds'",
			"'microseconds'", "'Month'", "'epoch'", "'dow'", "'nope'"}
		return f.Name + "(" + e.pick(fields) + ", " + args[1] + ")"
	case strings.HasPrefix(f.Name, "is ") && len(args) == 1:
		return "(" + args[0] + " " + f.Name + ")"
	case strings.HasSuffix(f.Name, "like") && len(args) == 3:
		return "(" + args[0] + " " + f.Name + " " + args[1] + " ESCAPE " + args[2] + ")"
	case strings.Contains(f.Name, " ") || strings.HasSuffix(f.Name, "like"):
		return "(" + args[0] + " " + f.Name + " " + args[1] + ")"
	case (first < 'a' || first > 'z') && len(args) == 1:
		return "(" + f.Name + " " + args[0] + ")"
	case first < 'a' || first > 'z':
		return "(" + args[0] + " " + f.Name + " " + args[1] + ")"
	}
	return f.Name + "(" + strings.Join(args, ", ") + ")"
}

// TestPostgresExpressions: every function, operator and cast over the edges of
// its types, constants and columns, gives PostgreSQL's value, type, name and error.
func TestPostgresExpressions(t *testing.T) {
	pg, first, n := judge(t)
	defer pg.close()
	db, err := ivmc.Open("", &ivmc.Options{InMemory: true, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	p := &pair{t: t, db: db, pg: pg}
	s := db.Session()
	defer s.Close()
	if _, err := pg.exec("DROP SCHEMA IF EXISTS exprs CASCADE; CREATE SCHEMA exprs; SET search_path = exprs"); err != nil {
		t.Fatal(err)
	}
	p.both(s, "CREATE TABLE e (id INT, i INT, j INT, l BIGINT, m BIGINT, f FLOAT8, g FLOAT8, n NUMERIC, d NUMERIC(12,3), t TEXT, v VARCHAR, w DATE, x TIMESTAMP, b BOOLEAN)")
	cols := map[zset.Kind][]string{zset.Int4: {"i", "j"}, zset.Int8: {"l", "m"}, zset.Float8: {"f", "g"}, zset.Numeric: {"n", "d"}, zset.Text: {"t"},
		zset.Varchar: {"v"}, zset.Date: {"w"}, zset.Timestamp: {"x"}, zset.Bool: {"b"}}
	fill := newEdges(5)
	for id := range 40 {
		cell := func(k zset.Kind) string {
			if fill.r.IntN(8) == 0 {
				return "NULL"
			}
			return "'" + fill.pick(edgeCells[k]) + "'"
		}
		p.both(s, fmt.Sprintf("INSERT INTO e VALUES (%d, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)", id, cell(zset.Int4), cell(zset.Int4), cell(zset.Int8), cell(zset.Int8),
			cell(zset.Float8), cell(zset.Float8), cell(zset.Numeric), fill.pick([]string{"NULL", "0", "1.5", "-0.125", "999999999.999", "3"}), cell(zset.Text), cell(zset.Text), cell(zset.Date), cell(zset.Timestamp), cell(zset.Bool)))
	}
	p.log = nil
	bad, same := 0, 0
	for seed := first; seed < first+n*100 && bad < 60; seed++ {
		e := newEdges(seed)
		q := ""
		if e.r.IntN(2) == 0 {
			e.cols = cols
			q = fmt.Sprintf(" FROM e WHERE id = %d", e.r.IntN(40))
			if e.r.IntN(5) == 0 {
				q = " FROM e"
			}
		}
		q = "SELECT " + e.call(e.rows[e.r.IntN(len(e.rows))], 1+e.r.IntN(3)) + q
		want, err := pg.exec(q)
		if err != nil {
			t.Fatal(err)
		}
		if diff := p.expression(q, want); diff != "" && !meant(q, diff, want) {
			bad++
			t.Errorf("seed %d: %s;\n  %s", seed, q, diff)
		} else {
			same++
		}
	}
	t.Logf("%d expressions agree", same)
}

// expression says how our answer differs.
func (p *pair) expression(q string, want *pgResult) string {
	rows, err := p.db.Text(context.Background(), q)
	if err != nil {
		if codeOf(err) != want.code && want.code == "" {
			return fmt.Sprintf("ours: %v, postgres: %s %s %v", err, want.code, want.msg, texts(want, true))
		}
		return ""
	}
	col := rows.Columns()[0]
	rows.Close()
	got, err := p.ours(q)
	switch {
	case err != nil && want.code != "": // two arguments fail, the first one to be asked is reported
		return ""
	case codeOf(err) != want.code:
		return fmt.Sprintf("ours: %v, postgres: %s %s %v", err, want.code, want.msg, texts(want, true))
	case err != nil:
		return ""
	case col.Name != want.cols[0].name || col.Type != want.cols[0].typeName():
		return fmt.Sprintf("ours: %s %s, postgres: %s %s", col.Name, col.Type, want.cols[0].name, want.cols[0].typeName())
	}
	if diff := compare(got, want, true, false); diff != "" && !(want.cols[0].oid == 701 && nearly(got, want)) {
		return diff
	}
	return ""
}

// nearly: exp, ln and power may differ in the last digit, as libraries do.
func nearly(got, want *pgResult) bool {
	if len(got.rows) != len(want.rows) {
		return false
	}
	for i := range got.rows {
		a, b := got.rows[i][0], want.rows[i][0]
		x, _ := strconv.ParseFloat(a.text, 64)
		y, _ := strconv.ParseFloat(b.text, 64)
		if a.null != b.null || a.text != b.text && !(x-y <= 4e-16*y && y-x <= 4e-16*y || x-y <= -4e-16*y && y-x <= -4e-16*y) {
			return false
		}
	}
	return true
}

// meant: where we want to differ, or PostgreSQL happens to.
func meant(q, diff string, want *pgResult) bool {
	switch {
	case want.code == "42725": // it has more overloads
		return true
	case strings.Contains(diff, "value overflows numeric format"): // more than 76 digits
		return true
	case strings.Contains(diff, "numeric field overflow") && strings.Contains(q, "NUMERIC("):
		return true // NUMERIC(p,s) holds no NaN
	case strings.Contains(q, "right("): // its least integer has no negative
		return true
	case strings.Contains(fmt.Sprint(want.rows), strings.Repeat("0", 80)):
		return true // the same of zero
	case strings.Contains(q, "power(") || strings.Contains(q, "exp("):
		// The last digits are the library's, and minus infinity has powers.
		return want.code == "2201F" || want.code == "" && want.cols[0].oid == 701
	case want.code == "22025": // it looks at the escape before it looks for NULL
		return true
	case strings.Contains(q, "CASE") || strings.Contains(q, "coalesce"): // it folds constants in arms that are never taken
		return (want.code == "") != (strings.Contains(diff, "ours: <nil>"))
	}
	return false
}
