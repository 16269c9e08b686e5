package main

import "testing"

func TestAppendPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"plain ä": "plain ä", "a\tb": "a       b", "ä\tb": "ä       b", "x\ny\tz": "x\ny       z", "a\r\x1b[2J\x7f": `a\r\x1B[2J\x7F`,
		"\u009b2J\u00a0é": `\u009B2J` + "\u00a0é",
	} {
		if got := string(appendPrintable(nil, []byte(in))); got != want {
			t.Errorf("%q: %q, wanted %q", in, got, want)
		}
	}
}

func TestExcerpt(t *testing.T) {
	for _, c := range []struct {
		line        string
		col         int
		shown, mark string
	}{
		{"SELECT x", 7, "SELECT x", "       "},
		{"\tx", 1, "\tx", "\t"},
		{"a\x01b", 2, "a?b", "  "},
		{"", 0, "", ""},
		{"ab", 9, "ab", "  "},
	} {
		shown, mark := excerpt(c.line, c.col, 0)
		if shown != c.shown || mark != c.mark {
			t.Errorf("%q: %q %q", c.line, shown, mark)
		}
	}
	long := make([]byte, 500)
	for i := range long {
		long[i] = 'a' + byte(i%26)
	}
	if shown, mark := excerpt(string(long), 300, 0); len(shown) != 120 || shown[len(mark)] != long[300] {
		t.Errorf("long line: %d %d", len(shown), len(mark))
	}
}
