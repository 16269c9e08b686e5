package expr

import (
	"strings"

	"github.com/ivmc/ivmc/zset"
)

// unitOf is the unit that a name means; known is false if PostgreSQL has no
// such unit at all. Names are cut to 10 characters, as PostgreSQL's are.
func unitOf(name string) (unit string, known bool) {
	name = strings.ToLower(name)
	if len(name) > 10 {
		name = name[:10]
	}
	unit, known = unitNames[name]
	return unit, known
}

// unitNames are the spellings of units and fields.
var unitNames = map[string]string{
	"us": "microsecond", "usec": "microsecond", "usecs": "microsecond", "usecond": "microsecond", "useconds": "microsecond", "microsecon": "microsecond",
	"ms": "millisecond", "msec": "millisecond", "msecs": "millisecond", "msecond": "millisecond", "mseconds": "millisecond", "millisecon": "millisecond",
	"s": "second", "sec": "second", "secs": "second", "second": "second", "seconds": "second",
	"m": "minute", "min": "minute", "mins": "minute", "minute": "minute", "minutes": "minute",
	"h": "hour", "hr": "hour", "hrs": "hour", "hour": "hour", "hours": "hour",
	"d": "day", "day": "day", "days": "day",
	"w": "week", "week": "week", "weeks": "week",
	"mon": "month", "mons": "month", "month": "month", "months": "month",
	"qtr": "quarter", "quarter": "quarter",
	"y": "year", "yr": "year", "yrs": "year", "year": "year", "years": "year",
	"dec": "decade", "decs": "decade", "decade": "decade", "decades": "decade",
	"c": "century", "cent": "century", "century": "century", "centuries": "century",
	"mil": "millennium", "mils": "millennium", "millennia": "millennium", "millennium": "millennium",
	"dow": "dow", "isodow": "isodow", "doy": "doy", "isoyear": "isoyear", "epoch": "epoch",
	"j": "julian", "jd": "julian", "julian": "julian",
	"timezone": "timezone", "timezone_h": "timezone_hour", "timezone_m": "timezone_minute",
}

func errUnit(name string, known bool, k zset.Kind) *zset.Error {
	if known {
		return zset.Errorf("0A000", -1, "unit \"%s\" not supported for type %s", strings.ToLower(name), kindName(k))
	}
	return zset.Errorf("22023", -1, "unit \"%s\" not recognized for type %s", strings.ToLower(name), kindName(k))
}
