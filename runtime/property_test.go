package runtime_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ivmc/ivmc/internal/testkit/querygen"
	"github.com/ivmc/ivmc/refresh"
	"github.com/ivmc/ivmc/zset"
)

var (
	seeds  = flag.Int("seeds", 150, "random worlds of TestViewIsItsQuery")
	first  = flag.Uint64("first", 0, "seed of the first")
	rounds = flag.Int("rounds", 8, "steps of each view of a world")
)

// largest is how many rows a view of a world may have.
const largest = 100

// world is random tables with random statements over them.
type world struct {
	*db
	g      *querygen.Gen
	r      *rand.Rand
	tables []querygen.Table
}

func newWorld(t testing.TB, seed uint64, o querygen.Options) *world {
	w := &world{db: newDB(t), g: querygen.New(seed, o), r: rand.New(rand.NewPCG(seed, 7))}
	w.tables = w.g.Tables(2)
	for _, tb := range w.tables {
		w.table(tb.Name, tb.Schema, tb.Key)
	}
	return w
}

// change runs a few random statements. A duplicate key fails its statement.
func (w *world) change() {
	for range 1 + w.r.IntN(4) {
		tb := w.tables[w.r.IntN(len(w.tables))]
		var sql string
		switch w.r.IntN(10) {
		case 0, 1, 2, 3, 4:
			sql = "INSERT INTO " + tb.Name + " VALUES " + w.g.Row(tb)
			for range w.r.IntN(4) {
				sql += ", " + w.g.Row(tb)
			}
		case 5, 6, 7:
			op := "="
			if w.r.IntN(3) == 0 { // so that long histories keep small tables
				op = ">="
			}
			sql = fmt.Sprintf("DELETE FROM %s WHERE a %s %d", tb.Name, op, w.r.IntN(20)-3)
		default:
			sql = fmt.Sprintf("UPDATE %s SET a = a + %d WHERE a < %d", tb.Name, w.r.IntN(3), w.r.IntN(12))
		}
		err := w.exec(sql)
		var z *zset.Error
		if err != nil && !(errors.As(err, &z) && z.Code == "23505") {
			w.t.Fatalf("%s: %v", sql, err)
		}
	}
}

// size is the number of rows of a view.
func (w *world) size(name string) int64 {
	rel, err := w.store.Relation(w.id(name))
	if err != nil {
		w.t.Fatal(err)
	}
	return rel.Rows(w.store.Applied())
}

// raises reports whether err is of values, and what the definition raises too.
func (w *world) raises(name string, err error) bool {
	var got, want *zset.Error
	if !errors.As(err, &got) || !strings.HasPrefix(got.Code, "22") {
		return false
	}
	o, _ := w.store.Catalog().ByName(name)
	_, err = w.oracle(string(o.Payload))
	return errors.As(err, &want) && want.Code == got.Code
}

// TestViewIsItsQuery: after any steps a view is what its query says; so is a
// second view of the same query that was refreshed at other times, and both have
// the same state. Deleting everything leaves no state.
func TestViewIsItsQuery(t *testing.T) {
	n := uint64(*seeds)
	if testing.Short() {
		n = 30
	}
	stats := map[string][2]int{}
	for seed := *first; seed < *first+n; seed++ {
		if err := runWorld(t, seed, nil, stats); err != nil {
			t.Fatal(err)
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d views compared, none wrong", stats["view"][1])
	for op, s := range stats {
		t.Logf("%-12s non-empty in %d of %d steps", op, s[0], s[1])
		least := 30
		if op == "nothing" {
			continue // that is what it gives
		}
		if op == "negate" || op == "repeat" || op == "limit" {
			least = 10 // only where a key's first row comes or its last one goes, or one of the first rows, or under another operator that rarely is
		}
		if *rounds <= 8 && s[1] >= 100 && s[0]*100 < s[1]*least {
			t.Errorf("%s: its delta is too seldom non-empty to test anything", op)
		}
	}
}

func runWorld(t testing.TB, seed uint64, off map[string]bool, stats map[string][2]int) (err error) {
	w := newWorld(t, seed, querygen.Options{Distinct: true, Top: true})
	w.off, w.literal = off, true
	defer func() {
		stats["view"] = [2]int{stats["view"][0] + w.asked, stats["view"][1] + w.asked}
		w.close()
	}()
	for range 3 {
		w.change()
	}
	query := w.g.Query(w.tables)
	for _, v := range []string{"v", "w"} {
		if _, err := w.view(v, query); err != nil {
			t.Fatalf("seed %d: create: %v\n%s", seed, err, query)
		}
	}
	// A view over the view and the tables.
	o, _ := w.store.Catalog().ByName("v")
	over := w.g.Query(append(w.tables[:1:1], querygen.Table{Name: "v", Schema: o.Schema}))
	if _, err := w.view("c", over); err != nil {
		t.Fatalf("seed %d: create: %v\n%s", seed, err, over)
	}
	for _, v := range []string{"v", "c"} {
		if err := w.check(v); err != nil {
			t.Fatalf("seed %d: first build: %v", seed, err)
		}
	}
	defer func() {
		var z *zset.Error
		if errors.As(err, &z) && z.Code == "XX000" {
			t.Log(z.Detail)
		}
	}()
	for round := range *rounds {
		w.change()
		if w.r.IntN(4) == 0 && (round < 8 || round%8 == 0) { // it plans anew, which takes longer than a step
			w.reopen()
		}
		rep, err := w.refresh("v", refresh.Incremental)
		if w.raises("v", err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("seed %d round %d: %w\n%s", seed, round, err, query)
		}
		if rep.Executed != refresh.Incremental {
			t.Fatalf("executed %v", rep.Executed)
		}
		moved := map[string]int{}
		for _, o := range rep.Operators {
			moved[o.Name] = max(moved[o.Name], min(int(o.Rows), 1))
		}
		for name, n := range moved {
			stats[name] = [2]int{stats[name][0] + n, stats[name][1] + 1}
		}
		if err := w.check("v"); err != nil {
			return fmt.Errorf("seed %d round %d: %w", seed, round, err)
		}
		if w.size("v") > largest || w.size("c") > largest { // products of products: another world says the same in less time
			return nil
		}
		if w.r.IntN(3) > 0 {
			_, err := w.refresh("c", refresh.Incremental)
			if w.raises("c", err) {
				return nil
			}
			if err != nil {
				return fmt.Errorf("seed %d round %d: %w\n%s\n%s", seed, round, err, query, over)
			}
			if err := w.check("c"); err != nil {
				return fmt.Errorf("seed %d round %d, over %s: %w", seed, round, query, err)
			}
		}
		if w.r.IntN(3) == 0 {
			if _, err := w.refresh("w", refresh.Auto); err != nil {
				return fmt.Errorf("seed %d: %w", seed, err)
			}
		}
	}
	if _, err := w.refresh("w", refresh.Incremental); err != nil {
		return fmt.Errorf("seed %d: %w\n%s", seed, err, query)
	}
	if err := w.check("w"); err != nil {
		return fmt.Errorf("seed %d split: %w", seed, err)
	}
	if a, b := w.state("v"), w.state("w"); a != b {
		return fmt.Errorf("seed %d: states differ by split\n%s\n--\n%s\n%s", seed, a, b, query)
	}
	for _, v := range []string{"v", "w", "c"} {
		rep, err := w.engine.Verify(ctx, w.id(v))
		if err != nil || !rep.Equal {
			return fmt.Errorf("seed %d: verify %v: %v", seed, rep, err)
		}
	}
	before := w.state("v")
	if rep, err := w.refresh("v", refresh.Complete); err != nil || rep.RowsOut != 0 {
		return fmt.Errorf("seed %d: complete after incremental changed %v rows: %v", seed, rep, err)
	}
	if after := w.state("v"); before != after {
		return fmt.Errorf("seed %d: complete left another state\n%s\n--\n%s\n%s", seed, before, after, query)
	}
	for _, tb := range w.tables {
		w.must("DELETE FROM " + tb.Name)
	}
	if _, err := w.refresh("v", refresh.Incremental); err != nil {
		return fmt.Errorf("seed %d: delete all: %w", seed, err)
	}
	if err := w.check("v"); err != nil {
		return fmt.Errorf("seed %d: delete all: %w", seed, err)
	}
	// D then -D leaves what was there before any row.
	if _, err := w.view("x", query); err != nil {
		return fmt.Errorf("seed %d: %w", seed, err)
	}
	if a, b := w.state("v"), w.state("x"); a != b {
		return fmt.Errorf("seed %d: state after deleting all\n%s\n--\n%s\n%s", seed, a, b, query)
	}
	return nil
}
