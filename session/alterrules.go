package session

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// addCheck is ADD CHECK. Keys need indexes of rows that are there.
func (st *statement) addCheck(next *storage.Object, options *tablePayload, a *ast.AddConstraint) error {
	if len(a.Keys) > 0 {
		return refusedAction(a, false)
	}
	m := &tableMaker{obj: next, options: *options, taken: constraintNames(next, options)}
	m.options.Checks = slices.Clone(options.Checks)
	for _, c := range a.Checks {
		m.check(c)
	}
	if len(m.errs) > 0 {
		return m.errs
	}
	slices.SortFunc(m.options.Checks, func(a, b check) int { return strings.Compare(a.Name, b.Name) })
	*options = m.options
	next.SchemaVersion++ // rows of transactions that are open were not looked at
	return nil
}

// setNotNull is SET NOT NULL. The other way is refused: plans of views may count on
// a column without NULLs.
func (st *statement) setNotNull(next *storage.Object, a *ast.SetNotNull) error {
	i := next.Schema.Index(a.Column.Text)
	switch {
	case i < 0:
		return zset.Errorf("42703", int(a.Column.Pos()), "column %q of relation %q does not exist", a.Column.Text, next.Name)
	case a.Drop && !next.Schema[i].NotNull, !a.Drop && next.Schema[i].NotNull:
		return nil
	case a.Drop && slices.Contains(next.Key, i):
		return zset.Errorf("42P16", int(a.Column.Pos()), "column %q is in a primary key", a.Column.Text)
	case a.Drop:
		return refusedAction(a, false)
	}
	next.Schema = slices.Clone(next.Schema)
	next.Schema[i].NotNull = true
	next.SchemaVersion++
	return nil
}

// kept looks whether the rows that obj has are such as next wants them, and says as
// of when that is known.
func (st *statement) kept(ctx context.Context, obj, next *storage.Object) (storage.Quiet, error) {
	rel, err := st.s.engine.store.Relation(obj.ID)
	if err != nil {
		return storage.Quiet{}, err
	}
	at, release := st.s.engine.store.PinApplied()
	defer release()
	r, err := newRules(next)
	if err != nil {
		return storage.Quiet{}, err
	}
	cur := rel.Scan(at, nil, false)
	for {
		b, err := cur.Next(ctx)
		if errors.Is(err, io.EOF) {
			return storage.Quiet{Rel: obj.ID, Since: at}, nil
		}
		if err == nil {
			err = r.check(b, nil, st.s.settings.local(st.now))
		}
		if err != nil {
			return storage.Quiet{}, ofRowsThere(err, obj.Name)
		}
	}
}

// ofRowsThere is what PostgreSQL says of a row that a new rule does not let pass.
func ofRowsThere(err error, table string) error {
	var e *zset.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code {
	case zset.CodeNotNull:
		_, rest, _ := strings.Cut(e.Msg, "\"")
		column, _, _ := strings.Cut(rest, "\"")
		return zset.Errorf(e.Code, -1, "column %q of relation %q contains null values", column, table)
	case "23514":
		_, rest, _ := strings.Cut(e.Msg, "constraint ")
		return zset.Errorf(e.Code, -1, "check constraint %s of relation %q is violated by some row", rest, table)
	}
	return err
}
