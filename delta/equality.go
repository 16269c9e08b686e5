package delta

import (
	"strings"

	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// isEqual reports whether e is a comparison by SQL's = of two arguments whose
// key encodings are equal exactly when it is TRUE.
func isEqual(e *expr.Expr) bool {
	return e.Op == expr.OpCall && len(e.Args) == 2 && strings.HasPrefix(e.Fn, "=(") &&
		sameEncoding(e.Args[0].Typ, e.Args[1].Typ)
}

// isCast reports whether e is a row of the cast table.
func isCast(e *expr.Expr) bool {
	return strings.HasPrefix(e.Fn, "cast(") || strings.HasPrefix(e.Fn, "order_as(")
}

// bare strips casts that change neither the value nor its key encoding: VARCHAR
// to TEXT, SMALLINT and INTEGER to BIGINT.
func bare(e *expr.Expr) *expr.Expr {
	for e.Op == expr.OpCall && len(e.Args) == 1 && isCast(e) {
		from, to := e.Args[0].Typ, e.Typ
		unbounded := from.Kind == to.Kind && to.Kind.Timed() && to.Prec == 0
		if !(textual(from) && to.Kind == zset.Text) && !(isInt(from) && to.Kind == zset.Int8) && !unbounded {
			break
		}
		e = e.Args[0]
	}
	return e
}

func textual(t zset.Type) bool { return t.Kind == zset.Text || t.Kind == zset.Varchar }

// sameEncoding reports whether equal values of a and b have equal key encodings
// (I8). Integers do, whatever their width; decimals only of one scale.
func sameEncoding(a, b zset.Type) bool {
	switch {
	case a == b, textual(a) && textual(b):
		return true
	case isInt(a) && isInt(b), a.Kind == zset.Char && b.Kind == zset.Char, a.Kind == b.Kind && a.Kind.Timed():
		return true
	case a.Kind == zset.Numeric && b.Kind == zset.Numeric:
		if a.Fixed() != b.Fixed() {
			return false
		}
		return !a.Fixed() || a.Scale == b.Scale
	}
	return false
}

func isInt(t zset.Type) bool {
	return t.Kind == zset.Int2 || t.Kind == zset.Int4 || t.Kind == zset.Int8
}
