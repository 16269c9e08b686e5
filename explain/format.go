package explain

import (
	"encoding/json"

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
		b, err := json.MarshalIndent(r, "", "  ")
		return string(b) + "\n", err
	case "dot":
		return r.picture().dot(), nil
	case "mermaid":
		return r.picture().mermaid(), nil
	case "svg":
		return r.picture().svg(), nil
	}
	return "", zset.Errorf("22023", -1, "unknown format %q of a plan", format)
}
