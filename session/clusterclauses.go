package session

import (
	"maps"
	"slices"
	"strings"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/zset"
)

// clusterClauses say how a cluster lays a relation down. They are kept and shown,
// and have no effect on one machine. Columns are places in the schema.
type clusterClauses struct {
	Distributed bool              `json:"distributed,omitempty"`
	Hash        []int             `json:"hash,omitempty"` // nil: RANDOM
	Buckets     string            `json:"buckets,omitempty"`
	Cluster     map[string]string `json:"cluster,omitempty"` // properties
}

func clusterProperties() []string {
	return []string{"colocate_with", "compression", "replication_allocation", "replication_num", "storage_format", "storage_medium", "storage_policy"}
}

// keep takes a property if it is one of a cluster.
func (c *clusterClauses) keep(name, value string) bool {
	if !slices.Contains(clusterProperties(), name) {
		return false
	}
	c.Cluster = maps.Clone(c.Cluster)
	if c.Cluster == nil {
		c.Cluster = map[string]string{}
	}
	c.Cluster[name] = value
	return true
}

// distribute reads DISTRIBUTED BY; nil: there is none.
func (c *clusterClauses) distribute(schema zset.Schema, d *ast.Distribution) (errs Errors) {
	if d != nil {
		c.Distributed, c.Buckets = true, d.Buckets
		c.Hash, errs = columnsOf(schema, d.Columns)
	}
	return errs
}

// idle names what was given.
func (c *clusterClauses) idle() (words []string) {
	if c.Distributed {
		words = append(words, "DISTRIBUTED BY")
	}
	return append(words, slices.Sorted(maps.Keys(c.Cluster))...)
}

// idle says once that some clauses have no effect.
func (st *statement) idle(words []string, kind string) {
	if len(words) > 0 {
		st.res.notice("NO_EFFECT", strings.Join(words, ", ")+" of a "+kind+": kept and shown, without effect on one machine")
	}
}

// distribution is the clause as it stands in a definition, a blank before it.
func (c *clusterClauses) distribution(schema zset.Schema) string {
	if !c.Distributed {
		return ""
	}
	out := " DISTRIBUTED BY RANDOM"
	if c.Hash != nil {
		out = " DISTRIBUTED BY HASH " + columnList(schema, c.Hash)
	}
	if c.Buckets != "" {
		out += " BUCKETS " + strings.ToUpper(c.Buckets)
	}
	return out
}

func columnsOf(schema zset.Schema, names []ast.Name) (out []int, errs Errors) {
	for _, name := range names {
		i := schema.Index(name.Text)
		if i < 0 {
			errs = append(errs, zset.Errorf("42703", int(name.Pos()), "column %q does not exist", name.Text))
		}
		out = append(out, i)
	}
	return out, errs
}

func columnList(schema zset.Schema, cols []int) string {
	out := make([]string, len(cols))
	for i, k := range cols {
		out[i] = schema[k].Name
	}
	return "(" + quoted(out) + ")"
}
