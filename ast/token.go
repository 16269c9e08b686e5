package ast

import (
	"strings"

	"github.com/antlr4-go/antlr/v4"

	"github.com/ivmc/ivmc/grammar/gen"
)

// token is a lexeme as ANTLR's parser wants to see it.
type token struct {
	lexeme
	index int
	src   string
	plain *plainRun // of PLAIN_ROWS and PLAIN_LIST
}

var _ antlr.Token = (*token)(nil)

// text is the token as written; of a run of constants its first word.
func (t *token) text() string { return t.src[t.start:t.end] }

// GetTokenType and the methods below serve the generated parser only.
func (t *token) GetTokenType() int                           { return t.kind }
func (t *token) GetTokenIndex() int                          { return t.index }
func (t *token) SetTokenIndex(v int)                         { t.index = v }
func (t *token) GetText() string                             { return t.text() }
func (t *token) String() string                              { return t.text() }
func (t *token) SetText(string)                              {}
func (t *token) GetChannel() int                             { return antlr.TokenDefaultChannel }
func (t *token) GetStart() int                               { return t.start }
func (t *token) GetStop() int                                { return t.end - 1 }
func (t *token) GetLine() int                                { return 0 }
func (t *token) GetColumn() int                              { return 0 }
func (t *token) GetSource() *antlr.TokenSourceCharStreamPair { return nil }
func (t *token) GetTokenSource() antlr.TokenSource           { return nil }
func (t *token) GetInputStream() antlr.CharStream            { return nil }

// tokens is a whole statement, cut; the last token is EOF. As ANTLR's token
// stream it needs no lexer behind it.
type tokens struct {
	src  string
	list []token
	at   int

	watch *watch
}

var _ antlr.TokenStream = (*tokens)(nil)

// LT and the methods below serve the generated parser only.
func (ts *tokens) LT(k int) antlr.Token {
	i := ts.at + k - 1
	if k < 0 {
		if i = ts.at + k; i < 0 {
			return nil
		}
	}
	return &ts.list[min(i, len(ts.list)-1)]
}

func (ts *tokens) LA(k int) int {
	if i := ts.at + k - 1; k > 0 && i < len(ts.list) {
		return ts.list[i].kind
	}
	t := ts.LT(k)
	if t == nil {
		return antlr.TokenInvalidType
	}
	return t.GetTokenType()
}

func (ts *tokens) Consume() {
	ts.watch.step()
	if ts.at < len(ts.list)-1 {
		ts.at++
	}
}

func (ts *tokens) Seek(index int)                    { ts.at = min(index, len(ts.list)-1) }
func (ts *tokens) Index() int                        { return ts.at }
func (ts *tokens) Mark() int                         { return 0 }
func (ts *tokens) Release(int)                       {}
func (ts *tokens) Reset()                            { ts.at = 0 }
func (ts *tokens) Size() int                         { return len(ts.list) }
func (ts *tokens) Get(i int) antlr.Token             { return &ts.list[i] }
func (ts *tokens) GetSourceName() string             { return "" }
func (ts *tokens) GetTokenSource() antlr.TokenSource { return missing{} }
func (ts *tokens) SetTokenSource(antlr.TokenSource)  {}
func (ts *tokens) GetAllText() string                { return ts.src }

func (ts *tokens) GetTextFromInterval(iv antlr.Interval) string {
	if iv.Start < 0 || iv.Stop >= len(ts.list) || iv.Start > iv.Stop {
		return ""
	}
	return strings.Clone(ts.src[ts.list[iv.Start].start:ts.list[iv.Stop].end])
}

func (ts *tokens) GetTextFromRuleContext(rc antlr.RuleContext) string {
	return ts.GetTextFromInterval(rc.GetSourceInterval())
}

func (ts *tokens) GetTextFromTokens(a, b antlr.Token) string {
	return ts.GetTextFromInterval(antlr.NewInterval(a.GetTokenIndex(), b.GetTokenIndex()))
}

// missing makes the tokens that error recovery puts in where one is missing.
type missing struct{ antlr.TokenSource }

func (missing) GetTokenFactory() antlr.TokenFactory { return missing{} }

func (missing) Create(_ *antlr.TokenSourceCharStreamPair, kind int, _ string, _, _, _, _, _ int) antlr.Token {
	return &token{lexeme: lexeme{kind: kind}, index: -1}
}

// tokenise cuts src and keeps the caps, so that the parser, which recurses, only
// sees what it can bear. The error says that a cap was hit.
func tokenise(w *watch, src string, lim Limits) (*tokens, Errors, *Error) {
	ts := &tokens{src: src, watch: w, list: make([]token, 0, min(len(src)/4+8, 1<<16))}
	s := scanner{src: src}
	runs := newPlainReader()
	var nest nesting
	var places positions
	for {
		if t := runs.read(&s, ts.list); t != nil {
			ts.push(*t)
			nest.flat()
			continue
		}
		w.step()
		l := s.next()
		ts.push(token{lexeme: l})
		ts.conflict()
		ts.schema()
		places.mark(ts.list)
		if l.kind == antlr.TokenEOF {
			return ts, s.errs, nil
		}
		runs.saw(l.kind)
		if depth := nest.saw(l.kind); depth > lim.Depth {
			return nil, nil, tooDeep(l.pos, lim.Depth)
		}
		if len(ts.list) > lim.Tokens {
			return nil, nil, &Error{Code: codeTooComplex, Pos: l.pos,
				Message: "statement too complex: more than " + decimal(lim.Tokens) + " words"}
		}
	}
}

// conflict makes the ON before the last two tokens that of ON CONFLICT where it
// is no join's. Its own kind keeps the choice within one token.
func (ts *tokens) conflict() {
	n := len(ts.list)
	if n < 3 || ts.list[n-2].kind != gen.IVMCONFLICT || ts.list[n-3].kind != gen.IVMON {
		return
	}
	switch ts.list[n-1].kind {
	case gen.IVMLPAREN, gen.IVMDO, gen.IVMON:
		ts.list[n-3].kind = gen.IVMON_CONFLICT
	}
}

// schema makes a CURRENT_SCHEMA before parentheses a name: of the functions that
// are called without, it is the only one that may have them.
func (ts *tokens) schema() {
	n := len(ts.list)
	if n > 1 && ts.list[n-1].kind == gen.IVMLPAREN && ts.list[n-2].kind == gen.IVMNILADIC && ts.list[n-2].value == "current_schema" {
		ts.list[n-2].kind = gen.IVMIDENT
	}
}

// positions finds the IN of POSITION (a IN b): the first one in its parentheses
// that is in no others, nor in brackets or a CASE. It must be told from the
// operator before the parser sees it, as that may stand there too, in
// parentheses of its own.
type positions struct {
	waits []bool // per level
}

func (p *positions) mark(list []token) {
	n, top := len(list), len(p.waits)-1
	before := antlr.TokenInvalidType
	if n > 1 {
		before = list[n-2].kind
	}
	label := before == gen.IVMAS || before == gen.IVMDOT
	switch kind := list[n-1].kind; {
	case kind == gen.IVMLPAREN, kind == gen.IVMLBRACKET, kind == gen.IVMCASE && !label:
		p.waits = append(p.waits, before == gen.IVMPOSITION)
	case kind == gen.IVMRPAREN, kind == gen.IVMRBRACKET, kind == gen.IVMEND && !label:
		p.waits = p.waits[:max(0, top)]
	case kind == gen.IVMIN && top >= 0 && p.waits[top]:
		list[n-1].kind, p.waits[top] = gen.IVMPOSITION_IN, false
	}
}

func (ts *tokens) push(t token) {
	t.index, t.src = len(ts.list), ts.src
	ts.list = append(ts.list, t)
}

func tooDeep(pos Pos, depth int) *Error {
	return &Error{Code: codeTooComplex, Pos: pos,
		Message: "statement too complex: nesting deeper than " + decimal(depth)}
}

// nesting counts how deep the parser, or the shape of an expression, would go:
// parentheses, brackets, CASE, and a run of prefix operators.
type nesting struct {
	depth, prefixes int
	last            int
}

// flat tells that something without depth was read.
func (n *nesting) flat() { n.prefixes, n.last = 0, 0 }

func (n *nesting) saw(kind int) int {
	label := n.last == gen.IVMAS || n.last == gen.IVMDOT // "AS case" and "t.case" are names
	n.last = kind
	switch kind {
	case gen.IVMNOT, gen.IVMPLUS, gen.IVMMINUS, gen.IVMOTHER_OPERATOR:
		n.prefixes++
		return n.depth + n.prefixes
	case gen.IVMLPAREN, gen.IVMLBRACKET:
		n.depth++
	case gen.IVMRPAREN, gen.IVMRBRACKET:
		n.depth = max(0, n.depth-1)
	case gen.IVMCASE:
		if !label {
			n.depth++
		}
	case gen.IVMEND:
		if !label {
			n.depth = max(0, n.depth-1)
		}
	}
	n.prefixes = 0
	return n.depth
}
