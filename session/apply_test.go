package session

import (
	"context"
	"fmt"
	"math"
	"math/rand"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// rec builds a record: columns "name:type", rows of cells, nil for NULL.
func rec(t testing.TB, cols string, rows ...[]any) arrow.Record {
	t.Helper()
	types := map[string]arrow.DataType{"i8": arrow.PrimitiveTypes.Int8, "i32": arrow.PrimitiveTypes.Int32, "i64": arrow.PrimitiveTypes.Int64,
		"f64": arrow.PrimitiveTypes.Float64, "str": arrow.BinaryTypes.String}
	var fields []arrow.Field
	for _, c := range strings.Fields(cols) {
		name, typ, _ := strings.Cut(c, ":")
		fields = append(fields, arrow.Field{Name: name, Type: types[typ], Nullable: true})
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))
	defer b.Release()
	for _, row := range rows {
		for i, v := range row {
			switch f := b.Field(i).(type) {
			case *array.Int8Builder:
				appendTo(f, v, func(x int) { f.Append(int8(x)) })
			case *array.Int32Builder:
				appendTo(f, v, func(x int) { f.Append(int32(x)) })
			case *array.Int64Builder:
				appendTo(f, v, func(x int) { f.Append(int64(x)) })
			case *array.Float64Builder:
				appendTo(f, v, func(x float64) { f.Append(x) })
			case *array.StringBuilder:
				appendTo(f, v, func(x string) { f.Append(x) })
			}
		}
	}
	return b.NewRecord()
}

func appendTo[T any](b array.Builder, v any, f func(T)) {
	if v == nil {
		b.AppendNull()
		return
	}
	f(v.(T))
}

func apply(t testing.TB, e *Engine, table string, r arrow.Record) {
	t.Helper()
	if _, err := e.Apply(context.Background(), table, r); err != nil {
		t.Fatal(describeError(err))
	}
}

func applyFails(t testing.TB, e *Engine, table string, r arrow.Record, code string) {
	t.Helper()
	before := e.store.Applied()
	_, err := e.Apply(context.Background(), table, r)
	if err == nil || All(err)[0].Code != code {
		t.Fatalf("wanted %s, got %v", code, describeError(err))
	}
	is(t, "nothing committed", e.store.Applied(), before)
}

func TestApplyKeyed(t *testing.T) {
	e := newEngine(t)
	s := e.Session()
	do(t, s, "CREATE TABLE k(id BIGINT PRIMARY KEY, name VARCHAR(5) NOT NULL, n INT)")
	all := func() string {
		return strings.ReplaceAll(rows(t, s, "SELECT id, name, n FROM k ORDER BY id"), "\n", " ")
	}

	apply(t, e, "k", rec(t, "name:str id:i64", []any{"a", 1}, []any{"b", 2}))
	is(t, "insert by name, absent is NULL", all(), "1|a|NULL 2|b|NULL")
	apply(t, e, "k", rec(t, "__op:i8 id:i64 name:str n:i32", []any{2, 2, "B", 20}, []any{2, 3, "c", 30}, []any{1, 1, nil, nil}))
	is(t, "upsert and delete by key", all(), "2|B|20 3|c|30")
	apply(t, e, "k", rec(t, "__op:i8 id:i64 name:str", []any{1, 2, nil}, []any{0, 2, "x"}, []any{2, 2, "y"}, []any{0, 4, "d"}, []any{1, 4, nil}))
	is(t, "one key several times", all(), "2|y|NULL 3|c|30")
	apply(t, e, "k", rec(t, "id:i64 name:str __weight:i64", []any{2, "z", 1}, []any{9, "i", 0}, []any{2, nil, -1}))
	is(t, "weights have no order", all(), "2|z|NULL 3|c|30")
	apply(t, e, "k", rec(t, "id:i64 name:str"))
	is(t, "empty", all(), "2|z|NULL 3|c|30")

	applyFails(t, e, "k", rec(t, "id:i64 name:str", []any{7, "q"}, []any{2, "x"}), "23505")
	applyFails(t, e, "k", rec(t, "id:i64 name:str", []any{7, "q"}, []any{7, "x"}), "23505")
	applyFails(t, e, "k", rec(t, "id:i64 name:str __weight:i64", []any{7, "q", 2}), "23505")
	applyFails(t, e, "k", rec(t, "id:i64 name:str __weight:i64", []any{7, "q", -1}, []any{8, "q", 1}), "P0002")
	applyFails(t, e, "k", rec(t, "id:i64 name:str __weight:i64", []any{2, "z", -2}), "P0002")
	for _, w := range []int{math.MaxInt64, math.MinInt64, maxWeight + 1, -maxWeight - 1} {
		applyFails(t, e, "k", rec(t, "id:i64 name:str __weight:i64", []any{7, "q", w}), "54000")
	}
	apply(t, e, "k", rec(t, "id:i64 name:str __weight:i64", []any{7, "q", maxWeight}, []any{7, "q", -maxWeight}, []any{2, "z", -2}, []any{2, "z", 2}))
	is(t, "what cancels is nothing", all(), "2|z|NULL 3|c|30")
	applyFails(t, e, "k", rec(t, "__op:i8 id:i64", []any{1, 77}), "P0002")
	applyFails(t, e, "k", rec(t, "__op:i8 id:i64", []any{1, 2}, []any{1, 2}), "P0002")
	applyFails(t, e, "k", rec(t, "__op:i8 id:i64", []any{1, nil}), "23502")
	applyFails(t, e, "k", rec(t, "id:i64", []any{8}), "23502")
	applyFails(t, e, "k", rec(t, "id:i64 name:str", []any{8, "toolong"}), "22001")
	applyFails(t, e, "k", rec(t, "id:i64 name:str nope:i64", []any{8, "a", 1}), "42703")
	applyFails(t, e, "k", rec(t, "id:i64 name:str __op:i8 __weight:i64", []any{8, "a", 0, 1}), "22023")
	applyFails(t, e, "k", rec(t, "id:i64 name:str __op:i8", []any{8, "a", 3}), "22023")
	applyFails(t, e, "k", rec(t, "id:i64 name:str __op:i8", []any{8, "a", nil}), "23502")
	applyFails(t, e, "k", rec(t, "id:i64 name:str __op:i64", []any{8, "a", 1}), "42804")
	applyFails(t, e, "nope", rec(t, "id:i64", []any{8}), "42P01")
	is(t, "unchanged", all(), "2|z|NULL 3|c|30")
}

func TestApplyBag(t *testing.T) {
	e := newEngine(t)
	s := e.Session()
	do(t, s, "CREATE TABLE b(a INT, s TEXT)")
	all := func() string { return strings.ReplaceAll(rows(t, s, "SELECT a, s FROM b ORDER BY a, s"), "\n", " ") }
	apply(t, e, "b", rec(t, "a:i32 s:str", []any{1, "x"}, []any{1, "x"}, []any{2, nil}))
	is(t, "inserts", all(), "1|x 1|x 2|NULL")
	apply(t, e, "b", rec(t, "a:i32 s:str __op:i8", []any{1, "x", 1}, []any{2, nil, 1}, []any{3, "n", 0}))
	is(t, "deletes", all(), "1|x 3|n")
	apply(t, e, "b", rec(t, "a:i32 s:str __weight:i64", []any{5, "w", 3}, []any{3, "n", -1}, []any{8, "u", 1}, []any{8, "u", -1}))
	is(t, "weights", all(), "1|x 5|w 5|w 5|w")
	applyFails(t, e, "b", rec(t, "a:i32 s:str __op:i8", []any{9, "i", 0}, []any{1, "y", 1}), "P0002")
	applyFails(t, e, "b", rec(t, "a:i32 s:str __op:i8", []any{1, "x", 1}, []any{1, "x", 1}), "P0002")
	applyFails(t, e, "b", rec(t, "a:i32 s:str __op:i8", []any{1, "x", 2}), "42P10")
	is(t, "unchanged", all(), "1|x 5|w 5|w 5|w")
}

// TestApplyAbsurdWeights: no sum of weights of a bag overflows.
func TestApplyAbsurdWeights(t *testing.T) {
	e := newEngine(t)
	s := e.Session()
	do(t, s, "CREATE TABLE b(a INT);\nINSERT INTO b VALUES (1), (1), (1)")
	const huge = math.MaxInt64
	applyFails(t, e, "b", rec(t, "a:i32 __weight:i64", []any{1, huge}, []any{1, huge}), "54000")
	applyFails(t, e, "b", rec(t, "a:i32 __weight:i64", []any{1, -huge}, []any{1, -huge}), "54000")
	applyFails(t, e, "b", rec(t, "a:i32 __weight:i64", []any{1, math.MinInt64}), "54000")
	is(t, "bag", rows(t, s, "SELECT count(*) FROM b"), "3")
	apply(t, e, "b", rec(t, "a:i32 __weight:i64", []any{1, 1 << 31}, []any{1, -1<<31 - 2}))
	is(t, "bag", rows(t, s, "SELECT count(*) FROM b"), "1")
}

// TestApplyBagOrder: with __op, a row that is not there yet cannot be deleted,
// whatever the record inserts later.
func TestApplyBagOrder(t *testing.T) {
	e := newEngine(t)
	s := e.Session()
	do(t, s, "CREATE TABLE b(a INT, f FLOAT8, s TEXT);\nINSERT INTO b VALUES (1, 0, NULL), (1, 0, NULL)")
	cols := "a:i32 f:f64 s:str __op:i8"
	row := func(a, op int) []any { return []any{a, 0.0, nil, op} }
	_, err := e.Apply(context.Background(), "b", rec(t, cols, row(3, 0), row(2, 1), row(2, 0)))
	if es := All(err); len(es) != 1 || es[0].Code != "P0002" {
		t.Errorf("%v", err)
	}
	applyFails(t, e, "b", rec(t, cols, row(1, 1), row(1, 1), row(1, 1), row(1, 0), row(1, 0)), "P0002")
	applyFails(t, e, "b", rec(t, cols, row(2, 0), row(2, 1), row(2, 1), row(2, 0)), "P0002")
	apply(t, e, "b", rec(t, cols, row(2, 0), row(2, 1), row(1, 1), row(1, 1), row(1, 0), row(1, 1), row(3, 0)))
	is(t, "rows", rows(t, s, "SELECT a, s FROM b"), "3|NULL")
	apply(t, e, "b", rec(t, cols, row(3, 1), row(3, 0)))
	is(t, "rows", rows(t, s, "SELECT a, s FROM b"), "3|NULL")
}

// TestApplyWeightMemory: the limit counts the copies that a weight stands for.
func TestApplyWeightMemory(t *testing.T) {
	e, err := Open("", Options{InMemory: true, MemoryLimit: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	s := e.Session()
	do(t, s, "CREATE TABLE b(a INT)")
	apply(t, e, "b", rec(t, "a:i32 __weight:i64", []any{1, 1000}, []any{2, -1}, []any{2, 1}))
	applyFails(t, e, "b", rec(t, "a:i32 __weight:i64", []any{1, 1 << 20}), "53200")
	applyFails(t, e, "b", rec(t, "a:i32 __weight:i64", []any{1, maxWeight}, []any{1, maxWeight}), "53200")
	is(t, "rows", rows(t, s, "SELECT count(*) FROM b"), "1000")
	is(t, "given back", e.budget.Used() < 1<<19, true)
}

func TestApplyNil(t *testing.T) {
	e := newEngine(t)
	do(t, e.Session(), "CREATE TABLE b(a INT)")
	applyFails(t, e, "b", nil, "22023")
}

func TestApplyRefusesViews(t *testing.T) {
	e := newEngine(t)
	do(t, e.Session(), "CREATE TABLE t(a INT);\nCREATE MATERIALIZED VIEW v AS SELECT a FROM t")
	applyFails(t, e, "v", rec(t, "a:i32", []any{1}), "42809")
}

// TestApplyModel compares with a map, over records in which keys occur again
// and again.
func TestApplyModel(t *testing.T) {
	e := newEngine(t)
	s := e.Session()
	do(t, s, "CREATE TABLE k(id BIGINT PRIMARY KEY, n INT);\nCREATE MATERIALIZED VIEW v AS SELECT count(*) AS c, sum(n) AS n FROM k")
	model := map[int]int{}
	rnd := rand.New(rand.NewSource(1))
	for round := range 60 {
		var batch [][]any
		next := map[int]int{}
		for k, v := range model {
			next[k] = v
		}
		for range rnd.Intn(40) {
			id, n := rnd.Intn(12), rnd.Intn(100)
			_, live := next[id]
			op := rnd.Intn(3)
			if op == 0 && live || op == 1 && !live {
				op = 2
			}
			if op == 1 {
				delete(next, id)
			} else {
				next[id] = n
			}
			batch = append(batch, []any{op, id, n})
		}
		apply(t, e, "k", rec(t, "__op:i8 id:i64 n:i32", batch...))
		model = next
		var want []string
		for k, v := range model {
			want = append(want, fmt.Sprintf("%02d|%d", k, v))
		}
		sort.Strings(want)
		got := strings.Split(rows(t, s, "SELECT id, n FROM k"), "\n")
		for i, g := range got {
			if len(strings.Split(g, "|")[0]) == 1 {
				got[i] = "0" + g
			}
		}
		sort.Strings(got)
		is(t, fmt.Sprint("round ", round), strings.Join(got, "\n"), strings.Join(want, "\n"))
		do(t, s, "REFRESH MATERIALIZED VIEW v INCREMENTAL")
		if rep, err := e.Verify(context.Background(), "v"); err != nil || !rep.Equal {
			t.Fatalf("round %d: %+v %v", round, rep, err)
		}
	}
}

// BenchmarkApply is upserts of 100 thousand known keys into 3 million rows, by
// the code of this package alone and as a whole.
func BenchmarkApply(b *testing.B) {
	const table, change = 3_000_000, 100_000
	e := newEngine(b)
	do(b, e.Session(), "CREATE TABLE k(id BIGINT PRIMARY KEY, a BIGINT, s TEXT)")
	make := func(n int, id func(i int) int64, op int8) arrow.Record {
		bld := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{
			{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "a", Type: arrow.PrimitiveTypes.Int64},
			{Name: "s", Type: arrow.BinaryTypes.String}, {Name: "__op", Type: arrow.PrimitiveTypes.Int8}}, nil))
		defer bld.Release()
		for i := range n {
			bld.Field(0).(*array.Int64Builder).Append(id(i))
			bld.Field(1).(*array.Int64Builder).Append(int64(i))
			bld.Field(2).(*array.StringBuilder).Append("ATL")
			bld.Field(3).(*array.Int8Builder).Append(op)
		}
		return bld.NewRecord()
	}
	for at := 0; at < table; at += 500_000 {
		apply(b, e, "k", make(500_000, func(i int) int64 { return int64(at + i) }, 0))
	}
	rnd := rand.New(rand.NewSource(1))
	perm := rnd.Perm(table)
	up := make(change, func(i int) int64 { return int64(perm[i]) }, 2)
	b.Run("session", func(b *testing.B) {
		for range b.N {
			t := e.begin()
			obj, _ := t.cat.ByName("k")
			r, _ := e.rulesOf(obj)
			in, err := readRecord(r, up, time.Now().UTC())
			if err != nil {
				b.Fatal(err)
			}
			rel, _ := e.store.Relation(obj.ID)
			if _, err := keyedChange(in, rel, t.at); err != nil {
				b.Fatal(err)
			}
			t.end()
		}
		b.ReportMetric(float64(b.N)*change/b.Elapsed().Seconds()/1e6, "Mrows/s")
	})
	b.Run("whole", func(b *testing.B) {
		for range b.N {
			apply(b, e, "k", up)
		}
		b.ReportMetric(float64(b.N)*change/b.Elapsed().Seconds()/1e6, "Mrows/s")
	})
}
