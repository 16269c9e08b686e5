package algebra

import (
	"fmt"
	"slices"

	"github.com/ivmc/ivmc/zset"
)

// Errors is everything that is wrong with a statement: sorted by position,
// without repeats, at most 20.
type Errors []*zset.Error

const maxErrors = 20

// Error gives the first message and the number of the others.
func (es Errors) Error() string {
	switch len(es) {
	case 0:
		return "no error"
	case 1:
		return es[0].Msg
	}
	return fmt.Sprintf("%s (and %d more)", es[0].Msg, len(es)-1)
}

// Unwrap lets errors.As find the single complaints.
func (es Errors) Unwrap() []error {
	out := make([]error, len(es))
	for i, e := range es {
		out[i] = e
	}
	return out
}

// settled sorts, drops repeats and caps. No complaints are a nil error.
func (es Errors) settled() error {
	if len(es) == 0 {
		return nil
	}
	slices.SortStableFunc(es, func(a, b *zset.Error) int { return a.Pos - b.Pos })
	es = slices.CompactFunc(es, func(a, b *zset.Error) bool { return a.Pos == b.Pos && a.Msg == b.Msg })
	return es[:min(len(es), maxErrors)]
}

// The SQLSTATEs of binding.
const (
	codeSyntax           = "42601"
	codeAmbiguousColumn  = "42702"
	codeDuplicateColumn  = "42701"
	codeDuplicateAlias   = "42712"
	codeNoTable          = "42P01"
	codeNoParameter      = "42P02"
	codeBadReference     = "42P10" // invalid column reference
	codeGrouping         = "42803"
	codeNoType           = "42704"
	codeNoOperator       = "42883"
	codeCannotCoerce     = "42846"
	codeWrongObject      = "42809"
	codeUnsupported      = "0A000"
	codeTooComplex       = "54001"
	codeTooManyColumns   = "54011"
	codeTooManyArguments = "54023"
	codeBadLimit         = "2201W"
	codeBadOffset        = "2201X"
	codeBadParameter     = "22023"
)
