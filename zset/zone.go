package zset

import (
	"math"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // zones are the same on every machine that brings none
)

// Zone is a time zone: the setting TimeZone, or an argument of AT TIME ZONE. A
// nil Zone is UTC.
type Zone struct {
	name string
	loc  *time.Location
}

// FindZone looks up a zone of the IANA database, in any case, a common
// abbreviation, or a name with an offset to the west (x+2, +02:30). Errors 22023,
// 0A000 for a rule of daylight saving.
func FindZone(name string) (*Zone, error) {
	if off, ok := abbreviations(strings.ToLower(name)); ok {
		return fixedZone(name, off), nil
	}
	for _, try := range []string{name, titleZone(name), strings.ToUpper(name)} {
		if try == "" || strings.EqualFold(try, "local") {
			break
		}
		if loc, err := time.LoadLocation(try); err == nil {
			return &Zone{try, loc}, nil
		}
	}
	off, rule, ok := posixZone(name)
	switch {
	case ok:
		return fixedZone(name, off), nil
	case rule:
		return nil, Errorf("0A000", -1, "time zone \"%s\" with a rule of daylight saving is not supported", name)
	}
	return nil, Errorf("22023", -1, "time zone \"%s\" not recognized", name)
}

// SessionZone is the zone that SET TimeZone names: a zone, or a number of hours
// east of UTC, or an offset +hh:mm. Error 22023.
func SessionZone(name string) (*Zone, error) {
	if len(name) > 1 && (name[0] == '+' || name[0] == '-') && strings.Contains(name, ":") && zoneLen(name) == len(name) {
		off, err := zoneOffset(name, name)
		if err != nil {
			return nil, Errorf("22023", -1, "invalid value for parameter \"TimeZone\": \"%s\"", name)
		}
		return fixedZone(name, off), nil
	}
	if h, err := strconv.ParseFloat(strings.TrimSpace(name), 64); err == nil {
		if math.Abs(h) > 15 || h != h {
			return nil, Errorf("22023", -1, "invalid value for parameter \"TimeZone\": \"%s\"", name)
		}
		off := int(h * 3600)
		return fixedZone(string(appendOffset([]byte("<"), off))+">"+string(appendOffset(nil, -off)), off), nil
	}
	z, err := FindZone(name)
	if err != nil {
		return nil, Errorf("22023", -1, "invalid value for parameter \"TimeZone\": \"%s\"", name)
	}
	return z, nil
}

func fixedZone(name string, off int) *Zone { return &Zone{name, time.FixedZone("", off)} }

// titleZone is name as the database writes names: America/New_York.
func titleZone(name string) string {
	b := []byte(strings.ToLower(name))
	up := true
	for i, c := range b {
		if up && isLetter(c) {
			b[i] = c &^ 0x20
		}
		up = !isLetter(c)
	}
	return string(b)
}

// Name is the name of z.
func (z *Zone) Name() string {
	if z == nil {
		return "UTC"
	}
	return z.name
}

// Offset is the seconds that clocks in z are ahead of UTC at us.
func (z *Zone) Offset(us int64) int {
	if z == nil {
		return 0
	}
	_, off := time.Unix(floorDiv(us, usPerSec), 0).In(z.loc).Zone()
	return off
}

// ToLocal is what clocks in z show at us, a TIMESTAMPTZ, as a TIMESTAMP. Error
// 22008.
func (z *Zone) ToLocal(us int64) (int64, error) {
	if us == PosInf || us == NegInf {
		return us, nil
	}
	local := us + int64(z.Offset(us))*usPerSec
	if !ValidTimestamp(local) || local == PosInf || local == NegInf {
		return 0, Errorf(CodeDatetimeRange, -1, "timestamp out of range")
	}
	return local, nil
}

// ToUTC is the moment at which clocks in z show local. Where they are put forward
// and skip it, the offset before counts; where they are put back and show it
// twice, the one after. Error 22008.
func (z *Zone) ToUTC(local int64) (int64, error) {
	if local == PosInf || local == NegInf {
		return local, nil
	}
	us := local - int64(z.offsetOf(local))*usPerSec
	if !ValidTimestamp(us) || us == PosInf || us == NegInf {
		return 0, Errorf(CodeDatetimeRange, -1, "timestamp out of range")
	}
	return us, nil
}

func (z *Zone) offsetOf(local int64) int {
	if z == nil {
		return 0
	}
	sec := floorDiv(local, usPerSec)
	prev := time.Unix(sec-86400, 0).In(z.loc)
	_, before := prev.Zone()
	_, end := prev.ZoneBounds()
	if end.IsZero() {
		return before
	}
	_, after := end.Zone()
	change := end.Unix()
	at, later := sec-int64(before), sec-int64(after)
	switch {
	case at < change && later < change:
		return before
	case at > change && later >= change:
		return after
	case at > later: // put forward
		return before
	}
	return after
}

// AppendTimestampTZ appends us as the clocks of z show it, with their offset.
func AppendTimestampTZ(dst []byte, us int64, z *Zone) []byte {
	if us == PosInf || us == NegInf {
		return AppendTimestamp(dst, us)
	}
	off := z.Offset(us)
	dst = AppendTimestamp(dst, us+int64(off)*usPerSec)
	bc := strings.HasSuffix(string(dst[max(0, len(dst)-3):]), " BC")
	if bc {
		dst = dst[:len(dst)-3]
	}
	dst = appendOffset(dst, off)
	if bc {
		dst = append(dst, " BC"...)
	}
	return dst
}

// appendOffset appends seconds east of UTC as +hh[:mm[:ss]].
func appendOffset(dst []byte, off int) []byte {
	sign := byte('+')
	if off < 0 {
		sign, off = '-', -off
	}
	dst = appendPadded(append(dst, sign), int64(off/3600), 2)
	if off%3600 != 0 {
		dst = appendPadded(append(dst, ':'), int64(off/60%60), 2)
	}
	if off%60 != 0 {
		dst = appendPadded(append(dst, ':'), int64(off%60), 2)
	}
	return dst
}

// abbreviations are those zones of PostgreSQL's default set whose offset never
// changed and that are in wide use, in seconds.
func abbreviations(w string) (int, bool) {
	const hour = 3600
	switch w {
	case "utc", "gmt", "z", "zulu", "wet", "ut", "uct":
		return 0, true
	case "cet", "met", "bst", "west":
		return hour, true
	case "cest", "mest", "eet":
		return 2 * hour, true
	case "eest":
		return 3 * hour, true
	case "jst", "kst":
		return 9 * hour, true
	case "aest":
		return 10 * hour, true
	case "aedt":
		return 11 * hour, true
	case "adt":
		return -3 * hour, true
	case "ast", "edt":
		return -4 * hour, true
	case "est", "cdt":
		return -5 * hour, true
	case "cst", "mdt":
		return -6 * hour, true
	case "mst", "pdt":
		return -7 * hour, true
	case "pst":
		return -8 * hour, true
	case "hst":
		return -10 * hour, true
	}
	return 0, false
}
