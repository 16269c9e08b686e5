package zset

import "strings"

func errSyntax(t Type, s string) error {
	return Errorf(CodeBadText, -1, "invalid input syntax for type %s: \"%s\"", kinds[t.Kind].name, s)
}

// trimSpace cuts the blanks that C's isspace knows.
func trimSpace(s string) string { return strings.Trim(s, " \t\n\v\f\r") }
