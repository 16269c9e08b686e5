package refresh

import (
	"context"
	"sync"
	"time"

	"github.com/ivmc/ivmc/runtime"
	"github.com/ivmc/ivmc/storage"
)

// Engine refreshes the views of one store. It is safe for concurrent use.
type Engine struct {
	store   *storage.Store
	planner Planner
	now     func() time.Time

	mu    sync.Mutex
	views map[storage.ID]*entry
}

// entry is one view: its lock is what serialises refreshes of it.
type entry struct {
	mu    sync.Mutex
	plans Plans
	view  *runtime.View // nil until first touched
	gone  bool          // dropped
}

// New returns the engine of a store. Views are opened when first touched.
func New(store *storage.Store, planner Planner) *Engine {
	return &Engine{store: store, planner: planner, now: time.Now, views: map[storage.ID]*entry{}}
}
