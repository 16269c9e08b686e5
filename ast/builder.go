package ast

import (
	"math"
	"strconv"

	"github.com/antlr4-go/antlr/v4"

	"github.com/ivmc/ivmc/grammar/gen"
)

// builder makes the tree of a text that the parser found no fault with. What
// the flat rules of the grammar leave open (the shape of expressions, joins and
// set operations) is settled here, so errors of syntax can still come up.
type builder struct {
	src   string
	ts    *tokens
	lim   Limits
	watch *watch
	depth int // of prefix operators and parentheses being built
	links int // members of chains: bounds the height of the tree
	errs  Errors
	// exists: what is built next is the query of an EXISTS.
	exists bool
	// defaults holds, per VALUES with a DEFAULT in it, where that stands; INSERT
	// takes its own out, any other is an error.
	defaults map[*Values]Pos
}

func (b *builder) script(tree gen.IScriptContext) Statement {
	st := b.statement(tree.Statement())
	for _, pos := range b.defaults {
		b.fail(codeSyntax, pos, "DEFAULT is not allowed in this context")
	}
	if len(b.errs) == 0 && b.links+4*b.lim.Depth > b.lim.Tree {
		if n := tooHigh(st, b.lim.Tree); n != nil {
			b.fail(codeTooComplex, n.Pos(), "statement too complex: a chain or nesting of more than "+decimal(b.lim.Tree)+" levels")
		}
	}
	return st
}

func (b *builder) fail(code string, pos Pos, message string) *Error {
	e := &Error{Code: code, Pos: pos, Message: message}
	b.errs = append(b.errs, e)
	return e
}

// unsupported refuses a construct by its name.
func (b *builder) unsupported(t *token, what, hint string) {
	b.fail(codeUnsupported, t.pos, what+" is not supported").Hint = hint
}

// unexpected is the error that the parser would have given at t.
func (b *builder) unexpected(t *token) *Error {
	e := syntaxError(t)
	b.errs = append(b.errs, e)
	return e
}

// first and last are the tokens at the ends of a rule.
func first(n antlr.ParserRuleContext) *token { return n.GetStart().(*token) }

func last(n antlr.ParserRuleContext) *token { return n.GetStop().(*token) }

// after is the token behind a rule.
func (b *builder) after(n antlr.ParserRuleContext) *token {
	return &b.ts.list[min(last(n).index+1, len(b.ts.list)-1)]
}

func symbol(n antlr.TerminalNode) *token { return n.GetSymbol().(*token) }

func at(n antlr.ParserRuleContext) At { return At{first(n).pos} }

// name reads a rule that is one word.
func name(n antlr.ParserRuleContext) Name { return first(n).name() }

func (t *token) name() Name { return Name{At{t.pos}, t.value} }

func names(n gen.INameListContext) []Name {
	if n == nil {
		return nil
	}
	all := n.AllName()
	out := make([]Name, len(all))
	for i, x := range all {
		out[i] = name(x)
	}
	return out
}

// typeName reads a type as written.
func (b *builder) typeName(n gen.ITypeNameContext) TypeName {
	head := first(n)
	t := TypeName{At: at(n), Name: head.value, Args: b.typeArgs(n.TypeArgs())}
	switch {
	case head.kind == gen.IVMQIDENT:
		b.unexpected(head).Hint = "the name of a type is written without double quotes"
	case n.VARYING() != nil && head.kind == gen.IVMCHARACTER:
		t.Name += " varying"
	case n.VARYING() != nil:
		if head.kind != gen.IVMIDENT || head.value != "char" {
			b.unexpected(symbol(n.VARYING()))
		}
		t.Name = "character varying"
	case n.PRECISION() != nil:
		b.precision(head, symbol(n.PRECISION()))
		t.Name += " precision"
	case n.TimeZone() != nil:
		t.Name += timeZone(n.TimeZone())
	case n.IntervalFields() != nil:
		t.Name += " " + intervalFields(n.IntervalFields())
	}
	t.Array = len(n.AllLBRACKET()) > 0
	if dims := n.AllLBRACKET(); len(dims) > 1 {
		b.unsupported(symbol(dims[1]), "an array of more than one dimension", "")
	}
	return t
}

// intervalFields reads "day" or "day to second".
func intervalFields(n gen.IIntervalFieldsContext) string {
	fields := first(n.IntervalField(0)).value
	if n.TO() != nil {
		fields += " to " + first(n.IntervalField(1)).value
	}
	return fields
}

// precision checks that the word goes with DOUBLE.
func (b *builder) precision(head, word *token) {
	if head.kind != gen.IVMIDENT || head.value != "double" {
		b.unexpected(word)
	}
}

func timeZone(n gen.ITimeZoneContext) string {
	if n.WITH() != nil {
		return " with time zone"
	}
	return " without time zone"
}

func (b *builder) typeArgs(n gen.ITypeArgsContext) []int {
	if n == nil {
		return nil
	}
	var out []int
	for _, x := range n.AllTypeArg() {
		t := symbol(x.NUMBER())
		v, err := strconv.Atoi(t.value)
		if err != nil || v > math.MaxInt32 {
			b.unexpected(t).Hint = "what follows the name of a type is a whole number"
		}
		if x.MINUS() != nil {
			v = -v
		}
		out = append(out, v)
	}
	return out
}
