package session

import (
	"encoding/json"

	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/refresh"
	"github.com/ivmc/ivmc/storage"
)

// facts is what is asked of a view at every refresh: its definition without the
// plans, which are long. It is read once for every version of the object.
type facts struct {
	obj      *storage.Object
	Mode     refresh.Mode          `json:"mode"`
	Blockers []delta.Blocker       `json:"blockers"`
	Refs     map[string]storage.ID `json:"refs"`
	err      error
}

func (e *Engine) factsOf(obj *storage.Object) *facts {
	if f, ok := e.facts.Load(obj.ID); ok && f.(*facts).obj == obj {
		return f.(*facts)
	}
	f := &facts{obj: obj}
	f.err = json.Unmarshal(obj.Payload, f)
	e.facts.Store(obj.ID, f)
	return f
}

// refsOf is [refsOf], of one that cannot be read nothing: whoever refreshes it is told.
func (e *Engine) refsOf(obj *storage.Object) map[string]storage.ID {
	f := e.factsOf(obj)
	if f.err != nil {
		return nil
	}
	return f.Refs
}

// Configured is the mode that a view was made for.
func (p planner) Configured(obj *storage.Object) refresh.Mode { return p.engine.factsOf(obj).Mode }
