package session

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// altered is obj after actions that change what is demanded of rows to come, and
// leave the rows that are there alone.
func (st *statement) altered(obj *storage.Object, actions []ast.AlterAction) (*storage.Object, error) {
	options, err := tableOptions(obj)
	if err != nil {
		return nil, err
	}
	next := *obj
	for _, a := range actions {
		switch a := a.(type) {
		case *ast.AddConstraint:
			err = st.addCheck(&next, &options, a)
		case *ast.SetNotNull:
			err = st.setNotNull(&next, a)
		case *ast.SetDefault:
			err = st.setDefault(&next, &options, a)
		case *ast.DropConstraint:
			err = st.dropConstraint(&next, &options, a)
		default:
			err = refusedAction(a, len(actions) > 1)
		}
		if err != nil {
			return nil, err
		}
	}
	next.Payload, err = json.Marshal(options)
	return &next, err
}

// refusedAction names an action that cannot be done.
func refusedAction(a ast.AlterAction, several bool) error {
	what := "this ALTER TABLE"
	switch a.(type) {
	case *ast.AddColumn:
		if several {
			what = "ADD COLUMN beside other actions"
		}
	case *ast.DropColumn:
		what = "DROP COLUMN"
	case *ast.AddConstraint:
		what = "ADD CONSTRAINT of a key"
	case *ast.SetNotNull:
		what = "DROP NOT NULL"
	case *ast.SetProperties:
		what = "SET of properties"
	}
	e := zset.Errorf("0A000", int(a.Pos()), "%s is not supported", what)
	e.Hint = "Create another table and insert the rows there."
	if several {
		e.Hint = "Give each action a statement of its own."
	}
	return e
}

// setDefault is ALTER COLUMN .. SET DEFAULT and DROP DEFAULT, for rows to come.
func (st *statement) setDefault(next *storage.Object, options *tablePayload, a *ast.SetDefault) error {
	i := next.Schema.Index(a.Column.Text)
	if i < 0 {
		return zset.Errorf("42703", int(a.Column.Pos()), "column %q of relation %q does not exist", a.Column.Text, next.Name)
	}
	text := ""
	if a.Value != nil {
		now := st.s.settings.local(st.now)
		if _, err := algebra.BindDefault(a.Value, next.Schema[i], algebra.Env{Now: now, TimeZone: now.Location().String()}); err != nil {
			return err
		}
		text = ast.PrintExpr(a.Value)
	}
	options.Defaults = slices.Clone(options.Defaults)
	for len(options.Defaults) <= i {
		options.Defaults = append(options.Defaults, "")
	}
	options.Defaults[i] = text
	return nil
}

// dropConstraint is DROP CONSTRAINT of a CHECK. Keys have indexes, and readers that
// count on them.
func (st *statement) dropConstraint(next *storage.Object, options *tablePayload, a *ast.DropConstraint) error {
	for k, c := range options.Checks {
		if c.Name == a.Name.Text {
			options.Checks = slices.Delete(slices.Clone(options.Checks), k, k+1)
			return nil
		}
	}
	if constraintNames(next, options)[a.Name.Text] {
		e := zset.Errorf("0A000", int(a.Pos()), "DROP CONSTRAINT of a key is not supported")
		e.Hint = "Create another table and insert the rows there."
		return e
	}
	text := fmt.Sprintf("constraint %q of relation %q does not exist", a.Name.Text, next.Name)
	if a.IfExists {
		st.res.notice("42704", text+", skipping")
		return nil
	}
	return zset.Errorf("42704", int(a.Name.Pos()), "%s", text)
}
