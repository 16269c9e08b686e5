package session

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// viewClauses are the clauses and properties of a materialized view that say
// nothing about its rows. Columns are places in its schema and tables are ids, so
// that they survive a RENAME.
type viewClauses struct {
	Excluded []storage.ID `json:"excluded,omitempty"`  // excluded_trigger_tables
	FullKeys string       `json:"full_keys,omitempty"` // ivm_use_full_keys as given; it is shown and means nothing

	Verify   verifyRule `json:"verify,omitzero"`    // verify_interval, verify_parts
	Comments []string   `json:"comments,omitempty"` // of the first columns, "" for none

	Key []int `json:"key,omitempty"` // kept and shown, as what is of a cluster
	clusterClauses
}

const (
	excludedTables = "excluded_trigger_tables"
	fullKeys       = "ivm_use_full_keys"
	verifyInterval = "verify_interval"
	verifyPartsKey = "verify_parts"
)

// clausesOf reads the clauses of a new view.
func (st *statement) clausesOf(cat *storage.Catalog, n *ast.CreateMaterializedView, schema zset.Schema, refs map[string]storage.ID) (c viewClauses, err error) {
	c.Comments = n.Comments
	var errs, more Errors
	c.Key, errs = columnsOf(schema, n.Key)
	more = c.distribute(schema, n.Distributed)
	errs = append(errs, more...)
	errs = append(errs, c.set(st, cat, n.Properties, refs)...)
	if len(errs) > 0 {
		return c, errs
	}
	words := c.idle()
	if c.Key != nil {
		words = append([]string{"KEY"}, words...)
	}
	st.idle(words, "materialized view")
	return c, nil
}

// set reads properties; all complaints.
func (c *viewClauses) set(st *statement, cat *storage.Catalog, list []ast.Property, refs map[string]storage.ID) (errs Errors) {
	for _, p := range list {
		switch name := strings.ToLower(p.Name); {
		case name == excludedTables:
			errs = append(errs, c.exclude(cat, p, refs)...)
		case name == fullKeys:
			if c.FullKeys = strings.ToLower(p.Value); c.FullKeys != "true" && c.FullKeys != "false" {
				errs = append(errs, zset.Errorf("22023", int(p.Pos()), "invalid value for property %q: %q; it is true or false", p.Name, p.Value))
			}
		case name == verifyInterval || name == verifyPartsKey:
			if err := c.verify(st, p, name); err != nil {
				errs = append(errs, All(err)...)
			}
		case c.keep(name, p.Value):
		default:
			e := zset.Errorf("0A000", int(p.Pos()), "property %q of a materialized view is not supported", p.Name)
			e.Hint = "Properties: " + excludedTables + ", " + fullKeys + ", " + verifyInterval + ", " + verifyPartsKey + ", and those of a cluster, which are kept and shown."
			errs = append(errs, e)
		}
	}
	return errs
}

// verify reads how often a view is verified, and in how many parts.
func (c *viewClauses) verify(st *statement, p ast.Property, name string) error {
	pos := int(p.Pos())
	if name == verifyPartsKey {
		n, err := strconv.Atoi(p.Value)
		if err != nil || n < 1 || n > 1<<20 {
			return zset.Errorf("22023", pos, "invalid value for property %q: %q; it is a number from 1 to %d", p.Name, p.Value, 1<<20)
		}
		c.Verify.Parts = n
		return nil
	}
	if p.Value == "" { // never
		c.Verify.Every = 0
		return nil
	}
	every, err := st.span(ast.Name{At: p.At, Text: p.Value}, "interval", st.s.settings.local(st.now))
	if err == nil && every < time.Second {
		err = zset.Errorf("22023", pos, "property %q is at least 1 second", p.Name)
	}
	if err == nil {
		c.Verify.Every = every
	}
	return err
}

// exclude reads a list of tables, each with or without what stands before its name.
func (c *viewClauses) exclude(cat *storage.Catalog, p ast.Property, refs map[string]storage.ID) (errs Errors) {
	all, err := below(cat, refs)
	if err != nil {
		return All(err)
	}
	c.Excluded = nil
	named, ok := splitNames(p.Value)
	if !ok {
		return Errors{zset.Errorf("22023", int(p.Pos()), "%s: unterminated quoted name in %q", excludedTables, p.Value)}
	}
	for _, name := range named {
		obj, ok := cat.ByName(name)
		if !ok || obj.Kind != storage.Table || !all[obj.ID] {
			e := zset.Errorf("22023", int(p.Pos()), "%s: the view reads no table %q", excludedTables, name)
			errs = append(errs, e)
			continue
		}
		if !slices.Contains(c.Excluded, obj.ID) {
			c.Excluded = append(c.Excluded, obj.ID)
		}
	}
	return errs
}

// text is the clauses as they stand in a definition: before and behind the comment.
func (c *viewClauses) text(cat *storage.Catalog, schema zset.Schema) (key, rest string) {
	if c.Key != nil {
		key = " KEY " + columnList(schema, c.Key)
	}
	rest = c.distribution(schema)
	var list []string
	for _, p := range c.properties(cat) {
		list = append(list, ast.QuoteString(p[0])+" = "+ast.QuoteString(p[1]))
	}
	if list != nil {
		rest += " PROPERTIES (" + strings.Join(list, ", ") + ")"
	}
	return key, rest
}

// properties lists what was given, by name.
func (c *viewClauses) properties(cat *storage.Catalog) (out [][2]string) {
	if c.Excluded != nil {
		var names []string
		for _, id := range c.Excluded {
			if obj, ok := cat.ByID(id); ok { // a dropped one excludes nothing
				names = append(names, obj.Name)
			}
		}
		if names != nil {
			out = append(out, [2]string{excludedTables, joinNames(names)})
		}
	}
	if c.FullKeys != "" {
		out = append(out, [2]string{fullKeys, c.FullKeys})
	}
	if c.Verify.Every > 0 {
		out = append(out, [2]string{verifyInterval, spanText(c.Verify.Every)})
	}
	if c.Verify.Parts > 0 {
		out = append(out, [2]string{verifyPartsKey, strconv.Itoa(c.Verify.Parts)})
	}
	for _, name := range slices.Sorted(maps.Keys(c.Cluster)) {
		out = append(out, [2]string{name, c.Cluster[name]})
	}
	slices.SortFunc(out, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return out
}
