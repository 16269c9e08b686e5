package main

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/ivmc/ivmc"
)

// complete is what the Tab key asks: the line up to the word at pos, words that
// it may become, and the rest of the line. pos counts characters.
func (sh *shell) complete(line string, pos int) (head string, words []string, tail string) {
	rs := []rune(line)
	before := string(rs[:pos])
	tail = string(rs[pos:])
	if strings.TrimSpace(before) == "" { // a Tab before anything is typed is a blank, as in text that is pasted
		return before, []string{"    "}, tail
	}
	if name, isCommand := strings.CutPrefix(strings.TrimLeft(before, " "), `\`); isCommand {
		head, words = sh.completeCommand(before, name)
		return head, words, tail
	}
	from := strings.LastIndexFunc(before, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '$' && r != '.' && r != '"'
	})
	head = before[:from+1]
	if from < 0 {
		head = ""
	}
	if open := quoteAfter(sh.script.Open(), head); open == '\'' {
		return head, nil, tail // within a string nothing is known
	}
	return head, sh.wordsAfter(head, before[len(head):], tail), tail
}

// quoteAfter is whether a string is open behind text that follows one that is,
// or is not.
func quoteAfter(open byte, text string) byte {
	if open != '\'' && open != 0 {
		return open
	}
	if (strings.Count(text, "'")%2 == 1) != (open == '\'') {
		return '\''
	}
	return 0
}

// names are what the catalog has: relations, and their columns.
type names struct {
	relations []string
	columns   map[string][]string
}

func (sh *shell) names() (n names) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	n.columns = map[string][]string{}
	rows, err := sh.db.Text(ctx, "SELECT table_name, column_name FROM information_schema.columns ORDER BY table_name, ordinal_position")
	if err != nil { // then there is nothing to offer
		return n
	}
	defer rows.Close()
	for rows.Next() {
		b, _ := rows.Cell(0)
		table := string(b)
		b, _ = rows.Cell(1)
		if k := len(n.relations); k == 0 || n.relations[k-1] != table {
			n.relations = append(n.relations, table)
		}
		n.columns[table] = append(n.columns[table], string(b))
	}
	return n
}

// relationWords are the words behind which a relation's name stands.
func relationWords() []string {
	return []string{"from", "join", "into", "update", "table", "view", "describe", "desc", "copy", "truncate"}
}

// relationNext reports whether a relation's name comes behind head: right behind
// FROM and its like, or as one more in their list.
func relationNext(head string) bool {
	fields := strings.FieldsFunc(strings.ToLower(head), func(r rune) bool { return unicode.IsSpace(r) || r == '(' })
	list := strings.HasSuffix(strings.TrimSpace(head), ",")
	for i := len(fields) - 1; i >= 0; i-- {
		switch f := fields[i]; {
		case slices.Contains(relationWords(), f):
			return list || i == len(fields)-1
		case slices.Contains([]string{"select", "where", "on", "set", "group", "order", "having", "values", "using"}, f):
			return false
		}
	}
	return false
}

// kindsAfter are the words that may stand behind the first one of a statement; nil:
// anything may.
func kindsAfter(first string) []string {
	kinds := []string{"materialized view", "stream", "table", "view"}
	return map[string][]string{
		"alter": kinds, "drop": kinds, "create": append(kinds, "or replace materialized view", "or replace view"),
		"insert": {"into"}, "delete": {"from"}, "refresh": {"materialized view"}, "verify": {"materialized view"},
	}[strings.ToLower(first)]
}

// wordsAfter is what a word may become between head and tail.
func (sh *shell) wordsAfter(head, word, tail string) (out []string) {
	if fields := strings.Fields(head); len(fields) == 1 && !begun(sh.script) {
		if kinds := kindsAfter(fields[0]); kinds != nil {
			for _, k := range kinds {
				if fits(k, word) {
					out = append(out, likeCase(k, cmp.Or(word, fields[0])))
				}
			}
			return out
		}
	}
	n := sh.names()
	if table, column, dotted := strings.Cut(word, "."); dotted {
		for _, c := range n.columns[sh.aliased(head+" "+tail, table)] {
			if fits(c, column) {
				out = append(out, table+"."+ivmc.QuoteIdent(c))
			}
		}
		return out
	}
	for _, r := range n.relations {
		if fits(r, word) {
			out = append(out, ivmc.QuoteIdent(r))
		}
	}
	if relationNext(head) && (len(out) > 0 || word == "") {
		return out
	}
	for _, r := range n.relations {
		for _, c := range n.columns[r] {
			if fits(c, word) {
				out = append(out, ivmc.QuoteIdent(c))
			}
		}
	}
	if word == "" {
		return sorted(out)
	}
	for _, k := range ivmc.Keywords() {
		if fits(k, word) {
			out = append(out, likeCase(k, word))
		}
	}
	for _, f := range ivmc.Functions() {
		if fits(f, word) && !slices.Contains(out, f) {
			out = append(out, f+"(")
		}
	}
	return sorted(out)
}

func sorted(words []string) []string {
	slices.Sort(words)
	return slices.Compact(words)
}

// fits reports whether a name is what a word begins.
func fits(name, word string) bool {
	if q, quoted := strings.CutPrefix(word, `"`); quoted {
		return strings.HasPrefix(name, q)
	}
	return strings.HasPrefix(name, strings.ToLower(word))
}

// likeCase is a keyword in capitals, unless the person began it in small letters.
func likeCase(keyword, word string) string {
	if strings.ToLower(word) == word {
		return keyword
	}
	return strings.ToUpper(keyword)
}

// aliased is the relation that a name stands for: itself, or what stands before
// it as "relation name" or "relation AS name".
func (sh *shell) aliased(line, name string) string {
	name = foldName(name)
	fields := strings.FieldsFunc(sh.script.Pending()+" "+line, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",();", r) })
	for i := len(fields) - 1; i > 0; i-- {
		if foldName(fields[i]) != name {
			continue
		}
		at := i - 1
		if strings.EqualFold(fields[at], "as") {
			at--
		}
		if at > 0 && slices.Contains(relationWords(), strings.ToLower(fields[at-1])) {
			return foldName(fields[at])
		}
	}
	return name
}

// completeCommand completes the name of a command, or what it is about.
func (sh *shell) completeCommand(before, name string) (head string, words []string) {
	i := strings.IndexAny(name, " \t")
	if i < 0 {
		head = strings.TrimSuffix(before, name)
		for _, b := range backslashes() {
			if strings.HasPrefix(b.name, name) {
				words = append(words, b.name)
			}
		}
		return head, words
	}
	arg := strings.TrimLeft(name[i:], " \t")
	head = strings.TrimSuffix(before, arg)
	switch command := name[:i]; {
	case strings.HasPrefix(command, "d"):
		for _, r := range sh.names().relations {
			if fits(r, arg) {
				words = append(words, ivmc.QuoteIdent(r))
			}
		}
	case command == "h":
		for _, s := range synopses() {
			if strings.HasPrefix(s.name, strings.ToUpper(arg)) {
				words = append(words, s.name)
			}
		}
	case command == "i" || command == "o" || command == "e":
		words = files(arg)
	}
	return head, words
}

// files are those whose name begins so; a folder's ends with a slash.
func files(begin string) (out []string) {
	dir, base := filepath.Split(begin)
	all, err := os.ReadDir(filepath.Clean("./" + dir))
	if filepath.IsAbs(begin) {
		all, err = os.ReadDir(dir)
	}
	if err != nil {
		return nil
	}
	for _, f := range all {
		if !strings.HasPrefix(f.Name(), base) || strings.HasPrefix(f.Name(), ".") && base == "" {
			continue
		}
		name := dir + f.Name()
		if f.IsDir() {
			name += "/"
		}
		out = append(out, name)
	}
	return out
}
