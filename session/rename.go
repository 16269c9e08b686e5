package session

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// rename is ALTER .. RENAME of a relation, a column or a constraint. Views mean
// what they read by its id and go on; those that call a column by its old name
// are told so.
func (st *statement) rename(ctx context.Context, n *ast.Rename) error {
	kind := map[ast.ObjectKind]storage.ObjectKind{ast.TableObject: storage.Table, ast.ViewObject: storage.Query, ast.MaterializedViewObject: storage.View}[n.Kind]
	st.res.Tag = map[storage.ObjectKind]string{storage.Table: "ALTER TABLE", storage.Query: "ALTER VIEW", storage.View: "ALTER MATERIALIZED VIEW"}[kind]
	if err := st.alone(st.res.Tag); err != nil {
		return err
	}
	cat := st.s.engine.store.Catalog()
	obj, ok := cat.ByName(n.Table.Text)
	if !ok || obj.Kind == storage.Private {
		if n.IfExists {
			st.res.notice("00000", fmt.Sprintf("relation %q does not exist, skipping", n.Table.Text))
			return nil
		}
		return noSuch("relation", cat, n.Table.Text, int(n.Table.Pos()), kind)
	}
	if obj.Kind != kind && (kind != storage.Table || n.Constraint || obj.Kind == storage.Stream) { // ALTER TABLE renames views too
		return zset.Errorf("42809", int(n.Table.Pos()), "%q is not a %s", n.Table.Text, kind)
	}
	next := *obj
	var readers []*storage.Object
	var err error
	switch {
	case n.Constraint:
		err = renameConstraint(&next, n)
	case n.Column.Text != "":
		if err = renameColumn(&next, n); err == nil {
			readers, err = toldOf(cat, obj)
		}
	default:
		err = renameRelation(cat, &next, n)
	}
	if err != nil {
		return err
	}
	c := &storage.Commit{CatalogVersion: cat.Version(), Catalog: []storage.CatalogChange{{Put: &next}}}
	for _, r := range readers {
		c.Catalog = append(c.Catalog, storage.CatalogChange{Put: r})
	}
	st.res.TSO, err = st.s.engine.commit(ctx, c)
	return err
}

func renameRelation(cat *storage.Catalog, next *storage.Object, n *ast.Rename) error {
	if _, ok := cat.ByName(n.To.Text); ok {
		return zset.Errorf("42P07", int(n.To.Pos()), "relation %q already exists", n.To.Text)
	}
	if next.Kind == storage.Table {
		if next.Key != nil { // constraints keep their names
			next.KeyName = next.KeyConstraint()
		}
		err := eachCheck(next, func(id *ast.Ident) {
			if k := len(id.Parts); k > 1 && id.Parts[k-2].Text == next.Name {
				id.Parts[k-2].Text = n.To.Text
			}
		})
		if err != nil {
			return err
		}
	}
	next.Name = n.To.Text
	return nil
}

func renameColumn(next *storage.Object, n *ast.Rename) error {
	i := next.Schema.Index(n.Column.Text)
	if i < 0 {
		return zset.Errorf("42703", int(n.Column.Pos()), "column %q does not exist", n.Column.Text)
	}
	if next.Schema.Index(n.To.Text) >= 0 {
		return zset.Errorf("42701", int(n.To.Pos()), "column %q of relation %q already exists", n.To.Text, next.Name)
	}
	next.Schema = slices.Clone(next.Schema)
	next.Schema[i].Name = n.To.Text
	if next.Kind != storage.Table {
		columns := make([]string, len(next.Schema))
		for k, f := range next.Schema {
			columns[k] = f.Name
		}
		return setPayload(next, "columns", columns)
	}
	return eachCheck(next, func(id *ast.Ident) {
		if last := len(id.Parts) - 1; id.Parts[last].Text == n.Column.Text {
			id.Parts[last].Text = n.To.Text
		}
	})
}

// eachCheck changes the names in the conditions of CHECK constraints.
func eachCheck(next *storage.Object, change func(*ast.Ident)) error {
	options, err := tableOptions(next)
	if err != nil || len(options.Checks) == 0 {
		return err
	}
	var walk func(ast.Node)
	walk = func(x ast.Node) {
		if id, ok := x.(*ast.Ident); ok {
			change(id)
		}
		ast.Children(x, walk)
	}
	for i := range options.Checks {
		x, err := algebra.ParseExpr(options.Checks[i].Cond)
		if err != nil {
			return fmt.Errorf("check constraint %q of table %q: %w", options.Checks[i].Name, next.Name, err)
		}
		walk(x)
		options.Checks[i].Cond = ast.PrintExpr(x)
	}
	next.Payload, err = json.Marshal(options)
	return err
}

func renameConstraint(next *storage.Object, n *ast.Rename) error {
	options, err := tableOptions(next)
	if err != nil {
		return err
	}
	names := constraintNames(next, &options)
	if !names[n.Column.Text] {
		return zset.Errorf("42704", int(n.Column.Pos()), "constraint %q for table %q does not exist", n.Column.Text, next.Name)
	}
	if names[n.To.Text] {
		return zset.Errorf("42710", int(n.To.Pos()), "constraint %q for relation %q already exists", n.To.Text, next.Name)
	}
	if next.Key != nil && next.KeyConstraint() == n.Column.Text {
		next.KeyName = n.To.Text
		return nil
	}
	next.Unique = slices.Clone(next.Unique)
	for i := range next.Unique {
		if next.Unique[i].Name == n.Column.Text {
			next.Unique[i].Name = n.To.Text
		}
	}
	for i := range options.Checks {
		if options.Checks[i].Name == n.Column.Text {
			options.Checks[i].Name = n.To.Text
		}
	}
	sortChecks(options.Checks)
	next.Payload, err = json.Marshal(options)
	return err
}

// constraintNames is the names of a table's constraints.
func constraintNames(obj *storage.Object, options *tablePayload) map[string]bool {
	names := map[string]bool{}
	if obj.Key != nil {
		names[obj.KeyConstraint()] = true
	}
	for _, u := range obj.Unique {
		names[u.Name] = true
	}
	for _, c := range options.Checks {
		names[c.Name] = true
	}
	return names
}

// toldOf is the views that read obj with the names that its columns had so far
// written down.
func toldOf(cat *storage.Catalog, obj *storage.Object) ([]*storage.Object, error) {
	readers, err := dependents(cat, obj.ID, nil)
	if err != nil {
		return nil, err
	}
	means := map[storage.ID]bool{obj.ID: true}
	for _, in := range named(cat, storage.Stream) { // a stream shows the columns of its base
		s, err := streamOf(cat, in)
		if err != nil {
			return nil, err
		}
		if s.base == nil || s.base.ID != obj.ID {
			continue
		}
		except := map[storage.ID]bool{}
		for _, r := range readers {
			except[r.ID] = true
		}
		more, err := dependents(cat, in.ID, except)
		if err != nil {
			return nil, err
		}
		means[in.ID], readers = true, append(readers, more...)
	}
	for i, reader := range readers {
		r, err := readingOf(reader)
		if err != nil {
			return nil, err
		}
		if r.Names == nil {
			r.Names = map[string][]string{}
		}
		for name, id := range r.Refs {
			if means[id] {
				r.Names[name] = r.columns(name, obj)
			}
		}
		next := *reader
		if err := setPayload(&next, "names", r.Names); err != nil {
			return nil, err
		}
		readers[i] = &next
	}
	return readers, nil
}

// setPayload sets one entry of a view's payload and leaves the others as they are.
func setPayload(obj *storage.Object, key string, value any) error {
	var all map[string]json.RawMessage
	err := json.Unmarshal(obj.Payload, &all)
	if err == nil {
		all[key], err = json.Marshal(value)
	}
	if err == nil {
		obj.Payload, err = json.Marshal(all)
	}
	if err != nil {
		return fmt.Errorf("definition of view %q: %w", obj.Name, err)
	}
	return nil
}
