package zset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"testing"

	"pgregory.net/rapid"
)

// keysOfStrings makes a Keys of strings.
func keysOfStrings(ss ...string) *Keys {
	k := &Keys{}
	k.Reset()
	for _, s := range ss {
		k.Append([]byte(s))
	}
	return k
}

// checkTable holds t against a map from key to id, and ids against each other.
func checkTable(t *rapid.T, tab *KeyTable, model map[string]uint32) {
	if tab.Len() != len(model) {
		t.Fatalf("%d keys, want %d", tab.Len(), len(model))
	}
	seen := map[uint32]bool{}
	for s, id := range model {
		if got := tab.FindKey([]byte(s)); got != id {
			t.Fatalf("%q has id %d, want %d", s, got, id)
		}
		if !bytes.Equal(tab.Key(id), []byte(s)) {
			t.Fatalf("id %d is %q, want %q", id, tab.Key(id), s)
		}
		if seen[id] || int(id) >= tab.Cap() {
			t.Fatalf("id %d twice, or not below %d", id, tab.Cap())
		}
		seen[id] = true
	}
	empty := 0
	for _, s := range tab.slots {
		if s == 0 {
			empty++
		}
	}
	if empty*4 < len(tab.slots) {
		t.Fatalf("%d of %d slots empty: probes may not end", empty, len(tab.slots))
	}
}

func TestKeyTableAgainstMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tab := NewKeyTable(rapid.IntRange(0, 40).Draw(t, "hint"))
		model := map[string]uint32{}
		word := rapid.Custom(func(t *rapid.T) string {
			n := rapid.IntRange(0, 300).Draw(t, "word")
			s := fmt.Sprint(n)
			if n%50 == 0 {
				s += string(make([]byte, n)) // lengths of two bytes
			}
			return s
		})
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				s := word.Draw(t, "s")
				id, added := tab.AddKey([]byte(s))
				if want, there := model[s]; there == added || there && want != id {
					t.Fatalf("%q: id %d added %t, want %d", s, id, added, want)
				}
				model[s] = id
			},
			"batch": func(t *rapid.T) {
				ss := rapid.SliceOfN(word, 0, 300).Draw(t, "ss")
				k := keysOfStrings(ss...)
				ids := make([]uint32, len(ss))
				tab.Find(k, ids)
				for i, s := range ss {
					want, there := model[s]
					if !there {
						want = NoID
					}
					if ids[i] != want {
						t.Fatalf("find %q: %d, want %d", s, ids[i], want)
					}
				}
				tab.FindOrAdd(k, ids)
				for i, s := range ss {
					if want, there := model[s]; there && want != ids[i] {
						t.Fatalf("add %q: %d, want %d", s, ids[i], want)
					}
					model[s] = ids[i]
				}
			},
			"delete": func(t *rapid.T) {
				for s, id := range model {
					if rapid.Bool().Draw(t, "this") {
						tab.Delete(id)
						tab.Delete(id) // the second time is nothing
						delete(model, s)
						if tab.FindKey([]byte(s)) != NoID || tab.Key(id) != nil {
							t.Fatalf("%q is still there", s)
						}
					}
				}
			},
			"reset": func(t *rapid.T) {
				if rapid.IntRange(0, 9).Draw(t, "really") == 0 {
					tab.Reset()
					clear(model)
				}
			},
			"": func(t *rapid.T) { checkTable(t, tab, model) },
		})
	})
}

// Keys that come and go for long leave neither garbage nor slow probes.
func TestKeyTableChurn(t *testing.T) {
	tab := NewKeyTable(0)
	var key [9]byte
	var first uint32
	for i := range 1_000_000 {
		binary.BigEndian.PutUint64(key[1:], uint64(i))
		id, _ := tab.AddKey(key[:])
		if i == 0 {
			first = id
			continue
		}
		if i > 100 {
			binary.BigEndian.PutUint64(key[1:], uint64(i-100))
			tab.Delete(tab.FindKey(key[:]))
		}
	}
	if tab.Len() != 101 || tab.Cap() > 110 {
		t.Errorf("%d keys, ids to %d", tab.Len(), tab.Cap())
	}
	if m := tab.MemBytes(); m > 1<<20 {
		t.Errorf("101 keys hold %d bytes", m)
	}
	if k := tab.Key(first); k == nil || binary.BigEndian.Uint64(k[1:]) != 0 {
		t.Errorf("the id of the oldest key changed: % x", k)
	}
}

// Records fill many blocks, some of them longer than a block.
func TestKeyTableBlocks(t *testing.T) {
	tab := NewKeyTable(0)
	for round := range 3 {
		for i := range 3000 {
			n := i
			if i%1000 == 500 {
				n = blockSize + i
			}
			key := append(binary.BigEndian.AppendUint32(nil, uint32(i)), make([]byte, n)...)
			if id, added := tab.AddKey(key); id != uint32(i) || !added {
				t.Fatalf("round %d: key %d has id %d, added %t", round, i, id, added)
			}
		}
		for i := range 3000 {
			k := tab.Key(uint32(i))
			if binary.BigEndian.Uint32(k) != uint32(i) || tab.FindKey(k) != uint32(i) {
				t.Fatalf("round %d: id %d is lost", round, i)
			}
		}
		if len(tab.block) < 5 {
			t.Fatalf("%d blocks", len(tab.block))
		}
		tab.Reset()
	}
}

func TestKeyTableEqualHashes(t *testing.T) {
	k := keysOfStrings("a", "b", "c", "a")
	for i := range k.Hash {
		k.Hash[i] = 42 // hashes decide nothing
	}
	tab := NewKeyTable(0)
	ids := make([]uint32, 4)
	tab.FindOrAdd(k, ids)
	tab.Find(k, ids)
	tab.FindOrAdd(k, ids)
	if ids[0] != 0 || ids[1] != 1 || ids[2] != 2 || ids[3] != 0 {
		t.Errorf("ids %v", ids)
	}
}

// benchKeys is n keys of 9 bytes in batches of 4096; other values of step, prime
// to n, give the same keys in another order.
func benchKeys(n, step int) []*Keys {
	var out []*Keys
	for lo := 0; lo < n; lo += 4096 {
		c := NewColumn(TInt8, 4096)
		for i := lo; i < min(lo+4096, n); i++ {
			c.AppendI64(int64(mix(uint64(i*step%n)^hashA, hashB)))
		}
		k := &Keys{}
		k.EncodeKeys([]Column{c}, c.Len())
		out = append(out, k)
	}
	return out
}

func BenchmarkKeyTable(b *testing.B) {
	sizes := []int{100_000, 1_000_000}
	if os.Getenv("ZSET_BENCH_LARGE") != "" {
		sizes = append(sizes, 10_000_000)
	}
	for _, n := range sizes {
		batches, order := benchKeys(n, 1), benchKeys(n, 7_654_321)
		ids := make([]uint32, 4096)
		insert := func(hint int) *KeyTable {
			t := NewKeyTable(hint)
			for _, k := range batches {
				t.FindOrAdd(k, ids)
			}
			return t
		}
		run := func(name string, f func()) {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) { measure(b, n, f) })
		}
		run("insert", func() { insert(0) })
		run("insertPresized", func() { insert(n) })
		t := insert(0)
		b.Logf("%d keys: %.1f bytes a key", n, float64(t.MemBytes())/float64(n))
		run("find", func() {
			for _, k := range order {
				t.Find(k, ids)
			}
		})
		run("findOne", func() {
			for _, k := range order {
				for i := range k.Len() {
					ids[i] = t.FindKey(k.Key(i))
				}
			}
		})
		var m map[string]uint32
		run("mapInsert", func() {
			m = map[string]uint32{}
			for _, k := range batches {
				for i := range k.Len() {
					if _, ok := m[string(k.Key(i))]; !ok {
						m[string(k.Key(i))] = uint32(len(m))
					}
				}
			}
		})
		run("mapFind", func() {
			for _, k := range order {
				for i := range k.Len() {
					ids[i] = m[string(k.Key(i))]
				}
			}
		})
	}
}
