package zset

import (
	"fmt"
	"sync/atomic"
)

// Budget accounts for memory, in bytes, across goroutines. Who wants memory
// reserves it first and releases the same amount later; it is an account, not
// an allocator. The zero Budget has no limit.
type Budget struct {
	limit   int64
	used    atomic.Int64
	peak    atomic.Int64
	reclaim func() bool
}

// NewBudget returns a budget of limit bytes; 0 or less means no limit.
func NewBudget(limit int64) *Budget { return &Budget{limit: limit} }

// Reclaim sets what is asked to release something before an error is given; it
// reports whether it did. It is called by whoever reserves, with the locks that
// one has. Set before the budget is used.
func (b *Budget) Reclaim(f func() bool) { b.reclaim = f }

// Reserve takes n bytes, or none and an error of code 53200.
func (b *Budget) Reserve(n int64) error {
	err := b.reserve(n)
	if err != nil && b.reclaim != nil && b.reclaim() {
		return b.reserve(n)
	}
	return err
}

func (b *Budget) reserve(n int64) error {
	used := b.used.Add(n)
	if b.limit > 0 && used > b.limit && n > 0 {
		b.used.Add(-n)
		err := b.Exceeded()
		err.Detail = fmt.Sprintf("%d bytes were wanted, and %d were in use.", n, used-n)
		return err
	}
	b.peakAt(used)
	return nil
}

func (b *Budget) peakAt(used int64) {
	for {
		p := b.peak.Load()
		if used <= p || b.peak.CompareAndSwap(p, used) {
			return
		}
	}
}

// Exceeded is the error of whoever finds too little left.
func (b *Budget) Exceeded() *Error {
	err := Errorf(CodeOutOfMemory, -1, "memory limit of %d bytes exceeded", b.limit)
	err.Hint = "Raise the memory limit, or let the statement read or write fewer rows at once."
	return err
}

// Take takes n bytes, limit or not: for memory that is there already.
func (b *Budget) Take(n int64) { b.peakAt(b.used.Add(n)) }

// Release gives back n bytes.
func (b *Budget) Release(n int64) { b.used.Add(-n) }

// Used is the number of bytes in use.
func (b *Budget) Used() int64 { return b.used.Load() }

// Peak is the largest number of bytes that were in use at once.
func (b *Budget) Peak() int64 { return b.peak.Load() }

// Limit is the size of the budget; 0 or less means no limit.
func (b *Budget) Limit() int64 { return b.limit }
