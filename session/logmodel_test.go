package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"pgregory.net/rapid"

	"github.com/ivmc/ivmc/storage"
)

// history makes random statements over the tables of [historyTables].
type history struct {
	*rapid.T
	added map[string][]string // columns that came, by table
	names int
}

const historyTables = `CREATE TABLE k(id INT PRIMARY KEY, v INT, CHECK (v < 40));
CREATE TABLE u(id INT, v INT) UNIQUE KEY(id);
CREATE TABLE c(id INT, v INT, PRIMARY KEY (v, id));
CREATE TABLE b(id INT, v INT);
INSERT INTO k VALUES (1,1), (2,1), (3,2), (4,NULL);
INSERT INTO u VALUES (2,2), (3,NULL), (5,1);
INSERT INTO c VALUES (1,2), (2,1), (2,2), (3,3);
INSERT INTO b VALUES (1,2), (1,2), (2,NULL), (NULL,3), (3,3);
CREATE MATERIALIZED VIEW m AS SELECT v, count(*) AS n, max(id) AS id FROM k GROUP BY v;
CREATE MATERIALIZED VIEW j AS SELECT k.id, b.v FROM k JOIN b ON k.id = b.id;
CREATE MATERIALIZED VIEW o AS SELECT n, count(*) AS c FROM m GROUP BY n;
`

// historyBases are the tables, historyViews the views.
var (
	historyBases = []string{"k", "u", "c", "b"}
	historyViews = []string{"m", "j", "o"}
)

func (h *history) table() string { return rapid.SampledFrom(historyBases).Draw(h.T, "table") }
func (h *history) n() int        { return rapid.IntRange(0, 6).Draw(h.T, "n") }

// value is a number, or NULL, which some tables refuse.
func (h *history) value() string {
	if n := rapid.IntRange(-1, 6).Draw(h.T, "value"); n >= 0 {
		return fmt.Sprint(n)
	}
	return "NULL"
}

// writes are the statements of a transaction; many of them fail, some half-way.
var historyWrites = []func(h *history) string{
	func(h *history) string {
		id := h.n()
		return fmt.Sprintf("INSERT INTO %s(id, v) VALUES (%d, %s), (%d, %s)", h.table(), id, h.value(), id+7, h.value())
	},
	func(h *history) string {
		return fmt.Sprintf("INSERT INTO %s(id, v) SELECT id + %d, v FROM %s", h.table(), h.n(), h.table())
	},
	func(h *history) string {
		return fmt.Sprintf("INSERT INTO %s(id, v) SELECT id + %d, 12 / (v - %d) FROM %s", h.table(), h.n(), h.n(), h.table())
	},
	func(h *history) string {
		return fmt.Sprintf("INSERT INTO %s(id, v) SELECT id, v FROM %s@incr('incrementType' = 'append_only')", h.table(), h.table())
	},
	func(h *history) string {
		return fmt.Sprintf("UPDATE %s SET v = %s WHERE id < %d", h.table(), h.value(), h.n())
	},
	func(h *history) string { return fmt.Sprintf("UPDATE %s SET id = id + %d", h.table(), h.n()) },
	func(h *history) string { return fmt.Sprintf("UPDATE %s SET id = 8 - id, v = v", h.table()) },
	func(h *history) string { return fmt.Sprintf("UPDATE %s SET v = id, id = v", h.table()) },
	func(h *history) string { return fmt.Sprintf("UPDATE %s SET v = 12 / (id - %d)", h.table(), h.n()) },
	func(h *history) string { return fmt.Sprintf("UPDATE %s SET v = v * %d", h.table(), h.n()) },
	func(h *history) string {
		t := h.table()
		return fmt.Sprintf("UPDATE %s SET v = x.v FROM %s x WHERE x.id = %s.id + %d", t, h.table(), t, h.n()%2)
	},
	func(h *history) string {
		return fmt.Sprintf("DELETE FROM %s WHERE id = %d OR v = %d", h.table(), h.n(), h.n())
	},
	func(h *history) string {
		t := h.table()
		return fmt.Sprintf("DELETE FROM %s USING %s x WHERE x.v = %s.id AND x.id > %d", t, h.table(), t, h.n())
	},
	func(h *history) string { return "TRUNCATE " + h.table() },
	func(h *history) string { return "TRUNCATE " + h.table() + ", " + h.table() },
	func(h *history) string {
		return fmt.Sprintf("INSERT INTO k(id, v) VALUES (%d, %s), (%d, 41 - %d) ON CONFLICT (id) DO UPDATE SET v = excluded.v + k.v, id = k.id + %d",
			h.n(), h.value(), h.n()+7, h.n(), h.n()%3)
	},
	func(h *history) string {
		return fmt.Sprintf("INSERT INTO %s(id, v) SELECT v, id FROM %s ON CONFLICT DO NOTHING", h.table(), h.table())
	},
}

// historyAlone are the statements outside of transactions.
var historyAlone = []func(h *history) string{
	func(h *history) string {
		t := h.table()
		h.names++
		name := fmt.Sprintf("w%d", h.names)
		h.added[t] = append(h.added[t], name)
		return fmt.Sprintf("ALTER TABLE %s ADD COLUMN %s %s", t, name, rapid.SampledFrom([]string{"INT DEFAULT 7", "TEXT", "TEXT NOT NULL DEFAULT 'x'"}).Draw(h.T, "type"))
	},
	func(h *history) string {
		t := h.table()
		h.names++
		if len(h.added[t]) == 0 {
			return "SELECT 1"
		}
		old := h.added[t][0]
		h.added[t][0] = fmt.Sprintf("w%d", h.names)
		return fmt.Sprintf("ALTER TABLE %s RENAME COLUMN %s TO w%d", t, old, h.names)
	},
	func(h *history) string {
		t := h.table()
		if len(h.added[t]) == 0 {
			return "SELECT 1"
		}
		return fmt.Sprintf("ALTER TABLE %s DROP COLUMN %s", t, h.added[t][0])
	},
	func(h *history) string {
		return fmt.Sprintf("REFRESH MATERIALIZED VIEW %s %s", rapid.SampledFrom(historyViews).Draw(h.T, "view"),
			rapid.SampledFrom([]string{"INCREMENTAL", "COMPLETE", "AUTO"}).Draw(h.T, "mode"))
	},
}

func (h *history) one(of []func(*history) string) string {
	return rapid.SampledFrom(of).Draw(h.T, "kind")(h)
}

// transaction is statements from BEGIN to its end, with savepoints.
func (h *history) transaction() []string {
	out := []string{"BEGIN"}
	for range rapid.IntRange(1, 6).Draw(h.T, "writes") {
		switch rapid.IntRange(0, 5).Draw(h.T, "savepoint") {
		case 0:
			out = append(out, "SAVEPOINT p")
		case 1:
			out = append(out, "ROLLBACK TO p")
		case 2:
			out = append(out, "SAVEPOINT p", h.one(historyWrites), "ROLLBACK TO p")
		default:
			out = append(out, h.one(historyWrites))
		}
	}
	return append(out, rapid.SampledFrom([]string{"COMMIT", "COMMIT", "ROLLBACK"}).Draw(h.T, "end"))
}

// epoch is the rows of a relation as they were once, in its columns of now.
type epoch struct {
	at   storage.TSO
	rows [][]string
}

// followed is a relation and what it went through.
type followed struct {
	name    string
	columns []string
	key     []int // nil: none
	moments []epoch
}

func cellsOf(text string) [][]string {
	var out [][]string
	if text != "" {
		for _, line := range strings.Split(text, "\n") {
			out = append(out, strings.Split(line, "|"))
		}
	}
	return out
}

func textOf(rows [][]string) string {
	var out []string
	for _, r := range rows {
		out = append(out, strings.Join(r, "|"))
	}
	return strings.Join(out, "\n")
}

// look notes the rows of now; the columns of older moments follow those of now.
func (f *followed) look(t testing.TB, e *Engine, s *Session) {
	obj, _ := e.store.Catalog().ByName(f.name)
	f.key = obj.Key
	names := make([]string, len(obj.Schema))
	for i, c := range obj.Schema {
		names[i] = c.Name
	}
	now := cellsOf(rows(t, s, "SELECT * FROM "+f.name))
	switch {
	case len(names) > len(f.columns) && f.columns != nil: // one was added
		fill := rows(t, s, fmt.Sprintf("SELECT coalesce(column_default, 'NULL') FROM information_schema.columns WHERE table_name = '%s' AND column_name = '%s'", f.name, names[len(names)-1]))
		fill = strings.Trim(strings.TrimSuffix(fill, "::text"), "'")
		for m := range f.moments {
			for r := range f.moments[m].rows {
				f.moments[m].rows[r] = append(f.moments[m].rows[r], fill)
			}
		}
	case len(names) < len(f.columns): // one was dropped
		at := 0
		for at < len(names) && names[at] == f.columns[at] {
			at++
		}
		for m := range f.moments {
			for r, cells := range f.moments[m].rows {
				f.moments[m].rows[r] = slices.Delete(cells, at, at+1)
			}
		}
	}
	f.columns = names
	f.moments = append(f.moments, epoch{e.store.Applied(), now})
}

// image is rows as they change: by key where there is one, and as a bag.
type image struct {
	key  []int
	keys map[string]string
	bag  bag
}

func imageOf(rows [][]string, key []int) *image {
	im := &image{key: key, keys: map[string]string{}, bag: bagOf(textOf(rows))}
	for _, r := range rows {
		im.keys[im.keyOf(r)] = strings.Join(r, "|")
	}
	return im
}

func (im *image) keyOf(cells []string) string {
	var k []string
	for _, c := range im.key {
		k = append(k, cells[c])
	}
	return strings.Join(k, "|")
}

// apply is one change by its operation code. Of a relation with a key, what comes
// must not be there, and what goes must be as it was.
func (im *image) apply(change []string) error {
	op, row := change[0], strings.Join(change[1:], "|")
	came := op == "0" || op == "3"
	if came {
		im.bag[row]++
	} else if im.bag[row]--; im.bag[row] < 0 {
		return fmt.Errorf("%s goes and is not there", row)
	}
	if im.bag[row] == 0 {
		delete(im.bag, row)
	}
	if im.key == nil {
		return nil
	}
	k := im.keyOf(change[1:])
	there, ok := im.keys[k]
	switch {
	case came && ok:
		return fmt.Errorf("%s comes over %s", row, there)
	case came:
		im.keys[k] = row
	case there != row:
		return fmt.Errorf("%s goes where %s is", row, there)
	default:
		delete(im.keys, k)
	}
	return nil
}

// folded is what MIN_DELTA has to show between two images and the changes of
// between, as a set.
func folded(from, to *image, changes [][]string) []string {
	var out []string
	add := func(op, row string) { out = append(out, op+"|"+row) }
	if from.key == nil {
		for row, n := range from.bag {
			for range n - to.bag[row] {
				add("1", row)
			}
		}
		for row, n := range to.bag {
			for range n - from.bag[row] {
				add("0", row)
			}
		}
	}
	seen := map[string]bool{}
	for _, c := range changes {
		k := from.keyOf(c[1:])
		if from.key == nil || seen[k] {
			continue
		}
		seen[k] = true
		old, was := from.keys[k]
		row, is := to.keys[k]
		switch {
		case was && is:
			add("2", old)
			add("3", row)
		case was:
			add("1", old)
		case is:
			add("0", row)
		}
	}
	slices.Sort(out)
	return out
}

// window reads a window of the log, in its order; gone: it is refused because the
// log begins later.
func (f *followed) window(t testing.TB, e *Engine, s *Session, lo, hi storage.TSO, mode string) (changes [][]string, gone bool) {
	query := fmt.Sprintf("SELECT __DORIS_BINLOG_OP__, * FROM %s@incr('startTSO' = '%d', 'endTSO' = '%d', 'incrementType' = '%s') ORDER BY __DORIS_BINLOG_TSO__, __DORIS_BINLOG_LSN__, 1",
		f.name, lo+1, hi+1, mode)
	rel, err := e.store.Relation(idOf(t, e, f.name))
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.Run(context.Background(), query)
	if err != nil {
		if All(err)[0].Code == "72000" && rel.Expired() > lo {
			return nil, true
		}
		t.Fatalf("%s: %s", query, describeError(err))
	}
	lines, err := cells(res.Rows)
	if err != nil {
		t.Fatal(err)
	}
	return cellsOf(strings.Join(lines, "\n")), false
}

// agree holds image a, the log, and image b against each other.
func (f *followed) agree(t testing.TB, e *Engine, s *Session, a, b, c epoch) {
	fail := func(format string, args ...any) {
		t.Helper()
		t.Fatalf("%s (%d, %d]: %s\nfrom\n%s\nto\n%s", f.name, a.at, c.at, fmt.Sprintf(format, args...), textOf(a.rows), textOf(c.rows))
	}
	all, gone := f.window(t, e, s, a.at, c.at, "detail")
	if gone {
		return
	}
	rel, err := e.store.Relation(idOf(t, e, f.name))
	if err != nil {
		t.Fatal(err)
	}
	from, to := imageOf(a.rows, f.key), imageOf(c.rows, f.key)
	if rel.LastTruncation(a.at, c.at) > 0 { // takes along what was before
		from = imageOf(nil, f.key)
	} else if got := rows(t, s, fmt.Sprintf("SELECT * FROM %s FOR VERSION AS OF %d", f.name, a.at)); fmt.Sprint(bagOf(got)) != fmt.Sprint(bagOf(textOf(a.rows))) {
		fail("as of the start there is\n%s", got)
	}
	im := imageOf(nil, f.key)
	for k := range from.keys {
		im.keys[k] = from.keys[k]
	}
	for row, n := range from.bag {
		im.bag[row] = n
	}
	for _, ch := range all {
		if err := im.apply(ch); err != nil {
			fail("%v, in\n%s", err, textOf(all))
		}
	}
	if fmt.Sprint(im.bag) != fmt.Sprint(to.bag) {
		fail("the log makes %v of it:\n%s", im.bag, textOf(all))
	}
	net, _ := f.window(t, e, s, a.at, c.at, "min_delta")
	got := strings.Split(textOf(net), "\n")
	if len(net) == 0 {
		got = nil
	}
	if f.key == nil { // pairs are a matter of words
		for i := range got {
			got[i] = map[byte]string{'0': "0", '1': "1", '2': "1", '3': "0"}[got[i][0]] + got[i][1:]
		}
	}
	slices.Sort(got)
	if want := folded(from, to, all); !slices.Equal(got, want) {
		fail("MIN_DELTA is\n%s\nwanted\n%s\nof\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"), textOf(all))
	}
	var inserts [][]string
	for _, ch := range all {
		if ch[0] == "0" {
			inserts = append(inserts, ch)
		}
	}
	if came, _ := f.window(t, e, s, a.at, c.at, "append_only"); textOf(came) != textOf(inserts) {
		fail("APPEND_ONLY is\n%s\nof\n%s", textOf(came), textOf(all))
	}
	// Windows that touch share nothing and leave nothing out.
	first, _ := f.window(t, e, s, a.at, b.at, "detail")
	second, _ := f.window(t, e, s, b.at, c.at, "detail")
	if rel.LastTruncation(b.at, c.at) > 0 {
		first = nil
	}
	if parts := textOf(append(first, second...)); parts != textOf(all) {
		fail("the windows up to %d and from there have\n%s\nand the whole has\n%s", b.at, parts, textOf(all))
	}
}

// drawn is a test whose failures are those of a random case, which is shrunk.
type drawn struct {
	testing.TB
	r *rapid.T
}

func (d drawn) Fatal(args ...any)                 { d.r.Fatal(args...) }
func (d drawn) Fatalf(format string, args ...any) { d.r.Fatalf(format, args...) }

// TestLogAndState: after every statement of a random history, what a relation was
// and its log make what it is. A statement that fails, and a transaction that is
// rolled back, log nothing. The log is reclaimed, and the store opened again, in
// between.
func TestLogAndState(tt *testing.T) {
	rapid.Check(tt, func(r *rapid.T) {
		t := drawn{tt, r}
		at := clockAt("2026-01-01 00:00:00")
		fs := vfs.NewMem()
		open := func() *Engine {
			e, err := Open("db", Options{FS: fs, NoSync: true, Clock: func() time.Time { return at }})
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
		e := open()
		defer func() { e.Close() }()
		s := e.Session()
		do(t, s, historyTables)
		var all []*followed
		for _, name := range append(slices.Clone(historyBases), historyViews...) {
			all = append(all, &followed{name: name})
		}
		h := &history{T: r, added: map[string][]string{}}
		look := func() {
			for _, f := range all {
				f.look(t, e, s)
			}
		}
		look()
		for range rapid.IntRange(3, 15).Draw(r, "steps") {
			var done []string
			switch rapid.IntRange(0, 11).Draw(r, "step") {
			case 0, 1, 2, 3, 10, 11:
				done = []string{h.one(historyWrites)}
			case 4, 5:
				done = []string{h.one(historyAlone)}
			case 6, 7:
				done = h.transaction()
			case 8:
				f := rapid.SampledFrom(all).Draw(r, "reclaimed")
				to := rapid.SampledFrom(f.moments).Draw(r, "to").at
				if _, err := e.store.Reclaim(context.Background(), idOf(t, e, f.name), to); err != nil {
					t.Fatal(err)
				}
				continue
			case 9:
				if err := e.Close(); err != nil {
					t.Fatal(err)
				}
				e = open()
				s = e.Session()
				continue
			}
			at = at.Add(time.Duration(rapid.IntRange(-900, 900).Draw(r, "ms")) * time.Millisecond)
			var err error
			for _, text := range done {
				var res *Result
				if res, err = s.Run(context.Background(), text); err == nil && res.Rows != nil {
					res.Rows.Close()
				}
			}
			look()
			for _, f := range all {
				n := len(f.moments)
				before, now := f.moments[n-2], f.moments[n-1]
				if err != nil && before.at != now.at {
					t.Fatalf("%v: %v, and something was committed", done, err)
				}
				f.agree(t, e, s, before, now, now)
			}
			f := rapid.SampledFrom(all).Draw(r, "relation")
			pick := func() int { return rapid.IntRange(0, len(f.moments)-1).Draw(r, "moment") }
			w := []int{pick(), pick(), pick()}
			slices.Sort(w)
			f.agree(t, e, s, f.moments[w[0]], f.moments[w[1]], f.moments[w[2]])
		}
	})
}
