package expr

import (
	"encoding/json"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/ivmc/ivmc/zset"
)

// TestBatchIsRows: evaluating a batch gives what the interpreter gives row by
// row, or the error of its least failing row; and expressions that claim not to
// raise do not.
func TestBatchIsRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := randomBatch(t)
		es := make([]*Expr, rapid.IntRange(1, 3).Draw(t, "expressions"))
		for i := range es {
			es[i] = randomExpr(t, rapid.SampledFrom(comparable).Draw(t, "kind"), 3)
		}
		p, err := Compile(es)
		if err != nil {
			t.Fatal(err)
		}
		v := p.New()
		for range 2 { // the second run meets used scratch
			cols, err := v.Eval(b)
			checkRows(t, es, b, cols, err)
		}
	})
}

func checkRows(t *rapid.T, es []*Expr, b *zset.Batch, cols []zset.Column, err error) {
	var re *RowError
	errors.As(err, &re)
	for row := range b.N {
		for k, e := range es {
			want, werr := interpret(e, b, row)
			if werr != nil {
				if !e.Raises() {
					t.Fatalf("%s claims not to raise, but row %d: %v", e, row, werr)
				}
				if re == nil || re.Row != row {
					t.Fatalf("%v: row %d: want error %v, have %v", es, row, werr, err)
				}
				// Several parts of one row may fail; which is told first is open.
				return
			}
			if re != nil {
				if re.Row < row {
					t.Fatalf("%v: error %v at row %d, where no row fails", es, re.Err, re.Row)
				}
				continue
			}
			if cols[k].Type != e.Typ {
				t.Fatalf("%s: type %s, want %s", e, cols[k].Type, e.Typ)
			}
			if !sameCell(&cols[k], row, &want, 0) {
				t.Fatalf("%s, row %d: have %v, want %v", e, row, cols[k].Value(row), want.Value(0))
			}
			checkContent(t, e, &cols[k], row)
		}
	}
	if re != nil {
		t.Fatalf("%v: error %v at row %d, where no row fails", es, re.Err, re.Row)
	}
	for k := range cols {
		if cols[k].Len() != b.N {
			t.Fatalf("%s: %d cells for %d rows", es[k], cols[k].Len(), b.N)
		}
	}
}

// checkContent: a NULL cell holds 0 or no bytes; a boolean 0 or 1.
func checkContent(t *rapid.T, e *Expr, c *zset.Column, i int) {
	bad := false
	switch c.Type.Phys() {
	case zset.PhysI64:
		bad = c.IsNull(i) && c.I64[i] != 0 || e.Typ.Kind == zset.Bool && c.I64[i]>>1 != 0
	case zset.PhysF64:
		bad = c.IsNull(i) && c.F64[i] != 0
	default:
		bad = c.IsNull(i) && len(c.Bytes(i)) != 0
	}
	if bad {
		t.Fatalf("%s, row %d: content of cell %v", e, i, c)
	}
}

// TestFilterIsRows: a filter keeps the rows where every conjunct is TRUE, and
// fails at the least row where a conjunct fails after conjuncts that are TRUE.
func TestFilterIsRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := randomBatch(t)
		conds := make([]*Expr, rapid.IntRange(1, 4).Draw(t, "conjuncts"))
		for i := range conds {
			conds[i] = randomExpr(t, zset.Bool, 2)
		}
		e := And(conds...)
		p, err := Compile([]*Expr{e})
		if err != nil {
			t.Fatal(err)
		}
		v := p.New()
		prefix := []int32{-5}
		sel, err := v.Filter(b, prefix)
		var want []int32
		for row := range b.N {
			keep := true
			for _, c := range Conjuncts(e) {
				r, werr := interpret(c, b, row)
				if werr != nil {
					var re *RowError
					if !errors.As(err, &re) || re.Row != row {
						t.Fatalf("%s: row %d: want error %v, have %v", e, row, werr, err)
					}
					return
				}
				if r.IsNull(0) || r.I64[0] == 0 {
					keep = false
					break
				}
			}
			if keep {
				want = append(want, int32(row))
			}
		}
		if err != nil {
			t.Fatalf("%s: %v", e, err)
		}
		if len(sel) != len(want)+1 || sel[0] != -5 {
			t.Fatalf("%s: have %v, want %v", e, sel, want)
		}
		for k, i := range want {
			if sel[k+1] != i {
				t.Fatalf("%s: have %v, want %v", e, sel[1:], want)
			}
		}
	})
}

// TestStoredForm: an expression survives its JSON form.
func TestStoredForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := randomExpr(t, rapid.SampledFrom(comparable).Draw(t, "kind"), 3)
		data, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var back Expr
		if err := json.Unmarshal(data, &back); err != nil {
			t.Fatalf("%s: %v", e, err)
		}
		if !back.Equal(e) {
			t.Fatalf("%s became %s", e, &back)
		}
	})
}

// TestFoldKeepsMeaning: folding changes no value and no error.
func TestFoldKeepsMeaning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := randomBatch(t)
		e := randomExpr(t, rapid.SampledFrom(comparable).Draw(t, "kind"), 3)
		f := Fold(e)
		if f.Typ != e.Typ {
			t.Fatalf("%s of type %s became %s", e, e.Typ, f.Typ)
		}
		for row := range b.N {
			x, err := interpret(e, b, row)
			y, ferr := interpret(f, b, row)
			if (err != nil) != (ferr != nil) {
				t.Fatalf("%s: %v; folded %s: %v", e, err, f, ferr)
			}
			if err == nil && !sameCell(&x, 0, &y, 0) {
				t.Fatalf("%s: %v; folded %s: %v", e, x.Value(0), f, y.Value(0))
			}
		}
	})
}
