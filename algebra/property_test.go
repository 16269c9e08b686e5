package algebra

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ivmc/ivmc/internal/testkit/querygen"
	"github.com/ivmc/ivmc/zset"
)

// fataler is what testing.T and rapid.T have in common here.
type fataler interface{ Fatalf(string, ...any) }

// world is some tables with rows, and queries over them, from a seed.
type world struct {
	g    *querygen.Gen
	tabs []querygen.Table
	cat  tables
	data map[uint64]*zset.Batch
	text []string // the statements that made it
}

func newWorld(t fataler, seed uint64, opt querygen.Options) *world {
	w := &world{g: querygen.New(seed, opt), cat: tables{}, data: map[uint64]*zset.Batch{}}
	w.tabs = w.g.Tables(2)
	for _, tab := range w.tabs {
		w.text = append(w.text, tab.DDL())
		if err := w.cat.create(tab.DDL()); err != nil {
			t.Fatalf("%s: %v", tab.DDL(), err)
		}
		r := w.cat[tab.Name]
		rows := zset.NewBatch(r.Schema.Types(), 0)
		keys := map[string]bool{}
		for n := int(seed % 12); n > 0; n-- {
			sql := "INSERT INTO " + tab.Name + " VALUES " + w.g.Row(tab)
			row, err := w.run(sql)
			if err != nil {
				t.Fatalf("%s\n%s: %v", tab.DDL(), sql, err)
			}
			var key []byte
			for _, k := range r.Key {
				key = zset.AppendKey(key, &row.Cols[k], 0)
			}
			if len(r.Key) > 0 && keys[string(key)] {
				continue
			}
			keys[string(key)] = true
			w.text = append(w.text, sql)
			rows.Append(row)
		}
		w.data[r.ID] = zset.Consolidate(rows)
	}
	return w
}

func (w *world) rel(id uint64) (*zset.Batch, error) { return w.data[id], nil }

func (w *world) run(sql string) (*zset.Batch, error) {
	n, err := bound(sql, Env{Catalog: w.cat})
	if err != nil {
		return nil, err
	}
	return Eval(n, w.rel)
}

// printed is the rows of b in order, with weights.
func printed(b *zset.Batch) string {
	var out strings.Builder
	for i := range b.N {
		for c := range b.Cols {
			if b.Cols[c].IsNull(i) {
				out.WriteString("NULL ")
			} else {
				out.Write(zset.AppendText(nil, &b.Cols[c], i))
				out.WriteByte(' ')
			}
		}
		fmt.Fprintf(&out, "x%d\n", b.Weight(i))
	}
	return out.String()
}

// sameSet reports whether two batches are the same Z-set (identity, I8).
func sameSet(a, b *zset.Batch) bool {
	return bytes.Equal(canonical(a), canonical(b))
}

func canonical(b *zset.Batch) []byte {
	weights := map[string]int64{}
	var keys []string
	for i := range b.N {
		k := string(rowKey(b, i))
		if _, ok := weights[k]; !ok {
			keys = append(keys, k)
		}
		weights[k] += b.Weight(i)
	}
	var out []byte
	for _, k := range sortedStrings(keys) {
		if weights[k] != 0 {
			out = fmt.Appendf(out, "%x %d\n", k, weights[k])
		}
	}
	return out
}

// check compares n with its rewriting m.
func (w *world) check(t fataler, what, sql string, n, m Node) (failed bool) {
	want, err := EvalList(n, w.rel)
	if err != nil {
		return true // a rewriting may spare the error, or not
	}
	got, err := EvalList(m, w.rel)
	explain := func() string {
		return fmt.Sprintf("%s\n%s\n%s;\nbefore\n%safter\n%s", what, strings.Join(w.text, ";\n"), sql, Format(n), Format(m))
	}
	if err != nil {
		t.Fatalf("the rewritten query fails: %v\n%s", err, explain())
	}
	if a, b := fmt.Sprint(n.Schema().Types()), fmt.Sprint(m.Schema().Types()); a != b {
		t.Fatalf("types were %s, are %s\n%s", a, b, explain())
	}
	if !sameSet(want, got) {
		t.Fatalf("want\n%sgot\n%s%s", printed(want), printed(got), explain())
	}
	if Ordered(n) && printed(zset.Consolidate(want)) != printed(zset.Consolidate(got)) {
		t.Fatalf("order: want\n%sgot\n%s%s", printed(want), printed(got), explain())
	}
	return false
}

// TestNormalizeKeepsMeaning: all rules together, and each alone, leave the value
// of random queries over random rows as it is; and normal forms are normal.
func TestNormalizeKeepsMeaning(t *testing.T) {
	for name, opt := range map[string]querygen.Options{
		"thread": {},
		"wide":   {Raise: true, Order: true, Distinct: true},
	} {
		t.Run(name, func(t *testing.T) {
			failed, all := 0, 0
			rapid.Check(t, func(rt *rapid.T) {
				seed := rapid.Uint64Range(0, 1<<40).Draw(rt, "seed")
				w := newWorld(rt, seed, opt)
				sql := w.g.Query(w.tabs)
				n, err := bound(sql, Env{Catalog: w.cat})
				if err != nil {
					rt.Fatalf("%s\n%s: %v", strings.Join(w.text, ";\n"), sql, err)
				}
				m := Normalize(n)
				all++
				joined := Decorrelate(n)
				// What reads no param is computed even if no row of L asks for it, as in a join.
				if _, err := EvalList(joined, w.rel); err == nil {
					w.check(rt, "decorrelated", sql, n, joined)
				}
				if w.check(rt, "all rules", sql, joined, m) {
					failed++
				}
				if again := Normalize(m); Format(again) != Format(m) {
					rt.Fatalf("not normal:\n%s\n%s\n%s", sql, Format(m), Format(again))
				}
				rules := Rules()
				r := rules[seed%uint64(len(rules))]
				one, _ := normalize(joined, []Rule{r}, nil)
				w.check(rt, r.Name, sql, joined, one)
			})
			t.Logf("%d of %d queries raised an error", failed, all)
		})
	}
}

// TestEveryRuleFires: the generator gives every rule something to do, so that
// the property above says something of each.
func TestEveryRuleFires(t *testing.T) {
	fired := map[string]int{}
	for seed := range uint64(1000) {
		w := newWorld(t, seed, querygen.Options{Raise: true, Order: true, Distinct: true})
		n, err := bound(w.g.Query(w.tabs), Env{Catalog: w.cat})
		if err != nil {
			t.Fatal(err)
		}
		n = Decorrelate(n)
		for range 3 {
			for _, r := range Rules() {
				m := n
				if r.Whole {
					m = r.Apply(n)
				} else {
					m = rewrite(n, r.Apply)
				}
				if m != n {
					fired[r.Name]++
				}
				n = m
			}
		}
	}
	for _, r := range Rules() {
		if fired[r.Name] < 3 {
			t.Errorf("%s fired %d times in 1000 queries", r.Name, fired[r.Name])
		}
	}
	t.Log(fired)
}
