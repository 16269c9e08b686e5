package ast

import (
	"errors"
	"fmt"
	"sync"
	"testing"
)

func TestErrorsInScript(t *testing.T) {
	script := "SELECT 1;\n  SELECT 'é', a b c; SELECT\n a b c"
	var got string
	for _, p := range Split(script) {
		if _, err := Parse(p.Text); err != nil {
			got += err.(Errors).In(p).Render(script, "f")
			for _, e := range err.(Errors).In(p) {
				if line, col := LineCol(script, e.Pos); line != e.Line || col != e.Col {
					t.Errorf("%d:%d at %d, which is %d:%d", e.Line, e.Col, e.Pos, line, col)
				}
			}
		}
	}
	want := `f:2:19: syntax error at or near "c"
    SELECT 'é', a b c; SELECT
                    ^
f:3:6: syntax error at or near "c"
   a b c
       ^
`
	if got != want {
		t.Errorf("%s", got)
	}
}

func TestErrorsAs(t *testing.T) {
	_, err := Parse("SELECT a b c")
	var e *Error
	if !errors.As(err, &e) || e.SQLState() != "42601" {
		t.Errorf("%v", err)
	}
}

func TestParseConcurrently(t *testing.T) {
	all := corpus(t)
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range all {
				src := all[(i*7+w*31)%len(all)]
				st, err := Parse(src)
				if err != nil {
					t.Error(fmt.Errorf("%s: %w", src, err))
					return
				}
				Print(st)
			}
		}()
	}
	wg.Wait()
}
