package slt

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// classic writes a value as the first sqllogictest does: integers cut, three
// decimals, (empty), and @ for what cannot be printed.
func classic(letter byte, c Cell) string {
	switch {
	case c.Null:
		return "NULL"
	case letter == 'I':
		if f, err := strconv.ParseFloat(c.Text, 64); err == nil && strings.ContainsAny(c.Text, ".e") && !math.IsInf(f, 0) && !math.IsNaN(f) {
			return fmt.Sprintf("%d", int64(f))
		}
	case letter == 'R':
		if f, err := strconv.ParseFloat(c.Text, 64); err == nil {
			return fmt.Sprintf("%.3f", f)
		}
	case c.Text == "":
		return "(empty)"
	default:
		return strings.Map(func(r rune) rune {
			if r < ' ' || r == 127 {
				return '@'
			}
			return r
		}, c.Text)
	}
	return c.Text
}

// values are the cells of all rows as classic text, one after another, sorted as
// the record says.
func values(rec *Record, mode string, r *Result) []string {
	var rows [][]string
	for _, row := range r.Rows {
		line := make([]string, len(row))
		for i, c := range row {
			line[i] = classic(letter(rec, i), c)
		}
		rows = append(rows, line)
	}
	if mode == "rowsort" {
		slices.SortStableFunc(rows, slices.Compare[[]string])
	}
	out := slices.Concat(rows...)
	if mode == "valuesort" {
		slices.Sort(out)
	}
	return out
}

func letter(rec *Record, i int) byte {
	if i < len(rec.Types) {
		return rec.Types[i]
	}
	return 'T'
}

func hash(vals []string) string {
	h := md5.New()
	for _, v := range vals {
		h.Write([]byte(v + "\n"))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// check says how a result is not what the record wants; "" if it is.
func check(rec *Record, mode string, r *Result) string {
	if rec.Types != "" && len(rec.Types) != len(r.Types) {
		return fmt.Sprintf("%d columns, wanted %d", len(r.Types), len(rec.Types))
	}
	vals := values(rec, mode, r)
	if n, sum, ok := rec.Hash(); ok {
		if n != len(vals) || hash(vals) != sum {
			return fmt.Sprintf("%d values hashing to %s, wanted %s", len(vals), hash(vals), rec.Want[0])
		}
		return ""
	}
	if slices.Equal(vals, rec.Want) {
		return ""
	}
	if len(rec.Want) == len(vals) && mode != "rowsort" || len(rec.Want) != len(r.Rows) {
		if mode == "valuesort" {
			return mismatch(rec, vals)
		}
		if len(rec.Want) != len(vals) {
			return mismatch(rec, vals)
		}
	}
	if wanted, ok := split(rec.Want, len(r.Types)); ok && bagEqual(rec, r, wanted, mode != "nosort" && mode != "") {
		return ""
	}
	return mismatch(rec, lines(r))
}

func mismatch(rec *Record, got []string) string {
	return fmt.Sprintf("got\n  %s\nwanted\n  %s", strings.Join(got, "\n  "), strings.Join(rec.Want, "\n  "))
}

// lines is a line for each row.
func lines(r *Result) []string {
	var out []string
	for _, row := range r.Rows {
		out = append(out, line(row))
	}
	return out
}

func line(row []Cell) string {
	cells := make([]string, len(row))
	for i, c := range row {
		cells[i] = classic('T', c)
	}
	return strings.Join(cells, "|")
}

// split cuts lines of whole rows into cells: at |, at tabs or at blanks; or lines
// of single values into rows.
func split(want []string, width int) ([][]string, bool) {
	if width == 1 {
		var out [][]string
		for _, l := range want {
			out = append(out, []string{l})
		}
		return out, true
	}
	for _, cut := range []func(string) []string{
		func(s string) []string { return strings.Split(s, "|") },
		func(s string) []string { return strings.Split(s, "\t") },
		strings.Fields,
	} {
		var out [][]string
		for _, l := range want {
			if cells := cut(l); len(cells) == width {
				out = append(out, cells)
			}
		}
		if len(out) == len(want) {
			return out, true
		}
	}
	if width == 0 || len(want)%width != 0 {
		return nil, false
	}
	return slices.Collect(slices.Chunk(want, width)), true
}

// bagEqual matches rows by value; in order unless sorted.
func bagEqual(rec *Record, r *Result, want [][]string, sorted bool) bool {
	left := slices.Clone(r.Rows)
	for _, w := range want {
		k := slices.IndexFunc(left, func(row []Cell) bool {
			for i, c := range row {
				if !sameValue(letter(rec, i), w[i], c, r.Types[i]) {
					return false
				}
			}
			return true
		})
		if k < 0 || !sorted && k > 0 {
			return false
		}
		left = slices.Delete(left, k, k+1)
	}
	return len(left) == 0
}

// sameValue compares values and not texts: t is true, 15.5 is 15.500.
func sameValue(letter byte, want string, got Cell, typ string) bool {
	if got.Null || want == "NULL" {
		return got.Null && want == "NULL"
	}
	text := classic('T', got)
	switch {
	case text == want || strings.TrimRight(text, " ") == want || classic(letter, got) == want:
		return true
	case typ == "boolean":
		return (text == "t") == (want == "true" || want == "1") && (want == "true" || want == "false" || want == "1" || want == "0")
	case letter == 'T':
		return false
	}
	if w, ok := new(big.Rat).SetString(want); ok {
		if g, ok := new(big.Rat).SetString(text); ok && w.Cmp(g) == 0 {
			return true
		}
	}
	w, err1 := strconv.ParseFloat(want, 64)
	g, err2 := strconv.ParseFloat(text, 64)
	return err1 == nil && err2 == nil && (w == g || math.Abs(w-g) <= 1e-9*math.Max(math.Abs(w), math.Abs(g)))
}
