package algebra

import (
	"fmt"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// Reading is what a scan shows of a relation, if not its rows at the TSO of
// whoever reads. Its bounds are fixed once a statement, before planning.
type Reading struct {
	Kind   ReadingKind
	Lo, Hi uint64 // TSOs: the records of (Lo, Hi]; of an image the rows at Hi
}

// ReadingKind tells the readings apart.
type ReadingKind uint8

// The readings: the rows at a TSO, and three pictures of the records of the log.
const (
	ImageReading   ReadingKind = iota + 1
	NetReading                 // MIN_DELTA: what differs between the ends
	InsertsReading             // APPEND_ONLY
	RecordsReading             // DETAIL: every record
)

var readingNames = [...]string{ImageReading: "image", NetReading: "min_delta", InsertsReading: "append_only", RecordsReading: "detail"}

func (k ReadingKind) String() string { return readingNames[k] }

// Positions in Scan.Cols of the columns that records have beside those of the
// relation: what the row is (SMALLINT 0 insert, 1 delete, 2 before and 3 after an
// update), and the TSO and LSN of the record.
const (
	ColumnOp = -1 - iota
	ColumnTSO
	ColumnLSN
)

// Resolved is how a reference to a relation is read.
type Resolved struct {
	Reading Reading
	// Hidden names the columns for op, TSO and LSN, which * does not show. An
	// image has none.
	Hidden [3]string
	// Words makes op a word: APPEND, DELETE, UPDATE_BEFORE, UPDATE_AFTER.
	Words bool
	// KeysOnly hides all but the key of rows that went.
	KeysOnly bool
	// Arrived, if not 0, shows the rows of an image as inserts of this TSO.
	Arrived uint64
}

// Target is the bound of AS OF: of FOR TIME a TIMESTAMP or TIMESTAMPTZ, of FOR
// VERSION a BIGINT.
type Target = zset.Value

// commitColumn is a column of stored rows that * does not show: the TSO of the commit
// that wrote the row. It is read where a query names it.
const commitColumn = "__doris_commit_tso_col__"

// names reports whether a column of this name is spoken of in n.
func names(n ast.Node, column string) (found bool) {
	if id, ok := n.(*ast.Ident); ok {
		return id.Parts[len(id.Parts)-1].Text == column
	}
	ast.Children(n, func(c ast.Node) { found = found || names(c, column) })
	return found
}

func namedIn(order []ast.OrderItem, column string) bool {
	for _, o := range order {
		if names(o.Expr, column) {
			return true
		}
	}
	return false
}

// dated is an image with the column for its commits.
func (b *binder) dated(s *Scan, as ast.Name, t *ast.TableRef) (Node, scope) {
	width := len(s.Fields)
	s.Cols = append(s.Cols, ColumnTSO)
	s.Fields = append(s.Fields[:width:width], zset.Field{Name: commitColumn, Type: zset.TInt8, NotNull: true})
	return b.withHidden(s, width, as, t)
}

var changeWords = [...]string{"APPEND", "DELETE", "UPDATE_BEFORE", "UPDATE_AFTER"}

// reading binds a relation that is not read as it is now, or with what it does not
// show then.
func (b *binder) reading(r Relation, t *ast.TableRef, as ast.Name) (Node, scope) {
	if b.env.Read == nil {
		b.unsupported(readingPos(t), "reading the log or another time here", "A materialized view reads its sources as they are; read their changes in a query, a plain view or INSERT.")
		return lost()
	}
	var target Target
	if t.Reading != nil && t.Reading.Target != nil {
		var ok bool
		if target, ok = b.timeTarget(t.Reading); !ok {
			return lost()
		}
	}
	res, errs := b.env.Read(r, t.Reading, target)
	for _, e := range errs {
		if e.Pos < 0 {
			e.Pos = int(t.Pos())
		}
		b.errs = append(b.errs, e)
	}
	if len(errs) > 0 {
		return lost()
	}
	s := scan(r, as.Text, t.Pos())
	s.Reading = &res.Reading
	if res.Hidden[0] == "" && b.asksCommit && r.Stream == 0 {
		return b.dated(s, as, t)
	}
	if res.Hidden[0] == "" {
		return b.entry(s, as, t.Columns, r.Key, t.Pos())
	}
	if res.Arrived != 0 {
		return b.arrived(s, res, as, t)
	}
	s.Key = nil // a key has many records
	for i, col := range []int{ColumnOp, ColumnTSO, ColumnLSN} {
		typ := zset.TInt8
		if col == ColumnOp {
			typ = zset.TInt2
		}
		s.Cols = append(s.Cols, col)
		s.Fields = append(s.Fields[:len(s.Fields):len(s.Fields)], zset.Field{Name: res.Hidden[i], Type: typ, NotNull: true})
	}
	return b.records(s, r, res, as, t)
}

func readingPos(t *ast.TableRef) ast.Pos {
	if t.Reading != nil {
		return t.Reading.Pos()
	}
	return t.Pos()
}

// records is the scan of records as its reader sees it; the last three columns
// are hidden.
func (b *binder) records(s *Scan, r Relation, res Resolved, as ast.Name, t *ast.TableRef) (Node, scope) {
	width := len(r.Schema)
	n, p := Node(s), identity(s)
	op := expr.Col(width, zset.TInt2)
	if res.KeysOnly {
		gone := b.callOn("in", t.Pos(), []*expr.Expr{op, smallint(1), smallint(2)})
		for i := range width {
			if gone != nil && !isKeyColumn(r.Key, i) {
				p.Exprs[i] = b.caseOf(t.Pos(), []*expr.Expr{gone}, []*expr.Expr{expr.Const(zset.NullOf(r.Schema[i].Type))}, p.Exprs[i])
			}
		}
		n = p
	}
	if res.Words {
		var conds, thens []*expr.Expr
		for i, word := range changeWords {
			conds = append(conds, b.callOn("=", t.Pos(), []*expr.Expr{op, smallint(int64(i))}))
			thens = append(thens, expr.Const(zset.TextValue(word)))
		}
		p.Exprs[width] = b.caseOf(t.Pos(), conds, thens, nil)
		n = p
	}
	return b.withHidden(n, width, as, t)
}

// arrived is the rows of an image as records of their arrival.
func (b *binder) arrived(s *Scan, res Resolved, as ast.Name, t *ast.TableRef) (Node, scope) {
	width, p := len(s.Fields), identity(s)
	p.Exprs = append(p.Exprs, expr.Const(zset.TextValue(changeWords[0])),
		expr.Const(zset.Value{Type: zset.TInt8, I: int64(res.Arrived)}), expr.Const(zset.Value{Type: zset.TInt8}))
	p.Names = append(p.Names, res.Hidden[:]...)
	return b.withHidden(p, width, as, t)
}

// withHidden is n as an entry whose columns from width on are hidden.
func (b *binder) withHidden(n Node, width int, as ast.Name, t *ast.TableRef) (Node, scope) {
	if len(t.Columns) > width {
		b.errorf(codeBadReference, t.Columns[0].Pos(), "table %q has %d columns available but %d columns specified", as.Text, width, len(t.Columns))
	}
	n, sc := b.entry(n, as, t.Columns[:min(len(t.Columns), width)], nil, t.Pos())
	sc.hide(width)
	return n, sc
}

func isKeyColumn(key []int, i int) bool {
	for _, k := range key {
		if k == i {
			return true
		}
	}
	return false
}

func smallint(v int64) *expr.Expr { return expr.Const(zset.Value{Type: zset.TInt2, I: v}) }

// caseOf is CASE over conditions that are known to fit.
func (b *binder) caseOf(pos ast.Pos, conds, thens []*expr.Expr, els *expr.Expr) *expr.Expr {
	e, err := expr.Case(conds, thens, els, int(pos))
	if err != nil {
		b.fail(err, pos)
	}
	return e
}

// timeTarget is the value of AS OF's argument, which reads no columns.
func (b *binder) timeTarget(r *ast.Reading) (Target, bool) {
	want, clause := []zset.Type{zset.TTimestamp, zset.TTimestampTZ}, "FOR TIME AS OF"
	if r.Kind == ast.ReadVersion {
		want, clause = []zset.Type{zset.TInt8}, "FOR VERSION AS OF"
	}
	e := b.expr(r.Target, &exprCtx{sc: &scope{}, clause: clause})
	if e == nil {
		return Target{}, false
	}
	to := want[0]
	for _, t := range want {
		if e.Typ == t {
			to = t
		}
	}
	pos := startOf(r.Target)
	c, err := expr.Cast(e, to, expr.Assignment, int(pos))
	if err != nil {
		if e.Typ.Kind == zset.Unknown {
			b.fail(err, pos)
		} else {
			b.errorf(zset.CodeTypeMismatch, pos, "argument of %s must be type %s, not type %s", clause, to, e.Typ)
		}
		return Target{}, false
	}
	v, err := constant(c.InZone(b.env.TimeZone))
	if err != nil {
		b.fail(err, pos)
		return Target{}, false
	}
	if v.Null {
		b.errorf("22004", pos, "argument of %s must not be null", clause)
		return Target{}, false
	}
	return v, true
}

func (r *Reading) line() string {
	if r.Kind == ImageReading {
		return fmt.Sprintf(" as of %d", r.Hi)
	}
	return fmt.Sprintf(" %s of (%d, %d]", r.Kind, r.Lo, r.Hi)
}
