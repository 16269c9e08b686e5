package expr

import (
	"unicode/utf8"

	"github.com/ivmc/ivmc/zset"
)

// regexArrays are the functions of regular expressions that give lists and places.
func regexArrays() []Func {
	const t, n, arr = zset.Text, zset.Int4, zset.Array
	texts := func([]zset.Type) zset.Type { return zset.ArrayOf(zset.TText) }
	plain := regexUse{pattern: 1, flags: -1}
	with := func(flags int) regexUse { return regexUse{pattern: 1, flags: flags} }
	list := func(f Func) Func { f.result = texts; return f }
	rows := []Func{
		list(plain.taking(allGroups).fn("regexp_match", arr, matchRegex, t, t)),
		list(with(2).taking(allGroups).fn("regexp_match", arr, matchRegex, t, t, t)),
		list(plain.taking(noGroup).fn("regexp_split_to_array", arr, splitRegex, t, t)),
		list(with(2).taking(noGroup).fn("regexp_split_to_array", arr, splitRegex, t, t, t)),
	}
	args := []zset.Kind{t, t, n, n, n, t, n}
	for k := 2; k <= len(args); k++ {
		use := plain.taking(noGroup)
		if k > 5 {
			use = with(5).taking(noGroup)
		}
		if k == 7 {
			use = use.taking(allGroups)
		}
		rows = append(rows, use.fn("regexp_instr", n, instrRegex, args[:k]...))
	}
	return rows
}

// splitToTable is regexp_split_to_table.
func splitToTable() []Func {
	const t, arr = zset.Text, zset.Array
	plain := regexUse{pattern: 1, flags: -1}.taking(noGroup)
	rows := []Func{
		plain.fn("regexp_split_to_table", arr, splitRegex, t, t),
		regexUse{pattern: 1, flags: 2}.taking(noGroup).fn("regexp_split_to_table", arr, splitRegex, t, t, t),
	}
	for i := range rows {
		rows[i].result = func([]zset.Type) zset.Type { return zset.ArrayOf(zset.TText) }
	}
	return rows
}

// matchRegex: the groups of the first match, or all of it where there is no group.
func matchRegex(f *frame, i int, re *regex, _ areFlags) {
	s := f.b(0, i)
	m := matches{f: f, re: re, s: s}
	loc := m.next()
	if loc == nil {
		f.setNull(i)
		return
	}
	if len(loc) > 2 {
		loc = loc[2:]
	}
	c := zset.NewColumn(zset.TText, len(loc)/2)
	for k := 0; k < len(loc); k += 2 {
		if loc[k] < 0 {
			c.AppendNull()
		} else {
			c.AppendBytes(s[loc[k]:loc[k+1]])
		}
	}
	f.putElements(&c, 0, c.Len())
}

// splitRegex: matches of nothing at the start, at the end and right behind a match do not split.
func splitRegex(f *frame, i int, re *regex, _ areFlags) {
	s := f.b(0, i)
	c := zset.NewColumn(zset.TText, 0)
	m, from := matches{f: f, re: re, s: s}, 0
	for loc := m.next(); loc != nil; loc = m.next() {
		if loc[0] < len(s) && loc[1] > from {
			c.AppendBytes(s[from:loc[0]])
			from = loc[1]
		}
	}
	c.AppendBytes(s[from:])
	f.putElements(&c, 0, c.Len())
}

// instrRegex is regexp_instr(text, pattern, start, n, endoption, flags, group).
func instrRegex(f *frame, i int, re *regex, _ areFlags) {
	given := func(k int, without int64) int64 {
		if k >= len(f.args) {
			return without
		}
		return f.i(k, i)
	}
	n, end, group := given(3, 1), given(4, 0), given(6, 0)
	s := f.b(0, i)
	m := matches{f: f, re: re, s: s, at: startAt(f, i, 2)}
	loc := m.next()
	for ; loc != nil && n > 1; n-- {
		loc = m.next()
	}
	if loc == nil || 2*group >= int64(len(loc)) || loc[2*group] < 0 {
		f.setI(i, 0)
		return
	}
	f.setI(i, int64(utf8.RuneCount(s[:loc[2*group+end]]))+1)
}
