package storage

import (
	"math"
	"time"
)

// TSO is a commit timestamp: milliseconds since 1970 shifted left by 18, and a
// count below. One per commit, strictly increasing, never moved back by a clock.
type TSO uint64

// Never is the death of a row version that lives.
const Never = TSO(math.MaxUint64)

// tsoShift is the number of bits of a TSO below the milliseconds.
const tsoShift = 18

// Time is the physical part of t.
func (t TSO) Time() time.Time { return time.UnixMilli(int64(t >> tsoShift)).UTC() }

// TSOAt is the first timestamp of the millisecond of at.
func TSOAt(at time.Time) TSO {
	ms := at.UnixMilli()
	if ms < 0 {
		return 0
	}
	return TSO(ms) << tsoShift
}

// Addr is the dense number of a row version in its relation: 0, 1, 2 .. in the
// order of commit, then of the record in its commit.
type Addr uint64

// NoAddr says that there is no such row.
const NoAddr = Addr(math.MaxUint64)

const ownBit = Addr(1) << 63

// Own is the address of row i of the same [Change], for a record that deletes
// or updates what an earlier record of the change wrote.
func Own(i int) Addr { return Addr(i) | ownBit }

// own reports whether a was made by Own, and of which row.
func (a Addr) own() (int, bool) { return int(a &^ ownBit), a&ownBit != 0 && a != NoAddr }

// maxRows bounds the versions of one relation: chains keep addresses in 32 bits.
const maxRows = math.MaxUint32 - 1

// ID names an object for ever; ids are not used again.
type ID uint64

// Op is what a record of the log did.
type Op uint8

// The operations. An update takes the next dead address and the next row. A
// truncation is a delete that says: this and all before it went as a whole.
const (
	OpInsert Op = iota + 1
	OpUpdate
	OpDelete
	OpTruncate
)

// bears and kills say what a record of the operation takes.
func (o Op) bears() bool { return o == OpInsert || o == OpUpdate }
func (o Op) kills() bool { return o >= OpUpdate }

func (o Op) String() string {
	switch o {
	case OpInsert:
		return "insert"
	case OpUpdate:
		return "update"
	case OpDelete:
		return "delete"
	case OpTruncate:
		return "truncate"
	}
	return "?"
}
