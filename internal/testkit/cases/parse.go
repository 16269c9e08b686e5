package cases

import (
	"fmt"
	"strings"
)

// Block is one step of a script.
type Block struct {
	Line    int    // of its first line, from 1
	SQL     string // the statement
	Fails   bool
	Error   string   // regular expression, of a block that fails
	Types   string   // one letter a column; "" for a statement
	Sorted  bool     // rowsort: compare as bags
	Want    []string // the rows
	IsQuery bool
}

// Parse reads a script.
func Parse(text string) ([]Block, error) {
	var out []Block
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := 0; i < len(lines); {
		if strings.TrimSpace(lines[i]) == "" || strings.HasPrefix(lines[i], "#") {
			i++
			continue
		}
		j := i
		for j < len(lines) && strings.TrimSpace(lines[j]) != "" {
			j++
		}
		b, err := parseBlock(lines[i:j])
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		b.Line = i + 1
		out = append(out, b)
		i = j
	}
	return out, nil
}

func parseBlock(lines []string) (Block, error) {
	head, body := strings.Fields(lines[0]), lines[1:]
	if len(head) < 2 || len(body) == 0 {
		return Block{}, fmt.Errorf("a block needs two words and a body: %q", lines[0])
	}
	var b Block
	switch {
	case head[0] == "statement" && head[1] == "ok" && len(head) == 2:
	case head[0] == "statement" && head[1] == "error":
		b.Fails = true
		b.Error = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(strings.TrimPrefix(lines[0], "statement")), "error"))
	case head[0] == "query":
		b.IsQuery, b.Types = true, head[1]
		b.Sorted = len(head) > 2 && head[2] == "rowsort"
		for k, l := range body {
			if l == "----" {
				b.SQL, b.Want = strings.Join(body[:k], "\n"), body[k+1:]
				return b, nil
			}
		}
		return Block{}, fmt.Errorf("a query needs ----")
	default:
		return Block{}, fmt.Errorf("unknown block %q", lines[0])
	}
	b.SQL = strings.Join(body, "\n")
	return b, nil
}
