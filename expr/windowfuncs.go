package expr

import (
	"github.com/ivmc/ivmc/zset"
)

// WindowFunction is a row of the table of functions that need OVER.
type WindowFunction struct {
	Name string
	Args []zset.Kind // of the arguments; Unknown: any type
	Min  int         // how many of them must be given
	Typ  zset.Type   // of the result; TUnknown: of the first argument
	// Framed: it looks at the frame of the row, not at its place in the partition.
	Framed bool
}

// WindowFunctions is the table of functions that need OVER, other than aggregates.
func WindowFunctions() []WindowFunction {
	value := zset.Unknown
	return []WindowFunction{
		{Name: "row_number", Typ: zset.TInt8},
		{Name: "rank", Typ: zset.TInt8},
		{Name: "dense_rank", Typ: zset.TInt8},
		{Name: "percent_rank", Typ: zset.TFloat8},
		{Name: "cume_dist", Typ: zset.TFloat8},
		{Name: "ntile", Args: []zset.Kind{zset.Int4}, Min: 1, Typ: zset.TInt4},
		{Name: "lag", Args: []zset.Kind{value, zset.Int4, value}, Min: 1},
		{Name: "lead", Args: []zset.Kind{value, zset.Int4, value}, Min: 1},
		{Name: "first_value", Args: []zset.Kind{value}, Min: 1, Framed: true},
		{Name: "last_value", Args: []zset.Kind{value}, Min: 1, Framed: true},
		{Name: "nth_value", Args: []zset.Kind{value, zset.Int4}, Min: 2, Framed: true},
	}
}

// FindWindowFunction finds a row of the table; nil if there is none.
func FindWindowFunction(name string) *WindowFunction {
	fs := WindowFunctions()
	for i := range fs {
		if fs[i].Name == name {
			return &fs[i]
		}
	}
	return nil
}

// Resolve casts the arguments of a call; what is of any type is of one, the common
// type of such arguments. 42883 if they do not fit.
func (f *WindowFunction) Resolve(args []*Expr, pos int) ([]*Expr, zset.Type, error) {
	none := func() error {
		return noAggregate(f.Name, args, pos)
	}
	if len(args) < f.Min || len(args) > len(f.Args) {
		return nil, zset.Type{}, none()
	}
	var values []*Expr
	var at []int
	out := append([]*Expr(nil), args...)
	for i, e := range args {
		if f.Args[i] == zset.Unknown {
			values, at = append(values, e), append(at, i)
			continue
		}
		c, err := Cast(e, zset.Type{Kind: f.Args[i]}, Implicit, pos)
		if err != nil && e.Typ.Kind != zset.Unknown {
			err = none()
		}
		if err != nil {
			return nil, zset.Type{}, err
		}
		out[i] = c
	}
	if len(values) == 0 {
		return out, f.Typ, nil
	}
	common, typ, err := Unify(values, f.Name, pos)
	if err != nil {
		return nil, zset.Type{}, none()
	}
	if typ.Kind == zset.Unknown {
		typ = zset.TText
	}
	typ = zset.Type{Kind: typ.Kind, Elem: typ.Elem} // what holds an argument to a length is not of the result
	for k, i := range at {
		c, err := Cast(common[k], typ, Implicit, pos)
		if err != nil {
			return nil, zset.Type{}, err
		}
		out[i] = c
	}
	return out, typ, nil
}
