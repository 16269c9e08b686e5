package load

import "github.com/ivmc/ivmc/zset"

// AppendJSON appends cell i of c as a JSON file has it: numbers and booleans are
// such, where JSON has them; everything else is its text, in UTC.
func AppendJSON(dst []byte, c *zset.Column, i int) []byte {
	w := jsonWriter{line: dst}
	w.cell(c, i)
	return w.line
}

// AppendJSONString appends s as a JSON string.
func AppendJSONString(dst []byte, s string) []byte { return jsonString(dst, s) }
