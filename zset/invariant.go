//go:build !invariants

package zset

// InvariantsOn says whether this build checks invariants (build tag invariants).
const InvariantsOn = false

// Invariant panics if cond is false, in builds with the tag invariants alone;
// elsewhere it costs nothing but its arguments.
func Invariant(cond bool, format string, args ...any) {}
