package ast

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

// within fails a test that takes longer than a shared machine explains.
func within(t *testing.T, d time.Duration, f func()) {
	t.Helper()
	start := time.Now()
	f()
	if took := time.Since(start); took > d {
		t.Errorf("took %s, the bound is %s", took, d)
	}
}

func codeOf(t *testing.T, src string) string {
	t.Helper()
	_, err := Parse(src)
	if err == nil {
		return ""
	}
	var es Errors
	if !errors.As(err, &es) || len(es) == 0 {
		t.Fatalf("not Errors: %v", err)
	}
	if es[0].Code == codeInternal {
		t.Fatalf("%s", es[0].Message)
	}
	return es[0].Code
}

// TestDeepAndLong gives an answer, or an error of the right kind, to what would
// overflow a stack or a patience. The small stack shows recursion that no cap
// holds off.
func TestDeepAndLong(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(64 << 20))
	rep := strings.Repeat
	cases := []struct {
		name, src, code string
	}{
		{"parens 400", "SELECT " + rep("(", 400) + "1" + rep(")", 400), ""},
		{"parens 501", "SELECT " + rep("(", 501) + "1" + rep(")", 501), codeTooComplex},
		{"parens 100k", "SELECT " + rep("(", 100_000) + "1" + rep(")", 100_000), codeTooComplex},
		{"open parens 100k", "SELECT " + rep("(", 100_000), codeTooComplex},
		{"queries 400", rep("(", 400) + "SELECT 1" + rep(")", 400), ""},
		{"queries in queries 400", rep("(SELECT * FROM ", 400) + "t" + rep(" x)", 399) + ")", ""},
		{"derived 400", "SELECT * FROM " + rep("(SELECT * FROM ", 400) + "t" + rep(") x", 400), ""},
		{"scalar queries 400", "SELECT " + rep("((SELECT ", 200) + "1" + rep("))", 200), ""},
		{"union in parens 200", "SELECT " + rep("((SELECT 1) UNION ", 200) + "SELECT 2" + rep(")", 200), ""},
		{"joins in parens 400", "SELECT * FROM " + rep("(a CROSS JOIN ", 400) + "b" + rep(")", 400), ""},
		{"not 400", "SELECT " + rep("NOT ", 400) + "true", ""},
		{"not 100k", "SELECT " + rep("NOT ", 100_000) + "true", codeTooComplex},
		{"minus 100k", "SELECT " + rep("- ", 100_000) + "1", codeTooComplex},
		{"= not 100k", "SELECT a " + rep("= NOT a ", 100_000), codeTooComplex},
		{"= not 400", "SELECT a " + rep("= NOT a ", 400), ""},
		{"case 400", "SELECT " + rep("CASE WHEN a THEN ", 400) + "1" + rep(" END", 400), ""},
		{"case 100k", "SELECT " + rep("CASE ", 100_000), codeTooComplex},
		{"case when 100k", "SELECT " + rep("CASE WHEN a THEN ", 100_000) + "1" + rep(" END", 100_000), codeTooComplex},
		{"case labels", "SELECT " + rep("1 AS case, ", 2_000) + "1", ""},
		{"and 9k", "SELECT a" + rep(" AND a", 9_000), ""},
		{"or 9k", "SELECT a" + rep(" OR b", 9_000), ""},
		{"plus 9k", "SELECT 1" + rep(" + 1", 9_000), ""},
		{"plus 100k", "SELECT 1" + rep(" + 1", 100_000), codeTooComplex},
		{"cast 100k", "SELECT 1" + rep("::int", 100_000), codeTooComplex},
		{"is null 100k", "SELECT 1" + rep(" IS NULL", 100_000), codeTooComplex},
		{"between 9k", "SELECT a" + rep(" AND a BETWEEN 1 AND 2", 4_000), ""},
		{"chains in chains", "SELECT " + rep("(", 400) + "1" + rep(rep("+1", 100)+")", 400), codeTooComplex},
		{"chains beside chains", "SELECT " + rep("(1"+rep("+1", 100)+"*", 400) + "1" + rep(")", 400), ""},
		{"union 9k", "SELECT 1" + rep(" UNION ALL SELECT 1", 9_000), ""},
		{"union 20k", "SELECT 1" + rep(" UNION ALL SELECT 1", 20_000), codeTooComplex},
		{"intersect 20k", "SELECT 1" + rep(" INTERSECT SELECT 1", 20_000), codeTooComplex},
		{"joins 9k", "SELECT * FROM a" + rep(" CROSS JOIN a", 9_000), ""},
		{"joins without on", "SELECT * FROM a" + rep(" JOIN a", 50_000), codeSyntax},
		{"joins on at the end", "SELECT * FROM a" + rep(" JOIN a", 9_000) + rep(" ON b", 9_000), ""},
		{"joins on at the end 50k", "SELECT * FROM a" + rep(" JOIN a", 50_000) + rep(" ON b", 50_000), codeTooComplex},
		{"comma 100k", "SELECT " + rep("a, ", 100_000) + "a", ""},
		{"in list 200k", "SELECT a IN (1" + rep(", 1", 200_000) + ")", ""},
		{"in list with names 20k", "SELECT a IN (b" + rep(", b", 20_000) + ")", ""},
		{"dots 100k", "SELECT a" + rep(".a", 100_000), ""},
		{"garbage", rep(") ", 100_000), codeSyntax},
		{"commas", rep(", ", 100_000), codeSyntax},
		{"words", rep("a ", 100_000), codeSyntax},
		{"select words", "SELECT " + rep("a b c, ", 50_000), codeSyntax},
		{"strings", "SELECT " + rep("'a' ", 100_000), codeSyntax},
		{"values broken late", "INSERT INTO t VALUES " + rep("(1, 2), ", 100_000) + "(1, 2", codeSyntax},
		{"semicolons", "SELECT 1" + rep(";", 100_000), ""},
		{"open comments", rep("/*", 1_000_000), codeSyntax},
		{"literal 15 MB", "SELECT '" + rep("x", 15<<20) + "'", ""},
		{"literal 20 MB", "SELECT '" + rep("x", 20<<20) + "'", codeTooLong},
		{"open literal 15 MB", "SELECT '" + rep("x", 15<<20), codeSyntax},
		{"identifier 15 MB", "SELECT a b " + rep("x", 15<<20), codeSyntax},
		{"quotes 8 MB", "SELECT '" + rep("''", 4<<20) + "'", ""},
		{"escapes 8 MB", "SELECT E'" + rep("\\\\", 4<<20) + "'", ""},
		{"comment lines", "SELECT 1" + rep(" -- é\n", 100_000), ""},
		{"dollars", rep("$a", 100_000), codeSyntax},
		{"error behind 100k terms", "SELECT " + rep("a, ", 100_000) + "a b c", codeSyntax},
		{"error behind 50k terms, deep", "SELECT " + rep("f(", 400) + rep("a, ", 50_000) + "a b" + rep(")", 400), codeSyntax},
		{"arrays 400", "SELECT " + rep("ARRAY[", 400) + rep("]", 400), ""},
		{"arrays 100k", "SELECT " + rep("ARRAY[", 100_000), codeTooComplex},
		{"rows 400", "SELECT " + rep("(a, ", 400) + "b" + rep(")", 400), ""},
		{"rows 100k", "SELECT " + rep("ROW(a, ", 100_000), codeTooComplex},
		{"bits 400", "SELECT " + rep("~ ", 400) + "1", ""},
		{"bits 100k", "SELECT " + rep("~ ", 100_000) + "1", codeTooComplex},
		{"|| bits 100k", "SELECT a" + rep(" ^ ~ a", 100_000), codeTooComplex},
		{"zones 9k", "SELECT a" + rep(" AT TIME ZONE 'x'", 4_000), ""},
		{"zones 100k", "SELECT a" + rep(" AT TIME ZONE 'x'", 100_000), codeTooComplex},
		{"powers 100k", "SELECT a" + rep(" ^ a", 100_000), codeTooComplex},
		{"any 400", "SELECT " + rep("a = ANY (", 400) + "b" + rep(")", 400), ""},
		{"any 100k", "SELECT a" + rep(" = ANY (b)", 100_000), codeTooComplex},
		{"positions 400", "SELECT " + rep("position(a IN ", 400) + "b" + rep(")", 400), ""},
		{"positions open", "SELECT " + rep("position(", 499) + rep("a IN b)", 499), codeSyntax},
		{"sets 400", "SELECT a FROM t GROUP BY " + rep("GROUPING SETS (", 400) + "b" + rep(")", 400), ""},
		{"checks 20k", "CREATE TABLE t (a INT" + rep(" CHECK (a > 0)", 20_000) + ")", ""},
		{"conflicts", "INSERT INTO t VALUES (1)" + rep(" ON CONFLICT (a)", 50_000), codeSyntax},
		{"unicode 8 MB", "SELECT U&'" + rep("\\0061", 1<<20) + "'", ""},
		{"bad unicode 8 MB", "SELECT " + rep("U&'\\00' ", 1<<19), codeSyntax},
		{"digits", "SELECT " + rep("1", 100_000), ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			within(t, 20*time.Second, func() {
				if got := codeOf(t, c.src); got != c.code {
					t.Errorf("code %q, want %q", got, c.code)
				}
			})
		})
	}
}

func bigInsert(rows int) string {
	var b strings.Builder
	b.WriteString("INSERT INTO t (a, b, c, d, e) VALUES ")
	for i := range rows {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "(%d, 'name %d', NULL, -%d.5, TRUE)", i, i, i)
	}
	return b.String()
}

func TestBigInsert(t *testing.T) {
	src := bigInsert(200_000)
	if len(src) > DefaultLimits().Bytes {
		t.Fatalf("%d bytes", len(src))
	}
	within(t, 10*time.Second, func() {
		st, err := Parse(src)
		if err != nil {
			t.Fatal(err)
		}
		rows := st.(*Insert).Query.Body.(*Values).Rows
		if len(rows) != 200_000 {
			t.Fatalf("%d rows", len(rows))
		}
		for i, r := range rows {
			u, ok := r[3].(*Unary)
			if len(r) != 5 || !ok || u.X.(*Literal).Text != fmt.Sprintf("%d.5", i) || r[1].(*Literal).Text != fmt.Sprintf("name %d", i) {
				t.Fatalf("row %d is %s", i, dump(r))
			}
		}
	})
}

// TestPlainRunsEqualGrammar parses constants once as a run and once, made
// expressions by parentheses, by the grammar: the trees are the same.
func TestPlainRunsEqualGrammar(t *testing.T) {
	cells := []string{"1", "-1", "+1.5", "'a'", "''", "NULL", "TRUE", "false", "$1", "DATE '2024-01-01'",
		"TIMESTAMP 'x'", "interval '1 day'", "E'\\n'", "1e5", "time 'x'", "numeric '1'"}
	for _, c := range cells {
		plain, err := Parse("VALUES (" + c + ", " + c + "), (" + c + ", 1)")
		if err != nil {
			t.Fatalf("%s: %v", c, err)
		}
		full, err := Parse("VALUES ((" + c + "), (" + c + ")), ((" + c + "), (1))")
		if err != nil {
			t.Fatalf("%s: %v", c, err)
		}
		if Print(plain) != Print(full) {
			t.Errorf("%s: %s, %s", c, Print(plain), Print(full))
		}
		ts, _, _ := tokenise(nil, "VALUES ("+c+", "+c+"), ("+c+", 1)", DefaultLimits())
		if len(ts.list) != 3 {
			t.Errorf("%s: %d tokens, a run is not read as one", c, len(ts.list))
		}
	}
}

func TestLimitsAreOptions(t *testing.T) {
	lim := Limits{Bytes: 100, Depth: 3, Tokens: 50, Tree: 20}
	for src, want := range map[string]string{
		"SELECT ((1))":                                           "",
		"SELECT ((((1))))":                                       codeTooComplex,
		"SELECT 1" + strings.Repeat("+1", 8):                     "",
		"SELECT 1" + strings.Repeat("+1", 20):                    codeTooComplex,
		"SELECT " + strings.Repeat("a", 100):                     codeTooLong,
		"SELECT a" + strings.Repeat(",a", 30):                    codeTooComplex,
		"SELECT CASE WHEN (CASE WHEN (1) THEN 1 END) THEN 1 END": codeTooComplex,
	} {
		_, err := ParseWith(src, lim)
		got := ""
		if err != nil {
			got = err.(Errors)[0].Code
		}
		if got != want {
			t.Errorf("%s: %q, want %q", src, got, want)
		}
	}
}

func TestBadBytes(t *testing.T) {
	for src, want := range map[string]string{
		"SELECT 'a\x00b'":   "22021 @9 invalid byte sequence for encoding \"UTF8\": 0x00",
		"SELECT 'é\xffb'":   "22021 @9 invalid byte sequence for encoding \"UTF8\": 0xff",
		"SELECT \x07":       "42601 @7 invalid character U+0007 outside quotes",
		"SELECT \x7f":       "42601 @7 invalid character U+007F outside quotes",
		"\xc3":              "22021 @0 invalid byte sequence for encoding \"UTF8\": 0xc3",
		"SELECT 'a\x07\tb'": "",
		"\ufeffSELECT 1":    "",
	} {
		_, err := Parse(src)
		got := ""
		if err != nil {
			e := err.(Errors)[0]
			got = fmt.Sprintf("%s @%d %s", e.Code, e.Pos, e.Message)
		}
		if got != want {
			t.Errorf("%q: %s, want %s", src, got, want)
		}
	}
}

func TestErrorsAreCapped(t *testing.T) {
	_, err := Parse("SELECT " + strings.Repeat("1x, ", 100) + "1")
	if es := err.(Errors); len(es) != maxErrors {
		t.Errorf("%d errors", len(es))
	}
	_, err = Parse("SELECT " + strings.Repeat("a b c, d, e, f, g,\n", 100) + "1")
	es := err.(Errors)
	if len(es) != maxErrors {
		t.Errorf("%d errors", len(es))
	}
	for i, e := range es {
		if e.Line != i+1 || i > 0 && e.Pos <= es[i-1].Pos {
			t.Errorf("error %d at line %d", i, e.Line)
		}
	}
}
