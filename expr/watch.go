package expr

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
)

// Watch is how an evaluation hears of the end of its statement. It is asked
// between rows, and by the functions of one row that may take long, so that one
// expression over one long text ends as well. Evaluators share it: whoever runs
// them sets Ctx before each run.
type Watch struct {
	Ctx context.Context // nil: nothing ends it

	// Memory is told when the long cells that evaluations made take a MiB or so more
	// than before; its error (53200) ends the evaluation. nil: nothing is counted.
	Memory interface{ Grown(w *Watch) error }
	held   atomic.Int64

	// While constants are folded there is no statement yet: the work is bounded
	// instead, and what needs more is left for the run.
	folds bool
	polls int // that are left
	bytes int // a result may have
}

// stopped unwinds an evaluation, up to [Evaluator.Eval] or [Evaluator.Filter].
type stopped struct{ err error }

// errFold: a constant is left to be computed by the run.
var errFold = errors.New("too much work for a constant")

// poll ends the evaluation if its statement has ended.
func (w *Watch) poll() {
	switch {
	case w == nil || !w.over():
	case w.folds:
		panic(stopped{errFold})
	default:
		panic(stopped{w.Ctx.Err()})
	}
}

// over reports whether poll would end the evaluation; it counts as a poll.
func (w *Watch) over() bool {
	if w.folds {
		w.polls--
		return w.polls < 0
	}
	return w.Ctx != nil && w.Ctx.Err() != nil
}

// caught is the error of an evaluation that was stopped, in a deferred call.
func caught(err *error) {
	if p := recover(); p != nil {
		s, ok := p.(stopped)
		if !ok {
			panic(p)
		}
		*err = s.err
	}
}

// tickMask: so many small steps between two polls, less one.
const tickMask = 1<<12 - 1

// tick counts a small step of a row function: about as long as a match or a piece
// of text appended.
func (f *frame) tick() {
	if f.ticks++; f.ticks&tickMask == 0 {
		f.watch.poll()
	}
}

// step is tick of one that looks at n bytes.
func (f *frame) step(n int) {
	if n > pieceBytes {
		f.watch.poll()
	}
	f.tick()
}

// pieceBytes is how much of a text is worked on between two polls.
const pieceBytes = 1 << 16

// every masks the rows before which it is polled: each one where an argument may
// be long.
func (f *frame) every() int {
	for k := range f.args {
		if len(f.args[k].Buf) > pieceBytes {
			return 0
		}
	}
	return 1<<8 - 1
}

// MemBytes is what the columns of results take whose cells are long.
func (w *Watch) MemBytes() int64 { return w.held.Load() }

// heavy is how much a column of results grows between two questions whether it may.
const heavy = 1 << 20

// grow counts a column that is to hold some bytes, where it held others.
func (w *Watch) grow(from, to int) int {
	w.held.Add(int64(to - from))
	if w.Memory != nil {
		if err := w.Memory.Grown(w); err != nil {
			w.held.Add(int64(from - to))
			panic(stopped{err})
		}
	}
	return to
}

// room makes room for n more bytes of the result.
func (f *frame) room(n int) {
	f.bound(n)
	f.out.Buf = slices.Grow(f.out.Buf, n)
}

// bound says that the result may grow by n bytes.
func (f *frame) bound(n int) {
	w, need := f.watch, len(f.out.Buf)+n
	switch {
	case w == nil:
	case w.folds:
		if need > w.bytes {
			panic(stopped{errFold})
		}
	case need > f.held+heavy:
		f.held = w.grow(f.held, need)
	}
}
