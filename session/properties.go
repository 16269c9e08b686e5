package session

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// logProperties is what a table says of its change log. Without properties all of
// it is kept, with the rows before a change.
type logProperties struct {
	storage.Retention
	logPayload
}

// logPayload is the part of [tablePayload] that the store does not know.
type logPayload struct {
	NoHistory bool     `json:"no_history,omitempty"` // @incr and AS OF do as if there were no rows before a change
	Given     []string `json:"given,omitempty"`      // the properties that were ever given, sorted: they are shown
}

// logOf gives the properties of a table's log; a view has all of it.
func logOf(obj *storage.Object) (logProperties, error) {
	if obj.Kind != storage.Table {
		return logProperties{}, nil
	}
	p, err := tableOptions(obj)
	return logProperties{obj.Retention, p.Log}, err
}

// property is one row of the table of properties. set gives the complaint, "" for none.
type property struct {
	set  func(p *logProperties, value string) string
	show func(p *logProperties) string
}

// flag is a property whose default is true.
func flag(off func(*logProperties) *bool) property {
	return property{
		set: func(p *logProperties, v string) string {
			on, known := map[string]bool{"true": true, "false": false}[strings.ToLower(v)]
			if !known {
				return "it is true or false"
			}
			*off(p) = !on
			return ""
		},
		show: func(p *logProperties) string { return strconv.FormatBool(!*off(p)) },
	}
}

// bound is a property that is a number above 0; the largest one, the default,
// means that there is no bound.
func bound(field func(*logProperties) *int64, unit int64) property {
	return property{
		set: func(p *logProperties, v string) string {
			n, err := strconv.ParseInt(v, 10, 64)
			if err != nil || n <= 0 {
				return "it is a number above 0; " + strconv.FormatInt(math.MaxInt64, 10) + " is no bound"
			}
			if *field(p) = 0; n <= math.MaxInt64/unit {
				*field(p) = n * unit
			}
			if n == math.MaxInt64 {
				*field(p) = 0
			}
			return ""
		},
		show: func(p *logProperties) string {
			if n := *field(p); n > 0 {
				return strconv.FormatInt(n/unit, 10)
			}
			return strconv.FormatInt(math.MaxInt64, 10)
		},
	}
}

func tableProperties() map[string]property {
	return map[string]property{
		"binlog.enable":                flag(func(p *logProperties) *bool { return &p.Off }),
		"binlog.need_historical_value": flag(func(p *logProperties) *bool { return &p.NoHistory }),
		"binlog.pin":                   flag(func(p *logProperties) *bool { return &p.Unpinned }),
		"binlog.ttl_seconds":           bound(func(p *logProperties) *int64 { return (*int64)(&p.TTL) }, int64(time.Second)),
		"binlog.max_bytes":             bound(func(p *logProperties) *int64 { return &p.Bytes }, 1),
		"binlog.max_history_nums":      bound(func(p *logProperties) *int64 { return &p.Records }, 1),
		"binlog.format": {
			set: func(_ *logProperties, v string) string {
				if v != "ROW" {
					return "Invalid binlog format value: " + v
				}
				return ""
			},
			show: func(*logProperties) string { return "ROW" },
		},
		"enable_unique_key_merge_on_write": {
			set: func(_ *logProperties, v string) string {
				if strings.ToLower(v) != "true" {
					return "it is true: a live key that is written is updated at once"
				}
				return ""
			},
			show: func(*logProperties) string { return "true" },
		},
	}
}

// setProperties reads properties into p and c; all complaints.
func setProperties(p *logProperties, c *clusterClauses, list []ast.Property) (errs Errors) {
	known := tableProperties()
	for _, x := range list {
		row, ok := known[strings.ToLower(x.Name)]
		if !ok && c.keep(strings.ToLower(x.Name), x.Value) {
			continue
		}
		if !ok {
			e := zset.Errorf("0A000", int(x.Pos()), "property %q is not supported", x.Name)
			e.Hint = "Properties: " + strings.Join(slices.Sorted(maps.Keys(known)), ", ") + ", and those of a cluster, which are kept and shown."
			errs = append(errs, e)
			continue
		}
		if said := row.set(p, x.Value); said != "" {
			if !strings.HasPrefix(said, "Invalid") {
				said = "invalid value for property \"" + x.Name + "\": \"" + x.Value + "\"; " + said
			}
			errs = append(errs, zset.Errorf("22023", int(x.Pos()), "%s", said))
		}
		if at, there := slices.BinarySearch(p.Given, strings.ToLower(x.Name)); !there {
			p.Given = slices.Insert(slices.Clone(p.Given), at, strings.ToLower(x.Name))
		}
	}
	return errs
}

// propertiesText lists what was given and what differs from the default, as in
// PROPERTIES (..).
func propertiesText(p logProperties, c *clusterClauses) (out []string) {
	known := tableProperties()
	defer func() { slices.Sort(out) }()
	for name, v := range c.Cluster {
		out = append(out, ast.QuoteString(name)+" = "+ast.QuoteString(v))
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		v := known[name].show(&p)
		if slices.Contains(p.Given, name) || v != known[name].show(&logProperties{}) {
			out = append(out, ast.QuoteString(name)+" = "+ast.QuoteString(v))
		}
	}
	return out
}

// alterProperties is ALTER TABLE .. SET (..). What a log was made with, it keeps:
// whether there is one, and whether it has the rows before a change.
func (st *statement) alterProperties(ctx context.Context, cat *storage.Catalog, obj *storage.Object, n *ast.SetProperties) error {
	old, err := logOf(obj)
	if err != nil {
		return err
	}
	options, err := tableOptions(obj)
	if err != nil {
		return err
	}
	next := old
	if errs := setProperties(&next, &options.Cluster, n.Properties); len(errs) > 0 {
		return errs
	}
	toRow := slices.ContainsFunc(n.Properties, func(p ast.Property) bool { return strings.EqualFold(p.Name, "binlog.format") })
	switch {
	case next.Off && !old.Off:
		return zset.Errorf("0A000", int(n.Pos()), "can't disable binlog when format is [Row]")
	case old.Off && (!next.Off || toRow):
		return zset.Errorf("0A000", int(n.Pos()), "not support change binlog format from STATEMENT_AND_SNAPSHOT to ROW")
	case next.NoHistory && !old.NoHistory:
		return zset.Errorf("0A000", int(n.Pos()), "not support change binlog.need_historical_value from true to false")
	}
	options.Log = next.logPayload
	put := *obj
	put.Retention = next.Retention
	if put.Payload, err = json.Marshal(options); err != nil {
		return err
	}
	_, err = st.s.engine.commit(ctx, &storage.Commit{CatalogVersion: cat.Version(), Catalog: []storage.CatalogChange{{Put: &put}}})
	return err
}
