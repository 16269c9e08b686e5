package cases

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ivmc/ivmc"
)

// Run runs a script in one session of db and gives the first complaint.
func Run(ctx context.Context, db *ivmc.DB, text string) error {
	blocks, err := Parse(text)
	if err != nil {
		return err
	}
	s := db.Session()
	defer s.Close()
	for _, b := range blocks {
		if err := runBlock(ctx, db, s, b); err != nil {
			return fmt.Errorf("line %d: %s\n%w", b.Line, b.SQL, err)
		}
	}
	return nil
}

func runBlock(ctx context.Context, db *ivmc.DB, s *ivmc.Session, b Block) error {
	out, err := s.Run(ctx, b.SQL)
	if b.Fails {
		return wantError(out, err, b.Error)
	}
	if err != nil {
		return err
	}
	if b.IsQuery {
		if out.Rows == nil {
			return errors.New("the statement returned no rows")
		}
		defer out.Rows.Close()
		got, err := read(out.Rows, len(b.Types))
		if err != nil {
			return err
		}
		return compare(b, got)
	}
	if out.Rows != nil {
		out.Rows.Close()
	}
	if out.Refresh != nil {
		return checkRefresh(ctx, db, out.Refresh)
	}
	return nil
}

func wantError(out *ivmc.Outcome, err error, pattern string) error {
	if err == nil {
		if out.Rows != nil {
			out.Rows.Close()
		}
		return errors.New("wanted an error, there was none")
	}
	re, rerr := regexp.Compile(pattern)
	if rerr != nil {
		return rerr
	}
	text := err.Error()
	var e *ivmc.Error
	if errors.As(err, &e) {
		text = e.Code + " " + e.Message
	}
	if !re.MatchString(text) {
		return fmt.Errorf("error %q does not match %q", text, pattern)
	}
	return nil
}

// checkRefresh is what every refresh must keep: the mode, and the definition.
func checkRefresh(ctx context.Context, db *ivmc.DB, r *ivmc.RefreshReport) error {
	if r.Requested == ivmc.Incremental && r.Executed != ivmc.Incremental {
		return fmt.Errorf("INCREMENTAL ran as %s: %s", r.Executed, r.Reason)
	}
	rep, err := db.Verify(ctx, r.View)
	if err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	if !rep.Equal {
		return fmt.Errorf("view %s differs from its definition: %s", r.View, strings.Join(rep.Diff, "; "))
	}
	return nil
}

func read(rows *ivmc.Text, width int) ([]string, error) {
	if n := len(rows.Columns()); n != width {
		return nil, fmt.Errorf("%d columns, wanted %d", n, width)
	}
	var out []string
	for rows.Next() {
		cells := make([]string, width)
		for i := range cells {
			cell, null := rows.Cell(i)
			switch {
			case null:
				cells[i] = "NULL"
			case len(cell) == 0:
				cells[i] = "(empty)"
			default:
				cells[i] = string(cell)
			}
		}
		out = append(out, strings.Join(cells, "|"))
	}
	return out, rows.Err()
}

// compare matches the rows as bags, or in order without rowsort.
func compare(b Block, got []string) error {
	left := slices.Clone(got)
	for _, want := range b.Want {
		k := slices.IndexFunc(left, func(g string) bool { return sameRow(b.Types, want, g) })
		if k < 0 || !b.Sorted && k > 0 {
			return mismatch(b, got)
		}
		left = slices.Delete(left, k, k+1)
	}
	if len(left) > 0 {
		return mismatch(b, got)
	}
	return nil
}

func mismatch(b Block, got []string) error {
	return fmt.Errorf("got\n  %s\nwanted\n  %s", strings.Join(got, "\n  "), strings.Join(b.Want, "\n  "))
}

func sameRow(types, want, got string) bool {
	ws, gs := strings.Split(want, "|"), strings.Split(got, "|")
	if len(ws) != len(gs) || len(ws) != len(types) {
		return false
	}
	for i := range ws {
		if ws[i] != gs[i] && !(types[i] != 'T' && sameNumber(ws[i], gs[i])) {
			return false
		}
	}
	return true
}

// sameNumber compares values, not texts: 15.5 is 15.5000.
func sameNumber(want, got string) bool {
	if w, ok := new(big.Rat).SetString(want); ok {
		if g, ok := new(big.Rat).SetString(got); ok && w.Cmp(g) == 0 {
			return true
		}
	}
	w, err1 := strconv.ParseFloat(want, 64)
	g, err2 := strconv.ParseFloat(got, 64)
	if err1 != nil || err2 != nil || math.IsNaN(w) || math.IsNaN(g) || math.IsInf(w, 0) || math.IsInf(g, 0) {
		return err1 == nil && err2 == nil && (w == g || math.IsNaN(w) && math.IsNaN(g))
	}
	return math.Abs(w-g) <= 1e-9*math.Max(math.Abs(w), math.Abs(g))
}
