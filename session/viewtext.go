package session

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/storage"
)

// reading is what a stored query calls the objects that it reads. The query keeps
// the names of the time when it was written; what they mean are objects.
type reading struct {
	Query  string
	Refs   map[string]storage.ID
	Widths map[string]int
	Names  map[string][]string // the columns as Query calls them, where one was renamed since
}

func readingOf(obj *storage.Object) (r reading, err error) {
	if err := json.Unmarshal(obj.Payload, &r); err != nil {
		return r, fmt.Errorf("definition of view %q: %w", obj.Name, err)
	}
	return r, nil
}

// columns is what the query calls the columns of the object that it knows by name.
func (r *reading) columns(name string, obj *storage.Object) []string {
	w, ok := r.Widths[name]
	if !ok || w > len(obj.Schema) {
		w = len(obj.Schema)
	}
	out := make([]string, w)
	for i := range out {
		out[i] = obj.Schema[i].Name
	}
	copy(out, r.Names[name])
	return out
}

// text is the query in the names of now: as it was written if they are still the
// same, else printed from its tree.
func (r *reading) text(cat *storage.Catalog) (string, error) {
	now := &renames{cat: cat, r: r}
	for name := range r.Refs {
		if now.of(name) != nil {
			now.changed = true
		}
	}
	if !now.changed { // a view is read back as it was written, comments and all
		return r.Query, nil
	}
	stmt, err := ast.Parse(r.Query)
	if err != nil {
		return "", err
	}
	now.note(stmt)
	now.walk(stmt, nil)
	return ast.Print(stmt), nil
}

// renames puts the names of now into the tree of a query.
type renames struct {
	cat     *storage.Catalog
	r       *reading
	changed bool
	whole   bool            // * or NATURAL: more columns would show
	said    map[string]bool // all words of names of columns
}

// note gathers what says whether more columns of a relation could be seen.
func (n *renames) note(x ast.Node) {
	if n.said == nil {
		n.said = map[string]bool{}
	}
	switch x := x.(type) {
	case *ast.Star:
		n.whole = true
	case *ast.Join:
		n.whole = n.whole || x.Natural
		for _, c := range x.Using {
			n.said[c.Text] = true
		}
	case *ast.Ident:
		for _, part := range x.Parts {
			n.said[part.Text] = true
		}
	}
	ast.Children(x, n.note)
}

// unseen reports whether the columns of obj from the first on could not be seen.
func (n *renames) unseen(obj *storage.Object, first int) bool {
	for _, f := range obj.Schema[first:] {
		if n.whole || n.said[f.Name] {
			return false
		}
	}
	return true
}

// of is the object that name means, if it or its columns have other names now,
// or it has more of them.
func (n *renames) of(name string) *storage.Object {
	obj, ok := n.cat.ByID(n.r.Refs[name])
	if !ok {
		return nil
	}
	if obj.Kind == storage.Stream { // its columns are those of its base
		s, err := streamOf(n.cat, obj)
		if err != nil || s.base == nil {
			return nil
		}
		shown := *obj
		shown.Schema = s.base.Schema
		obj = &shown
	}
	cols := n.r.columns(name, obj)
	same := obj.Name == name && len(cols) == len(obj.Schema)
	for i := range cols {
		same = same && cols[i] == obj.Schema[i].Name
	}
	if same {
		return nil
	}
	return obj
}

// walk goes through a query; ctes are the names that WITH gives there, which hide
// those of the catalog.
func (n *renames) walk(x ast.Node, ctes []string) {
	switch x := x.(type) {
	case *ast.Query:
		for _, c := range x.With {
			n.walk(c.Query, ctes)
			ctes = append(ctes[:len(ctes):len(ctes)], c.Name.Text)
		}
		body := *x
		body.With = nil
		ast.Children(&body, func(y ast.Node) { n.walk(y, ctes) })
		return
	case *ast.Ident:
		if len(x.Parts) == 3 && x.Parts[0].Text == "public" { // behind an alias there is no schema
			x.Parts = x.Parts[1:]
		}
	}
	ast.Children(x, func(y ast.Node) { n.walk(y, ctes) })
	switch x := x.(type) { // behind the walk, which must not go into what is put here
	case *ast.Select:
		for i, t := range x.From {
			x.From[i] = n.table(t, ctes)
		}
	case *ast.Join:
		x.Left, x.Right = n.table(x.Left, ctes), n.table(x.Right, ctes)
	}
}

// table is an entry of FROM under its name of now, with an alias and columns as
// the query calls them. Where the relation has more columns than the query knows,
// and they would be seen, it is a query of those that it knows; else not, since a
// query has no key that GROUP BY could go by.
func (n *renames) table(x ast.TableExpr, ctes []string) ast.TableExpr {
	t, ok := x.(*ast.TableRef)
	if !ok || t.Reading != nil && t.Reading.Kind == ast.ReadCall || t.Schema.Text != "" && t.Schema.Text != "public" || t.Schema.Text == "" && slices.Contains(ctes, t.Name.Text) {
		return x
	}
	if t.Alias.Text == "" {
		t.Alias = t.Name
		if n.of(t.Name.Text) == nil && t.Schema.Text == "" {
			t.Alias = ast.Name{}
		}
	}
	obj := n.of(t.Name.Text)
	if obj == nil {
		return t
	}
	cols := n.r.columns(t.Name.Text, obj)
	if obj.Name != t.Name.Text && slices.Contains(ctes, obj.Name) {
		t.Schema.Text = "public"
	}
	t.Name.Text = obj.Name
	if t.Reading != nil || n.unseen(obj, len(cols)) {
		if renamed := n.list(cols, obj); renamed != nil && len(t.Columns) < len(cols) {
			t.Columns = append(t.Columns, renamed[len(t.Columns):]...)
		}
		return t
	}
	inner := &ast.Select{From: []ast.TableExpr{&ast.TableRef{Schema: t.Schema, Name: t.Name}}}
	for i, c := range cols {
		item := ast.SelectItem{Expr: &ast.Ident{Parts: []ast.Name{{Text: obj.Schema[i].Name}}}}
		if c != obj.Schema[i].Name {
			item.Alias = ast.Name{Text: c}
		}
		inner.Items = append(inner.Items, item)
	}
	return &ast.Derived{Query: &ast.Query{Body: inner}, Alias: t.Alias, Columns: t.Columns}
}

// list is cols as a list behind an alias; nil if the names of now say the same.
func (n *renames) list(cols []string, obj *storage.Object) []ast.Name {
	var out []ast.Name
	same := true
	for i, c := range cols {
		same = same && c == obj.Schema[i].Name
		out = append(out, ast.Name{Text: c})
	}
	if same {
		return nil
	}
	return out
}
