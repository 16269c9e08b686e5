package expr

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/ivmc/ivmc/zset"
)

// wireExpr is the stored form of an Expr. Forms and kinds go by name, so that
// their numbers may change; the bytes of a constant need not be UTF-8, a float
// goes by its bits.
type wireExpr struct {
	Op   string     `json:"op"`
	Kind string     `json:"type"`
	Prec int16      `json:"prec,omitempty"`
	Scal int16      `json:"scale,omitempty"`
	Elem string     `json:"elem,omitempty"`
	Col  int        `json:"col,omitempty"`
	Fn   string     `json:"fn,omitempty"`
	Args []*Expr    `json:"args,omitempty"`
	Pos  int32      `json:"pos"`
	Val  *wireValue `json:"val,omitempty"`
	// Custom: Fn is a function of a Library, which only binding again can give.
	Custom bool `json:"custom,omitempty"`
}

type wireValue struct {
	Null  bool   `json:"null,omitempty"`
	I     int64  `json:"i,omitempty"`
	F     uint64 `json:"f,omitempty"`
	Bytes []byte `json:"s,omitempty"`
}

var opNames = [numOps]string{
	OpCol: "col", OpConst: "const", OpCall: "call", OpAnd: "and", OpOr: "or", OpNot: "not", OpIsNull: "isnull",
	OpIsNotNull: "isnotnull", OpCase: "case", OpCoalesce: "coalesce", OpIn: "in", OpGreatest: "greatest", OpLeast: "least",
}

// String is the name of the form in stored plans.
func (op Op) String() string {
	if op < numOps {
		return opNames[op]
	}
	return fmt.Sprintf("op(%d)", uint8(op))
}

// MarshalJSON writes the stored form.
func (e *Expr) MarshalJSON() ([]byte, error) {
	w := wireExpr{Op: e.Op.String(), Kind: kindName(e.Typ.Kind), Prec: e.Typ.Prec, Scal: e.Typ.Scale,
		Col: e.Col, Fn: e.Fn, Args: e.Args, Pos: e.Pos, Custom: e.own != nil}
	if e.Typ.Kind == zset.Array {
		w.Elem = kindName(e.Typ.Elem)
	}
	if e.Op == OpConst {
		w.Val = &wireValue{Null: e.Val.Null, I: e.Val.I, F: math.Float64bits(e.Val.F), Bytes: []byte(e.Val.S)}
	}
	return json.Marshal(w)
}

// UnmarshalJSON reads the stored form. It fails on forms, types and functions
// that this program does not know, and on calls with the wrong number of arguments.
func (e *Expr) UnmarshalJSON(b []byte) error {
	var w wireExpr
	if err := json.Unmarshal(b, &w); err != nil {
		return fmt.Errorf("expr: reading a stored expression: %w", err)
	}
	op, ok := opByName(w.Op)
	kind, ok2 := kindByName(w.Kind)
	elem := zset.Unknown
	if kind == zset.Array && ok2 {
		elem, ok2 = kindByName(w.Elem)
	}
	if !ok || !ok2 {
		return fmt.Errorf("expr: stored expression of unknown form %q or type %q", w.Op, w.Kind)
	}
	*e = Expr{Op: op, Typ: zset.Type{Kind: kind, Prec: w.Prec, Scale: w.Scal, Elem: elem}, Col: w.Col, Fn: w.Fn, Args: w.Args, Pos: w.Pos}
	if w.Val != nil {
		e.Val = zset.Value{Type: e.Typ, Null: w.Val.Null, I: w.Val.I, F: math.Float64frombits(w.Val.F), S: string(w.Val.Bytes)}
	}
	if !(w.Custom && op == OpCall) && !e.wellFormed() {
		return fmt.Errorf("expr: stored expression %s %q has %d arguments or is of an unknown function", op, e.Fn, len(e.Args))
	}
	return nil
}

func opByName(name string) (Op, bool) {
	for op, n := range opNames {
		if n == name {
			return Op(op), true
		}
	}
	return 0, false
}

func kindByName(name string) (zset.Kind, bool) {
	for k := range kindInfo {
		if kindName(k) == name {
			return k, true
		}
	}
	return 0, false
}

// wellFormed checks the shape of one node.
func (e *Expr) wellFormed() bool {
	n := len(e.Args)
	for _, a := range e.Args {
		if a == nil {
			return false
		}
	}
	switch e.Op {
	case OpCol:
		return n == 0 && e.Col >= 0
	case OpConst:
		return n == 0
	case OpCall:
		f := funcs.bySig[e.Fn]
		if f != nil && f.takesZone(typesOf(e.Args), e.Typ) {
			n--
		}
		return f != nil && f.takes(n)
	case OpNot, OpIsNull, OpIsNotNull:
		return n == 1
	case OpCase:
		return n >= 3 && n%2 == 1
	}
	return n >= 1
}
