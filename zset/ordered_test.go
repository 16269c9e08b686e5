package zset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand"
	"slices"
	"sort"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// packKeys packs keys as a Keys.
func packKeys(keys [][]byte) *Keys {
	k := &Keys{Off: []uint32{0}}
	for _, b := range keys {
		k.Buf = append(k.Buf, b...)
		k.Off = append(k.Off, uint32(len(k.Buf)))
	}
	return k
}

// checkOrdered compares t with a map in every way there is to read it.
func checkOrdered(t *rapid.T, o *Ordered, want map[string]int64, probes []string) {
	keys := make([]string, 0, len(want))
	for k := range want {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	if o.Len() != len(keys) {
		t.Fatalf("len %d, want %d", o.Len(), len(keys))
	}
	i := 0
	for c := o.First(); c.Valid(); c.Next() {
		if i >= len(keys) || string(c.Key()) != keys[i] || c.Count() != want[keys[i]] {
			t.Fatalf("key %d is %q x %d, want of %d keys", i, c.Key(), c.Count(), len(keys))
		}
		i++
	}
	if i != len(keys) {
		t.Fatalf("walked %d keys, want %d", i, len(keys))
	}
	at := func(c OrderedCursor, i int, what, p string) {
		if in := i >= 0 && i < len(keys); c.Valid() != in || (in && string(c.Key()) != keys[i]) {
			t.Fatalf("%s(%q): valid %v", what, p, c.Valid())
		}
	}
	for _, p := range probes {
		i := sort.SearchStrings(keys, p)
		at(o.SeekGE([]byte(p)), i, "SeekGE", p)
		at(o.SeekLT([]byte(p)), i-1, "SeekLT", p)
		if got := o.Count([]byte(p)); got != want[p] {
			t.Fatalf("count of %q is %d, want %d", p, got, want[p])
		}
		first, last := -1, -1
		for j, k := range keys {
			if strings.HasPrefix(k, p) {
				if first < 0 {
					first = j
				}
				last = j
			}
		}
		at(o.FirstWith([]byte(p)), first, "FirstWith", p)
		at(o.LastWith([]byte(p)), last, "LastWith", p)
	}
	checkShape(t, o)
	c := o.LastWith(nil)
	for i := len(keys) - 1; i >= 0; i-- {
		at(c, i, "Prev", "")
		c.Prev()
	}
	if c.Valid() {
		t.Fatal("Prev goes on before the first key")
	}
}

// checkShape: no node is too large, and no leaf is empty but the last of all.
func checkShape(t interface{ Fatalf(string, ...any) }, o *Ordered) {
	for _, b := range o.kids {
		for _, l := range b.kids {
			if n := len(l.count); n > leafKeys || len(l.keys.buf) > 4*leafBytes || len(b.kids) > branchKids ||
				(n == 0 && len(o.kids)+len(b.kids) > 2) {
				t.Fatalf("a leaf of %d keys, %d bytes, one of %d", n, len(l.keys.buf), len(b.kids))
			}
		}
	}
}

func TestOrderedIsASortedMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Few letters make equal keys and shared prefixes, 0xff the carries of LastWith.
		letter := rapid.SampledFrom([]byte{0, 1, 'a', 0xfe, 0xff})
		key := rapid.OneOf(
			rapid.SliceOfN(letter, 0, 4),
			rapid.Map(rapid.Uint16(), func(u uint16) []byte { return binary.BigEndian.AppendUint16(nil, u) }),
			rapid.Map(rapid.IntRange(0, 40), func(i int) []byte { return bytes.Repeat([]byte{byte(i)}, leafBytes/(i%4+1)) }),
		)
		o, want := NewOrdered(), map[string]int64{}
		probes := []string{"", "\xff", "a", "\x00"}
		for range rapid.IntRange(1, 6).Draw(t, "rounds") {
			ks := rapid.SliceOfN(key, 0, 400).Draw(t, "keys")
			ws := rapid.SliceOfN(rapid.Int64Range(-2, 3), len(ks), len(ks)).Draw(t, "weights")
			if rapid.Bool().Draw(t, "drop") && len(want) > 0 { // delete about all: leaves and branches join
				n := 0
				for k, w := range want {
					if n++; n%17 == 0 {
						continue
					}
					ks, ws = append(ks, []byte(k)), append(ws, -w)
				}
			}
			if rapid.Bool().Draw(t, "sorted") {
				packed := packKeys(ks)
				order := make([]int32, len(ks))
				for i := range order {
					order[i] = int32(i)
				}
				slices.SortStableFunc(order, func(a, b int32) int { return bytes.Compare(ks[a], ks[b]) })
				after := make([]int64, len(ks))
				o.AddSorted(packed, order, ws, after)
				for _, i := range order {
					want[string(ks[i])] += ws[i]
					if got := want[string(ks[i])]; got != after[i] {
						t.Fatalf("count of %q after is %d, want %d", ks[i], after[i], got)
					}
				}
			} else {
				for i, k := range ks {
					want[string(k)] += ws[i]
					if got := o.Add(k, ws[i]); got != want[string(k)] {
						t.Fatalf("count of %q after is %d, want %d", k, got, want[string(k)])
					}
				}
			}
			for k, w := range want {
				if w == 0 {
					delete(want, k)
				}
			}
			for i, k := range ks {
				if i%9 == 0 {
					probes = append(probes, string(k), string(k)+"\x00")
				}
			}
			checkOrdered(t, o, want, probes[max(0, len(probes)-60):])
		}
	})
}

// Many keys: branches split and go; what is deleted gives its memory back.
func TestOrderedManyKeys(t *testing.T) {
	const n = 200_000
	o := NewOrdered()
	key := func(i int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(i)*2) }
	perm := rand.New(rand.NewSource(1)).Perm(n)
	for _, i := range perm {
		o.Add(key(i), 1)
	}
	if len(o.kids) < 4 {
		t.Fatalf("%d branches: the test misses the third level", len(o.kids))
	}
	full := o.MemBytes()
	for i := 1; i < n; i++ {
		if c := o.SeekGE(binary.BigEndian.AppendUint64(nil, uint64(i)*2-1)); !bytes.Equal(c.Key(), key(i)) {
			t.Fatalf("SeekGE before key %d is at %x", i, c.Key())
		}
	}
	for _, i := range perm[:n-10] {
		if got := o.Add(key(i), -1); got != 0 {
			t.Fatalf("count %d", got)
		}
	}
	if o.Len() != 10 || o.MemBytes() > full/20 {
		t.Fatalf("%d keys, %d bytes of %d", o.Len(), o.MemBytes(), full)
	}
	got := 0
	for c := o.First(); c.Valid(); c.Next() {
		got++
	}
	if got != 10 {
		t.Fatalf("walked %d keys", got)
	}
	for _, i := range perm[n-10:] {
		o.Add(key(i), -1)
	}
	if c := o.First(); o.Len() != 0 || c.Valid() || o.LastWith(nil).leaf != nil {
		t.Fatal("not empty")
	}
}

// Large sorted batches over many branches, in and out again.
func TestOrderedSortedBatches(t *testing.T) {
	const n = 90_000
	r := rand.New(rand.NewSource(3))
	o, want := NewOrdered(), make([]int64, n)
	key := func(i int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(i)) }
	for round, share := range []float64{0.6, 0.01, 0.5, 0.9, 0, 1, 0.01, 0} {
		var keys [][]byte
		var w, sum []int64
		gap := map[int]bool{} // the last key that may go before a branch
		for b := 1; b < len(o.kids); b++ {
			gap[int(binary.BigEndian.Uint32(o.low.key(b)))-1] = true
		}
		for i := range n {
			d := int64(0)
			switch {
			case share > 0 && i%2 == 0 && r.Float64() < share:
				d = 1 + r.Int63n(3)
			case share == 0 && i == 0: // the first branch stays
			case share == 0: // all others go, and new ones come where a branch has just gone
				if d = -want[i]; d == 0 && gap[i] {
					d = 7
				}
			}
			if d != 0 {
				want[i] += d
				keys, w, sum = append(keys, key(i)), append(w, d), append(sum, want[i])
			}
		}
		after := make([]int64, len(keys))
		o.AddSorted(packKeys(keys), nil, w, after)
		if !slices.Equal(after, sum) {
			t.Fatalf("round %d: counts after are wrong", round)
		}
		checkShape(t, o)
		c, live := o.First(), 0
		for i := range n {
			if want[i] == 0 {
				continue
			}
			live++
			if !c.Valid() || !bytes.Equal(c.Key(), key(i)) || c.Count() != want[i] {
				t.Fatalf("round %d: key %d is missing", round, i)
			}
			if o.Count(key(i)) != want[i] {
				t.Fatalf("round %d: key %d is not found", round, i)
			}
			c.Next()
		}
		c = o.LastWith(nil)
		for i := n - 1; i >= 0; i-- {
			if want[i] == 0 {
				continue
			}
			if !c.Valid() || !bytes.Equal(c.Key(), key(i)) {
				t.Fatalf("round %d: key %d is missing on the way back", round, i)
			}
			c.Prev()
		}
		if c.Valid() || o.Len() != live {
			t.Fatalf("round %d: %d keys, want %d", round, o.Len(), live)
		}
	}
}

// orderedKeys is n distinct keys of 20 bytes, in the order of a group and a value.
func orderedKeys(n int) [][]byte {
	keys := make([][]byte, n)
	for i := range keys {
		k := fmt.Appendf(nil, "grp%04d\x00", i%1000)
		k = append(k, 1)
		k = binary.BigEndian.AppendUint64(k, uint64(i)*7919%1_000_003)
		keys[i] = append(k, 0, 0, 0)[:20]
	}
	return keys
}

func BenchmarkOrdered(b *testing.B) {
	for _, n := range []int{100_000, 1_000_000} {
		keys := orderedKeys(n)
		perm := rand.New(rand.NewSource(2)).Perm(n)
		name := func(s string) string { return fmt.Sprintf("%s/keys=%d", s, n) }
		b.Run(name("update"), func(b *testing.B) { // delete a key, insert another
			o := NewOrdered()
			for _, k := range keys[:n/2] {
				o.Add(k, 1)
			}
			have := make([]bool, n)
			for i := range n / 2 {
				have[i] = true
			}
			b.ReportMetric(float64(o.MemBytes())/float64(n/2), "B/key")
			b.ResetTimer()
			for i := range b.N {
				j := perm[i%n]
				w := int64(1)
				if have[j] {
					w = -1
				}
				have[j] = !have[j]
				o.Add(keys[j], w)
			}
		})
		b.Run(name("sorted"), func(b *testing.B) { // batches of 4096 in order, in and out again
			o := NewOrdered()
			for _, k := range keys[:n/2] {
				o.Add(k, 1)
			}
			var batch [][]byte
			for _, j := range perm[:4096] {
				batch = append(batch, keys[j])
			}
			slices.SortFunc(batch, bytes.Compare)
			k := packKeys(batch)
			w := make([]int64, k.Len())
			b.ResetTimer()
			for i := 0; i < b.N; i += k.Len() {
				d := int64(1)
				if i/k.Len()%2 == 1 {
					d = -1
				}
				for j := range w {
					w[j] = d
				}
				o.AddSorted(k, nil, w, nil)
			}
		})
		b.Run(name("first"), func(b *testing.B) {
			o := NewOrdered()
			for _, k := range keys {
				o.Add(k, 1)
			}
			b.ResetTimer()
			for i := range b.N {
				if c := o.FirstWith(keys[perm[i%n]][:8]); !c.Valid() {
					b.Fatal("not there")
				}
			}
		})
	}
}
