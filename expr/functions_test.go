package expr

import (
	"testing"

	"github.com/ivmc/ivmc/zset"
)

// TestFunctionTable: every row is complete, reachable under its own signature,
// and resolvable by Call for exactly its kinds.
func TestFunctionTable(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range Functions() {
		sig := f.Signature()
		if seen[sig] {
			t.Errorf("%s: twice in the table", sig)
		}
		seen[sig] = true
		if funcs.bySig[sig] != f {
			t.Errorf("%s: not found by its signature", sig)
		}
		if f.Name == "" || f.Result == zset.Unknown || f.Result != zset.Type(zset.Type{Kind: f.Result}).Kind {
			t.Errorf("%s: no name or result", sig)
		}
		if f.Volatile != (f.row == nil) {
			t.Errorf("%s: volatile and without row function go together", sig)
		}
		if f.spares != nil && !f.Raises && f.Result != zset.Numeric {
			t.Errorf("%s: spares an error that it does not raise", sig)
		}
		if f.Variadic && len(f.Args) == 0 {
			t.Errorf("%s: variadic without an argument kind", sig)
		}
		for _, k := range append([]zset.Kind{f.Result}, f.Args...) {
			if _, ok := kindInfo[k]; !ok && k != Any && k != Element {
				t.Errorf("%s: kind %d has no category", sig, k)
			}
		}
		if isCastName(f.Name) {
			continue
		}
		args := make([]*Expr, len(f.Args))
		for i, k := range f.Args {
			if k == Any {
				k = zset.Text
			}
			args[i] = Col(i, plainType(k))
		}
		result := plainType(f.Result).Kind
		if f.Name == anyOf || f.Name == allOf {
			continue // see Quantified
		}
		e, err := Call(f.Name, args, 3)
		if err != nil {
			t.Errorf("%s: %v", sig, err)
			continue
		}
		if e.Fn != sig || e.Typ.Kind != result || e.Pos != 3 {
			t.Errorf("%s: bound as %s of type %s at %d", sig, e.Fn, e.Typ, e.Pos)
		}
	}
	for name, to := range aliases {
		if len(funcs.byName[to]) == 0 {
			t.Errorf("alias %s of %s, which is not there", name, to)
		}
	}
}

// TestCastTable: there is a row for just the casts that the contexts admit.
func TestCastTable(t *testing.T) {
	for from := range kindInfo {
		for to := range kindInfo {
			if to == zset.Unknown {
				continue
			}
			f := funcs.bySig[castSignature(castName, from, to)]
			modifiers := from != to || to == zset.Numeric || to == zset.Varchar || to == zset.Char || to == zset.Array || to.Timed()
			if want := castContext(from, to) != noCast && modifiers; want != (f != nil) {
				t.Errorf("%s to %s: context %d, row %v", kindName(from), kindName(to), castContext(from, to), f != nil)
			}
		}
	}
}
