package storage

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/ivmc/ivmc/zset"
	"pgregory.net/rapid"
)

// model is the naive meaning of one relation: its rows, with their addresses, at
// every TSO.
type model struct {
	name  string
	keyed bool
	// identity is that of the object.
	identity []int
	live     map[Addr]row
	n        Addr // versions so far
	at       []TSO
	bags     []bag
	recs     []int // records of each commit
	gone     TSO   // the horizon
	pins     map[TSO]func()
}

// lastBy is the last commit that wrote m at or before t.
func (m *model) lastBy(t TSO) (last TSO) {
	for i, at := range m.at {
		if at <= t && m.recs[i] > 0 {
			last = at
		}
	}
	return last
}

// reclaim gives the history up to some TSO up, as far as pins allow.
func (m *model) reclaim(t *rapid.T, s *Store, rel ID) {
	want := m.at[rapid.IntRange(0, len(m.at)-1).Draw(t, "horizon")]
	want += TSO(rapid.IntRange(0, 1).Draw(t, "beyond"))
	h, err := s.Reclaim(ctx, rel, want)
	for at := range m.pins {
		want = min(want, at)
	}
	m.gone = max(m.gone, m.lastBy(want))
	if err != nil || h != m.gone {
		t.Fatalf("%s: horizon %d, want %d: %v", m.name, h, m.gone, err)
	}
}

// pin keeps a TSO that is still there, or lets one go.
func (m *model) pin(t *rapid.T, s *Store, rel ID) {
	at := m.at[rapid.IntRange(0, len(m.at)-1).Draw(t, "pinned")]
	if release := m.pins[at]; release != nil {
		release()
		delete(m.pins, at)
	} else if at >= m.gone {
		m.pins[at] = s.PinLog(rel, at)
	}
}

// checkGone looks below the horizon.
func (m *model) checkGone(t *rapid.T, r *Relation, at TSO) {
	_, e1 := r.Scan(at, nil, false).Next(ctx)
	_, e2 := r.Changes(at, at+1, nil).Next(ctx)
	_, e3 := r.Records(at, at+1).Next(ctx)
	for _, err := range []error{e1, e2, e3, r.Readable(at)} {
		if !errors.Is(err, ErrBelowHorizon) {
			t.Fatalf("%s read at %d, below the horizon %d: %v", m.name, at, m.gone, err)
		}
	}
}

func (m *model) bagNow() bag {
	b := bag{}
	for _, r := range m.live {
		b.add(batchOf([]row{r}))
	}
	return b
}

func (m *model) note(tso TSO, recs int) {
	m.at, m.bags, m.recs = append(m.at, tso), append(m.bags, m.bagNow()), append(m.recs, recs)
}

// bagAt is the rows at any TSO.
func (m *model) bagAt(t TSO) bag {
	b := bag{}
	for i, at := range m.at {
		if at <= t {
			b = m.bags[i]
		}
	}
	return b
}

func (m *model) hasKey(id int64) (Addr, bool) {
	for a, r := range m.live {
		if r.id == id {
			return a, true
		}
	}
	return 0, false
}

func drawRow(t *rapid.T, id int64) row {
	r := row{id: id, n: int64(rapid.IntRange(-2, 2).Draw(t, "n")), s: rapid.SampledFrom([]string{"", "a", "b\x00", "long text of a row"}).Draw(t, "s")}
	switch rapid.IntRange(0, 5).Draw(t, "null") {
	case 0:
		r.nNull, r.n = true, 0
	case 1:
		r.sNull, r.s = true, ""
	case 2:
		r.fNull = true
	case 3:
		r.f = []float64{0, 1.5, -1e300}[rapid.IntRange(0, 2).Draw(t, "f")]
	}
	return r
}

// change draws records for m and applies them to it; the result is what Commit
// gets. Records may meet rows of the same change, but not those of other changes
// of the same commit, which are the ones from `from` on.
func (m *model) change(t *rapid.T, rel ID, from Addr) *Change {
	base := m.n
	ch := &Change{Rel: rel}
	var rows []row
	own := map[Addr]int{}
	for range rapid.IntRange(1, 12).Draw(t, "records") {
		addrs := make([]Addr, 0, len(m.live))
		for a := Addr(0); a < m.n; a++ {
			if _, ok := m.live[a]; ok && (a < from || a >= base) {
				addrs = append(addrs, a)
			}
		}
		op := Op(rapid.IntRange(1, 3).Draw(t, "op"))
		if op == OpDelete && rapid.IntRange(0, 9).Draw(t, "truncate") == 0 {
			op = OpTruncate // of one row: the log does not mind
		}
		if len(addrs) == 0 {
			op = OpInsert
		}
		id := int64(rapid.IntRange(0, 30).Draw(t, "id"))
		var victim Addr
		if op.kills() {
			victim = addrs[rapid.IntRange(0, len(addrs)-1).Draw(t, "victim")]
			if rapid.Bool().Draw(t, "samekey") {
				id = m.live[victim].id
			}
		}
		if op.bears() && m.keyed {
			if a, ok := m.hasKey(id); ok && !(op == OpUpdate && a == victim) {
				continue
			}
		}
		if op.kills() {
			delete(m.live, victim)
			if i, mine := own[victim]; mine {
				ch.Dead = append(ch.Dead, Own(i))
			} else {
				ch.Dead = append(ch.Dead, victim)
			}
		}
		if op.bears() {
			r := drawRow(t, id)
			own[m.n] = len(rows)
			rows = append(rows, r)
			m.live[m.n] = r
			m.n++
		}
		ch.Ops = append(ch.Ops, op)
	}
	if len(rows) > 0 {
		ch.Rows = batchOf(rows)
	}
	return ch
}

// delta draws a Z-set that fits m, applies it, and gives it for Resolve.
func (m *model) delta(t *rapid.T) *zset.Batch {
	want := m.bagNow()
	d := bag{}
	for a, r := range m.live {
		if int(a)%3 == rapid.IntRange(0, 2).Draw(t, "rest") {
			b := bag{}
			b.add(batchOf([]row{r}))
			for k := range b {
				if want[k] > 0 {
					want[k]--
					d[k]--
				}
			}
		}
	}
	if !m.keyed {
		b := bag{}
		b.add(batchOf([]row{drawRow(t, 3)}))
		for k := range b {
			d[k] += int64(rapid.IntRange(1, 3).Draw(t, "copies"))
		}
	}
	out := zset.NewBatch(testSchema.Types(), len(d))
	for _, k := range d.keys() {
		if d[k] == 0 {
			continue
		}
		rest := []byte(k)
		for c := range out.Cols {
			rest, _ = zset.DecodeRow(rest, &out.Cols[c])
		}
		out.W = append(out.W, d[k])
		out.N++
	}
	out.Consolidated = true
	return out
}

// apply follows a resolved change in the model.
func (m *model) apply(ch *Change) {
	for _, a := range ch.Dead {
		delete(m.live, a)
	}
	if ch.Rows == nil {
		return
	}
	for i := range ch.Rows.N {
		c := ch.Rows.Cols
		m.live[m.n] = row{id: c[0].I64[i], n: c[1].I64[i], nNull: c[1].IsNull(i), s: string(c[2].Bytes(i)), sNull: c[2].IsNull(i), f: c[3].F64[i], fNull: c[3].IsNull(i)}
		m.n++
	}
}

func (m *model) check(t *rapid.T, s *Store, r *Relation) {
	pick := func(what string) TSO {
		return m.at[rapid.IntRange(0, len(m.at)-1).Draw(t, what)]
	}
	lo, hi := pick("lo"), pick("hi")
	if lo > hi {
		lo, hi = hi, lo
	}
	if rapid.Bool().Draw(t, "fromEmpty") {
		lo = 0
	}
	must := func(what string, got, want bag) {
		t.Helper()
		if fmt.Sprint(got.keys()) != fmt.Sprint(want.keys()) {
			t.Fatalf("%s %s at (%d, %d]: %x, want %x", m.name, what, lo, hi, got, want)
		}
		for k := range want {
			if got[k] != want[k] {
				t.Fatalf("%s %s at (%d, %d]: %x: %d, want %d", m.name, what, lo, hi, k, got[k], want[k])
			}
		}
	}
	if r.Horizon() != m.gone {
		t.Fatalf("%s: horizon %d, want %d", m.name, r.Horizon(), m.gone)
	}
	if lo < m.gone {
		m.checkGone(t, r, lo)
	}
	lo, hi = max(lo, m.gone), max(hi, m.gone)
	image := func(at TSO) bag { return drainR(t, r.Scan(at, nil, false)) }
	must("image", image(hi), m.bagAt(hi))
	must("old image", image(lo), m.bagAt(lo))
	d := bag{}
	for k, w := range m.bagAt(hi) {
		d[k] += w
	}
	for k, w := range m.bagAt(lo) {
		if d[k] -= w; d[k] == 0 {
			delete(d, k)
		}
	}
	must("changes", drainR(t, r.Changes(lo, hi, nil)), d)
	if got := r.Rows(hi); got != total(m.bagAt(hi)) {
		t.Fatalf("%d rows, want %d", got, total(m.bagAt(hi)))
	}
	m.checkRecords(t, r, lo, hi)
	m.checkWindows(t, r, lo, hi)
	if m.keyed {
		m.checkKeys(t, r, lo)
		m.checkKeys(t, r, hi)
	}
	m.checkLookup(t, r, lo, hi)
}

func total(b bag) (n int64) {
	for _, w := range b {
		n += w
	}
	return n
}

func drainR(t *rapid.T, c *Cursor) bag {
	b := bag{}
	for {
		batch, err := c.Next(ctx)
		if errors.Is(err, io.EOF) {
			return b
		}
		if err != nil {
			t.Fatal(err)
		}
		b.add(batch)
	}
}

// checkRecords replays the raw log onto the image at lo.
func (m *model) checkRecords(t *rapid.T, r *Relation, lo, hi TSO) {
	got, n, want := drainR(t, r.Scan(lo, nil, false)), 0, 0
	for i, at := range m.at {
		if at > lo && at <= hi {
			want += m.recs[i]
		}
	}
	add := func(a Addr, w int64) {
		if a == NoAddr {
			return
		}
		b := zset.NewBatch(testSchema.Types(), 1)
		r.Gather([]Addr{a}, nil, b.Cols)
		b.N, b.W = 1, []int64{w}
		got.add(b)
	}
	c := r.Records(lo, hi)
	for {
		recs, err := c.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, rec := range recs {
			n++
			add(rec.Before, -1)
			add(rec.After, 1)
		}
	}
	if n != want {
		t.Fatalf("%d records in (%d, %d], want %d", n, lo, hi, want)
	}
	if w := m.bagAt(hi); fmt.Sprint(got.keys()) != fmt.Sprint(w.keys()) {
		t.Fatalf("records of (%d, %d] give %x, want %x", lo, hi, got, w)
	}
}

func (m *model) checkKeys(t *rapid.T, r *Relation, at TSO) {
	ids := zset.NewColumn(zset.TInt8, 31)
	for id := range int64(31) {
		ids.AppendI64(id)
	}
	var k zset.Keys
	k.EncodeKeys([]zset.Column{ids}, 31)
	out := make([]Addr, 31)
	r.FindKey(&k, at, out)
	b := zset.NewBatch(testSchema.Types(), 0)
	var found []Addr
	for _, a := range out {
		if a != NoAddr {
			found = append(found, a)
		}
	}
	r.Gather(found, nil, b.Cols)
	b.N = len(found)
	got := bag{}
	got.add(b)
	if want := m.bagAt(at); fmt.Sprint(got.keys()) != fmt.Sprint(want.keys()) {
		t.Fatalf("FindKey at %d gives %x, want %x", at, got, want)
	}
}

// checkLookup asks an arrangement by (n, s) for all its keys on both sides.
func (m *model) checkLookup(t *rapid.T, r *Relation, lo, hi TSO) {
	a, err := r.Arrange(Spec{ID: "n,s", Cols: []int{1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Advance(ctx, hi); err != nil {
		t.Fatal(err)
	}
	probe := zset.NewBatch([]zset.Type{zset.TInt8, zset.TText}, 0)
	for n := int64(-3); n <= 2; n++ {
		for _, s := range []string{"", "a", "b\x00", "long text of a row", "?"} {
			if n == -3 {
				probe.Cols[0].AppendNull()
			} else {
				probe.Cols[0].AppendI64(n)
			}
			if s == "?" {
				probe.Cols[1].AppendNull()
			} else {
				probe.Cols[1].AppendBytes([]byte(s))
			}
			probe.N++
		}
	}
	var k zset.Keys
	k.EncodeKeys(probe.Cols, probe.N)
	for _, at := range []TSO{lo, hi} {
		got := bag{}
		cur := LookupCursor{Nulls: true}
		for more := true; more; {
			var addrs []Addr
			_, addrs, more = a.Lookup(&k, at, &cur)
			b := zset.NewBatch(testSchema.Types(), 0)
			r.Gather(addrs, nil, b.Cols)
			b.N = len(addrs)
			got.add(b)
		}
		if want := m.bagAt(at); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("Lookup at %d gives %x, want %x", at, got, want)
		}
	}
}

// TestModel commits random changes to a keyed table and a bag, some refused, with
// reopening in between, and compares every kind of read with the naive model.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fs, clk := vfs.NewMem(), newClock()
		opts := Options{FS: fs, Clock: clk.Now, MergeFan: 2, NoSync: rapid.Bool().Draw(t, "nosync")}
		if rapid.Bool().Draw(t, "runs") {
			opts.RunBytes = 200
		}
		s, err := Open("db", &opts)
		if err != nil {
			t.Fatal(err)
		}
		models := []*model{{name: "k", keyed: true, live: map[Addr]row{}, pins: map[TSO]func(){}}, {name: "b", live: map[Addr]row{}, pins: map[TSO]func(){}}}
		ids := []ID{s.NewID(), s.NewID()}
		var cat []CatalogChange
		for i, m := range models {
			o := &Object{ID: ids[i], Kind: Table, Name: m.name, Schema: testSchema}
			if m.keyed {
				o.Key = []int{0}
			} else { // as a view may have; here it is not true, and nothing may depend on that
				o.Identity = rapid.SampledFrom([][]int{nil, {}, {0}}).Draw(t, "identity")
				m.identity = o.Identity
			}
			cat = append(cat, CatalogChange{Put: o})
		}
		tso, err := s.Commit(ctx, &Commit{Catalog: cat}, CommitOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range models {
			m.note(tso, 0)
		}
		rels := func() (out []*Relation) {
			for _, id := range ids {
				r, err := s.Relation(id)
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, r)
			}
			return out
		}
		t.Repeat(map[string]func(*rapid.T){
			"commit": func(t *rapid.T) {
				c := &Commit{}
				recs := make([]int, 2)
				for i, m := range models {
					if rapid.IntRange(0, 3).Draw(t, "touch") > 0 {
						from := m.n
						for range rapid.IntRange(1, 2).Draw(t, "changes") {
							ch := m.change(t, ids[i], from)
							recs[i] += len(ch.Ops)
							c.Changes = append(c.Changes, ch)
						}
					}
				}
				tso, err := s.Commit(ctx, c, CommitOptions{Sync: true})
				if err != nil {
					t.Fatal(err)
				}
				for i, m := range models {
					m.note(tso, recs[i])
				}
			},
			"resolve": func(t *rapid.T) {
				i := rapid.IntRange(0, 1).Draw(t, "which")
				m := models[i]
				ch, err := rels()[i].Resolve(m.delta(t), s.Applied())
				if err != nil {
					t.Fatal(err)
				}
				m.apply(ch)
				tso, err := s.Commit(ctx, &Commit{Changes: []*Change{ch}}, CommitOptions{})
				if err != nil {
					t.Fatal(err)
				}
				for j, m := range models {
					n := 0
					if i == j {
						n = len(ch.Ops)
					}
					m.note(tso, n)
				}
			},
			"refused": func(t *rapid.T) {
				m := models[0]
				if len(m.live) == 0 {
					t.Skip()
				}
				free := int64(0)
				for ; free < 31; free++ {
					if _, ok := m.hasKey(free); !ok {
						break
					}
				}
				for a, r := range m.live { // a row that is there, behind one that would do
					c := &Commit{Changes: []*Change{
						insert(rels()[1], row{id: 1}),
						{Rel: ids[0], Ops: []Op{OpInsert, OpInsert}, Rows: batchOf([]row{{id: free}, {id: r.id}})}}}
					if a%2 == 0 {
						c.Changes[1] = &Change{Rel: ids[0], Ops: []Op{OpDelete, OpDelete}, Dead: []Addr{a, a}}
					}
					if _, err := s.Commit(ctx, c, CommitOptions{}); err == nil {
						t.Fatal("accepted")
					}
					break
				}
			},
			"reclaim": func(t *rapid.T) {
				i := rapid.IntRange(0, 1).Draw(t, "which")
				models[i].reclaim(t, s, ids[i])
			},
			"pin": func(t *rapid.T) {
				i := rapid.IntRange(0, 1).Draw(t, "which")
				models[i].pin(t, s, ids[i])
			},
			"clock": func(t *rapid.T) {
				clk.pass(time.Duration(rapid.IntRange(-5, 5).Draw(t, "s")) * time.Second)
			},
			"reopen": func(t *rapid.T) {
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				last := models[0].at[len(models[0].at)-1]
				for _, m := range models {
					clear(m.pins)
				}
				if s, err = Open("db", &opts); err != nil {
					t.Fatal(err)
				}
				if s.Applied() != last {
					t.Fatalf("applied %d after reopening, want %d", s.Applied(), last)
				}
			},
			"": func(t *rapid.T) {
				for i, r := range rels() {
					models[i].check(t, s, r)
				}
			},
		})
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	})
}
