package session

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/zset"
)

// systemRows makes the rows of a system table that no catalog has, as t sees them.
func (e *Engine) systemRows(t *txn, name string) ([][]zset.Value, error) {
	for _, s := range schemaTables() {
		if s.name == name && s.system != nil {
			return s.system(e, t)
		}
	}
	for _, f := range tableFunctions() {
		if algebra.FunctionPrefix+f.name == name {
			return f.system(e, t)
		}
	}
	return nil, nil
}

// tableFunction is a function in FROM that gives the rows of a system table:
// tasks("type" = "mv").
type tableFunction struct {
	schemaTable
	// takes are its parameters, with the values that there are; those that must be
	// given come first.
	takes []parameter
}

type parameter struct {
	name   string
	values []string
	needed bool
}

// functionRelation finds one by its name in a catalog.
func functionRelation(name string) (algebra.Relation, bool) {
	short, ok := strings.CutPrefix(name, algebra.FunctionPrefix)
	if !ok {
		return algebra.Relation{}, false
	}
	for _, f := range tableFunctions() {
		if f.name != short {
			continue
		}
		return algebra.Relation{Name: short, Schema: f.columns, Define: func(env algebra.Env) (algebra.Node, error) {
			if err := f.check(env.Call); err != nil {
				return nil, err
			}
			var rows [][]zset.Value
			var err error
			if env.System != nil {
				rows, err = env.System(name)
			}
			return algebra.NewRows(short, f.columns, rows), err
		}}, true
	}
	return algebra.Relation{}, false
}

// check reports arguments that are unknown, stand twice or are missing.
func (f *tableFunction) check(args []ast.Property) error {
	seen := map[string]bool{}
	for _, a := range args {
		i := slices.IndexFunc(f.takes, func(p parameter) bool { return p.name == a.Name })
		if i < 0 || seen[a.Name] {
			e := zset.Errorf("22023", -1, "unknown parameter %q", a.Name)
			if i >= 0 {
				e.Msg = fmt.Sprintf("parameter %q stands twice", a.Name)
			}
			e.Hint = "Write " + f.usage() + "."
			return e
		}
		seen[a.Name] = true
		if !slices.Contains(f.takes[i].values, strings.ToLower(a.Value)) {
			e := zset.Errorf("22023", -1, "%q is no value of %q", a.Value, a.Name)
			e.Hint = "Write " + f.usage() + "."
			return e
		}
	}
	for _, p := range f.takes {
		if p.needed && !seen[p.name] {
			e := zset.Errorf("22023", -1, "parameter %q is missing", p.name)
			e.Hint = "Write " + f.usage() + "."
			return e
		}
	}
	return nil
}

func (f *tableFunction) usage() string {
	var out []string
	for _, p := range f.takes {
		out = append(out, fmt.Sprintf("%q = %q", p.name, p.values[0]))
	}
	return f.name + "(" + strings.Join(out, ", ") + ")"
}

// systemColumns reads "name type" pairs; a name alone is TEXT.
func systemColumns(names ...string) (s zset.Schema) {
	types := map[string]zset.Type{"": zset.TText, "bigint": zset.TInt8, "int": zset.TInt4, "bool": zset.TBool, "double": zset.TFloat8, "time": zset.TTimestampTZ}
	for _, n := range names {
		name, t, _ := strings.Cut(n, " ")
		s = append(s, zset.Field{Name: name, Type: types[t]})
	}
	return s
}

// Cells of system tables.

func momentOf(t time.Time) zset.Value {
	if t.IsZero() {
		return zset.NullOf(zset.TTimestampTZ)
	}
	return zset.Value{Type: zset.TTimestampTZ, I: t.UnixMicro()}
}

func double(f float64) zset.Value { return zset.Value{Type: zset.TFloat8, F: f} }

func textOrNull(s string) zset.Value {
	if s == "" {
		return zset.NullOf(zset.TText)
	}
	return text(s)
}

// millisOf is a duration in milliseconds; NULL for none.
func millisOf(d time.Duration) zset.Value {
	if d <= 0 {
		return zset.NullOf(zset.TFloat8)
	}
	return double(float64(d.Nanoseconds()/1000) / 1000)
}

// where is v under a condition, else NULL.
func where(ok bool, v zset.Value) zset.Value {
	if ok {
		return v
	}
	return zset.NullOf(v.Type)
}
