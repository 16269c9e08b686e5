package ast

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/antlr4-go/antlr/v4"

	"github.com/ivmc/ivmc/grammar/gen"
)

// Limits are the caps on a statement, all checked before the parser recurses. A
// field that is 0 takes its value from [DefaultLimits].
type Limits struct {
	Bytes  int // of the text
	Depth  int // of parentheses, CASE and prefix operators in each other
	Tokens int // words and signs, about 1 KB of memory each; a run of constants in VALUES or IN counts as one
	Tree   int // levels of the tree: terms of one chain such as a + b + c, arms of UNION
}

// DefaultLimits are the limits of [Parse].
func DefaultLimits() Limits {
	return Limits{Bytes: 16 << 20, Depth: 500, Tokens: 1 << 20, Tree: 10_000}
}

func (l *Limits) ensureDefaults() {
	d := DefaultLimits()
	for _, f := range []struct {
		at        *int
		otherwise int
	}{{&l.Bytes, d.Bytes}, {&l.Depth, d.Depth}, {&l.Tokens, d.Tokens}, {&l.Tree, d.Tree}} {
		if *f.at == 0 {
			*f.at = f.otherwise
		}
	}
}

// Parse makes a tree of one statement; a semicolon may end it. The error is
// always of type [Errors].
func Parse(src string) (Statement, error) { return ParseWith(src, DefaultLimits()) }

// ParseWith is [Parse] with other limits.
func ParseWith(src string, lim Limits) (Statement, error) {
	return ParseUnder(context.Background(), src, lim)
}

// ParseUnder is [ParseWith] that ends with ctx: a text of megabytes takes seconds.
// The error may be that of ctx.
func ParseUnder(ctx context.Context, src string, lim Limits) (stmt Statement, err error) {
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		stmt = nil
		if e, ok := r.(ended); ok {
			err = e.err
		} else if e, ok := r.(*Error); ok { // a cap that was found hit while building
			err = Errors{e}.settle(src)
		} else {
			err = Errors{{Code: codeInternal, Message: fmt.Sprintf("internal error in the parser: %v", r)}}.settle(src)
		}
	}()
	lim.ensureDefaults()
	st, es := parse(&watch{ctx: ctx}, src, lim)
	if len(es) > 0 {
		return nil, es.settle(src)
	}
	return st, nil
}

// watch asks now and then whether the context has ended; nil never does.
type watch struct {
	ctx   context.Context
	steps uint32
}

// ended unwinds a parse whose context did.
type ended struct{ err error }

// step counts a token read or an expression built.
func (w *watch) step() {
	if w == nil {
		return
	}
	if w.steps++; w.steps&0xfff != 0 {
		return
	}
	if err := w.ctx.Err(); err != nil {
		panic(ended{err})
	}
}

func parse(w *watch, src string, lim Limits) (Statement, Errors) {
	if len(src) > lim.Bytes {
		return nil, Errors{{Code: codeTooLong,
			Message: fmt.Sprintf("statement is too long: %d bytes, the limit is %d", len(src), lim.Bytes)}}
	}
	if e := badText(src); e != nil {
		return nil, Errors{e}
	}
	ts, broken, capped := tokenise(w, src, lim)
	if capped != nil {
		return nil, Errors{capped}
	}
	tree, es := parseTree(ts)
	if len(broken) > 0 {
		return nil, append(before(es, broken[0].Pos), broken...)
	}
	if len(es) > 0 {
		return nil, es
	}
	b := &builder{src: src, ts: ts, lim: lim, watch: w}
	st := b.script(tree)
	return st, b.errs
}

// badText finds a byte that no text may hold.
func badText(src string) *Error {
	if i := strings.IndexByte(src, 0); i >= 0 && utf8.ValidString(src[:i]) {
		return &Error{Code: codeBadEncoding, Message: "invalid byte sequence for encoding \"UTF8\": 0x00",
			Pos: Pos(utf8.RuneCountInString(src[:i]))}
	}
	if utf8.ValidString(src) {
		return nil
	}
	for i, n := 0, Pos(0); ; n++ {
		r, size := utf8.DecodeRuneInString(src[i:])
		if r == utf8.RuneError && size <= 1 {
			return &Error{Code: codeBadEncoding, Pos: n,
				Message: fmt.Sprintf("invalid byte sequence for encoding \"UTF8\": 0x%02x", src[i])}
		}
		i += size
	}
}

// before keeps the errors that stand before p: what the parser says behind a
// place where the scanner gave up is noise.
func before(es Errors, p Pos) Errors {
	var out Errors
	for _, e := range es {
		if e.Pos < p {
			out = append(out, e)
		}
	}
	return out
}

// parseTree runs the generated parser: first with SLL prediction, which decides
// every text of this grammar, and if that finds an error with full LL, whose
// word counts and who goes on after an error.
func parseTree(ts *tokens) (gen.IScriptContext, Errors) {
	first := &complaints{only: true}
	if tree := runParser(ts, antlr.PredictionModeSLL, first); len(first.list) == 0 {
		return tree, nil
	}
	all := &complaints{}
	tree := runParser(ts, antlr.PredictionModeLL, all)
	return tree, all.list
}

func runParser(ts *tokens, mode int, c *complaints) gen.IScriptContext {
	ts.Reset()
	p := gen.NewIVM(ts)
	p.RemoveErrorListeners()
	p.AddErrorListener(c)
	p.SetErrorHandler(&recovery{DefaultErrorStrategy: antlr.NewDefaultErrorStrategy(), c: c})
	p.GetInterpreter().SetPredictionMode(mode)
	return p.Script()
}

func decimal(n int) string { return strconv.Itoa(n) }

// paramNumber reads the number of $n; PostgreSQL's protocol knows 65535 of them.
func paramNumber(digits string) (int, bool) {
	n, err := strconv.Atoi(digits)
	return n, err == nil && n >= 1 && n <= 65535
}
