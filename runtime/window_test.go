package runtime_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/refresh"
	"github.com/ivmc/ivmc/zset"
)

// windowed makes random calls OVER, of every function and frame.
type windowed struct{ *rand.Rand }

func (w windowed) pick(xs ...string) string { return xs[w.IntN(len(xs))] }

func (w windowed) call(partition bool) string {
	col := w.pick("a", "b", "f", "s")
	num := w.pick("a", "b", "f", "a + b")
	fs := []string{"row_number()", "rank()", "dense_rank()", "percent_rank()", "cume_dist()", "ntile(" + w.pick("1", "2", "3", "b", "100") + ")",
		"lag(" + col + ")", "lead(" + col + ", 2)", "lag(a, b, 7)", "lead(a, -1)", "lead(s, NULL)", "first_value(" + col + ")", "last_value(" + col + ")", "nth_value(" + col + ", 2)"}
	for _, name := range []string{"sum", "avg", "count", "min", "max", "stddev"} {
		fs = append(fs, name+"("+num+")", name+"("+num+") FILTER (WHERE b > 1)")
	}
	fs = append(fs, "count(*)", "string_agg(s, ',')", "string_agg(s, s) FILTER (WHERE a = 1)", "max(s)", "bool_or(a > 1)", "any_value(f)")
	over, sep := "", ""
	if partition {
		over, sep = "PARTITION BY "+w.pick("a", "a", "a, b", "a, s", "a"), " "
	}
	order := w.pick("", "ORDER BY b", "ORDER BY b DESC NULLS LAST", "ORDER BY f", "ORDER BY f DESC", "ORDER BY s, b NULLS FIRST", "ORDER BY a + b")
	if order != "" {
		over += sep + order
		sep = " "
	}
	if w.IntN(2) == 0 {
		unit := w.pick("ROWS", "RANGE", "GROUPS")
		if unit == "GROUPS" && order == "" {
			unit = "ROWS"
		}
		offsets := unit != "RANGE" || order != "" && !strings.Contains(order, "s,")
		n := func() string {
			if !offsets {
				return "UNBOUNDED"
			}
			return w.pick("0", "1", "2", "7", "UNBOUNDED")
		}
		start := w.pick("CURRENT ROW", n()+" PRECEDING", n()+" PRECEDING")
		end := w.pick("CURRENT ROW", n()+" FOLLOWING", n()+" FOLLOWING")
		if offsets && w.IntN(4) == 0 {
			start, end = "2 PRECEDING", "1 PRECEDING"
		}
		if offsets && w.IntN(4) == 0 {
			start, end = "1 FOLLOWING", n()+" FOLLOWING"
		}
		over += sep + unit + " BETWEEN " + start + " AND " + end + w.pick("", "", " EXCLUDE CURRENT ROW", " EXCLUDE GROUP", " EXCLUDE TIES", " EXCLUDE NO OTHERS")
	}
	return fs[w.IntN(len(fs))] + " OVER (" + over + ")"
}

func (w windowed) query() (q string, incremental bool) {
	incremental = w.IntN(3) > 0
	items := []string{w.pick("a", "b", "f", "s")}
	for range 1 + w.IntN(3) {
		items = append(items, w.call(incremental))
	}
	for i := range items {
		items[i] += fmt.Sprintf(" AS c%d", i)
	}
	return "SELECT " + strings.Join(items, ", ") + w.pick(" FROM t", " FROM t", " FROM t WHERE b > 1",
		" FROM (SELECT a, max(b) AS b, sum(f) AS f, min(s) AS s FROM t GROUP BY a, f) t",
		" FROM (SELECT x.a, y.b, x.f, y.s FROM t x JOIN t y ON x.b = y.a) t"), incremental
}

// Every function over every frame gives what its definition gives, over NULLs,
// peers and copies; a view with PARTITION BY follows by its touched partitions.
func TestWindow(t *testing.T) {
	fixed := []string{
		"SELECT a, count(*) AS n, dense_rank() OVER (ORDER BY count(*) DESC) AS r, sum(sum(b)) OVER (PARTITION BY a) AS s FROM t GROUP BY a",
		"SELECT q.a, q.b FROM (SELECT a, b, row_number() OVER (PARTITION BY a ORDER BY b DESC) AS r FROM t) q WHERE q.r = 2",
		"SELECT DISTINCT rank() OVER (PARTITION BY a ORDER BY b) AS r FROM t",
		"SELECT a, rank() OVER (ORDER BY b) + 1 AS r FROM t UNION ALL SELECT b, a FROM t",
		"SELECT x.a, x.r, y.r AS q FROM (SELECT a, row_number() OVER (PARTITION BY b ORDER BY s) AS r FROM t) x JOIN (SELECT a, sum(b) OVER (PARTITION BY a ORDER BY f) AS r FROM t) y ON x.a = y.a",
	}
	worlds := 120
	if testing.Short() {
		worlds = 25
	}
	followed := 0
	for seed := range uint64(worlds) {
		w := windowed{rand.New(rand.NewPCG(seed, 2))}
		queries := []string{fixed[int(seed)%len(fixed)]}
		for range 4 {
			q, _ := w.query()
			queries = append(queries, q)
		}
		followed += windowWorld(t, seed, w, queries)
	}
	if followed < worlds {
		t.Errorf("only %d refreshes were incremental", followed)
	}
}

func windowWorld(t *testing.T, seed uint64, w windowed, queries []string) (followed int) {
	cell := func() string { return w.pick("1", "1", "2", "3", "4", "NULL") }
	d := newDB(t)
	d.table("t", zset.Schema{{Name: "id", Type: zset.TInt8}, {Name: "a", Type: zset.TInt8}, {Name: "b", Type: zset.TInt4},
		{Name: "f", Type: zset.TFloat8}, {Name: "s", Type: zset.TText}}, nil)
	incremental := map[string]bool{}
	for i, q := range queries {
		n, err := d.bind(q)
		if err != nil {
			t.Fatalf("seed %d: %s: %v", seed, q, err)
		}
		_, blockers := delta.Derive(algebra.Normalize(n), delta.Options{})
		incremental[q] = len(blockers) == 0
		if _, err := d.view(fmt.Sprint("v", i), q); err != nil {
			t.Fatalf("seed %d: %s: %v", seed, q, err)
		}
	}
	for range 4 {
		for i := range w.IntN(20) {
			d.must(fmt.Sprintf("INSERT INTO t VALUES (%d, %s, %s, %s, %s)", i, cell(), cell(),
				w.pick("0.5", "-1", "'NaN'", "'-0.0'", "0", "NULL", "'Infinity'"), w.pick("'a'", "'b'", "''", "NULL")))
		}
		d.must(fmt.Sprintf("DELETE FROM t WHERE id = %d", w.IntN(10)))
		d.must(fmt.Sprintf("UPDATE t SET a = %s WHERE id = %d", cell(), w.IntN(10)))
		for i, q := range queries {
			want, err := d.oracle(q)
			failed := err
			n, err := d.bind(q)
			if err != nil {
				t.Fatal(err)
			}
			plan, _ := delta.Derive(algebra.Normalize(n), delta.Options{FromEmpty: true})
			got, err := d.run(plan, d.store.Applied())
			if (err != nil) != (failed != nil) {
				t.Fatalf("seed %d: %s\n%v\nwant\n%v", seed, q, err, failed)
			}
			if err != nil {
				continue
			}
			if bag(got) != bag(want) {
				t.Fatalf("seed %d: %s\n%s\nwant\n%s", seed, q, bag(got), bag(want))
			}
			mode := refresh.Auto
			if incremental[q] {
				mode = refresh.Incremental
				followed++
			}
			if _, err := d.refresh(fmt.Sprint("v", i), mode); err != nil {
				t.Fatalf("seed %d: %s: %v", seed, q, err)
			}
			d.mustCheck(fmt.Sprint("v", i))
		}
	}
	return followed
}
