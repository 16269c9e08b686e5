package ast

import (
	"fmt"
	"strings"

	"github.com/antlr4-go/antlr/v4"

	"github.com/ivmc/ivmc/grammar/gen"
)

// complaints hears of the syntax errors.
type complaints struct {
	antlr.DefaultErrorListener
	list    Errors
	only    bool // the first one ends the parse
	strange bool // the statement is another than the grammar's: nothing behind can be said
	matched int  // tokens taken since the last error
}

// trusted is how many tokens must be taken before an error is believed to be a
// new one and not an echo of the last.
const trusted = 3

// SyntaxError is called by the parser.
func (c *complaints) SyntaxError(rec antlr.Recognizer, offending any, _, _ int, _ string, ex antlr.RecognitionException) {
	t, ok := offending.(*token)
	echo := len(c.list) > 0 && (c.matched < trusted || ok && t.kind == antlr.TokenEOF)
	c.matched = 0
	if !ok || echo || len(c.list) >= maxErrors {
		return
	}
	e := syntaxError(t)
	if x, is := strange(t, rec); is {
		c.strange = true
		e.Code, e.Message, e.Hint = codeUnsupported, x.what+" is not supported", x.hint
	} else if what, hint := refusal(t, rec); what != "" {
		e.Code, e.Message, e.Hint = codeUnsupported, what+" is not supported", hint
	} else if of := described(rec); of != "" {
		e.Hint = "Write " + of + " and the name alone: it finds tables, views and streams."
	} else if placeholder(t, rec) {
		e.Hint = "Parameters are written $1, $2, and so on."
	} else if p, isParser := rec.(antlr.Parser); isParser && isReserved(t.kind) &&
		antlr.Token(t) == p.GetCurrentToken() && expectsName(p.GetExpectedTokens()) {
		e.Hint = fmt.Sprintf("%q is a reserved word; as a name it needs double quotes", t.value)
	}
	c.list = append(c.list, e)
}

// placeholder says whether the error is at a question mark, or what comes behind
// one: there is no operator that begins with it.
func placeholder(t *token, rec antlr.Recognizer) bool {
	if strings.HasPrefix(t.text(), "?") {
		return true
	}
	p, ok := rec.(antlr.Parser)
	if !ok {
		return false
	}
	before, ok := p.GetTokenStream().LT(-1).(*token)
	return ok && strings.HasPrefix(before.text(), "?")
}

// expectsName says whether a name could stand here, and no other expression.
func expectsName(set *antlr.IntervalSet) bool {
	return holds(set, gen.IVMIDENT) && !holds(set, gen.IVMNUMBER)
}

func holds(set *antlr.IntervalSet, kind int) bool {
	for _, iv := range set.GetIntervals() {
		if iv.Start <= kind && kind < iv.Stop {
			return true
		}
	}
	return false
}

// isReserved says whether a word needs quotes to be the name of a column.
func isReserved(kind int) bool {
	return kind >= gen.IVMALL && kind <= gen.IVMRIGHT ||
		kind == gen.IVMRESERVED_WORD || kind == gen.IVMTYPE_FUNC_WORD || kind == gen.IVMNILADIC
}

func syntaxError(t *token) *Error {
	e := &Error{Code: codeSyntax, Pos: t.pos}
	if t.kind == antlr.TokenEOF {
		e.Message = "syntax error at end of input"
	} else {
		e.Message = "syntax error at or near \"" + quoted(t.text()) + "\""
	}
	return e
}

// recovery is ANTLR's way to go on after an error, with an end to it: at the
// first error of a trial run, or when enough was said, the rest is skipped.
type recovery struct {
	*antlr.DefaultErrorStrategy
	c *complaints
	// follow remembers what may come next in a place. ANTLR works it out anew
	// every time, which would cost a long statement seconds for one error.
	follow map[place]*antlr.IntervalSet
	hashes map[antlr.Tree]uint64 // of the last contexts: deep ones share their ancestors
}

// place is a state of the parser with the rules that it is in, as a hash.
type place struct {
	state int
	rules uint64
}

func (r *recovery) expected(p antlr.Parser) *antlr.IntervalSet {
	at := place{p.GetState(), r.rules(p.GetParserRuleContext())}
	set, ok := r.follow[at]
	if !ok {
		if r.follow == nil {
			r.follow = map[place]*antlr.IntervalSet{}
		}
		set = p.GetExpectedTokens()
		r.follow[at] = set
	}
	return set
}

func (r *recovery) done() bool {
	return (r.c.only || r.c.strange) && len(r.c.list) > 0 || len(r.c.list) >= maxErrors
}

// rules gives a hash of the rules that led to ctx.
func (r *recovery) rules(ctx antlr.Tree) uint64 {
	if ctx == nil {
		return 0xcbf29ce484222325
	}
	h, ok := r.hashes[ctx]
	if !ok {
		h = (r.rules(ctx.GetParent()) ^ uint64(ctx.(antlr.RuleContext).GetInvokingState()+2)) * 0x100000001b3
		if r.hashes == nil || len(r.hashes) > 1<<12 {
			r.hashes = map[antlr.Tree]uint64{}
		}
		r.hashes[ctx] = h
	}
	return h
}

// ReportMatch is called for every token that fits.
func (r *recovery) ReportMatch(p antlr.Parser) {
	r.c.matched++
	r.DefaultErrorStrategy.ReportMatch(p)
}

// Sync is called where a part of a rule may start, repeat or be left out.
// ANTLR's own takes any token for the end of a rule that may end here, and finds
// out only at the end of the statement; then nothing behind can be said. This
// one asks, in the run that reports, whether the token may follow in this place.
func (r *recovery) Sync(p antlr.Parser) {
	defer r.skip(p)
	la := p.GetTokenStream().LA(1)
	if r.c.only || r.InErrorRecoveryMode(p) {
		r.DefaultErrorStrategy.Sync(p)
		return
	}
	within := expectedWithinRule(p)
	if holds(within, la) {
		return
	}
	if !holds(within, antlr.TokenEpsilon) {
		r.DefaultErrorStrategy.Sync(p)
		return
	}
	if holds(r.expected(p), la) {
		return
	}
	r.ReportUnwantedToken(p)
	after := r.GetErrorRecoverySet(p)
	for la != antlr.TokenEOF && !holds(within, la) && !holds(after, la) {
		p.Consume()
		la = p.GetTokenStream().LA(1)
	}
}

func expectedWithinRule(p antlr.Parser) *antlr.IntervalSet {
	return p.(*gen.IVM).GetExpectedTokensWithinCurrentRule()
}

// Recover is called after an error that one token more or less does not mend.
func (r *recovery) Recover(p antlr.Parser, e antlr.RecognitionException) {
	r.DefaultErrorStrategy.Recover(p, e)
	r.skip(p)
}

func (r *recovery) skip(p antlr.Parser) {
	if ts, ok := p.GetTokenStream().(*tokens); ok && r.done() {
		ts.Seek(len(ts.list) - 1)
	}
}
