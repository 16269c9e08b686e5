package session

import (
	"maps"
	"slices"
	"strings"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// logProperties is what a table says of its change log. The zero value of the
// payload is the default: everything is kept.
type logProperties struct {
	Enable  bool // the log is read by anyone
	History bool // with the rows before a change
}

// logPayload is that of [tablePayload]: what differs from the default.
type logPayload struct {
	Off       bool `json:"off,omitempty"`
	NoHistory bool `json:"no_history,omitempty"`
}

// logOf gives the properties of a table's log; a view has all of it.
func logOf(obj *storage.Object) (logProperties, error) {
	if obj.Kind != storage.Table {
		return logProperties{Enable: true, History: true}, nil
	}
	p, err := tableOptions(obj)
	return logProperties{Enable: !p.Log.Off, History: !p.Log.NoHistory}, err
}

// property is one row of the table of properties.
type property struct {
	set  func(p *logPayload, value string) string // the complaint; "" for none
	show func(p *logPayload) string               // "" for the default
}

func tableProperties() map[string]property {
	flag := func(field func(*logPayload) *bool) property {
		return property{func(p *logPayload, v string) string {
			switch strings.ToLower(v) {
			case "true":
				*field(p) = false
			case "false":
				*field(p) = true
			default:
				return "it is true or false"
			}
			return ""
		}, func(p *logPayload) string {
			if *field(p) {
				return "false"
			}
			return ""
		}}
	}
	return map[string]property{
		"binlog.enable":                flag(func(p *logPayload) *bool { return &p.Off }),
		"binlog.need_historical_value": flag(func(p *logPayload) *bool { return &p.NoHistory }),
		"binlog.format": {func(_ *logPayload, v string) string {
			if v != "ROW" {
				return "Invalid binlog format value: " + v
			}
			return ""
		}, func(*logPayload) string { return "" }},
	}
}

// setProperties reads properties into p; all complaints.
func setProperties(p *logPayload, list []ast.Property) (errs Errors) {
	known := tableProperties()
	for _, x := range list {
		row, ok := known[strings.ToLower(x.Name)]
		if !ok {
			e := zset.Errorf("0A000", int(x.Pos()), "property %q is not supported", x.Name)
			e.Hint = "Properties: " + strings.Join(slices.Sorted(maps.Keys(known)), ", ") + "."
			errs = append(errs, e)
			continue
		}
		if said := row.set(p, x.Value); said != "" {
			if !strings.HasPrefix(said, "Invalid") {
				said = "invalid value for property \"" + x.Name + "\": \"" + x.Value + "\"; " + said
			}
			errs = append(errs, zset.Errorf("22023", int(x.Pos()), "%s", said))
		}
	}
	return errs
}

// propertiesText lists what differs from the default, as in PROPERTIES (..).
func propertiesText(p logPayload) (out []string) {
	known := tableProperties()
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if v := known[name].show(&p); v != "" {
			out = append(out, ast.QuoteString(name)+" = "+ast.QuoteString(v))
		}
	}
	return out
}
