package expr

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/ivmc/ivmc/zset"
)

// The tests write expressions as SQL. This is a small reader for them: enough
// syntax for every function of the table, and no more.

// readExpr binds the SQL text of one expression; names are columns of schema.
func readExpr(text string, schema zset.Schema) (e *Expr, err error) {
	r := &reader{toks: lexSQL(text), schema: schema}
	defer func() {
		if p := recover(); p != nil {
			pe, ok := p.(readError)
			if !ok {
				panic(p)
			}
			err = pe.err
		}
	}()
	e = r.expr(0)
	if r.peek() != "" {
		panic(fmt.Sprintf("test expression %q: unread %q", text, r.toks[r.at:]))
	}
	return e, nil
}

func mustRead(t testing.TB, text string, schema zset.Schema) *Expr {
	t.Helper()
	e, err := readExpr(text, schema)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return e
}

type readError struct{ err error }

type reader struct {
	toks   []string
	at     int
	schema zset.Schema
}

func lexSQL(s string) (toks []string) {
	word := func(c byte) bool {
		return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
	}
	for i := 0; i < len(s); {
		j := i + 1
		switch c := s[i]; {
		case c == ' ' || c == '\n':
			i++
			continue
		case c == '\'':
			for ; j < len(s); j++ {
				if s[j] == '\'' {
					if j+1 < len(s) && s[j+1] == '\'' {
						j++
						continue
					}
					break
				}
			}
			j++
		case c >= '0' && c <= '9' || c == '.':
			for j < len(s) && (s[j] >= '0' && s[j] <= '9' || s[j] == '.' || s[j] == 'e' ||
				(s[j] == '-' || s[j] == '+') && s[j-1] == 'e') {
				j++
			}
		case word(c):
			for j < len(s) && word(s[j]) {
				j++
			}
			toks = append(toks, strings.ToLower(s[i:j]))
			i = j
			continue
		default:
			for _, op := range []string{"::", "||", "|/", "<=", ">=", "<>", "<<", ">>", "!=", "~*", "!~", "^@", "!~*", "||/"} {
				if strings.HasPrefix(s[i:], op) {
					j = i + len(op)
				}
			}
		}
		toks = append(toks, s[i:j])
		i = j
	}
	return toks
}

func (r *reader) peek() string {
	if r.at < len(r.toks) {
		return r.toks[r.at]
	}
	return ""
}

func (r *reader) next() string {
	t := r.peek()
	r.at++
	return t
}

func (r *reader) accept(ts ...string) bool {
	for k, t := range ts {
		if r.at+k >= len(r.toks) || r.toks[r.at+k] != t {
			return false
		}
	}
	r.at += len(ts)
	return true
}

func (r *reader) expect(t string) {
	if !r.accept(t) {
		panic(fmt.Sprintf("test expression: want %q, have %q", t, r.toks[min(r.at, len(r.toks)):]))
	}
}

func must(e *Expr, err error) *Expr {
	if err != nil {
		panic(readError{err})
	}
	return e
}

func (r *reader) call(name string, args ...*Expr) *Expr { return must(Call(name, args, 0)) }

var infixPower = map[string]int{
	"or": 1, "and": 2, "is": 4, "=": 5, "<>": 5, "!=": 5, "<": 5, "<=": 5, ">": 5, ">=": 5,
	"between": 6, "in": 6, "like": 6, "ilike": 6, "not": 6, "||": 7, "~": 7, "~*": 7, "!~": 7, "!~*": 7, "^@": 7, "&": 7, "|": 7, "#": 7, "<<": 7, ">>": 7, "+": 8, "-": 8, "*": 9, "/": 9, "%": 9, "^": 10, "::": 12,
}

func (r *reader) expr(least int) *Expr {
	l := r.prefix()
	for {
		op := r.peek()
		power := infixPower[op]
		if power == 0 || power <= least {
			return l
		}
		r.next()
		l = r.infix(l, op, power)
	}
}

func (r *reader) infix(l *Expr, op string, power int) *Expr {
	not := ""
	if op == "not" {
		not, op = "not ", r.next()
	}
	switch op {
	case "::":
		return must(Cast(l, r.typ(), Explicit, 0))
	case "is":
		name := "is "
		if r.accept("not") {
			name = "is not "
		}
		if r.accept("distinct", "from") {
			return r.call(name+"distinct from", l, r.expr(power))
		}
		return r.call(name+r.next(), l)
	case "between":
		low := r.expr(power)
		r.expect("and")
		return r.call(not+"between", l, low, r.expr(power))
	case "in":
		r.expect("(")
		return r.call(not+"in", append([]*Expr{l}, r.list(")")...)...)
	case "like", "ilike":
		args := []*Expr{l, r.expr(power)}
		if r.accept("escape") {
			args = append(args, r.expr(power))
		}
		return r.call(not+op, args...)
	}
	return r.call(op, l, r.expr(power))
}

func (r *reader) list(end string) (es []*Expr) {
	for !r.accept(end) {
		es = append(es, r.expr(0))
		r.accept(",")
	}
	return es
}

func (r *reader) typ() zset.Type {
	t := zset.Type{}
	switch name := r.next(); name {
	case "int", "integer", "int4":
		t = zset.TInt4
	case "bigint", "int8":
		t = zset.TInt8
	case "float8":
		t = zset.TFloat8
	case "numeric", "decimal":
		t = zset.TNumeric
	case "text":
		t = zset.TText
	case "varchar":
		t = zset.TVarchar
	case "date":
		t = zset.TDate
	case "timestamp":
		t = zset.TTimestamp
	case "bool", "boolean":
		t = zset.TBool
	case "smallint":
		t = zset.TInt2
	case "real":
		t = zset.TFloat4
	case "double":
		r.expect("precision")
		t = zset.TFloat8
	case "char":
		if t = zset.TChar; r.peek() != "(" {
			t.Prec = 1
		}
	case "bpchar":
		t = zset.TChar
	case "bytea":
		t = zset.TBytea
	case "uuid":
		t = zset.TUUID
	case "time":
		t = zset.TTime
	case "timestamptz":
		t = zset.TTimestampTZ
	case "interval":
		t = zset.TInterval
	default:
		panic("test expression: type " + name)
	}
	if r.accept("[") {
		r.expect("]")
		return zset.ArrayOf(t)
	}
	if r.accept("(") {
		p, _ := strconv.Atoi(r.next())
		t.Prec = int16(p)
		if r.accept(",") {
			s, _ := strconv.Atoi(r.next())
			t.Scale = int16(s)
		}
		r.expect(")")
	}
	return t
}

func (r *reader) prefix() *Expr {
	t := r.next()
	switch {
	case t == "(":
		e := r.expr(0)
		r.expect(")")
		return e
	case t == "-" || t == "+":
		if p := r.peek(); t == "-" && p != "" && p[0] >= '0' && p[0] <= '9' && r.toks[min(r.at+1, len(r.toks)-1)] != "::" {
			return literal("-" + r.next())
		}
		return r.call(t, r.expr(10))
	case t == "not":
		return r.call("not", r.expr(3))
	case t == "~" || t == "@" || t == "|/" || t == "||/":
		return r.call(t, r.expr(7))
	case t[0] == '\'':
		return Const(zset.Value{S: strings.ReplaceAll(t[1:len(t)-1], "''", "'")})
	case t[0] >= '0' && t[0] <= '9' || t[0] == '.':
		return literal(t)
	case t == "null":
		return Const(zset.NullOf(zset.TUnknown))
	case t == "true" || t == "false":
		return Const(zset.BoolValue(t == "true"))
	case t == "case":
		return r.cases()
	case t == "extract":
		r.expect("(")
		field := r.next()
		r.expect("from")
		x := r.expr(0)
		r.expect(")")
		return r.call("extract", Const(zset.Value{S: strings.Trim(field, "'")}), x)
	case (t == "date" || t == "timestamp" || t == "time" || t == "interval" || t == "timestamptz") && r.peek() != "" && r.peek()[0] == '\'':
		r.at--
		typ := r.typ()
		return must(Cast(r.prefix(), typ, Explicit, 0))
	case r.accept("("):
		return r.call(t, r.list(")")...)
	}
	if i := r.schema.Index(t); i >= 0 {
		return Col(i, r.schema[i].Type)
	}
	if t == "current_date" {
		return r.call(t)
	}
	panic("test expression: unknown name " + t)
}

func literal(s string) *Expr { return must(Number(s, 0)) }

func (r *reader) cases() *Expr {
	var operand, els *Expr
	var conds, thens []*Expr
	if r.peek() != "when" {
		operand = r.expr(0)
	}
	for r.accept("when") {
		c := r.expr(0)
		if operand != nil {
			c = r.call("=", operand, c)
		}
		r.expect("then")
		conds, thens = append(conds, c), append(thens, r.expr(0))
	}
	if r.accept("else") {
		els = r.expr(0)
	}
	r.expect("end")
	return must(Case(conds, thens, els, 0))
}
