package ivmc_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/ivmc/ivmc"
)

// TestFunctionsLikeOurs: a custom function that says what one of ours says gives
// the same cells wherever it stands: behind conditions, for some rows of a batch,
// over constants and NULLs, in batches of any size.
func TestFunctionsLikeOurs(t *testing.T) {
	db := openWith(t, []ivmc.Function{
		ivmc.Func2("my_add", func(a, b int64) (int64, error) { return a + b, nil }),
		ivmc.Func1("my_lower", func(s string) (string, error) { return strings.ToLower(s), nil }),
		ivmc.Func1("my_length", func(s string) (int32, error) { return int32(len([]rune(s))), nil }),
		ivmc.Func2("my_coalesce", func(a, b sql.Null[int64]) (sql.Null[int64], error) {
			if a.Valid {
				return a, nil
			}
			return b, nil
		}),
		ivmc.Func1("my_inverse", func(n int64) (int64, error) {
			if n == 0 {
				return 0, &ivmc.Error{Code: "22012", Message: "division by zero"}
			}
			return 100 / n, nil
		}),
		ivmc.VectorFunc("my_negative", []string{"bigint"}, "bigint", func(args []arrow.Array, n int) (arrow.Array, error) {
			out := array.NewInt64Builder(memory.DefaultAllocator)
			defer out.Release()
			for _, v := range args[0].(*array.Int64).Int64Values() {
				out.Append(-v)
			}
			return out.NewArray(), nil
		}),
	})
	exec(t, db, "CREATE TABLE r(a BIGINT, b BIGINT, s TEXT)")
	exec(t, db, "INSERT INTO r VALUES (0, 1, 'Abc'), (1, NULL, 'x'), (NULL, 2, NULL), (3, -3, ''), (-2, 0, 'ÄÖ'), (7, 7, 'North South')")
	for range 11 {
		exec(t, db, "INSERT INTO r SELECT b, a + 1, s FROM r WHERE a IS NULL OR a < 40 LIMIT 3000")
	}
	rng := rand.New(rand.NewPCG(7, 7))
	// expression is a number in both forms.
	var number func(depth int) (ours, mine string)
	text := func() (string, string) {
		if rng.IntN(3) == 0 {
			return "'QED'", "'QED'"
		}
		return "lower(s)", "my_lower(s)"
	}
	both := func(format string, args ...[2]string) (string, string) {
		var l, r []any
		for _, a := range args {
			l, r = append(l, a[0]), append(r, a[1])
		}
		return fmt.Sprintf(format, l...), fmt.Sprintf(format, r...)
	}
	number = func(depth int) (string, string) {
		sub := func() [2]string { a, b := number(depth - 1); return [2]string{a, b} }
		if depth == 0 {
			leaf := []string{"a", "b", "5::bigint", "NULL::bigint", "a", "b"}[rng.IntN(6)]
			return leaf, leaf
		}
		switch x, y := sub(), sub(); rng.IntN(8) {
		case 0:
			return "(" + x[0] + " + " + y[0] + ")", "my_add(" + x[1] + ", " + y[1] + ")"
		case 1:
			return "coalesce(" + x[0] + ", " + y[0] + ")", "my_coalesce(" + x[1] + ", " + y[1] + ")"
		case 2:
			return "(- " + x[0] + ")", "my_negative(" + x[1] + ")"
		case 3:
			return both("CASE WHEN %s > %s THEN %s ELSE %s END", x, y, sub(), sub())
		case 4:
			l, m := text()
			return "length(" + l + ")::bigint", "my_length(" + m + ")::bigint"
		case 5:
			return both("coalesce(%s, %s)", x, y)
		case 6:
			return fmt.Sprintf("CASE WHEN %s <> 0 THEN 100 / nullif(%s, 0) END", x[0], x[0]), fmt.Sprintf("CASE WHEN %s <> 0 THEN my_inverse(%s) END", x[1], x[1])
		default:
			return both("CASE WHEN %s = 1 OR %s < 3 AND %s IS NOT NULL THEN 1::bigint ELSE %s END", x, y, sub(), sub())
		}
	}
	for range 150 {
		ours, mine := number(3)
		q := "SELECT count(*) FROM r WHERE " + ours + " IS DISTINCT FROM " + mine
		rows, err := db.Text(context.Background(), q)
		if err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		for rows.Next() {
			if n, _ := rows.Cell(0); string(n) != "0" {
				t.Errorf("%s rows differ: %s", n, q)
			}
		}
		if rows.Err() != nil {
			t.Errorf("%s: %v", q, rows.Err())
		}
		rows.Close()
	}
}
