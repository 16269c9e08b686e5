package expr

import (
	"encoding/binary"

	"github.com/ivmc/ivmc/zset"
)

// truthState is a group of BOOLEAN inputs: how many, and how many of them TRUE.
type truthState struct {
	n, yes int64
}

// truths is BOOL_AND, EVERY, BOOL_OR and COUNT_IF. A flag could not be taken
// back when the one FALSE of many is deleted; two counts can.
type truths struct {
	st   []truthState
	name string
	read func(s truthState, out *zset.Column)
}

func newBoolAnd(zset.Type) Accumulator { return &truths{name: "bool_and", read: readAll} }
func newEvery(zset.Type) Accumulator   { return &truths{name: "every", read: readAll} }
func newBoolOr(zset.Type) Accumulator  { return &truths{name: "bool_or", read: readAny} }
func newCountIf(zset.Type) Accumulator { return &truths{name: "count_if", read: readCountIf} }

func readAll(s truthState, out *zset.Column) { appendTruth(s.n, s.yes == s.n, out) }
func readAny(s truthState, out *zset.Column) { appendTruth(s.n, s.yes > 0, out) }

// readCountIf is 0, not NULL, over no inputs, as COUNT is.
func readCountIf(s truthState, out *zset.Column) { out.AppendI64(s.yes) }

// appendTruth appends b; NULL if there were no inputs.
func appendTruth(n int64, b bool, out *zset.Column) {
	switch {
	case n == 0:
		out.AppendNull()
	case b:
		out.AppendI64(1)
	default:
		out.AppendI64(0)
	}
}

func (a *truths) Resize(n int) { a.st = resize(a.st, n) }

func (a *truths) Add(groups []uint32, arg *zset.Column, w []int64) {
	x := arg.I64[:len(groups)]
	for i, g := range groups {
		if arg.Null != nil && arg.Null[i] {
			continue
		}
		k := weight(w, i)
		a.st[g].n += k
		a.st[g].yes += k * x[i]
	}
}

func (a *truths) Merge(g uint32, src Accumulator, from uint32) {
	s := src.(*truths).st[from]
	a.st[g].n += s.n
	a.st[g].yes += s.yes
}

func (a *truths) Append(dst []byte, g uint32) []byte {
	return binary.AppendVarint(binary.AppendVarint(dst, a.st[g].n), a.st[g].yes)
}

func (a *truths) Load(g uint32, b []byte) ([]byte, error) {
	n, k := binary.Varint(b)
	if k <= 0 {
		return nil, errState(a.name)
	}
	yes, l := binary.Varint(b[k:])
	if l <= 0 {
		return nil, errState(a.name)
	}
	a.st[g] = truthState{n, yes}
	return b[k+l:], nil
}

func (a *truths) Clear(g uint32) { a.st[g] = truthState{} }

func (a *truths) Result(groups []uint32, out *zset.Column) error {
	for i, g := range groups {
		s := a.st[g]
		if s.n < 0 || s.yes < 0 || s.yes > s.n {
			return rowError(i, errInputs(a.name, min(s.n, s.yes, s.n-s.yes)))
		}
		a.read(s, out)
	}
	return nil
}

func (a *truths) MemBytes() int64 { return memBytes(a.st) }
