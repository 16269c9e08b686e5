package explain

import (
	"strings"

	"github.com/ivmc/ivmc/delta"
)

// Blocker is a reason why a view is not incremental, with its place. Line and
// Column count from 1, in characters; 0: it has no place.
type Blocker struct {
	Code      string `json:"code"`
	Severity  string `json:"severity"`
	Object    string `json:"object"`
	Reason    string `json:"reason"`
	Rewrite   string `json:"rewrite"`
	Permanent bool   `json:"permanent"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	excerpt   string // the line of the statement
	at        int    // the place in it
}

func placed(b delta.Blocker, s Statement) Blocker {
	out := Blocker{Code: b.Code, Severity: b.Severity, Object: b.Object, Reason: b.Reason, Rewrite: b.Rewrite, Permanent: b.Permanent}
	rs := []rune(s.Text)
	if b.Pos < 0 || b.Pos >= len(rs) {
		return out
	}
	before := string(rs[:b.Pos])
	start := strings.LastIndexByte(before, '\n') + 1
	out.Line = strings.Count(before, "\n") + 1
	out.Column = len([]rune(before[start:])) + 1
	line, _, _ := strings.Cut(before[start:]+string(rs[b.Pos:]), "\n")
	out.excerpt = strings.TrimRight(strings.ReplaceAll(line, "\t", " "), "\r ")
	out.at = out.Column - 1
	if s.Line > 0 {
		if out.Line == 1 {
			out.Column += s.Column - 1
		}
		out.Line += s.Line - 1
	}
	return out
}

// caret is the line of the statement and a caret below the place, within width.
func (b Blocker) caret(width int) []string {
	if b.Line == 0 {
		return nil
	}
	rs, at := []rune(b.excerpt), b.at
	lead := 0
	for lead < at && lead < len(rs) && rs[lead] == ' ' {
		lead++
	}
	rs, at = rs[lead:], at-lead
	if at > width*2/3 { // of a long line the part around the place
		cut := at - width/2
		rs, at = append([]rune(".."), rs[cut+2:]...), at-cut
	}
	if len(rs) > width {
		rs = append(rs[:width-2:width-2], []rune("..")...)
	}
	return []string{string(rs), strings.Repeat(" ", at) + "^"}
}
