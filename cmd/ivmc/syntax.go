package main

import (
	"context"
	"fmt"
	"strings"
)

// syntax is \h.
func (sh *shell) syntax(_ context.Context, arg string) error {
	all := synopses()
	if arg == "" {
		if err := sh.say("Statements, each told by \\h NAME:\n"); err != nil {
			return err
		}
		for _, s := range all {
			if err := sh.say("  %s\n", s.name); err != nil {
				return err
			}
		}
		return nil
	}
	found := false
	word := strings.ToUpper(strings.Join(strings.Fields(arg), " "))
	for _, s := range all {
		if word == "*" || strings.HasPrefix(s.name, word) {
			found = true
			if err := sh.say("%s\n", s); err != nil {
				return err
			}
		}
	}
	if !found {
		return fmt.Errorf("there is no help for %q; \\h lists the statements", arg)
	}
	return nil
}

func (s synopsis) String() string {
	var b strings.Builder
	b.WriteString(s.text + "\n")
	for _, w := range s.where {
		fmt.Fprintf(&b, "\n%s is %s\n", w.name, unbraced(w.text))
	}
	return b.String()
}

// unbraced is a text without the braces that are around the whole.
func unbraced(text string) string {
	depth := 0
	for i, c := range text {
		switch c {
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth == 0 && i < len(text)-1 {
			return text
		}
	}
	return text[1 : len(text)-1]
}
