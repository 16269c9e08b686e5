package session

import "strings"

// splitNames reads a list of names, each with or without what stands before it and
// a dot, and in double quotes where it has a comma, a dot or a quote. Empty ones do
// not count. ok: all quotes are closed.
func splitNames(list string) (names []string, ok bool) {
	var name strings.Builder
	quoted := false // a part of the name was
	end := func() {
		s := name.String()
		if !quoted {
			s = strings.TrimSpace(s)
		}
		if s != "" {
			names = append(names, s)
		}
		name.Reset()
		quoted = false
	}
	for i := 0; i < len(list); i++ {
		switch c := list[i]; {
		case c == ',':
			end()
		case c == '.':
			name.Reset()
			quoted = false
		case c == '"' && strings.TrimSpace(name.String()) == "":
			name.Reset()
			quoted = true
			for i++; ; i++ {
				if i >= len(list) {
					return names, false
				}
				if list[i] == '"' {
					if i+1 >= len(list) || list[i+1] != '"' {
						break
					}
					i++
				}
				name.WriteByte(list[i])
			}
		case quoted && c == ' ': // behind the quotes
		default:
			name.WriteByte(c)
		}
	}
	end()
	return names, true
}

// joinNames is what splitNames reads names from.
func joinNames(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = n
		if strings.ContainsAny(n, `,."`) || strings.TrimSpace(n) != n {
			out[i] = `"` + strings.ReplaceAll(n, `"`, `""`) + `"`
		}
	}
	return strings.Join(out, ",")
}
