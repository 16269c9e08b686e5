package expr

import (
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/ivmc/ivmc/zset"
)

// regexFuncs are the functions of regular expressions.
func regexFuncs() []Func {
	const t, n, b = zset.Text, zset.Int4, zset.Bool
	var rows []Func
	for _, v := range []struct {
		name        string
		icase, want bool
	}{{"~", false, true}, {"~*", true, true}, {"!~", false, false}, {"!~*", true, false}} {
		use := regexUse{pattern: 1, flags: -1, base: areFlags{icase: v.icase}}
		rows = append(rows, use.fn(v.name, b, func(f *frame, i int, re *regex, _ areFlags) {
			f.setBool(i, f.find(re.first, 0, true, f.b(0, i)) != nil == v.want)
		}, t, t))
	}
	plain := regexUse{pattern: 1, flags: -1}
	with := func(flags int, global bool) regexUse { return regexUse{pattern: 1, flags: flags, global: global} }
	isLike := func(f *frame, i int, re *regex, _ areFlags) {
		f.setBool(i, f.find(re.first, 0, true, f.b(0, i)) != nil)
	}
	return append(rows,
		plain.fn("regexp_like", b, isLike, t, t),
		with(2, false).fn("regexp_like", b, isLike, t, t, t),
		plain.taking(groupOne).fn("substring", t, substringRegex, t, t),
		plain.taking(ifNamed).fn("regexp_replace", t, replaceRegex, t, t, t),
		with(3, true).taking(ifNamed).fn("regexp_replace", t, replaceRegex, t, t, t, t),
		plain.taking(ifNamed).fn("regexp_replace", t, replaceRegex, t, t, t, n),
		plain.taking(ifNamed).fn("regexp_replace", t, replaceRegex, t, t, t, n, n),
		with(5, true).taking(ifNamed).fn("regexp_replace", t, replaceRegex, t, t, t, n, n, t),
		plain.taking(noGroup).fn("regexp_count", n, countRegex, t, t),
		plain.taking(noGroup).fn("regexp_count", n, countRegex, t, t, n),
		with(3, false).taking(noGroup).fn("regexp_count", n, countRegex, t, t, n, t),
		plain.taking(noGroup).fn("regexp_substr", t, substrRegex, t, t),
		plain.taking(noGroup).fn("regexp_substr", t, substrRegex, t, t, n),
		plain.taking(noGroup).fn("regexp_substr", t, substrRegex, t, t, n, n),
		with(4, false).taking(noGroup).fn("regexp_substr", t, substrRegex, t, t, n, n, t),
		with(4, false).taking(groupOne).fn("regexp_substr", t, substrRegex, t, t, n, n, t, n),
	)
}

// taken says what a function takes out of a match: nothing, the match, its groups.
type taken byte

const (
	onlyWhether taken = iota
	noGroup
	groupOne // the first group, if there is one
	ifNamed  // groups, if the replacement names one
	allGroups
)

// regexUse says where a function has its pattern and flags.
type regexUse struct {
	pattern, flags int
	base           areFlags
	global         bool // g is an option of the function
	take           taken
}

func (u regexUse) taking(t taken) regexUse { u.take = t; return u }

// place is a number that a function takes: a place in the text, a count, a group.
type place struct {
	name        string
	least, most int64
}

// regexPlaces are those of each function, in their order. They are looked at
// before the pattern is.
var regexPlaces = map[string][]place{
	"regexp_count":   {{"start", 1, math.MaxInt32}},
	"regexp_instr":   {{"start", 1, math.MaxInt32}, {"n", 1, math.MaxInt32}, {"endoption", 0, 1}, {"subexpr", 0, math.MaxInt32}},
	"regexp_replace": {{"start", 1, math.MaxInt32}, {"n", 0, math.MaxInt32}},
	"regexp_substr":  {{"start", 1, math.MaxInt32}, {"n", 1, math.MaxInt32}, {"subexpr", 0, math.MaxInt32}},
}

// placed fails row i if one of its places is out of its bounds.
func placed(f *frame, i int, places []place) bool {
	for k := range f.args {
		if f.args[k].Type.Kind != zset.Int4 {
			continue
		}
		if v := f.i(k, i); v < places[0].least || v > places[0].most {
			f.fail(i, "22023", fmt.Sprintf("invalid value for parameter \"%s\": %d", places[0].name, v))
			return false
		}
		places = places[1:]
	}
	return true
}

type regexRow func(f *frame, i int, re *regex, fl areFlags)

// fn makes a row of the function table. A constant pattern is compiled once,
// another one when it differs from that of the row before.
func (u regexUse) fn(name string, result zset.Kind, row regexRow, args ...zset.Kind) Func {
	places := regexPlaces[name]
	f := raising(name, result, func(f *frame, i int) {
		if !placed(f, i, places) {
			return
		}
		pattern, flags := f.b(u.pattern, i), []byte(nil)
		if u.flags >= 0 {
			flags = f.b(u.flags, i)
		}
		c := &f.regex
		if !c.set || string(pattern) != c.pattern || string(flags) != c.flags {
			*c = regexCell{set: true, pattern: string(pattern), flags: string(flags)}
			c.re, c.fl, c.err = u.compile(name, c.pattern, c.flags)
		}
		u.apply(f, i, row, c)
	}, args...)
	f.bind = func(consts []*zset.Value) rowFunc {
		if consts[u.pattern] == nil || u.flags >= 0 && consts[u.flags] == nil {
			return nil
		}
		c := u.constant(name, consts[u.pattern], consts[max(u.flags, 0)])
		return func(f *frame, i int) {
			if placed(f, i, places) {
				u.apply(f, i, row, c)
			}
		}
	}
	if len(args) == 2 || u.flags == 2 { // the others have places and groups that can be wrong
		f.spares = func(e *Expr) bool {
			for _, a := range e.Args[1:] {
				if a.Op != OpConst {
					return false
				}
				if a.Val.Null {
					return true
				}
			}
			c := u.constant(name, &e.Args[u.pattern].Val, &e.Args[max(u.flags, 0)].Val)
			return c.err == nil && u.refusal(c.re, nil) == nil
		}
	}
	return f
}

// regexCell is a compiled pattern with what it was made of.
type regexCell struct {
	set            bool
	pattern, flags string
	re             *regex
	fl             areFlags
	err            *zset.Error
}

func (u regexUse) constant(name string, pattern, flags *zset.Value) *regexCell {
	c := &regexCell{set: true, pattern: pattern.S}
	if u.flags >= 0 {
		c.flags = flags.S
	}
	c.re, c.fl, c.err = u.compile(name, c.pattern, c.flags)
	return c
}

func (u regexUse) compile(name, pattern, flags string) (*regex, areFlags, *zset.Error) {
	fl, err := parseFlags(flags)
	switch {
	case err != nil:
		if name == "regexp_replace" && flags[0] >= '0' && flags[0] <= '9' {
			err.Hint = "If you meant to use regexp_replace() with a start parameter, cast the fourth argument to integer explicitly."
		}
		return nil, fl, err
	case fl.global && !u.global:
		err := zset.Errorf("22023", -1, "%s() does not support the \"global\" option", name)
		if name == "regexp_match" {
			err.Hint = "Use the regexp_matches function instead."
		}
		return nil, fl, err
	}
	if u.base.icase {
		fl.icase = true
	}
	re, err := compileRegex(pattern, fl)
	return re, fl, err
}

// refusal is why what the function takes out of a match may differ from PostgreSQL's.
func (u regexUse) refusal(re *regex, replacement []byte) *zset.Error {
	switch {
	case u.take == onlyWhether:
		return nil
	case (u.take == groupOne || u.take == allGroups) && re.groups > 0 || u.take == ifNamed && namesGroup(replacement):
		return re.inner
	}
	return re.split
}

func (u regexUse) apply(f *frame, i int, row regexRow, c *regexCell) {
	if c.err != nil {
		f.failWith(i, c.err)
		return
	}
	var replacement []byte
	if u.take == ifNamed {
		replacement = f.b(2, i)
	}
	if err := u.refusal(c.re, replacement); err != nil {
		f.failWith(i, err)
		return
	}
	row(f, i, c.re, c.fl)
}

func namesGroup(s []byte) bool {
	for k := 0; k+1 < len(s); k++ {
		if s[k] == '\\' {
			if k++; s[k] >= '1' && s[k] <= '9' {
				return true
			}
		}
	}
	return false
}

// matches walks over the matches in a text. After an empty one the next begins
// a character later, and one may lie right behind another.
type matches struct {
	f    *frame
	re   *regex
	s    []byte
	at   int // where the search goes on
	done bool
}

// next is the next match and its groups, as offsets into s; nil at the end. Offsets of a group that
// took no part are -1.
func (m *matches) next() []int {
	if m.done || m.at > len(m.s) {
		return nil
	}
	re := m.re.first
	if m.at > 0 {
		re = m.re.rest
	}
	m.f.tick()
	loc := m.f.find(re, m.re.groups, false, m.s[m.at:])
	if loc == nil {
		m.done = true
		return nil
	}
	for k := range loc {
		if loc[k] >= 0 {
			loc[k] += m.at
		}
	}
	m.at = loc[1]
	if loc[0] == loc[1] {
		if m.at < len(m.s) {
			_, w := utf8.DecodeRune(m.s[m.at:])
			m.at += w
		} else {
			m.done = true
		}
	}
	return loc
}

// substringRegex: the first group, or all of the match where there is no group.
func substringRegex(f *frame, i int, re *regex, _ areFlags) {
	s := f.b(0, i)
	m := matches{f: f, re: re, s: s}
	loc := m.next()
	if k := min(re.groups, 1); loc != nil && loc[2*k] >= 0 {
		f.put(s[loc[2*k]:loc[2*k+1]])
		return
	}
	f.setNull(i)
}

// startAt reads argument k as a place in the text, from 1, if there is one.
func startAt(f *frame, i, k int) int {
	if k >= len(f.args) || f.args[k].Type.Kind != zset.Int4 {
		return 0
	}
	at, s := f.i(k, i), f.b(0, i)
	if off := charOffset(s, at-1); off < len(s) || int64(utf8.RuneCount(s)) >= at-1 {
		return off
	}
	return len(s) + 1
}

// replaceRegex: the arguments behind the replacement are flags, or start, n and flags.
func replaceRegex(f *frame, i int, re *regex, fl areFlags) {
	s, with := f.b(0, i), f.b(2, i)
	at, only := startAt(f, i, 3), int64(1)
	if fl.global {
		only = 0
	}
	if len(f.args) > 4 {
		only = f.i(4, i)
	}
	begin, copied := len(f.out.Buf), 0
	m := matches{f: f, re: re, s: s, at: at}
	for k := int64(1); ; k++ {
		loc := m.next()
		if loc == nil {
			break
		}
		if only > 0 && k < only {
			continue
		}
		f.put(s[copied:loc[0]])
		if f.putReplacement(with, s, loc); len(f.out.Buf)-begin > maxText {
			f.failLength(i)
			f.out.Buf = f.out.Buf[:begin]
			return
		}
		copied = loc[1]
		if only > 0 {
			break
		}
	}
	f.put(s[copied:])
}

// putReplacement writes with, where \1 to \9 stand for groups, \& for the
// match and \\ for a backslash; another backslash is one. It stops behind what is
// too long for a text.
func (f *frame) putReplacement(with, s []byte, loc []int) {
	f.bound(len(with))
	for k, begin := 0, len(f.out.Buf); k < len(with) && len(f.out.Buf)-begin <= maxText; k++ {
		c := with[k]
		if c != '\\' || k+1 == len(with) {
			f.out.Buf = append(f.out.Buf, c)
			continue
		}
		switch d := with[k+1]; {
		case d >= '1' && d <= '9' || d == '&':
			g := 0
			if d != '&' {
				g = int(d - '0')
			}
			if 2*g < len(loc) && loc[2*g] >= 0 {
				part := s[loc[2*g]:loc[2*g+1]]
				f.bound(len(part))
				f.step(len(part))
				f.put(part)
			}
			k++
		case d == '\\':
			f.out.Buf = append(f.out.Buf, '\\')
			k++
		default:
			f.out.Buf = append(f.out.Buf, c)
		}
	}
}

func countRegex(f *frame, i int, re *regex, _ areFlags) {
	m := matches{f: f, re: re, s: f.b(0, i), at: startAt(f, i, 2)}
	n := int64(0)
	for m.next() != nil {
		n++
	}
	f.setI(i, n)
}

// substrRegex is regexp_substr(text, pattern, start, n, flags, group).
func substrRegex(f *frame, i int, re *regex, _ areFlags) {
	n, group := int64(1), int64(0)
	if len(f.args) > 3 {
		n = f.i(3, i)
	}
	if len(f.args) > 5 {
		group = f.i(5, i)
	}
	s := f.b(0, i)
	m := matches{f: f, re: re, s: s, at: startAt(f, i, 2)}
	loc := m.next()
	for ; loc != nil && n > 1; n-- {
		loc = m.next()
	}
	if loc == nil || 2*group >= int64(len(loc)) || loc[2*group] < 0 {
		f.setNull(i)
		return
	}
	f.put(s[loc[2*group]:loc[2*group+1]])
}
