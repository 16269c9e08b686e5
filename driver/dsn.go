package driver

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/ivmc/ivmc"
)

// memory is the name of a database that lives in memory.
const memory = ":memory:"

// source is a data source name, taken apart.
type source struct {
	dir      string
	opts     ivmc.Options
	settings []string // SET statements that a connection begins with
}

// parse reads a data source name. What is no option is a setting, of which only a
// session can say whether there is such a one.
func parse(name string) (source, error) {
	dir, query, _ := strings.Cut(name, "?")
	src := source{dir: dir}
	if dir == memory {
		src.dir, src.opts.InMemory = "", true
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return src, fmt.Errorf("ivmc: options of data source name %q: %w", name, err)
	}
	o := &src.opts
	flags := map[string]*bool{"must_exist": &o.MustExist, "no_sync": &o.NoSync, "no_files": &o.NoFiles}
	counts := map[string]*int{"max_statement_bytes": &o.MaxStatementBytes, "max_depth": &o.MaxDepth}
	var keys []string
	for k := range values {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		v := values[k][len(values[k])-1]
		var err error
		switch {
		case flags[k] != nil:
			*flags[k], err = strconv.ParseBool(v)
		case counts[k] != nil:
			*counts[k], err = strconv.Atoi(v)
		case k == "memory_limit":
			o.MemoryLimit, err = strconv.ParseInt(v, 10, 64)
		default:
			quote := func(s, q string) string { return q + strings.ReplaceAll(s, q, q+q) + q }
			src.settings = append(src.settings, "SET "+quote(k, `"`)+" = "+quote(v, `'`))
		}
		if err != nil {
			return src, fmt.Errorf("ivmc: option %s of data source name: %q is not valid", k, v)
		}
	}
	return src, nil
}
