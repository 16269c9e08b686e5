package ast

import "github.com/ivmc/ivmc/grammar/gen"

// show tells settings from TABLES and its like, which are words here alone.
func (b *builder) show(n gen.IShowContext) Statement {
	start := at(n)
	switch {
	case n.ALL() != nil:
		return &Show{At: start, Name: symbol(n.ALL()).name()}
	case n.TIME() != nil:
		return &Show{At: start, Name: Name{At{symbol(n.TIME()).pos}, "time_zone"}}
	case n.CREATE() != nil:
		return &ShowCreate{At: start, Kind: objectKind(n.ObjectKind()), Name: b.target(n.Qualified())}
	case n.MATERIALIZED() != nil:
		b.word(symbol(n.IDENT()), "views")
		return &ShowObjects{At: start, Kind: MaterializedViewObject}
	case n.IDENT() != nil && (n.LIKE() != nil || n.Where() != nil || symbol(n.IDENT()).value == "streams"):
		b.word(symbol(n.IDENT()), "streams")
		return b.showStreams(n)
	case n.Qualified() != nil:
		b.word(symbol(n.IDENT()), "columns")
		st := &ShowColumns{At: start}
		st.Schema, st.Name = b.qualified(n.Qualified())
		return st
	}
	if t := first(n.SettingName()); t == last(n.SettingName()) && t.kind == gen.IVMIDENT {
		switch t.value {
		case "tables":
			return &ShowObjects{At: start, Kind: TableObject}
		case "views":
			return &ShowObjects{At: start, Kind: ViewObject}
		case "streams":
			return &ShowStreams{At: start}
		}
	}
	return &Show{At: start, Name: settingName(n.SettingName())}
}

// word checks that t, a word of no rule, is this one.
func (b *builder) word(t *token, want string) {
	if t.value != want {
		b.unexpected(t)
	}
}

func objectKind(n gen.IObjectKindContext) ObjectKind {
	switch {
	case n.MATERIALIZED() != nil:
		return MaterializedViewObject
	case n.VIEW() != nil:
		return ViewObject
	case n.STREAM() != nil:
		return StreamObject
	}
	return TableObject
}
