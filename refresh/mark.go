package refresh

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/ivmc/ivmc/runtime"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// Mark is what a verification found of a view that is not what its definition
// says. It stays until the view is computed anew: rows that were wrong once come of
// a state that may be wrong still.
type Mark struct {
	At        time.Time   `json:"at"`
	Frontier  storage.TSO `json:"frontier"` // what the view stood for
	Differing int64       `json:"differing"`
	// Rows are up to 20 of those that differ: "+" and how often it is missing, "-"
	// and how often it is too much, then the cells.
	Rows []string `json:"rows"`
}

// marks are the marks of all views, read once.
type marks struct {
	once sync.Once
	mu   sync.Mutex
	of   map[storage.ID]*Mark
}

// Marked is the mark of a view; nil: there is none.
func (e *Engine) Marked(id storage.ID) *Mark {
	m := &e.marks
	m.once.Do(func() {
		found := map[storage.ID]*Mark{}
		for _, obj := range e.store.Catalog().Objects() {
			if obj.Kind != storage.View {
				continue
			}
			_ = e.store.Notes(obj.ID, noteMark, func(_ uint64, val []byte) error { // a damaged one is found by a check
				k := new(Mark)
				if json.Unmarshal(val, k) == nil {
					found[obj.ID] = k
				}
				return nil
			})
		}
		m.mu.Lock()
		m.of = found
		m.mu.Unlock()
	})
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.of[id]
}

func (e *Engine) setMark(id storage.ID, k *Mark) {
	e.Marked(id)
	m := &e.marks
	m.mu.Lock()
	defer m.mu.Unlock()
	if k == nil {
		delete(m.of, id)
		return
	}
	m.of[id] = k
}

// mark remembers that a view is wrong, with the evidence. What cannot be stored is
// remembered until the store is closed.
func (e *Engine) mark(id storage.ID, rep *VerifyReport, now time.Time) {
	k := &Mark{At: now.UTC(), Frontier: rep.Frontier, Differing: rep.Differing}
	for i := range rep.Diff.N {
		k.Rows = append(k.Rows, DiffLine(rep.Diff, i))
	}
	e.setMark(id, k)
	if text, err := json.Marshal(k); err == nil {
		_ = e.store.PutNotes([]storage.Note{{Object: id, Kind: noteMark, Value: text}})
	}
}

// most of the evidence that goes into the detail of a refresh.
const detailRows = 3

func (k *Mark) text() string {
	s := fmt.Sprintf("a verification found %d rows that differ", k.Differing)
	if rows := k.Rows[:min(detailRows, len(k.Rows))]; len(rows) > 0 {
		s += ": " + strings.Join(rows, ", ")
	}
	return s
}

// mostCells is how many bytes of a row the evidence shows.
const mostCells = 300

// DiffLine is row i of a difference as text.
func DiffLine(b *zset.Batch, i int) string {
	line := []byte{'+'}
	if b.Weight(i) < 0 {
		line[0] = '-'
	}
	line = fmt.Appendf(line, "%d", max(b.Weight(i), -b.Weight(i)))
	for c := range b.Cols {
		line = append(line, '|')
		if b.Cols[c].IsNull(i) {
			line = append(line, "NULL"...)
			continue
		}
		if line = zset.AppendText(line, &b.Cols[c], i); len(line) > mostCells {
			return strings.ToValidUTF8(string(line[:mostCells]), "") + ".."
		}
	}
	return strings.ToValidUTF8(string(line), "?")
}

// VerifySample is [Engine.Verify] of one part of many of the rows, which are dealt out
// by their hashes: it reads as much and holds that part alone. The parts of one view
// follow each other, so that after as many calls as there are parts all its rows
// were looked at. One part is all of them.
func (e *Engine) VerifySample(ctx context.Context, id storage.ID, parts int) (*VerifyReport, error) {
	if parts < 1 {
		return nil, zset.Errorf("22023", -1, "a view has at least one part, not %d", parts)
	}
	if parts == 1 {
		return e.Verify(ctx, id)
	}
	e.mu.Lock()
	n := e.sampled[id]
	e.sampled[id] = n + 1
	e.mu.Unlock()
	return e.verify(ctx, id, &runtime.Sample{Part: n % uint64(parts), Of: uint64(parts)})
}
