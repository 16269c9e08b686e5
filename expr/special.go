package expr

import (
	"github.com/ivmc/ivmc/zset"
)

// special binds a form that is no plain function: its arguments are evaluated
// only where needed, or it takes any number of them, of one type.
type special func(name string, args []*Expr, pos int) (*Expr, error)

// specialForms are those forms by name.
func specialForms() map[string]special {
	return map[string]special{
		"and": bindJunction, "or": bindJunction, "not": bindNot,
		"is null": bindIsNull, "is not null": bindIsNull,
		"is unknown": bindIsUnknown, "is not unknown": bindIsUnknown,
		"is true": bindTruth, "is not true": bindTruth, "is false": bindTruth, "is not false": bindTruth,
		"=": bindComparison, "<>": bindComparison, "!=": bindComparison,
		"<": bindComparison, "<=": bindComparison, ">": bindComparison, ">=": bindComparison,
		"is distinct from": bindComparison, "is not distinct from": bindComparison,
		"between": bindBetween, "not between": bindBetween,
		"in": bindIn, "not in": bindIn,
		"coalesce": bindCoalesce, "nullif": bindNullif,
		"ifnull": bindIfNull, "nvl": bindIfNull, "if": bindIf,
		"greatest": bindExtreme, "least": bindExtreme,
		"age": bindAge, "quote_literal": bindQuoted, "quote_nullable": bindQuoted,
		"localtimestamp": bindLocal, "localtime": bindLocal, "current_date": bindLocal,
		"||":     bindConcat,
		"concat": bindPrinting, "concat_ws": bindPrinting, "format": bindPrinting,
	}
}

// condition casts e to BOOLEAN: argument of AND, OR, NOT, WHEN. Error 42804.
func condition(e *Expr, what string) (*Expr, error) {
	if e.Typ.Kind == zset.Bool {
		return e, nil
	}
	if e.Typ.Kind != zset.Unknown {
		return nil, zset.Errorf(zset.CodeTypeMismatch, int(e.Pos), "argument of %s must be type boolean, not type %s", what, kindName(e.Typ.Kind))
	}
	return Cast(e, zset.TBool, Implicit, int(e.Pos))
}

// Condition casts e to BOOLEAN where a clause wants one: what is its name, "WHERE". Error 42804.
func Condition(e *Expr, what string) (*Expr, error) { return condition(e, what) }

func upperName(name string) string { return string(appendUpper(nil, name)) }

func appendUpper(dst []byte, s string) []byte {
	for i := range len(s) {
		c := s[i]
		if c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

// wantArgs checks the number of arguments of a form.
func wantArgs(name string, args []*Expr, low, high, pos int) error {
	if len(args) < low || high > 0 && len(args) > high {
		return unresolved(name, args, false, pos)
	}
	return nil
}

func bindJunction(name string, args []*Expr, pos int) (*Expr, error) {
	if err := wantArgs(name, args, 1, 0, pos); err != nil {
		return nil, err
	}
	op := OpAnd
	if name == "or" {
		op = OpOr
	}
	var flat []*Expr
	for _, a := range args {
		c, err := condition(a, upperName(name))
		if err != nil {
			return nil, err
		}
		if c.Op == op { // a AND (b AND c): one list
			flat = append(flat, c.Args...)
		} else {
			flat = append(flat, c)
		}
	}
	if len(flat) == 1 {
		return flat[0], nil
	}
	return &Expr{Op: op, Typ: zset.TBool, Args: flat, Pos: int32(pos)}, nil
}

// And is the conjunction of boolean expressions; nil for none.
func And(es ...*Expr) *Expr {
	if len(es) == 0 {
		return nil
	}
	e, err := bindJunction("and", es, int(es[0].Pos))
	if err != nil {
		return nil
	}
	return e
}

// Conjuncts is the list that And would make e of; nil for nil.
func Conjuncts(e *Expr) []*Expr {
	switch {
	case e == nil:
		return nil
	case e.Op == OpAnd:
		return e.Args
	}
	return []*Expr{e}
}

func bindNot(name string, args []*Expr, pos int) (*Expr, error) {
	if err := wantArgs(name, args, 1, 1, pos); err != nil {
		return nil, err
	}
	c, err := condition(args[0], "NOT")
	if err != nil {
		return nil, err
	}
	return negate(c, pos), nil
}

func negate(c *Expr, pos int) *Expr {
	return &Expr{Op: OpNot, Typ: zset.TBool, Args: []*Expr{c}, Pos: int32(pos)}
}

func bindIsNull(name string, args []*Expr, pos int) (*Expr, error) {
	if err := wantArgs(name, args, 1, 1, pos); err != nil {
		return nil, err
	}
	op := OpIsNull
	if name == "is not null" || name == "is not unknown" {
		op = OpIsNotNull
	}
	a, err := castTo(args[0], Any)
	if err != nil {
		return nil, err
	}
	return &Expr{Op: op, Typ: zset.TBool, Args: []*Expr{a}, Pos: int32(pos)}, nil
}

func bindIsUnknown(name string, args []*Expr, pos int) (*Expr, error) {
	if err := wantArgs(name, args, 1, 1, pos); err != nil {
		return nil, err
	}
	c, err := condition(args[0], upperName(name))
	if err != nil {
		return nil, err
	}
	return bindIsNull(name, []*Expr{c}, pos)
}

func bindTruth(name string, args []*Expr, pos int) (*Expr, error) {
	if err := wantArgs(name, args, 1, 1, pos); err != nil {
		return nil, err
	}
	c, err := condition(args[0], upperName(name))
	if err != nil {
		return nil, err
	}
	return newCall(funcs.bySig[signature(name, []zset.Kind{zset.Bool}, false)], []*Expr{c}, pos), nil
}

func bindComparison(name string, args []*Expr, pos int) (*Expr, error) {
	if len(args) != 2 {
		return nil, unresolved(name, args, false, pos)
	}
	name = alias(name)
	l, r, err := comparison(name, args[0], args[1], pos)
	if err != nil {
		return nil, err
	}
	k := l.Typ.Kind
	return newCall(funcs.bySig[signature(name, []zset.Kind{k, k}, false)], []*Expr{l, r}, pos), nil
}

func bindBetween(name string, args []*Expr, pos int) (*Expr, error) {
	if len(args) != 3 {
		return nil, unresolved(name, args, false, pos)
	}
	low, err := bindComparison(">=", args[:2], pos)
	if err != nil {
		return nil, err
	}
	high, err := bindComparison("<=", []*Expr{args[0], args[2]}, pos)
	if err != nil {
		return nil, err
	}
	e, err := bindJunction("and", []*Expr{low, high}, pos)
	if err != nil || name == "between" {
		return e, err
	}
	return negate(e, pos), nil
}

// bindIn: constants of one type become a set; other items are compared one by one.
func bindIn(name string, args []*Expr, pos int) (*Expr, error) {
	if err := wantArgs(name, args, 2, 0, pos); err != nil {
		return nil, err
	}
	var consts, alts []*Expr
	for _, a := range args[1:] {
		if a.Op == OpConst {
			consts = append(consts, a)
			continue
		}
		eq, err := bindComparison("=", []*Expr{args[0], a}, pos)
		if err != nil {
			return nil, err
		}
		alts = append(alts, eq)
	}
	if len(consts) == 1 && args[0].Typ.Kind == zset.Float4 {
		// One item is compared by =, in DOUBLE PRECISION; a list in REAL.
		eq, err := orEquals([]*Expr{args[0], consts[0]}, pos)
		if err != nil {
			return nil, err
		}
		alts, consts = append(alts, eq), nil
	}
	if len(consts) > 0 {
		in, err := inSet(args[0], consts, pos)
		if err != nil {
			return nil, err
		}
		alts = append([]*Expr{in}, alts...)
	}
	e, err := bindJunction("or", alts, pos)
	if err != nil || name == "in" {
		return e, err
	}
	return negate(e, pos), nil
}

// inSet brings x and the constants to the type that = compares them in.
func inSet(x *Expr, consts []*Expr, pos int) (*Expr, error) {
	all, t, err := Unify(append([]*Expr{x}, consts...), "IN", pos)
	if ze, ok := err.(*zset.Error); ok && ze.Code == zset.CodeTypeMismatch {
		return orEquals(append([]*Expr{x}, consts...), pos) // no common type: = decides, or complains
	}
	if err != nil {
		return nil, err
	}
	// The comparison type of the common type: VARCHAR compares as TEXT, a fixed
	// DECIMAL as NUMERIC unless every constant fits its form.
	kind := stringAsText(t.Kind)
	to := zset.Type{Kind: kind, Elem: t.Elem}
	if form, ok := setForm(x, all[1:], kind); ok {
		to = form
	}
	for i := range all {
		if all[i], err = Cast(all[i], to, Implicit, pos); err != nil {
			return nil, err
		}
	}
	for _, c := range all[1:] {
		if c.Op != OpConst { // the cast fails for this constant; let it fail per row
			return orEquals(all, pos)
		}
	}
	return &Expr{Op: OpIn, Typ: zset.TBool, Args: all, Pos: int32(pos)}, nil
}

func orEquals(all []*Expr, pos int) (*Expr, error) {
	var alts []*Expr
	for _, c := range all[1:] {
		eq, err := bindComparison("=", []*Expr{all[0], c}, pos)
		if err != nil {
			return nil, err
		}
		alts = append(alts, eq)
	}
	return bindJunction("or", alts, pos)
}

// setForm is a fixed form for x and all constants, if there is one.
func setForm(x *Expr, consts []*Expr, kind zset.Kind) (zset.Type, bool) {
	if kind != zset.Numeric {
		return zset.Type{}, false
	}
	form, ok := formOf(x)
	for _, c := range consts {
		if !ok {
			break
		}
		if c.IsNull() {
			continue
		}
		var f zset.Type
		if f, ok = formOf(c); ok {
			form, ok = commonForm(form, f)
		}
	}
	return form, ok
}

func bindCoalesce(name string, args []*Expr, pos int) (*Expr, error) {
	if err := wantArgs(name, args, 1, 0, pos); err != nil {
		return nil, err
	}
	as, t, err := Unify(args, "COALESCE", pos)
	if err != nil {
		return nil, err
	}
	return &Expr{Op: OpCoalesce, Typ: t, Args: as, Pos: int32(pos)}, nil
}

// bindIfNull is the COALESCE of two that other dialects have.
func bindIfNull(name string, args []*Expr, pos int) (*Expr, error) {
	if err := wantArgs(name, args, 2, 2, pos); err != nil {
		return nil, err
	}
	return bindCoalesce(name, args, pos)
}

// bindIf is the CASE of one condition that other dialects have.
func bindIf(name string, args []*Expr, pos int) (*Expr, error) {
	if err := wantArgs(name, args, 3, 3, pos); err != nil {
		return nil, err
	}
	return Case(args[:1], args[1:2], args[2], pos)
}

func bindExtreme(name string, args []*Expr, pos int) (*Expr, error) {
	if err := wantArgs(name, args, 1, 0, pos); err != nil {
		return nil, err
	}
	op := OpGreatest
	if name == "least" {
		op = OpLeast
	}
	as, t, err := Unify(args, upperName(name), pos)
	if err != nil {
		return nil, err
	}
	return &Expr{Op: op, Typ: t, Args: as, Pos: int32(pos)}, nil
}

// bindNullif: CASE WHEN a = b THEN NULL ELSE a END, of the type that a is
// compared in; where PostgreSQL compares two types without a cast, of a's own.
func bindNullif(name string, args []*Expr, pos int) (*Expr, error) {
	if err := wantArgs(name, args, 2, 2, pos); err != nil {
		return nil, err
	}
	same, err := bindComparison("=", args, pos)
	if err != nil {
		return nil, err
	}
	a, k := args[0], same.Args[0].Typ.Kind
	own := a.Typ.Kind == k || a.Typ.Kind == zset.Date || a.Typ.Kind == zset.Timestamp && k == zset.TimestampTZ ||
		isInteger(a.Typ.Kind) && isInteger(args[1].Typ.Kind) ||
		a.Typ.Kind == zset.Float4 && args[1].Typ.Kind == zset.Float8
	if !own {
		if a, err = Cast(a, zset.Type{Kind: k, Elem: same.Args[0].Typ.Elem}, Implicit, pos); err != nil {
			return nil, err
		}
	}
	return &Expr{Op: OpCase, Typ: a.Typ, Args: []*Expr{same, Const(zset.NullOf(a.Typ)), a}, Pos: int32(pos)}, nil
}

func isInteger(k zset.Kind) bool { return k == zset.Int2 || k == zset.Int4 || k == zset.Int8 }

// bindConcat: text || anything prints the other side as text does, if one side
// is a string.
func bindConcat(name string, args []*Expr, pos int) (*Expr, error) {
	if len(args) != 2 {
		return nil, unresolved(name, args, false, pos)
	}
	isText := func(e *Expr) bool { return categoryOf(e.Typ.Kind) == catString }
	isUnknown := func(e *Expr) bool { return e.Typ.Kind == zset.Unknown }
	l, r := args[0], args[1]
	if l.Typ.Kind == zset.Array || r.Typ.Kind == zset.Array {
		return callRow(name, args, pos)
	}
	if l.Typ.Kind == zset.Bytea && (r.Typ.Kind == zset.Bytea || isUnknown(r)) || r.Typ.Kind == zset.Bytea && isUnknown(l) {
		both, _, err := Unify([]*Expr{l, r}, "||", pos)
		if err != nil {
			return nil, err
		}
		return newCall(funcs.bySig["||(bytea,bytea)"], both, pos), nil
	}
	if !isText(l) && !isText(r) && !isUnknown(l) && !isUnknown(r) {
		return nil, unresolved(name, args, false, pos)
	}
	l, err := Cast(l, zset.TText, Assignment, pos)
	if err != nil {
		return nil, err
	}
	if r, err = Cast(r, zset.TText, Assignment, pos); err != nil {
		return nil, err
	}
	return newCall(funcs.bySig["||(text,text)"], []*Expr{l, r}, pos), nil
}

// bindPrinting: a moment among the arguments that are printed is printed in the
// zone of the session.
func bindPrinting(name string, args []*Expr, pos int) (*Expr, error) {
	as := make([]*Expr, len(args))
	for i, a := range args {
		if (i > 0 || name == "concat") && (a.Typ.Kind == zset.TimestampTZ || a.Typ.Elem == zset.TimestampTZ) {
			c, err := Cast(a, zset.TText, Assignment, pos)
			if err != nil {
				return nil, err
			}
			a = c
		}
		as[i] = a
	}
	return callRow(name, as, pos)
}

// Case binds CASE WHEN conds[i] THEN thens[i] .. ELSE els END; els may be nil.
// Errors 42804 for conditions that are not BOOLEAN and results of no common type.
func Case(conds, thens []*Expr, els *Expr, pos int) (*Expr, error) {
	if els == nil {
		els = Const(zset.NullOf(zset.TUnknown)).At(pos)
	}
	// PostgreSQL puts ELSE first when it looks for the common type.
	results, t, err := Unify(append([]*Expr{els}, thens...), "CASE", pos)
	if err != nil {
		return nil, err
	}
	args := make([]*Expr, 0, 2*len(conds)+1)
	for i, c := range conds {
		b, err := condition(c, "CASE/WHEN")
		if err != nil {
			return nil, err
		}
		args = append(args, b, results[i+1])
	}
	return &Expr{Op: OpCase, Typ: t, Args: append(args, results[0]), Pos: int32(pos)}, nil
}
