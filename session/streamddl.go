package session

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// streamTypes are the values of "type".
var streamTypes = map[string]string{"min_delta": "min_delta", "default": "min_delta", "append_only": "append_only", "detail": "detail"}

// streamProperties reads the properties of a stream: all of them, then what is wrong.
func streamProperties(p *streamPayload, list []ast.Property) (errs Errors) {
	set := map[string]func(value string) string{
		"type": func(v string) string {
			t, ok := streamTypes[strings.ToLower(v)]
			if !ok {
				return "not supported type: " + v
			}
			p.Type = t
			return ""
		},
		"show_initial_rows": func(v string) string {
			if !strings.EqualFold(v, "true") && !strings.EqualFold(v, "false") {
				return "show_initial_rows must be `true` or `false`"
			}
			p.Initial = strings.EqualFold(v, "true")
			return ""
		},
	}
	seen := map[string]bool{}
	for _, x := range list {
		name := strings.ToLower(x.Name)
		f, ok := set[name]
		said := ""
		switch {
		case !ok:
			said = "Unknown properties: " + x.Name
		case seen[name]:
			said = fmt.Sprintf("property %q is given twice", x.Name)
		default:
			said = f(x.Value)
		}
		if seen[name] = true; said == "" {
			continue
		}
		e := zset.Errorf("22023", int(x.Pos()), "%s", said)
		if !ok {
			e.Hint = "Properties: " + strings.Join(slices.Sorted(maps.Keys(set)), ", ") + "."
		}
		errs = append(errs, e)
	}
	return errs
}

// createStream is CREATE STREAM. The name, the id and the offset are one commit.
func (st *statement) createStream(ctx context.Context, n *ast.CreateStream) error {
	if err := st.alone("CREATE STREAM"); err != nil {
		return err
	}
	st.res.Tag = "CREATE STREAM"
	if n.Replace {
		e := zset.Errorf("0A000", int(n.Pos()), "do not support replace currently")
		e.Hint = "Drop the stream, then create it: its place in the log is lost either way."
		return e
	}
	at, cat, unpin := st.s.engine.snapshot()
	defer unpin()
	if done, err := st.taken(cat, n.Name, n.IfNotExists); done || err != nil {
		return err
	}
	base, ok := cat.ByName(n.Table.Text)
	if !ok || base.Kind == storage.Private {
		return noSuch("relation", cat, n.Table.Text, int(n.Table.Pos()), storage.Table, storage.View)
	}
	if base.Kind != storage.Table && base.Kind != storage.View {
		e := zset.Errorf("42809", int(n.Table.Pos()), "%s %q is not supported for create table stream", base.Kind, base.Name)
		e.Hint = "A stream is made on a table or a materialized view."
		return e
	}
	p := streamPayload{Base: base.ID, Type: "min_delta", Comment: n.Comment}
	if errs := streamProperties(&p, n.Properties); len(errs) > 0 {
		return errs
	}
	props, err := logOf(base)
	if err != nil {
		return err
	}
	if props.Off {
		return zset.Errorf("55000", int(n.Table.Pos()), "Base Olap table %s need to enable row binlog for table stream", base.Name)
	}
	if p.Type == "min_delta" && base.Key != nil && props.NoHistory {
		return zset.Errorf("55000", int(n.Table.Pos()), "MIN_DELTA table stream requires base mow table to enable binlog.need_historical_value=true")
	}
	obj := &storage.Object{ID: st.s.engine.store.NewID(), Kind: storage.Stream, Name: n.Name.Text}
	if obj.Payload, err = json.Marshal(p); err != nil {
		return err
	}
	c := &storage.Commit{CatalogVersion: cat.Version(), Catalog: []storage.CatalogChange{{Put: obj}}}
	if !p.Initial {
		c.Offsets = []storage.OffsetChange{{View: obj.ID, Move: &storage.Move{Input: base.ID},
			Set: storage.Offsets{Inputs: map[storage.ID]storage.TSO{base.ID: at}}}}
	}
	st.res.TSO, err = st.s.engine.commit(ctx, c)
	return err
}

// streamNamed finds a stream.
func streamNamed(cat *storage.Catalog, name ast.Name) (stream, error) {
	obj, ok := cat.ByName(name.Text)
	if !ok || obj.Kind == storage.Private {
		return stream{}, noSuch("stream", cat, name.Text, int(name.Pos()), storage.Stream)
	}
	if obj.Kind != storage.Stream {
		return stream{}, zset.Errorf("42809", int(name.Pos()), "%q is not a stream", name.Text)
	}
	return streamOf(cat, obj)
}

// alterStream is ALTER STREAM: only the comment.
func (st *statement) alterStream(ctx context.Context, n *ast.AlterStream) error {
	if err := st.alone("ALTER STREAM"); err != nil {
		return err
	}
	st.res.Tag = "ALTER STREAM"
	cat := st.s.engine.store.Catalog()
	s, err := streamNamed(cat, n.Name)
	if err != nil {
		return err
	}
	next := *s.obj
	s.Comment = n.Comment
	if next.Payload, err = json.Marshal(s.streamPayload); err != nil {
		return err
	}
	st.res.TSO, err = st.s.engine.commit(ctx, &storage.Commit{CatalogVersion: cat.Version(), Catalog: []storage.CatalogChange{{Put: &next}}})
	return err
}

// dropStream is DROP STREAM.
func (st *statement) dropStream(ctx context.Context, n *ast.DropStream) error {
	if err := st.alone("DROP STREAM"); err != nil {
		return err
	}
	st.res.Tag = "DROP STREAM"
	cat := st.s.engine.store.Catalog()
	if obj, ok := cat.ByName(n.Name.Text); n.IfExists && (!ok || obj.Kind == storage.Private) {
		st.res.notice("00000", fmt.Sprintf("stream %q does not exist, skipping", n.Name.Text))
		return nil
	}
	s, err := streamNamed(cat, n.Name)
	if err != nil {
		return err
	}
	if s.base == nil && !n.Force {
		e := zset.Errorf("55000", int(n.Name.Pos()), "the base table of stream %q was dropped", s.obj.Name)
		e.Hint, e.Object = "Use DROP STREAM "+ast.QuoteIdent(s.obj.Name)+" FORCE.", s.obj.Name
		return e
	}
	readers, err := dependents(cat, s.obj.ID, nil)
	if err != nil {
		return err
	}
	if len(readers) > 0 {
		e := dependentError(s.obj, readers)
		e.Hint = "Drop the views that read it first."
		return e
	}
	return st.dropAll(ctx, cat, []*storage.Object{s.obj})
}

// showStreams is SHOW STREAMS. WHERE has the one column that is shown.
func (st *statement) showStreams(ctx context.Context, n *ast.ShowStreams) error {
	if db := n.Database.Text; db != "" && db != streamSchema {
		return zset.Errorf("3F000", int(n.Database.Pos()), "schema %q does not exist", db)
	}
	if n.Where != nil {
		q, err := ast.Parse(`SELECT tables_in_public AS "Tables_in_public" FROM (SELECT stream_name AS tables_in_public FROM information_schema.table_streams) AS streams ORDER BY 1`)
		if err != nil {
			return err
		}
		q.(*ast.Query).Body.(*ast.Select).Where = n.Where
		return st.query(ctx, q.(*ast.Query))
	}
	t, own := st.transaction()
	if own {
		defer t.end()
	}
	var rows [][]string
	for _, obj := range named(t.cat, storage.Stream) {
		if n.Like == nil || like(obj.Name, *n.Like) {
			rows = append(rows, []string{obj.Name})
		}
	}
	st.res.Rows = textRows([]string{"Tables_in_" + streamSchema}, rows)
	return nil
}

// like is LIKE with the escape \.
func like(s, pattern string) bool {
	if pattern == "" {
		return s == ""
	}
	c, size := pattern[0], 1
	switch {
	case c == '%':
		for i := 0; i <= len(s); i++ {
			if like(s[i:], pattern[1:]) {
				return true
			}
		}
		return false
	case s == "":
		return false
	case c == '_':
		_, width := decode(s)
		return like(s[width:], pattern[1:])
	case c == '\\' && len(pattern) > 1:
		c, size = pattern[1], 2
	}
	return s[0] == c && like(s[1:], pattern[size:])
}

// showCreateStream is SHOW CREATE STREAM.
func (st *statement) showCreateStream(cat *storage.Catalog, obj *storage.Object) error {
	s, err := streamOf(cat, obj)
	if err != nil {
		return err
	}
	st.res.Rows = textRows([]string{"Stream", "Create Stream"}, [][]string{{obj.Name, s.text()}})
	return nil
}

// text is the statement that makes such a stream.
func (s stream) text() string {
	base := notApplicable
	if s.base != nil {
		base = streamSchema + "." + ast.QuoteIdent(s.base.Name)
	}
	out := "CREATE STREAM " + ast.QuoteIdent(s.obj.Name) + " ON TABLE " + base
	if s.Comment != "" {
		out += " COMMENT " + ast.QuoteString(s.Comment)
	}
	return out + fmt.Sprintf(" PROPERTIES ('type' = '%s', 'show_initial_rows' = '%t')", strings.ToUpper(s.Type), s.Initial)
}
