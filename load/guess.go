package load

import (
	"context"

	"github.com/ivmc/ivmc/zset"
)

// kinds is a set of types that a text may have and lose nothing, besides TEXT.
type kinds uint16

const (
	asBigint kinds = 1 << iota
	asDouble       // it prints as the text does
	asSame         // a double too, the same number, but it prints otherwise
	asNumeric
	asDate
	asTimestamp
	asTimestampTZ
	asBool
	asAny = 1<<iota - 1
)

// signs is what some value of a column shows.
type signs uint8

const (
	floating signs = 1 << iota // its numbers are written as floating point is
	digits                     // one is a number, and no word for one
)

// candidates in the order in which they are taken: for a column of which some
// value shows the signs, and no value loses anything. What has none is TEXT.
var candidates = []struct {
	as    kinds
	signs signs
	typ   zset.Type
}{
	{asBigint, 0, zset.TInt8},
	{asDouble, 0, zset.TFloat8},
	{asSame, floating | digits, zset.TFloat8},
	{asNumeric, digits, zset.TNumeric},
	{asDate, 0, zset.TDate},
	{asTimestamp, 0, zset.TTimestamp},
	{asTimestampTZ, 0, zset.TTimestampTZ},
	{asBool, 0, zset.TBool},
}

// guess finds the type of a column of a text file. The law: a type is only taken
// where each value's text is kept in it, digit for digit.
type guess struct {
	as    kinds // of all values so far
	signs signs // of any
	seen  bool
}

// see takes value s into account.
func (g *guess) see(s string) {
	if !g.seen {
		g.as, g.seen = asAny, true
	}
	if g.as == 0 { // TEXT it is
		return
	}
	as, signs := kindsOf(s)
	g.as &= as
	g.signs |= signs
}

// also takes the values that h saw into account.
func (g *guess) also(h guess) {
	switch {
	case !h.seen:
	case !g.seen:
		*g = h
	default:
		g.as &= h.as
		g.signs |= h.signs
	}
}

func kindsOf(s string) (kinds, signs) {
	if s == "true" || s == "false" {
		return asBool, 0
	}
	if as, signs := numberKinds(s); as != 0 {
		return as, signs
	}
	return momentKinds(s), 0
}

// typ is TEXT for a column without values.
func (g *guess) typ() zset.Type {
	for _, c := range candidates {
		if g.as&c.as != 0 && g.signs&c.signs == c.signs {
			return c.typ
		}
	}
	return zset.TText
}

// Infer is the columns of the first of some files. Those of a text file have the
// types that keep what stands in it and in the text files behind it: a row that
// another file adds is not to lose anything either. Errors as [Open].
func Infer(ctx context.Context, o Options, files ...string) (zset.Schema, error) {
	var out zset.Schema
	var all []guess
	guessed := o.Delimiter == 0
	for i, path := range files {
		o, err := o.of(path)
		if err != nil {
			return nil, err
		}
		if o.Format != FormatCSV && o.Format != FormatJSON {
			if i > 0 {
				continue
			}
			s, err := open(path, o, nil)
			if err != nil {
				return nil, err
			}
			defer s.Close()
			return s.Fields(), nil
		}
		names, guesses, err := guessFile(ctx, path, o)
		if err != nil {
			return nil, err
		}
		if i == 0 && o.Format == FormatCSV && !o.NoHeader && guessed {
			if other := parted(names, o.Delimiter); other != "" {
				e := zset.Errorf(codeBadFile, -1, "the header has one column, %q", names[0])
				e.Hint = other
				return nil, place(e, path, 0, "")
			}
		}
		for k, n := range names {
			if i == 0 {
				out, all = append(out, zset.Field{Name: n}), append(all, guesses[k])
			} else if at := column(n, out); at >= 0 { // what is none of them, COPY refuses
				all[at].also(guesses[k])
			}
		}
	}
	for i, g := range all {
		out[i].Type = g.typ()
	}
	return out, nil
}

func guessFile(ctx context.Context, path string, o Options) ([]string, []guess, error) {
	s, err := open(path, o, nil)
	if err != nil {
		return nil, nil, err
	}
	defer s.Close()
	return s.reader.(interface {
		guess(context.Context) ([]string, []guess, error)
	}).guess(ctx)
}
