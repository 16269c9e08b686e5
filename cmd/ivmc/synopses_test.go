package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ivmc/ivmc"
)

// form is a synopsis that is read: a word or sign, or a row, choice or option of
// such.
type form struct {
	word string
	kind byte // 0: a word; 's': one after another; '|': one of; '[': or none
	of   []form
}

var formWord = regexp.MustCompile(`'[^']*'|\.\.|[A-Za-z_0-9]+|\S`)

func readForm(t *testing.T, text string) form {
	f, rest := readChoice(formWord.FindAllString(text, -1))
	if len(rest) > 0 {
		t.Fatalf("%s: %q is left over", text, rest)
	}
	return f
}

func readChoice(words []string) (form, []string) {
	arms := []form{{kind: 's'}}
	for len(words) > 0 {
		w := words[0]
		words = words[1:]
		arm := &arms[len(arms)-1]
		switch w {
		case "]", "}":
			return form{kind: '|', of: arms}, words
		case "[", "{":
			var f form
			f, words = readChoice(words)
			if w == "[" {
				f = form{kind: '[', of: []form{f}}
			}
			arm.of = append(arm.of, f)
		case "|":
			arms = append(arms, form{kind: 's'})
		case "..": // more of what stands before, and the comma, if there is one
			if n := len(arm.of); arm.of[n-1].word == "," {
				arm.of = arm.of[:n-1]
			}
		default:
			arm.of = append(arm.of, form{word: w})
		}
	}
	return form{kind: '|', of: arms}, nil
}

// sentences are such that every arm and option stands in one, and is left out in
// one.
func (f form) sentences(said func(word string) []string) []string {
	switch f.kind {
	case 0:
		return said(f.word)
	case '[':
		return append(f.of[0].sentences(said), "")
	case '|':
		var all []string
		for _, x := range f.of {
			all = append(all, x.sentences(said)...)
		}
		return all
	}
	n, parts := 1, [][]string(nil)
	for _, x := range f.of {
		p := x.sentences(said)
		parts = append(parts, p)
		n = max(n, len(p))
	}
	all := make([]string, n)
	for i := range all {
		for _, p := range parts {
			all[i] += " " + p[i%len(p)]
		}
	}
	return all
}

// samples are what the small words, and texts that say what they are, may be.
func samples() map[string]string {
	return map[string]string{
		"table": "t", "view": "v", "plain_view": "w", "stream": "s", "relation": "t", "name": "fresh", "column": "a", "key": "a", "check": "c",
		"key_name": "t_pkey", "type": "INT", "value": "1", "condition": "true", "expression": "1", "number": "1", "query": "SELECT 1 AS a",
		"alias": "x", "label": "l", "function": "sum", "setting": "statement_timeout", "time": "now()", "unit": "MINUTE", "source": "t AS other", "join": "",
		"'m h day month weekday'": "'* * * * *'", "'interval'": "'5 minutes'", "'sign'": "'x'", "'time'": "'2030-01-01'", "'zone'": "'UTC'",
		"table_function": "generate_series", "window": "", "frame": "", "group": "1", "property": "",
	}
}

// properties are a key and a value that the statement knows.
func properties(statement string) map[string]string {
	switch statement {
	case "CREATE MATERIALIZED VIEW", "ALTER MATERIALIZED VIEW":
		return map[string]string{"'key'": "'excluded_trigger_tables'", "'value'": "'t'"}
	case "CREATE STREAM":
		return map[string]string{"'key'": "'type'", "'value'": "'min_delta'"}
	}
	return map[string]string{"'key'": "'replication_num'", "'value'": "'1'"}
}

// refusedTogether are words that are right alone.
func refusedTogether(sql string) bool {
	switch {
	case strings.Contains(sql, "COMPLETE ON COMMIT"), strings.Contains(sql, "all FORMAT svg"):
		return true
	case strings.Contains(sql, "ON COMMIT"):
		return strings.Contains(sql, "excluded_trigger_tables") && !strings.Contains(sql, "ASYNC")
	}
	return !strings.Contains(sql, "FROM") && (strings.Contains(sql, "SELECT *") || strings.Contains(sql, "SELECT t . *"))
}

// TestSynopsesAreTrue types what \h says: it is neither an error of syntax nor
// refused.
func TestSynopsesAreTrue(t *testing.T) {
	typed := map[string]bool{}
	for _, s := range synopses() {
		meanings := map[string]form{}
		for _, w := range s.where {
			meanings[w.name] = readForm(t, w.text)
		}
		within := map[string]bool{} // no meaning stands in itself
		var said func(word string) []string
		said = func(word string) []string {
			if f, ok := meanings[word]; ok && !within[word] {
				within[word] = true
				defer delete(within, word)
				return f.sentences(said)
			}
			if x, ok := properties(s.name)[word]; ok {
				return []string{x}
			}
			if x, ok := samples()[word]; ok {
				return []string{x}
			}
			return []string{word}
		}
		for _, text := range strings.Split(strings.ReplaceAll(s.text, "\n    ", " "), "\n") {
			for _, sql := range readForm(t, text).sentences(said) {
				if sql = strings.Join(strings.Fields(sql), " "); !typed[sql] && !refusedTogether(sql) {
					typed[sql] = true
					accepted(t, s.name, sql)
				}
			}
		}
	}
	t.Logf("%d statements", len(typed))
}

func accepted(t *testing.T, name, sql string) {
	t.Helper()
	db, err := ivmc.Open("", &ivmc.Options{InMemory: true, NoFiles: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ctx := context.Background()
	if _, err := db.Exec(ctx, `CREATE TABLE t(a INT PRIMARY KEY, CONSTRAINT c CHECK (a > 0)); CREATE MATERIALIZED VIEW v AS SELECT a FROM t;
		CREATE VIEW w AS SELECT a FROM t; CREATE STREAM s ON TABLE t`); err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec(ctx, sql)
	var e *ivmc.Error
	if errors.As(err, &e) && (e.SQLState() == "42601" || e.SQLState() == "0A000") {
		t.Errorf("%s: %s\n\t%s", name, sql, err)
	}
}

// TestSynopsesAreWhole: every word of the grammar's statements is told by \h, but
// for those that are read so that they can be refused by name: these, and the rules of
// passed.
func TestSynopsesAreWhole(t *testing.T) {
	refused := strings.Fields("FOREIGN REFERENCES ACTION GENERATED INDEX PARTITION RESTART RECURSIVE TIES PARTITIONS TABLESAMPLE REPEATABLE SHARE NOWAIT SKIP LOCKED")
	text, err := os.ReadFile(filepath.Join("..", "..", "grammar", "IVM.g4"))
	if err != nil {
		t.Fatal(err)
	}
	rules := map[string]string{}
	for _, m := range regexp.MustCompile(`(?ms)^(\w+)\n    : (.*?)^    ;`).FindAllStringSubmatch(string(text), -1) {
		rules[m[1]] = regexp.MustCompile(`//.*`).ReplaceAllString(m[2], "")
	}
	told, all := map[string]string{}, ""
	for _, s := range synopses() {
		told[strings.Fields(s.name)[0]] += s.String()
		all += s.String()
	}
	word := regexp.MustCompile(`[A-Za-z_]+`)
	// What is no word, and rules below statements.
	passed := strings.Fields("EOF LPAREN RPAREN COMMA SEMI EQ STAR PLUS NUMBER STRING IDENT QIDENT OTHER_OPERATOR PARAM PLAIN_ROWS PLAIN_LIST DOT TYPE_FUNC_WORD " +
		"expr qualified name typeName query word anyLabel bareLabel nameList settingValue optionValue createIndex comment references generated partitioned cte cell allStreams lockClause sample")
	notYet := map[string][]string{"alter": {"PRIMARY", "UNIQUE", "KEY"}} // of ADD CONSTRAINT
	var reach func(rule string, seen map[string]bool)
	reach = func(rule string, seen map[string]bool) {
		for _, w := range word.FindAllString(rules[rule], -1) {
			if seen[w] || slices.Contains(passed, w) {
				continue
			}
			seen[w] = true
			if _, ok := rules[w]; ok {
				reach(w, seen)
			}
		}
	}
	said := func(text, w string) bool { return regexp.MustCompile(`\b` + w + `\b`).MatchString(text) }
	for _, rule := range word.FindAllString(rules["statement"], -1) {
		if rule == "with" || slices.Contains(passed, rule) {
			continue
		}
		seen := map[string]bool{}
		reach(rule, seen)
		of := ""
		for w := range seen {
			of += told[w]
		}
		for w := range seen {
			if _, isRule := rules[w]; isRule || w == "ON_CONFLICT" || slices.Contains(refused, w) || slices.Contains(notYet[rule], w) {
				continue
			}
			if !said(of, w) {
				t.Errorf(`\h does not say %s of the grammar's %s`, w, rule)
			}
		}
	}
	// Words that the grammar does not know: ast looks for them.
	files, err := filepath.Glob(filepath.Join("..", "..", "ast", "build_*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`b\.word\(.*"(\w+)"\)`).FindAllStringSubmatch(string(text), -1) {
			if w := strings.ToUpper(m[1]); !said(all, w) && !slices.Contains(refused, w) {
				t.Errorf(`\h does not say %s, for which %s looks`, w, filepath.Base(f))
			}
		}
	}
}
