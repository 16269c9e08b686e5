package load

import (
	"context"
	"strings"

	"github.com/ivmc/ivmc/zset"
)

// appendText appends the cell that text s stands for.
func appendText(c *zset.Column, s []byte, zone *zset.Zone) error {
	if c.Type.Kind == zset.Text {
		if err := zset.CheckText(string(s)); err != nil {
			return err
		}
		c.AppendBytes(s)
		return nil
	}
	v, err := zset.ParseTextIn(c.Type, string(s), zone)
	if err != nil {
		return err
	}
	c.AppendValue(v)
	return nil
}

// guess narrows the type of a column of a text file: the first of its candidates
// that every value has.
type guess struct {
	at   int // in candidates
	seen bool
}

// candidates in the order in which they are tried. The last takes everything.
var candidates = []struct {
	typ zset.Type
	is  func(s string) bool
}{
	{zset.TInt8, func(s string) bool { return plainNumber(s, false) && parses(zset.TInt8, s) }},
	{zset.TFloat8, func(s string) bool { return plainNumber(s, true) && parses(zset.TFloat8, s) }},
	{zset.TDate, func(s string) bool { return dated(s) && len(s) <= 10 && parses(zset.TDate, s) }},
	{zset.TTimestamp, func(s string) bool { return dated(s) && parses(zset.TTimestamp, s) }},
	{zset.TBool, func(s string) bool { return s == "true" || s == "false" }},
	{zset.TText, func(string) bool { return true }},
}

// see takes value s into account. Candidates are not a chain: what is no integer
// may still be a date, but then no value before may have been a number.
func (g *guess) see(s string) {
	for !candidates[g.at].is(s) {
		g.at++
		if g.seen && g.at > 1 && !(candidates[g.at].typ.Kind == zset.Timestamp && candidates[g.at-1].typ.Kind == zset.Date) {
			g.at = len(candidates) - 1
		}
	}
	g.seen = true
}

// typ is TEXT for a column without values.
func (g *guess) typ() zset.Type {
	if !g.seen {
		return zset.TText
	}
	return candidates[g.at].typ
}

func parses(t zset.Type, s string) bool {
	_, err := zset.ParseText(t, s)
	return err == nil
}

// plainNumber: digits as a program writes them. 007 is a code, not a number.
func plainNumber(s string, float bool) bool {
	d := strings.TrimPrefix(s, "-")
	if d == "" || d[0] < '0' || d[0] > '9' || len(d) > 1 && d[0] == '0' && d[1] != '.' {
		return false
	}
	for i := range len(d) {
		if c := d[i]; (c < '0' || c > '9') && !(float && strings.IndexByte(".eE+-", c) >= 0) {
			return false
		}
	}
	return true
}

// dated: it starts as a date does, 2001-01-31 or 2001/01/31.
func dated(s string) bool {
	if len(s) < 8 || s[4] != '-' && s[4] != '/' {
		return false
	}
	for i := range 4 {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
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
