package storage

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// scripted is a store that went through the script of the crash tests, open again.
func scripted(t *testing.T) *Store {
	fs := vfs.NewMem()
	s, err := Open("db", scriptOptions(fs))
	if err != nil {
		t.Fatal(err)
	}
	script(s, func(do func() error) bool { return do() == nil })
	mustClose(t, s)
	return mustOpen(t, fs, Options{MergeFan: -1})
}

func check(t *testing.T, s *Store) *CheckReport {
	t.Helper()
	rep, err := s.Check(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// TestCheck: a sound store has no fault, cold and loaded; one flipped bit in any
// block is one, with the name of what it belongs to.
func TestCheck(t *testing.T) {
	s := scripted(t)
	defer mustClose(t, s)
	rep := check(t, s)
	if len(rep.Faults) > 0 || rep.Blocks == 0 || rep.Versions == 0 || rep.Bytes == 0 {
		t.Fatalf("%+v", rep)
	}
	dumpRows(t, s)
	if rep := check(t, s); len(rep.Faults) > 0 {
		t.Fatalf("loaded: %+v", rep)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, sec := range []byte{secOffsets, secHorizon, secLog, secImage, secRun, secState} {
		var keys, vals [][]byte
		_ = s.each(sec, func(k, v []byte) error {
			keys, vals = append(keys, append([]byte{}, k...)), append(vals, append([]byte{}, v...))
			return nil
		})
		for i, v := range vals {
			bad := append([]byte{}, v...)
			bad[rng.IntN(len(bad))] ^= 1 << rng.IntN(8)
			put(t, s, keys[i], bad)
			rep := check(t, s)
			if len(rep.Faults) == 0 {
				t.Errorf("key %x: no fault", keys[i])
			}
			if named := sec == secOffsets || rep.Faults[0].Object != ""; !named {
				t.Errorf("key %x: %+v", keys[i], rep.Faults)
			}
			put(t, s, keys[i], v)
		}
	}
	if rep := check(t, s); len(rep.Faults) > 0 {
		t.Fatalf("%+v", rep)
	}
}

func put(t *testing.T, s *Store, k, v []byte) {
	t.Helper()
	if err := s.db.Set(k, v, pebble.NoSync); err != nil {
		t.Fatal(err)
	}
}

// TestCheckMeaning: blocks may be whole and still not fit each other.
func TestCheckMeaning(t *testing.T) {
	s := mustOpen(t, vfs.NewMem(), Options{})
	defer mustClose(t, s)
	r := createTable(t, s, "t", nil)
	rows := batchOf([]row{{id: 1, n: 1, sNull: true}, {id: 1, n: 2, sNull: true}, {id: 2, n: 3}})
	if _, err := s.Commit(ctx, &Commit{Changes: []*Change{{Rel: r.ID(), Ops: []Op{OpInsert, OpInsert, OpInsert}, Rows: rows}}}, CommitOptions{}); err != nil {
		t.Fatal(err)
	}
	object := func(change func(*Object)) []byte {
		o := *r.Object()
		o.Schema = append(o.Schema[:0:0], o.Schema...)
		change(&o)
		b, _ := json.Marshal(&o)
		return b
	}
	key := idKey(secObject, uint64(r.ID()))
	sound := object(func(*Object) {})
	for _, c := range []struct {
		key, val []byte
		want     string
	}{
		{key, object(func(o *Object) { o.Key = []int{0} }), `1 rows too many for the unique key "t_pkey"`},
		{key, object(func(o *Object) { o.Unique = []Unique{{"u", []int{2}}} }), ""},
		{key, object(func(o *Object) { o.Unique = []Unique{{"u", []int{0}}} }), `1 rows too many for the unique key "u"`},
		{key, object(func(o *Object) { o.Schema[2].NotNull = true }), `column "s" is NOT NULL and is NULL in 2 rows`},
		{key, []byte("{"), "catalog entry"},
		{idKey(secLog, 77), nil, ""},
		{logKey(77, 1, 0), []byte("x"), "log of relation 77, and no such relation"},
		{[]byte{0x99, 1}, []byte("x"), "key 9901 is of no section"},
		{idKey(secOffsets, 78), encodeOffsets(Offsets{}), "no such view"},
		{idKey(secOffsets, uint64(r.ID())), encodeOffsets(Offsets{Frontier: Never, Inputs: map[ID]TSO{79: 1}}), "frontier"},
		{idKey(secOffsets, uint64(r.ID())), encodeOffsets(Offsets{Inputs: map[ID]TSO{79: 1}}), "relation 79, which is not there"},
		{idKey(secOffsets, uint64(r.ID())), encodeOffsets(Offsets{Inputs: map[ID]TSO{r.ID(): Never}}), "behind the last commit"},
		{section(secLastTSO), make([]byte, 8), "and the last commit was 0"},
	} {
		before, err := s.get(c.key)
		if err != nil {
			t.Fatal(err)
		}
		if c.val == nil {
			continue
		}
		put(t, s, c.key, c.val)
		rep := check(t, s)
		text := ""
		for _, f := range rep.Faults {
			text += f.Object + ": " + f.Text + "\n"
		}
		if c.want == "" && text != "" || !strings.Contains(text, c.want) {
			t.Errorf("%x: %q, wanted %q", c.key, text, c.want)
		}
		if before == nil {
			_ = s.db.Delete(c.key, pebble.NoSync)
		} else {
			put(t, s, c.key, before)
		}
	}
	put(t, s, key, sound)
	if rep := check(t, s); len(rep.Faults) > 0 {
		t.Errorf("%+v", rep.Faults)
	}
}

// TestSize: rows are known without loading, as many as there are.
func TestSize(t *testing.T) {
	s := scripted(t)
	defer mustClose(t, s)
	for _, o := range s.Catalog().Objects() {
		z, err := s.Size(o.ID)
		if err != nil {
			t.Fatal(err)
		}
		if st, _ := s.Stats(o.ID); st.Loaded {
			t.Fatalf("%s was loaded", o.Name)
		}
		r, err := s.Relation(o.ID)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Rows(s.Applied()); got != z.Rows {
			t.Errorf("%s: %d rows, Size says %d", o.Name, got, z.Rows)
		}
		if z.Rows > 0 && z.LogBytes == 0 {
			t.Errorf("%s: %+v", o.Name, z)
		}
	}
}

// TestSince: what came after any commit is counted, and its first change found, the same
// cold and loaded.
func TestSince(t *testing.T) {
	s := scripted(t)
	defer mustClose(t, s)
	type at struct {
		id ID
		lo TSO
	}
	type found struct {
		n     int64
		first TSO
	}
	cold := map[at]found{}
	var commits []TSO
	for _, o := range s.Catalog().Objects() {
		_ = s.each(secLog, func(k, _ []byte) error { commits = append(commits, TSO(keyU64(k, 9)), TSO(keyU64(k, 9))-1); return nil })
		for _, lo := range append(commits, 0, s.Applied()) {
			n, err := s.Since(o.ID, lo)
			if err != nil {
				t.Fatal(err)
			}
			first, err := s.FirstChange(o.ID, lo)
			if err != nil {
				t.Fatal(err)
			}
			cold[at{o.ID, lo}] = found{n, first}
		}
	}
	dumpRows(t, s)
	some := 0
	for k, c := range cold {
		m, err := s.Since(k.id, k.lo)
		if err != nil || m != c.n {
			t.Errorf("relation %d after %d: %d, loaded %d, %v", k.id, k.lo, c.n, m, err)
		}
		first, err := s.FirstChange(k.id, k.lo)
		if err != nil || first != c.first || (first > 0) != (m > 0) || first > 0 && first <= k.lo {
			t.Errorf("relation %d after %d: first change %d, loaded %d, of %d, %v", k.id, k.lo, c.first, first, m, err)
		}
		some += int(min(c.n, 1))
	}
	if some == 0 {
		t.Error("nothing was pending anywhere")
	}
}
