package refresh

import "github.com/ivmc/ivmc/storage"

// Believe sets what a visit of a complete refresh and one of a step of a view are
// held to take, in nanoseconds.
func (e *Engine) Believe(id storage.ID, full, step float64) {
	c := &e.known(id).past.costs
	c.build, c.full = full, full
	for i := range c.steps {
		c.steps[i] = step
	}
}
