package session

import (
	"encoding/json"
	"strings"

	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// known refuses what calls custom functions that the engine was opened without.
func (e *Engine) known(declarations []string, object string) error {
	return declared(e.opts.Functions, declarations, object)
}

// lacks reports whether a view calls custom functions that the engine was opened without.
func (e *Engine) lacks(obj *storage.Object) bool {
	var p struct {
		Functions []string `json:"functions"`
	}
	return obj.Kind != storage.Table && json.Unmarshal(obj.Payload, &p) == nil && e.known(p.Functions, "") != nil
}

// declared refuses an object that calls custom functions which l lacks, or knows
// with another result (42883).
func declared(l *expr.Library, declarations []string, object string) error {
	for _, d := range declarations {
		signature, _, _ := strings.Cut(d, " returns ")
		now := l.Declaration(signature)
		if now == d {
			continue
		}
		err := zset.Errorf("42883", -1, "function %s does not exist", signature)
		err.Detail = object + " was created with " + d + ", a function of the program that opened the database."
		if now != "" {
			err.Detail += " Now it is " + now + "."
		}
		err.Hint, err.Object = "Open the database with the same Options.Functions.", object
		return err
	}
	return nil
}

// NewLibrary makes a library of custom functions whose names and types are SQL.
// Errors are those of [expr.NewLibrary], and 42P13 for a name that cannot be
// written as a call.
func NewLibrary(cs []expr.Custom) (*expr.Library, error) {
	for _, c := range cs {
		stmt, err := ast.Parse("SELECT " + c.Name + "()")
		if call := soleCall(stmt); err != nil || call == nil || call.Name.Text != c.Name {
			e := zset.Errorf("42P13", -1, "%q is no name of a function", c.Name)
			e.Hint = "Take a word in lower case that is no keyword."
			return nil, e
		}
	}
	return expr.NewLibrary(cs)
}

func soleCall(stmt ast.Statement) (call *ast.Call) {
	if stmt == nil {
		return nil
	}
	q, ok := stmt.(*ast.Query)
	if !ok {
		return nil
	}
	s, ok := q.Body.(*ast.Select)
	if !ok || len(s.Items) != 1 {
		return nil
	}
	call, _ = s.Items[0].Expr.(*ast.Call)
	return call
}

// ParseType reads the name of a type: "numeric(10,2)", "timestamptz".
func ParseType(name string) (zset.Type, error) {
	x, err := algebra.ParseExpr("CAST(NULL AS " + name + ")")
	if err != nil {
		return zset.Type{}, zset.Errorf("42704", -1, "type %q does not exist", name)
	}
	c, ok := x.(*ast.Cast)
	if !ok {
		return zset.Type{}, zset.Errorf("42704", -1, "type %q does not exist", name)
	}
	return algebra.TypeOf(c.Type)
}
