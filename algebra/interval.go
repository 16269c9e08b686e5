package algebra

import (
	"regexp"
	"strings"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// An interval literal may name fields: INTERVAL '1' DAY, INTERVAL '1 2' DAY TO
// HOUR. The last field is the unit of a number without one, and what is smaller
// than it is cut off; a larger one is kept, whatever the first field says.

// fieldsOf gives "day to hour" of such a type.
func fieldsOf(t ast.TypeName) (fields string, ok bool) {
	fields, ok = strings.CutPrefix(t.Name, "interval ")
	return fields, ok && !t.Array
}

// intervalFields are the combinations that SQL has; others are errors of syntax.
var intervalFields = map[string]bool{
	"year": true, "month": true, "day": true, "hour": true, "minute": true, "second": true,
	"year to month": true, "day to hour": true, "day to minute": true, "day to second": true,
	"hour to minute": true, "hour to second": true, "minute to second": true,
}

var (
	bareNumber    = regexp.MustCompile(`^\s*[+-]?(\d+\.?\d*|\.\d+)\s*$`)
	daysAndHours  = regexp.MustCompile(`^\s*([+-]?\d+)\s+([+-]?\d+)\s*$`)
	minutesSecond = regexp.MustCompile(`^\s*([+-]?)(\d+:\d+(\.\d*)?)\s*$`)
)

// withUnits is the text of an interval with the unit that its fields give to a
// number without one.
func withUnits(text, fields string) string {
	last := fields[strings.LastIndexByte(fields, ' ')+1:]
	switch {
	case bareNumber.MatchString(text):
		return text + " " + last
	case last == "hour":
		return daysAndHours.ReplaceAllString(text, "$1 day $2 hour")
	case fields == "minute to second":
		return minutesSecond.ReplaceAllString(text, "${1}0:$2")
	}
	return text
}

// units in microseconds of the parts of a day.
const (
	microsOfMinute = 60_000_000
	microsOfHour   = 60 * microsOfMinute
)

// cutTo takes what is smaller than the last field off.
func cutTo(v zset.IntervalValue, fields string) zset.IntervalValue {
	switch last := fields[strings.LastIndexByte(fields, ' ')+1:]; last {
	case "year":
		return zset.IntervalValue{Months: v.Months / 12 * 12}
	case "month":
		return zset.IntervalValue{Months: v.Months}
	case "day":
		v.Micros = 0
	case "hour":
		v.Micros -= v.Micros % microsOfHour
	case "minute":
		v.Micros -= v.Micros % microsOfMinute
	}
	return v
}

func (b *binder) intervalLiteral(l *ast.TypedLiteral, fields string) *expr.Expr {
	switch {
	case !intervalFields[fields]:
		b.errorf(codeSyntax, l.Pos(), "there is no interval %s", strings.ToUpper(fields))
		return nil
	case len(l.Type.Args) > 0:
		b.unsupported(l.Pos(), "a precision of an interval", "Round the number of seconds.")
		return nil
	}
	v, err := zset.ParseText(zset.TInterval, withUnits(l.Text, fields))
	if err != nil {
		if _, plain := zset.ParseText(zset.TInterval, l.Text); plain != nil {
			err = plain // with the text as written
		}
		b.fail(err, l.Str)
		return nil
	}
	return expr.Const(cutTo(zset.IntervalOf([]byte(v.S)), fields).Value()).At(int(l.Str))
}
