package session

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/ivmc/ivmc/ast"
)

// pieces reads a script from r to its end.
func pieces(r io.Reader) (out []ast.Piece) {
	s := NewScript(r)
	for {
		p, err := s.Next()
		if err != nil {
			return out
		}
		out = append(out, p)
	}
}

// checkScript: a stream gives what ast.Split gives of the whole, wherever it is cut.
func checkScript(t interface {
	Fatalf(string, ...any)
}, text string, r io.Reader) {
	want, got := ast.Split(text), pieces(r)
	if len(got) != len(want) {
		t.Fatalf("%q: %d statements, wanted %d:\n%v\n%v", text, len(got), len(want), got, want)
	}
	for i := range want {
		if got[i].Text != want[i].Text || got[i].Line != want[i].Line || got[i].Col != want[i].Col {
			t.Fatalf("%q: statement %d is %+v, wanted %+v", text, i, got[i], want[i])
		}
	}
}

func TestScriptIsSplit(t *testing.T) {
	for _, text := range []string{
		"", ";", " ; ;", "SELECT 1", "SELECT 1;", "SELECT 1; SELECT 2", "a;\n b ;\n\n  c",
		"SELECT ';'; b", "SELECT 'it''s;'; b", `SELECT ";"; b`, `SELECT E'\';'; b`, `SELECT e'\\'; b`, `SELECT '\'; b`, `SELECT xe'\'; b`,
		"-- a; b\nc; d", "/* ; */ a; b", "/* /* ; */ ; */ a; b", "a -- x\r;b", "a - - b; c", "a / * b; c", "/*/ ; */ a; b", "/**/ a; b", "a */*;*/ b; c",
		"$$;$$; b", "$t$ ; $$ ; $t$; b", "$1;b", "$1$;$1$; b", "a$b$;c$b$", "$t;$t$;$t$", "$a$b$c$a$;$a$; d", "SELECT $é$;$é$; b", "größe; 'ä;'; ö",
		"'open; a", "\"open; a", "/* open; a", "$$ open; a", "1e'\\';a", "1$t$;$t$;b", "1e5$t$;$t$;b", "1e$t$;b", "a\"\"\";\"; b",
	} {
		checkScript(t, text, strings.NewReader(text))
		checkScript(t, text, iotest.OneByteReader(strings.NewReader(text)))
	}
}

func TestScriptIsSplitEverywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "e", "E", "1", "$", "$t$", "$$", "'", "''", "\"", ";", "-", "--", "/", "*", "/*", "*/", "\n", "\r", " ", "\\", "ä", "_"}), 0, 24).Draw(t, "parts")
		text := strings.Join(parts, "")
		checkScript(t, text, iotest.OneByteReader(strings.NewReader(text)))
	})
}

// TestScriptReadError: what was cut short by a failed read is not run.
func TestScriptReadError(t *testing.T) {
	s := NewScript(io.MultiReader(strings.NewReader("SELECT 1; DELETE FROM t"), iotest.ErrReader(errors.New("gone"))))
	if p, err := s.Next(); err != nil || p.Text != "SELECT 1" {
		t.Fatal(p, err)
	}
	if p, err := s.Next(); err == nil || err.Error() != "gone" {
		t.Errorf("got %q %v", p.Text, err)
	}
}
