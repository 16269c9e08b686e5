package expr

import (
	"strings"

	"github.com/ivmc/ivmc/zset"
)

// category groups kinds for overload resolution, as PostgreSQL's typcategory does.
type category byte

const (
	catUnknown category = iota
	catBool
	catNumber
	catString
	catTime
	catSpan
	catUser
	catArray
)

// kindInfo is what overload resolution knows of a kind. The preferred kind of
// a category is the one that ambiguous calls lean to. Of times that is TIMESTAMPTZ:
// date_trunc of a DATE is one.
var kindInfo = map[zset.Kind]struct {
	cat       category
	preferred bool
}{
	zset.Unknown:     {catUnknown, false},
	zset.Bool:        {catBool, true},
	zset.Int2:        {catNumber, false},
	zset.Int4:        {catNumber, false},
	zset.Int8:        {catNumber, false},
	zset.Numeric:     {catNumber, false},
	zset.Float4:      {catNumber, false},
	zset.Float8:      {catNumber, true},
	zset.Text:        {catString, true},
	zset.Varchar:     {catString, false},
	zset.Char:        {catString, false},
	zset.Bytea:       {catUser, false},
	zset.UUID:        {catUser, false},
	zset.Time:        {catTime, false},
	zset.Interval:    {catSpan, true},
	zset.Array:       {catArray, false},
	zset.Date:        {catTime, false},
	zset.Timestamp:   {catTime, false},
	zset.TimestampTZ: {catTime, true},
}

func categoryOf(k zset.Kind) category { return kindInfo[k].cat }

// accepts reports whether an argument of kind from may stand where f wants kind to.
func accepts(to, from zset.Kind) bool {
	if to == Element {
		return from != zset.Array
	}
	return to == Any || from == to || from == zset.Unknown || castContext(from, to) == Implicit
}

// want is the kind that f wants for argument i.
func (f *Func) want(i int) zset.Kind {
	if f.Variadic && i >= len(f.Args)-1 {
		return f.Args[len(f.Args)-1]
	}
	return f.Args[i]
}

func (f *Func) takes(n int) bool {
	if f.Variadic {
		return n >= len(f.Args)
	}
	return n == len(f.Args)
}

// resolve picks the overload for argument kinds ks, by the rules of
// PostgreSQL's manual, chapter "Type Conversion". The second result says
// whether there were several equally good ones.
func resolve(rows []*Func, ks []zset.Kind, operator bool) (f *Func, ambiguous bool) {
	if f := exact(rows, ks, operator); f != nil {
		return f, false
	}
	var cands []*Func
	for _, f := range rows {
		if f.takes(len(ks)) && all(ks, func(i int, k zset.Kind) bool { return accepts(f.want(i), k) }) {
			cands = append(cands, f)
		}
	}
	if len(cands) == 0 {
		return nil, false
	}
	cands = best(cands, func(f *Func) int {
		return count(ks, func(i int, k zset.Kind) bool { return k != zset.Unknown && f.want(i) == stringAsText(k) })
	})
	cands = best(cands, func(f *Func) int {
		return count(ks, func(i int, k zset.Kind) bool {
			w := f.want(i)
			return k != zset.Unknown && (w == stringAsText(k) || kindInfo[w].preferred && categoryOf(w) == categoryOf(k))
		})
	})
	if len(cands) > 1 {
		cands = byCategory(cands, ks)
	}
	if len(cands) > 1 {
		cands = byKnown(cands, ks)
	}
	if len(cands) != 1 {
		return nil, true
	}
	return cands[0], false
}

// stringAsText: a VARCHAR is taken for TEXT where it costs nothing, as
// PostgreSQL does with binary-coercible types.
func stringAsText(k zset.Kind) zset.Kind {
	if k == zset.Varchar {
		return zset.Text
	}
	return k
}

// exact finds the row with just these kinds. For a binary operator an unknown
// argument is taken for the kind of the other one.
func exact(rows []*Func, ks []zset.Kind, operator bool) *Func {
	if operator && len(ks) == 2 && ks[0] != ks[1] {
		if ks[0] == zset.Unknown {
			ks = []zset.Kind{ks[1], ks[1]}
		} else if ks[1] == zset.Unknown {
			ks = []zset.Kind{ks[0], ks[0]}
		}
	}
	for _, f := range rows {
		if f.takes(len(ks)) && all(ks, func(i int, k zset.Kind) bool { return k != zset.Unknown && f.want(i) == stringAsText(k) }) {
			return f
		}
	}
	return nil
}

// byCategory decides the positions with unknown arguments by the categories
// that the candidates take there, strings first.
func byCategory(cands []*Func, ks []zset.Kind) []*Func {
	for i, k := range ks {
		if k != zset.Unknown {
			continue
		}
		cat, same, preferred := categoryOf(cands[0].want(i)), true, false
		for _, f := range cands {
			if c := categoryOf(f.want(i)); c == catString {
				cat, same = catString, true
				break
			} else if c != cat {
				same = false
			}
		}
		if !same {
			return cands
		}
		for _, f := range cands {
			preferred = preferred || categoryOf(f.want(i)) == cat && kindInfo[f.want(i)].preferred
		}
		kept := filter(cands, func(f *Func) bool {
			w := f.want(i)
			return categoryOf(w) == cat && (!preferred || kindInfo[w].preferred)
		})
		if len(kept) > 0 {
			cands = kept
		}
	}
	return cands
}

// byKnown takes unknown arguments for the kind of the known ones, if those agree.
func byKnown(cands []*Func, ks []zset.Kind) []*Func {
	known := zset.Unknown
	for _, k := range ks {
		switch {
		case k == zset.Unknown:
		case known == zset.Unknown:
			known = k
		case known != k:
			return cands
		}
	}
	if known == zset.Unknown {
		return cands
	}
	kept := filter(cands, func(f *Func) bool {
		return all(ks, func(i int, _ zset.Kind) bool { return accepts(f.want(i), known) })
	})
	if len(kept) == 1 {
		return kept
	}
	return cands
}

// best keeps the candidates of the highest score.
func best(cands []*Func, score func(*Func) int) []*Func {
	top := 0
	for _, f := range cands {
		top = max(top, score(f))
	}
	return filter(cands, func(f *Func) bool { return score(f) == top })
}

func filter(fs []*Func, keep func(*Func) bool) (out []*Func) {
	for _, f := range fs {
		if keep(f) {
			out = append(out, f)
		}
	}
	return out
}

func all(ks []zset.Kind, ok func(int, zset.Kind) bool) bool { return count(ks, ok) == len(ks) }

func count(ks []zset.Kind, ok func(int, zset.Kind) bool) (n int) {
	for i, k := range ks {
		if ok(i, k) {
			n++
		}
	}
	return n
}

// Call binds a call of a function or operator: it finds the overload for the
// types of args and casts the arguments. Operators go by their spelling, words
// in lower case ("+", "||", "and", "is not distinct from", "like").
//
// Errors: 42883 no such function or operator, 42725 several fit equally well,
// 42804 a form that takes arguments of one type or BOOLEAN alone.
func Call(name string, args []*Expr, pos int) (*Expr, error) {
	if form, ok := specialForms()[name]; ok {
		return form(name, args, pos)
	}
	return callRow(name, args, pos)
}

// callRow is Call for what stands in the table.
func callRow(name string, args []*Expr, pos int) (*Expr, error) {
	ks := kindsOf(args)
	f, ambiguous := resolve(funcs.byName[alias(name)], ks, isOperator(name))
	if f == nil {
		return nil, unresolved(name, args, ambiguous, pos)
	}
	if f.generic() {
		bound, err := bindGeneric(f, name, args, pos)
		if err != nil {
			return nil, err
		}
		return newCall(f, bound, pos), nil
	}
	bound := make([]*Expr, len(args))
	for i, a := range args {
		b, err := castTo(a, f.want(i))
		if err != nil {
			return nil, err
		}
		bound[i] = b
	}
	return newCall(f, bound, pos), nil
}

func kindsOf(args []*Expr) []zset.Kind {
	ks := make([]zset.Kind, len(args))
	for i, a := range args {
		ks[i] = a.Typ.Kind
	}
	return ks
}

func typesOf(args []*Expr) []zset.Type {
	ts := make([]zset.Type, len(args))
	for i, a := range args {
		ts[i] = a.Typ
	}
	return ts
}

// newCall makes the node of a resolved call.
func newCall(f *Func, args []*Expr, pos int) *Expr {
	t, ts := zset.Type{Kind: f.Result}, typesOf(args)
	if f.result != nil {
		t = f.result(ts)
	}
	if f.takesZone(ts, t) {
		args = append(args[:len(args):len(args)], zoneArg())
	}
	return &Expr{Op: OpCall, Typ: t, Fn: f.Signature(), Args: args, Pos: int32(pos)}
}

// castTo casts a to kind k for a function argument; modifiers of the same kind stay.
func castTo(a *Expr, k zset.Kind) (*Expr, error) {
	switch {
	case k == Any && a.Typ.Kind == zset.Unknown:
		k = zset.Text
	case k == Any || a.Typ.Kind == k:
		return a, nil
	}
	return Cast(a, zset.Type{Kind: k}, Implicit, int(a.Pos))
}

// displayed maps the name of an operator to PostgreSQL's spelling in messages.
var displayed = map[string]string{
	"!=": "<>", "like": "~~", "not like": "!~~", "ilike": "~~*", "not ilike": "!~~*",
	"is distinct from": "=", "is not distinct from": "=",
}

// unresolved is the error for a call without one best overload.
func unresolved(name string, args []*Expr, ambiguous bool, pos int) error {
	if d, ok := displayed[name]; ok {
		name = d
	}
	ts := make([]string, len(args))
	for i, a := range args {
		ts[i] = typeShown(a.Typ)
	}
	what, shown, hint := "function", name+"("+strings.Join(ts, ", ")+")", "function"
	if isOperator(name) {
		what, hint = "operator", "operator"
		if len(ts) == 1 {
			shown = name + " " + ts[0]
		} else {
			shown = strings.Join(ts, " "+name+" ")
		}
	}
	types := "argument types"
	if len(ts) == 1 && what == "operator" {
		types = "argument type"
	}
	if ambiguous {
		e := zset.Errorf("42725", pos, "%s is not unique: %s", what, shown)
		e.Hint = "Could not choose a best candidate " + hint + ". You might need to add explicit type casts."
		if what == "function" {
			e.Msg = "function " + shown + " is not unique"
		}
		return e
	}
	e := zset.Errorf("42883", pos, "%s %s does not exist", what, shown)
	if what == "operator" {
		e.Msg = "operator does not exist: " + shown
	}
	e.Hint = "No " + hint + " matches the given name and " + types + ". You might need to add explicit type casts."
	if hint, ok := otherForm(name, args); ok {
		e.Hint = hint
	}
	return e
}
