package runtime_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/refresh"
	"github.com/ivmc/ivmc/zset"
)

// The operator gives what counting does, over NULLs, peers and copies; a view with
// it follows by COMPLETE.
func TestWindow(t *testing.T) {
	queries := []string{
		"SELECT a, b, row_number() OVER (PARTITION BY a ORDER BY b) AS r FROM t",
		"SELECT a, b, rank() OVER (ORDER BY a DESC, b NULLS FIRST) AS r, dense_rank() OVER (PARTITION BY b ORDER BY a) AS d FROM t",
		"SELECT row_number() OVER () AS r, b FROM t",
		"SELECT a, count(*) AS n, dense_rank() OVER (ORDER BY count(*) DESC) AS r FROM t GROUP BY a",
		"SELECT q.a, q.b FROM (SELECT a, b, row_number() OVER (PARTITION BY a ORDER BY b DESC) AS r FROM t) q WHERE q.r = 2",
		"SELECT DISTINCT rank() OVER (PARTITION BY a ORDER BY b) AS r FROM t",
		"SELECT a, rank() OVER (ORDER BY b) + 1 AS r FROM t UNION ALL SELECT b, a FROM t",
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	cell := func() string {
		if n := rnd.IntN(5); n > 0 {
			return fmt.Sprint(n)
		}
		return "NULL"
	}
	for range 20 {
		d := newDB(t)
		d.table("t", zset.Schema{{Name: "id", Type: zset.TInt8}, {Name: "a", Type: zset.TInt8}, {Name: "b", Type: zset.TInt8}}, nil)
		for i, q := range queries {
			if _, err := d.view(fmt.Sprint("v", i), q); err != nil {
				t.Fatal(err)
			}
		}
		for range 3 {
			for i := range rnd.IntN(30) {
				d.must(fmt.Sprintf("INSERT INTO t VALUES (%d, %s, %s)", i, cell(), cell()))
			}
			d.must(fmt.Sprintf("DELETE FROM t WHERE id = %d", rnd.IntN(10)))
			for i, q := range queries {
				want, err := d.oracle(q)
				if err != nil {
					t.Fatal(err)
				}
				n, err := d.bind(q)
				if err != nil {
					t.Fatal(err)
				}
				plan, blockers := delta.Derive(algebra.Normalize(n), delta.Options{FromEmpty: true})
				if len(blockers) == 0 {
					t.Fatalf("%s: no blocker", q)
				}
				got, err := d.run(plan, d.store.Applied())
				if err != nil {
					t.Fatal(err)
				}
				if bag(got) != bag(want) {
					t.Fatalf("%s\n%s\nwant\n%s", q, bag(got), bag(want))
				}
				if _, err := d.refresh(fmt.Sprint("v", i), refresh.Auto); err != nil {
					t.Fatal(err)
				}
				d.mustCheck(fmt.Sprint("v", i))
			}
		}
	}
}
