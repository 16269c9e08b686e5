package runtime

import (
	"encoding/json"
	"time"

	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// View is an opened materialized view: its plans compiled and its operator state
// in memory, both when first needed. One goroutine at a time.
type View struct {
	store *storage.Store
	obj   *storage.Object
	clock func() time.Time

	ins               []storage.ID // the relations that it reads, each once
	inc, full         *delta.Plan  // inc is nil where the view is not incremental
	incTask, fullTask *task
	states            *states // nil: not in memory
	offsets           storage.Offsets
	built             bool
	stale             string // why the stored state cannot be used; "": it can
	oldStates         int    // states that the store holds for the view
	budget            *zset.Budget
	mem               *memory
	last              *Step     // computed, not committed yet
	heir              *heritage // what the next build goes on with; nil: nothing
}

// metaState is the number of the state that says by which plan the others were built.
const metaState = 0

// stateGen is the generation of all states: a rebuild replaces them in the
// commit that publishes it.
const stateGen = 1

// OpenView opens a view that exists, or is about to. full is the from-empty plan
// and inc that of a step, nil if the view cannot be maintained incrementally.
// Where the stored plan has inc's fingerprint, it is used: its states are what
// the store holds (I7).
func OpenView(store *storage.Store, obj *storage.Object, inc, full *delta.Plan) (v *View, err error) {
	defer guard(&err)
	v = &View{store: store, obj: obj, inc: inc, full: full, clock: time.Now}
	for _, id := range full.Relations() {
		v.ins = append(v.ins, storage.ID(id))
	}
	v.offsets, v.built = store.Offsets(obj.ID)
	if !v.built {
		return v, nil
	}
	if inc == nil {
		return v, nil
	}
	var stored *delta.Plan
	var text []byte
	err = store.LoadState(v.metaID(), func(key, val []byte) error {
		if string(key) == "plan" {
			text = append(text[:0], val...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	stored = new(delta.Plan)
	if err := json.Unmarshal(text, stored); err != nil {
		v.stale = delta.CodePlanMismatch
		return v, nil
	}
	v.oldStates = len(stored.States)
	if stored.Fingerprint() != inc.Fingerprint() || !sameStates(stored.States, full.States) {
		v.stale = delta.CodePlanMismatch
		return v, nil
	}
	if !inc.Custom {
		v.inc = stored
	} else if !sameStates(stored.States, inc.States) {
		v.stale = delta.CodePlanMismatch
	}
	return v, nil
}

func sameStates(a, b []delta.State) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Kind != b[i].Kind || a[i].Path != b[i].Path {
			return false
		}
	}
	return true
}

func (v *View) metaID() storage.StateID {
	return storage.StateID{View: v.obj.ID, N: metaState, Gen: stateGen}
}

// Built reports whether the view was ever filled, and up to what.
func (v *View) Built() (storage.Offsets, bool) { return v.offsets, v.built }

// Stale is the code of what keeps the stored state from being used; "": nothing.
func (v *View) Stale() string { return v.stale }

// Behind is the name of an input whose retention has given up changes that the
// view has not read; "": none.
func (v *View) Behind() string {
	if !v.built {
		return ""
	}
	for id, lo := range v.offsets.Inputs {
		rel, err := v.store.Relation(id)
		if err != nil {
			continue // the step says so
		}
		o := rel.Object()
		if rel.Readable(lo) != nil || o.Retention.Unpinned && rel.ChangeCount(lo, min(rel.Expired(), v.store.Applied())) > 0 {
			return o.Name
		}
	}
	return ""
}

// Incremental reports whether there is a plan for a step.
func (v *View) Incremental() bool { return v.inc != nil }

// Account counts what the view holds, from step to step and while it computes
// one, against a budget (53200). Called once, before the first step, if at all.
func (v *View) Account(b *zset.Budget) { v.budget, v.mem = b, newMemory(b) }

// now is what now() means in a run at hi (I13), in microseconds since 1970.
func (v *View) now(hi storage.TSO) int64 { return hi.Time().UnixMicro() }

// Forget frees the memory of the view, state and tables; the next step loads
// the state again.
func (v *View) Forget() {
	v.states, v.incTask, v.fullTask, v.last = nil, nil, nil, nil
	v.mem.release()
}

// begin forgets a step that was never committed.
func (v *View) begin() {
	if v.last != nil {
		v.mem.drop(v.last)
		v.last = nil
	}
}

// failed drops the tables of a run that failed: they may be what was too large.
func (v *View) failed() {
	v.incTask, v.fullTask, v.last = nil, nil, nil
	v.mem.release()
	if v.states != nil {
		v.mem.force(stateMemory, v.states)
	}
}

// settled brings the account up to date after a commit.
func (v *View) settled(s *Step) {
	v.mem.drop(s)
	v.last = nil
	if s.root == v.fullTask {
		s.root.walk(func(t *task) {
			if h, ok := t.op.(holder); ok {
				v.mem.drop(h)
			}
		})
		v.fullTask = nil // its tables are large and seldom needed
	}
	if v.states != nil {
		v.mem.force(stateMemory, v.states)
	}
}

// stateMemory is what errors call the states of a view.
const stateMemory = "state of the view"

// MemBytes estimates the memory of the state.
func (v *View) MemBytes() int64 {
	if v.states == nil {
		return 0
	}
	return v.states.memBytes()
}

// ID is the view.
func (v *View) ID() storage.ID { return v.obj.ID }

// Inputs are the relations that the view reads, each once.
func (v *View) Inputs() []storage.ID { return v.inputs() }

// inputs are the relations that the view reads, each once.
func (v *View) inputs() []storage.ID { return v.ins }

// frontier is the base TSO that the view will stand for after a step to hi: hi,
// or where a source that is a view stands. Read before hi is fixed.
func (v *View) frontiers() map[storage.ID]storage.TSO {
	out := map[storage.ID]storage.TSO{}
	for _, in := range v.full.Inputs {
		if in.IsView {
			o, _ := v.store.Offsets(storage.ID(in.Rel))
			out[storage.ID(in.Rel)] = o.Frontier
		}
	}
	return out
}

func (v *View) reached(r *reads, parents map[storage.ID]storage.TSO) storage.Offsets {
	o := storage.Offsets{Inputs: map[storage.ID]storage.TSO{}, Frontier: r.hi, Gen: stateGen}
	for _, id := range v.inputs() {
		o.Inputs[id] = r.at(id)
		if f, ok := parents[id]; ok {
			o.Frontier = min(o.Frontier, f)
		}
	}
	return o
}

// replaceAll clears the states that a plan before this one had beyond n.
func (v *View) clearStates(from int, out []storage.StateChange) []storage.StateChange {
	for i := from; i < v.oldStates; i++ {
		out = append(out, storage.StateChange{ID: stateID(v.obj.ID, i, stateGen), Replace: true})
	}
	return out
}

// meta is the state change that records the plan.
func (v *View) meta() (storage.StateChange, error) {
	c := storage.StateChange{ID: v.metaID(), Replace: true}
	if v.inc == nil {
		return c, nil
	}
	text, err := json.Marshal(v.inc)
	if err != nil {
		return c, err
	}
	c.Keys.Append([]byte("plan"))
	c.Vals.Append(text)
	return c, nil
}

// expand appends the rows of b to dst as often as their weights say, which are
// positive.
func expand(dst, b *zset.Batch) {
	if b.W == nil {
		dst.Append(b)
		return
	}
	var idx []int32
	for i, w := range b.W {
		for range w {
			idx = append(idx, int32(i))
		}
	}
	for c := range b.Cols {
		dst.Cols[c].AppendTake(&b.Cols[c], idx)
	}
	dst.N += len(idx)
}
