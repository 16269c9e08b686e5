//go:build invariants

package zset

import "fmt"

// InvariantsOn says whether this build checks invariants (build tag invariants).
const InvariantsOn = true

// Invariant panics if cond is false.
func Invariant(cond bool, format string, args ...any) {
	if !cond {
		panic("zset: invariant broken: " + fmt.Sprintf(format, args...))
	}
}
