package storage

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/ivmc/ivmc/zset"
	"pgregory.net/rapid"
)

// windowRow is a row of a window, as text where the record is part of it.
type windowRow struct {
	row      string
	op       int64
	tso, lsn int64
}

func readWindow(t interface{ Fatal(...any) }, r *Relation, w Window) []windowRow {
	n := len(r.Schema())
	c := r.Window(w, append(allColumns(n), ColumnOp, ColumnTSO, ColumnLSN))
	var out []windowRow
	for {
		b, err := c.Next(ctx)
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if b.N == 0 || b.N > pageRows {
			t.Fatal("a batch of", b.N)
		}
		for i := range b.N {
			row := zset.AppendRow(nil, &b.Cols[0], i)
			for c := 1; c < n; c++ {
				row = zset.AppendRow(row, &b.Cols[c], i)
			}
			out = append(out, windowRow{string(row), b.Cols[n].I64[i], b.Cols[n+1].I64[i], b.Cols[n+2].I64[i]})
		}
	}
}

func signed(b bag, rows []windowRow) {
	for _, r := range rows {
		w := int64(1)
		if r.op == ChangeDelete || r.op == ChangeBefore {
			w = -1
		}
		if b[r.row] += w; b[r.row] == 0 {
			delete(b, r.row)
		}
	}
}

// checkWindows: the image at lo and what a window of (lo, hi] shows are the image
// at hi; a folded window names each key at most once a side; windows that touch
// partition the log; the inserts of a detail are the rows of an append_only one.
func (m *model) checkWindows(t *rapid.T, r *Relation, lo, hi TSO) {
	detail := readWindow(t, r, Window{lo, hi, Detail})
	var inserts []windowRow
	for i, row := range detail {
		if i > 0 && (row.tso < detail[i-1].tso || row.tso == detail[i-1].tso && row.lsn < detail[i-1].lsn) {
			t.Fatalf("row %d of a detail is out of order", i)
		}
		if row.op == ChangeInsert {
			inserts = append(inserts, row)
		}
	}
	if got := readWindow(t, r, Window{lo, hi, AppendOnly}); fmt.Sprint(got) != fmt.Sprint(inserts) {
		t.Fatalf("append_only of (%d, %d]: %v, want %v", lo, hi, got, inserts)
	}
	if truncated(r, lo, hi) {
		return
	}
	if mid := lo + (hi-lo)/2; mid > lo {
		parts := append(readWindow(t, r, Window{lo, mid, Detail}), readWindow(t, r, Window{mid, hi, Detail})...)
		if fmt.Sprint(parts) != fmt.Sprint(detail) {
			t.Fatalf("the halves of (%d, %d] are not the whole", lo, hi)
		}
	}
	folded := readWindow(t, r, Window{lo, hi, MinDelta})
	want := fmt.Sprint(m.bagAt(hi).keys())
	for name, rows := range map[string][]windowRow{"detail": detail, "min_delta": folded} {
		got := drainR(t, r.Scan(lo, nil, false))
		signed(got, rows)
		if fmt.Sprint(got.keys()) != want {
			t.Fatalf("%s of (%d, %d] gives %x, want %x", name, lo, hi, got.keys(), want)
		}
	}
	if m.keyed {
		m.checkFold(t, detail, folded)
	}
	if m.identity != nil {
		m.checkPairs(t, detail, false)
		m.checkPairs(t, folded, true)
	}
}

// checkPairs: what could be an update is one, of rows with one identity; in what is
// folded it may be of several commits.
func (m *model) checkPairs(t *rapid.T, rows []windowRow, folded bool) {
	keyLen := len(zset.AppendKey(nil, &batchOf([]row{{}}).Cols[0], 0)) * len(m.identity)
	left := map[string]*[2]int{}
	for i, r := range rows {
		switch r.op {
		case ChangeBefore: // an update that was written as one may be of any rows
			if next := rows[i+1]; next.op != ChangeAfter || next.tso != r.tso || next.lsn != r.lsn {
				t.Fatalf("rows %v and %v are no pair", r, next)
			}
		case ChangeInsert, ChangeDelete:
			k := r.row[:keyLen]
			if !folded {
				k = fmt.Sprint(r.tso, k)
			}
			if left[k] == nil {
				left[k] = &[2]int{}
			}
			left[k][r.op]++
		}
	}
	for k, n := range left {
		if *n == [2]int{1, 1} {
			t.Fatalf("a row with %x went and one came, and they are no pair: %v", k, rows)
		}
	}
}

// checkFold: what is folded is what a reader of the detail would have folded.
func (m *model) checkFold(t *rapid.T, detail, folded []windowRow) {
	type state struct{ start, end, last string }
	byKey := map[string]*state{}
	keyLen := len(zset.AppendKey(nil, &batchOf([]row{{}}).Cols[0], 0))
	for _, r := range detail {
		k := r.row[:keyLen]
		s := byKey[k]
		gone := r.op == ChangeDelete || r.op == ChangeBefore
		if s == nil {
			s = &state{}
			if byKey[k] = s; gone {
				s.start = r.row
			}
		}
		if s.end = r.row; gone {
			s.end = ""
		}
		s.last = fmt.Sprint(r.tso, r.lsn)
	}
	seen := map[string]int{}
	for _, r := range folded {
		k := r.row[:keyLen]
		s := byKey[k]
		seen[k]++
		want := map[bool]string{true: s.start, false: s.end}[r.op == ChangeDelete || r.op == ChangeBefore]
		pair := r.op == ChangeBefore || r.op == ChangeAfter
		if r.row != want || pair != (s.start != "" && s.end != "") || fmt.Sprint(r.tso, r.lsn) != s.last {
			t.Fatalf("%x is folded to %v", k, r)
		}
	}
	for k, s := range byKey {
		want := 0
		for _, side := range []string{s.start, s.end} {
			if side != "" {
				want++
			}
		}
		if seen[k] != want {
			t.Fatalf("key %x: %d rows of %+v", k, seen[k], *s)
		}
	}
}

func truncated(r *Relation, lo, hi TSO) bool {
	c := r.Records(lo, hi)
	for {
		recs, err := c.Next(ctx)
		if err != nil {
			return false
		}
		for _, rec := range recs {
			if rec.Op == OpTruncate {
				return true
			}
		}
	}
}

// TestWindowTruncated: of what a truncation took, and of what was before it, a
// window shows nothing, wherever in its commit it stands.
func TestWindowTruncated(t *testing.T) {
	s := mustOpen(t, vfs.NewMem(), Options{})
	defer mustClose(t, s)
	r := createTable(t, s, "t", []int{0})
	commit := func(ops []Op, dead []Addr, rows ...row) TSO {
		ch := &Change{Rel: r.ID(), Ops: ops, Dead: dead}
		if len(rows) > 0 {
			ch.Rows = batchOf(rows)
		}
		return mustCommit(t, s, &Commit{Changes: []*Change{ch}})
	}
	first := commit([]Op{OpInsert, OpInsert}, nil, row{id: 1}, row{id: 2})
	last := commit([]Op{OpInsert, OpTruncate, OpTruncate, OpTruncate, OpInsert, OpInsert, OpDelete},
		[]Addr{0, 1, Own(0), Own(1)}, row{id: 3}, row{id: 1}, row{id: 4})
	for _, mode := range []WindowMode{MinDelta, Detail, AppendOnly} {
		want := map[WindowMode]int{MinDelta: 1, Detail: 3, AppendOnly: 2}[mode]
		for _, lo := range []TSO{0, first} {
			got := readWindow(t, r, Window{lo, last, mode})
			if len(got) != want {
				t.Fatalf("mode %d from %d: %v", mode, lo, got)
			}
		}
		if got := readWindow(t, r, Window{0, first, mode}); len(got) != 2 {
			t.Fatalf("mode %d before the truncation: %v", mode, got)
		}
	}
}
