package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// tablePayload is what the session keeps in the object of a table.
type tablePayload struct {
	// Upsert: declared UNIQUE KEY, so that an INSERT of a live key updates it.
	Upsert bool `json:"upsert,omitempty"`
	// Defaults is the DEFAULT of each column as SQL, "" for none; it may be shorter
	// than the schema.
	Defaults []string       `json:"defaults,omitempty"`
	Log      logPayload     `json:"log,omitzero"`
	Cluster  clusterClauses `json:"cluster,omitzero"`
	Checks   []check        `json:"checks,omitempty"` // sorted by name, the order in which they are looked at
}

// check is a CHECK constraint; its condition is kept as SQL.
type check struct {
	Name string `json:"name"`
	Cond string `json:"cond"`
}

// tableOptions reads the payload of a table; that of other objects is empty.
func tableOptions(obj *storage.Object) (p tablePayload, err error) {
	if obj.Kind != storage.Table || len(obj.Payload) == 0 {
		return p, nil
	}
	if err := json.Unmarshal(obj.Payload, &p); err != nil {
		return p, fmt.Errorf("definition of table %q: %w", obj.Name, err)
	}
	return p, nil
}

// rules is what a table demands of its rows beyond their types, ready to run.
type rules struct {
	obj *storage.Object
	tablePayload
	conds []*expr.Expr // of Checks
}

// rules gives those of obj. They are kept until the object changes.
func (e *Engine) rulesOf(obj *storage.Object) (*rules, error) {
	if known, ok := e.rules.Load(obj.ID); ok && known.(*rules).obj == obj {
		return known.(*rules), nil
	}
	r, err := newRules(obj)
	if err == nil {
		e.rules.Store(obj.ID, r)
	}
	return r, err
}

// newRules reads those of obj.
func newRules(obj *storage.Object) (*rules, error) {
	p, err := tableOptions(obj)
	if err != nil {
		return nil, err
	}
	r := &rules{obj: obj, tablePayload: p}
	for _, c := range p.Checks {
		x, err := algebra.ParseExpr(c.Cond)
		if err != nil {
			return nil, fmt.Errorf("check constraint %q of table %q: %w", c.Name, obj.Name, err)
		}
		cond, err := algebra.BindCheck(x, obj.Name, obj.Schema, algebra.Env{})
		if err != nil {
			return nil, fmt.Errorf("check constraint %q of table %q: %w", c.Name, obj.Name, err)
		}
		r.conds = append(r.conds, cond)
	}
	return r, nil
}

// check looks at the rows of b for which skip is false; skip nil: at all. The
// error is that of the first row that fails, NOT NULL (23502) before CHECK
// (23514), as PostgreSQL goes through rows; it is a [rowFault], whose row counts
// those that are looked at. now is what now() means.
func (r *rules) check(b *zset.Batch, skip []bool, now time.Time) error {
	bad, err := firstNull(r.obj, b, skip)
	if len(r.conds) == 0 {
		return faultAt(bad, err)
	}
	if skip != nil {
		var rows []int32
		for i := range b.N {
			if !skip[i] {
				rows = append(rows, int32(i))
			}
		}
		if bad < b.N {
			at, _ := slices.BinarySearch(rows, int32(bad))
			bad = at
		} else {
			bad = len(rows)
		}
		b = b.Take(rows)
	}
	for k := range r.conds {
		row, failed := r.violation(k, b, bad, now)
		if failed != nil && (row < bad) {
			bad, err = row, failed
		}
	}
	return faultAt(bad, err)
}

// violation is the first of the first n rows of b that condition k does not let
// pass; NULL passes.
func (r *rules) violation(k int, b *zset.Batch, n int, now time.Time) (row int, failed error) {
	if n == 0 {
		return 0, nil
	}
	cond := r.conds[k]
	if cond.Volatile() {
		cond = cond.Freeze(now.UnixMicro())
	}
	cond = cond.InZone(now.Location().String())
	prog, err := expr.Compile([]*expr.Expr{cond})
	if err != nil {
		return 0, err
	}
	ev := prog.New()
	head := b.Slice(0, n)
	cols, err := ev.Eval(head)
	var at *expr.RowError
	if errors.As(err, &at) { // an earlier row may be refused
		row, failed = at.Row, noPlace(at.Err)
		if at.Row == 0 {
			return row, failed
		}
		head = b.Slice(0, at.Row)
		cols, err = ev.Eval(head)
	}
	if err != nil {
		return 0, err
	}
	for i := range head.N {
		if !cols[0].IsNull(i) && cols[0].I64[i] == 0 {
			e := zset.Errorf("23514", -1, "new row for relation %q violates check constraint %q", r.obj.Name, r.Checks[k].Name)
			e.Detail = "Failing row contains (" + rowText(b, i) + ")."
			e.Object = r.obj.Name
			return i, e
		}
	}
	return row, failed
}

// noPlace takes the position off an error: it is one of a text kept in the catalog.
func noPlace(e *zset.Error) *zset.Error {
	c := *e
	c.Pos = -1
	return &c
}

// firstNull is the first row of b, skip left out, with a NULL in a NOT NULL
// column, and its error (23502); b.N and nil if there is none.
func firstNull(obj *storage.Object, b *zset.Batch, skip []bool) (int, error) {
	row, col := b.N, -1
	for c, f := range obj.Schema {
		null := b.Cols[c].Null
		if !f.NotNull || null == nil {
			continue
		}
		for i, isNull := range null[:row] {
			if isNull && (skip == nil || !skip[i]) {
				row, col = i, c
				break
			}
		}
	}
	if col < 0 {
		return b.N, nil
	}
	err := zset.Errorf(zset.CodeNotNull, -1, "null value in column %q of relation %q violates not-null constraint", obj.Schema[col].Name, obj.Name)
	err.Detail = "Failing row contains (" + rowText(b, row) + ")."
	err.Object = obj.Name
	return row, err
}

// constant is the value of a DEFAULT at a moment, as a column of one cell.
func constant(text string, f zset.Field, now time.Time) (*zset.Column, error) {
	x, err := algebra.ParseExpr(text)
	if err != nil {
		return nil, err
	}
	e, err := algebra.BindDefault(x, f, algebra.Env{Now: now, TimeZone: now.Location().String()})
	if err != nil {
		return nil, err
	}
	return evaluate(e, now)
}

// evaluate computes an expression that reads no column.
func evaluate(e *expr.Expr, now time.Time) (*zset.Column, error) {
	if e.Volatile() {
		e = e.Freeze(now.UnixMicro())
	}
	prog, err := expr.Compile([]*expr.Expr{e})
	if err != nil {
		return nil, err
	}
	cols, err := prog.New().Eval(&zset.Batch{N: 1})
	var at *expr.RowError
	if errors.As(err, &at) {
		return nil, at.Err
	}
	if err != nil {
		return nil, err
	}
	out := zset.NewColumn(e.Typ, 1)
	out.AppendCell(&cols[0], 0)
	return &out, nil
}
