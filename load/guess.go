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

// infer reads a text file once for the types of its columns.
func infer(ctx context.Context, path string, o Options) (zset.Schema, error) {
	s, err := open(path, o, nil)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	names, guesses, err := s.reader.(interface {
		guess(context.Context) ([]string, []guess, error)
	}).guess(ctx)
	if err != nil {
		return nil, err
	}
	out := make(zset.Schema, len(names))
	for i, n := range names {
		out[i] = zset.Field{Name: n, Type: guesses[i].typ()}
	}
	return out, nil
}
