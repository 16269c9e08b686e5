package explain

import (
	"encoding/json"
	"strings"

	"github.com/ivmc/ivmc/zset"
)

// Formats lists the formats of a report.
func Formats() []string { return []string{"text", "json", "dot", "mermaid", "svg"} }

// Format prints the report.
func (r *Report) Format(format string) (string, error) {
	switch format {
	case "text", "":
		return r.text(), nil
	case "json":
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false) // a < b is to be read
		e.SetIndent("", "  ")
		err := e.Encode(r)
		return b.String(), err
	case "dot":
		return r.picture().dot(), nil
	case "mermaid":
		return r.picture().mermaid(), nil
	case "svg":
		return r.picture().svg(), nil
	}
	return "", zset.Errorf("22023", -1, "unknown format %q of a plan", format)
}
