package delta_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/delta"
)

var errEnough = errors.New("enough")

// after is a stop that says so from its n-th call on, and how often it was asked.
func after(n int) (stop func() error, asked *int) {
	asked = new(int)
	return func() error {
		if *asked++; *asked > n {
			return errEnough
		}
		return nil
	}, asked
}

// TestStop: binding, rewriting and deriving ask whether to go on, wherever they
// are, and what they are told is the error.
func TestStop(t *testing.T) {
	var sql strings.Builder
	sql.WriteString("SELECT a.state, count(*)")
	for i := range 60 {
		fmt.Fprintf(&sql, ", sum(f.delay + %d)", i)
	}
	sql.WriteString(" FROM flights f JOIN airports a ON f.origin = a.iata WHERE true")
	for i := range 100 {
		fmt.Fprintf(&sql, " AND f.delay <> %d", i)
	}
	sql.WriteString(" GROUP BY a.state")
	for i := range 100 {
		fmt.Fprintf(&sql, " UNION ALL SELECT k, %d FROM bag", i)
	}
	text := strings.Replace(sql.String(), "a.state, count(*)", "1, count(*)", 1)
	text = strings.ReplaceAll(text, " UNION ALL SELECT k, ", " UNION ALL SELECT k, 0"+strings.Repeat(", 1", 59)+", ")
	stmt, err := ast.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	q := stmt.(*ast.Query)
	// stops tries f with every number of calls that it makes, or with some of them.
	stops := func(what string, f func(stop func() error) error) {
		stop, asked := after(1 << 30)
		if err := f(stop); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if *asked < 5 {
			t.Errorf("%s asks %d times", what, *asked)
		}
		for n := 0; n < *asked; n += max(1, *asked/7) {
			stop, more := after(n)
			if err := f(stop); !errors.Is(err, errEnough) {
				t.Errorf("%s, stopped after %d of %d: %v", what, n, *asked, err)
			}
			if *more > n+3 {
				t.Errorf("%s, stopped after %d, asked %d times", what, n, *more)
			}
		}
	}
	var node, normal algebra.Node
	stops("bind", func(stop func() error) (err error) {
		n, err := algebra.Bind(q, algebra.Env{Catalog: catalog{}, Stop: stop})
		if err == nil {
			node = n
		}
		return err
	})
	stops("normalize", func(stop func() error) (err error) {
		n, err := algebra.NormalizeUntil(node, stop)
		if err == nil {
			normal = n
		}
		return err
	})
	for _, empty := range []bool{false, true} {
		stops(fmt.Sprintf("derive, from empty %t", empty), func(stop func() error) error {
			delta.Derive(normal, delta.Options{FromEmpty: empty, Stop: stop})
			return stop()
		})
	}
}
