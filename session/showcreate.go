package session

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/refresh"
	"github.com/ivmc/ivmc/schedule"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

func sortByName(objs []*storage.Object) {
	sort.Slice(objs, func(i, j int) bool { return objs[i].Name < objs[j].Name })
}

// showCreate is SHOW CREATE: a statement that makes such an object.
func (st *statement) showCreate(n *ast.ShowCreate) error {
	t, own := st.transaction()
	if own {
		defer t.end()
	}
	obj, ok := t.cat.ByName(n.Name.Text)
	if !ok || obj.Kind == storage.Private {
		return noSuch("relation", t.cat, n.Name.Text, int(n.Name.Pos()))
	}
	kind := map[ast.ObjectKind]storage.ObjectKind{ast.TableObject: storage.Table, ast.ViewObject: storage.Query, ast.MaterializedViewObject: storage.View, ast.StreamObject: storage.Stream}[n.Kind]
	if obj.Kind != kind {
		return zset.Errorf("42809", int(n.Name.Pos()), "%q is not a %s", n.Name.Text, kind)
	}
	if kind == storage.Stream {
		return st.showCreateStream(t.cat, obj)
	}
	made, err := createText(t.cat, obj, false, time.Time{})
	if err != nil {
		return err
	}
	st.res.Rows = textRows([]string{"name", "statement"}, [][]string{{obj.Name, made}})
	return nil
}

// createText is a statement that makes such an object; a materialized view,
// with deferred, one that is not built yet. later is when the text will run, if it
// is meant to be.
func createText(cat *storage.Catalog, obj *storage.Object, deferred bool, later time.Time) (string, error) {
	if obj.Kind == storage.Table {
		return createTableText(obj)
	}
	r, err := readingOf(obj)
	if err != nil {
		return "", err
	}
	query, err := r.text(cat)
	if err != nil {
		return "", err
	}
	var p struct {
		Columns []string
		Mode    refresh.Mode
		Comment string
		Clauses viewClauses
		Rule    schedule.Rule
	}
	if err := json.Unmarshal(obj.Payload, &p); err != nil {
		return "", fmt.Errorf("definition of view %q: %w", obj.Name, err)
	}
	out := "CREATE " + strings.ToUpper(obj.Kind.String()) + " " + ast.QuoteIdent(obj.Name)
	if len(p.Columns) > 0 {
		list := make([]string, len(p.Columns))
		for i, c := range p.Columns {
			if list[i] = ast.QuoteIdent(c); i < len(p.Clauses.Comments) && p.Clauses.Comments[i] != "" {
				list[i] += " COMMENT " + ast.QuoteString(p.Clauses.Comments[i])
			}
		}
		out += " (" + strings.Join(list, ", ") + ")"
	}
	if deferred {
		out += " BUILD DEFERRED"
	}
	if trigger := triggerText(p.Rule, later); obj.Kind == storage.View && (p.Mode != refresh.Auto || trigger != "") {
		out += " REFRESH " + p.Mode.String()
		if trigger != "" {
			out += " " + trigger
		}
	}
	key, rest := p.Clauses.text(cat, obj.Schema)
	out += key
	if p.Comment != "" {
		out += " COMMENT " + ast.QuoteString(p.Comment)
	}
	return out + rest + " AS " + query, nil
}

func quoted(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = ast.QuoteIdent(n)
	}
	return strings.Join(out, ", ")
}

func createTableText(obj *storage.Object) (string, error) {
	options, err := tableOptions(obj)
	if err != nil {
		return "", err
	}
	cols := func(key []int) string {
		names := make([]string, len(key))
		for i, c := range key {
			names[i] = obj.Schema[c].Name
		}
		return quoted(names)
	}
	var parts []string
	for i, f := range obj.Schema {
		part := ast.QuoteIdent(f.Name) + " " + f.Type.String()
		if i < len(options.Defaults) && options.Defaults[i] != "" {
			part += " DEFAULT " + options.Defaults[i]
		}
		if f.NotNull && !slices.Contains(obj.Key, i) {
			part += " NOT NULL"
		}
		parts = append(parts, part)
	}
	if obj.Key != nil && !options.Upsert {
		part := "PRIMARY KEY (" + cols(obj.Key) + ")"
		if obj.KeyName != "" {
			part = "CONSTRAINT " + ast.QuoteIdent(obj.KeyName) + " " + part
		}
		parts = append(parts, part)
	}
	for _, u := range obj.Unique {
		parts = append(parts, "CONSTRAINT "+ast.QuoteIdent(u.Name)+" UNIQUE ("+cols(u.Cols)+")")
	}
	for _, c := range options.Checks {
		parts = append(parts, "CONSTRAINT "+ast.QuoteIdent(c.Name)+" CHECK ("+c.Cond+")")
	}
	out := "CREATE TABLE " + ast.QuoteIdent(obj.Name) + " (" + strings.Join(parts, ", ") + ")"
	if options.Upsert {
		out += " UNIQUE KEY (" + cols(obj.Key) + ")"
	}
	out += options.Cluster.distribution(obj.Schema)
	if props := propertiesText(logProperties{obj.Retention, options.Log}, &options.Cluster); len(props) > 0 {
		out += " PROPERTIES (" + strings.Join(props, ", ") + ")"
	}
	return out, nil
}

// queryText is the query of a view.
func queryText(cat *storage.Catalog, obj *storage.Object) string {
	r, err := readingOf(obj)
	if err != nil {
		return "" // whoever reads the view is told
	}
	text, err := r.text(cat)
	if err != nil {
		return ""
	}
	return text
}
