package delta

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ivmc/ivmc/expr"
)

// Readable is e as SQL over columns of these names, without the casts that binding
// added and that change nothing.
func Readable(e *expr.Expr, names []string) string {
	return (&Description{Columns: names}).expr(e)
}

// expr is e as SQL, over the columns of d.
func (d *Description) expr(e *expr.Expr) string {
	if what := wholeText(e); what != "" {
		return what
	}
	return readable(e).Format(d.name)
}

func (d *Description) exprs(es []*expr.Expr) []string {
	out := make([]string, len(es))
	for i, e := range es {
		out[i] = d.expr(e)
	}
	return out
}

// beside is the columns of more behind those of names; one that is called as
// another is gets the number of times.
func beside(names, more []string) []string {
	times := map[string]int{}
	for _, n := range names {
		times[n] = 1
	}
	out := slices.Clone(names)
	for _, n := range more {
		if times[n] > 0 {
			times[n]++
			n = fmt.Sprintf("%s(%d)", n, times[n])
		}
		times[n]++
		out = append(out, n)
	}
	return out
}

// keys are the parts of a key as SQL, without the casts that change no key.
func (d *Description) keys(es []*expr.Expr) []string {
	out := make([]string, len(es))
	for i, e := range es {
		out[i] = d.expr(bare(e))
	}
	return out
}

// TheRow is what a row taken as one value is called.
const TheRow = "the whole row"

// wholeText names an expression that is a row as one value; "" if it is none.
func wholeText(e *expr.Expr) string {
	if e.Op != expr.OpCall {
		return ""
	}
	if name, _, _ := strings.Cut(e.Fn, "("); name == "row identity" || name == "row key" {
		return TheRow
	}
	return ""
}

// readable is e without the casts that binding added and that change no value:
// those below a call that is no cast itself.
func readable(e *expr.Expr) *expr.Expr {
	if len(e.Args) == 0 {
		return e
	}
	c := *e
	c.Args = slices.Clone(e.Args)
	for i, a := range c.Args {
		if a == nil {
			continue
		}
		if e.Op == expr.OpCall && !isCast(e) {
			a = bare(a)
		}
		c.Args[i] = readable(a)
	}
	return &c
}

// equal is a = b, one by one.
func equal(a, b []string) string {
	out := make([]string, len(a))
	for i := range a {
		switch {
		case i >= len(b):
			out[i] = a[i]
		case a[i] == TheRow || b[i] == TheRow:
			out[i] = "the same row"
		default:
			out[i] = a[i] + " = " + b[i]
		}
	}
	return strings.Join(out, " AND ")
}

// sorted is the text of sort keys.
func (d *Description) sorted(keys []SortKey) (by []string) {
	for _, k := range keys {
		s := d.expr(k.Expr)
		if k.Desc {
			s += " DESC"
		}
		if k.NullsFirst != k.Desc {
			s += map[bool]string{true: " NULLS FIRST", false: " NULLS LAST"}[k.NullsFirst]
		}
		by = append(by, s)
	}
	return by
}

// called is the name of an input with its alias.
func (in *Input) called() string {
	if in.As != "" && in.As != in.Name {
		return in.Name + " AS " + in.As
	}
	return in.Name
}

func (in *Input) alias() string {
	if in.As != "" {
		return in.As
	}
	return in.Name
}

// bareColumn is column c of the relation.
func (in *Input) bareColumn(c int) string {
	if i := slices.Index(in.Cols, c); i >= 0 {
		return in.Fields[i].Name
	}
	return numbered(c + 1)[c]
}

// column is column c of the relation of in, with the relation's name where the
// plan reads several.
func (x *describer) column(in *Input, c int) string {
	if len(x.plan.Inputs) == 1 {
		return in.bareColumn(c)
	}
	return in.alias() + "." + in.bareColumn(c)
}

func (x *describer) inputColumns(in *Input) []string {
	out := make([]string, 0, len(in.Cols)+1)
	for _, c := range in.Cols {
		out = append(out, x.column(in, c))
	}
	if in.Addr {
		out = append(out, "address of the row")
	}
	return out
}

func fieldNames(in *Input) []string {
	out := make([]string, len(in.Fields))
	for i, f := range in.Fields {
		out[i] = f.Name
	}
	return out
}
