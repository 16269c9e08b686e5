package zset

const (
	usPerSec = 1_000_000
	usPerDay = 86_400 * usPerSec

	// Julian day numbers, as PostgreSQL bounds its dates by them: from
	// 4714-11-24 BC to 5874897-12-31.
	julianEpoch = 2440588 // 1970-01-01
	minDate     = -julianEpoch
	maxDate     = 2147483494 - julianEpoch - 1

	// Timestamps begin with the dates. They end at the last whole day that
	// microseconds since 1970 can count, in the year 294247; PostgreSQL counts
	// from 2000 and ends 30 years later.
	minTimestamp = minDate * usPerDay
	maxTimestamp = (1<<63-1)/usPerDay*usPerDay - 1
)

// ValidDate reports whether days since 1970-01-01 are a DATE, infinities
// included.
func ValidDate(days int64) bool {
	return days >= minDate && days <= maxDate || days == PosInf || days == NegInf
}

// ValidTimestamp reports whether microseconds since 1970-01-01 are a TIMESTAMP,
// infinities included. A TIMESTAMPTZ has the same bounds, in UTC.
func ValidTimestamp(us int64) bool {
	return us >= minTimestamp && us <= maxTimestamp || us == PosInf || us == NegInf
}

// Civil is the day of the proleptic Gregorian calendar that is days after
// 1970-01-01. Year 0 is 1 BC.
func Civil(days int64) (year int64, month, day int) {
	// Years are taken to begin on 1 March, so that the leap day is the last,
	// and in eras of 400 years, which have 146097 days.
	z := days + 719468
	era := floorDiv(z, 146097)
	doe := z - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	day = int(doy - (153*mp+2)/5 + 1)
	month = int(mp + 3)
	year = yoe + era*400
	if month > 12 {
		month -= 12
		year++
	}
	return year, month, day
}

// Days is the number of days from 1970-01-01 to the given day; month 1 to 12.
func Days(year int64, month, day int) int64 {
	m := int64(month) - 3
	if m < 0 {
		m += 12
		year--
	}
	era := floorDiv(year, 400)
	yoe := year - era*400
	doy := (153*m+2)/5 + int64(day) - 1
	return era*146097 + yoe*365 + yoe/4 - yoe/100 + doy - 719468
}

// DaysIn is the number of days of a month.
func DaysIn(year int64, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// SplitTimestamp is the day of a finite timestamp and the microseconds since
// its midnight, 0 to 86399999999.
func SplitTimestamp(us int64) (days, clock int64) {
	days = floorDiv(us, usPerDay)
	return days, us - days*usPerDay
}

// AppendDate appends days since 1970-01-01 in ISO form.
func AppendDate(dst []byte, days int64) []byte {
	switch days {
	case PosInf:
		return append(dst, "infinity"...)
	case NegInf:
		return append(dst, "-infinity"...)
	}
	dst, bc := appendDay(dst, days)
	if bc {
		dst = append(dst, " BC"...)
	}
	return dst
}

func appendDay(dst []byte, days int64) (out []byte, bc bool) {
	y, m, d := Civil(days)
	if y <= 0 {
		y, bc = 1-y, true
	}
	dst = appendPadded(dst, y, 4)
	dst = append(dst, '-')
	dst = appendPadded(dst, int64(m), 2)
	dst = append(dst, '-')
	return appendPadded(dst, int64(d), 2), bc
}

// AppendTimestamp appends microseconds since 1970-01-01 in ISO form, fractions
// without trailing zeros.
func AppendTimestamp(dst []byte, us int64) []byte {
	switch us {
	case PosInf:
		return append(dst, "infinity"...)
	case NegInf:
		return append(dst, "-infinity"...)
	}
	days, t := SplitTimestamp(us)
	dst, bc := appendDay(dst, days)
	dst = appendClock(append(dst, ' '), uint64(t))
	if bc {
		dst = append(dst, " BC"...)
	}
	return dst
}

// appendClock appends microseconds as hh:mm:ss, with hours beyond two digits
// where there are, and a fraction without trailing zeros.
func appendClock(dst []byte, us uint64) []byte {
	sec, frac := us/usPerSec, us%usPerSec
	dst = appendPadded(dst, int64(sec/3600), 2)
	dst = append(dst, ':')
	dst = appendPadded(dst, int64(sec/60%60), 2)
	dst = append(dst, ':')
	dst = appendPadded(dst, int64(sec%60), 2)
	if frac != 0 {
		dst = append(dst, '.')
		dst = appendPadded(dst, int64(frac), 6)
		for dst[len(dst)-1] == '0' {
			dst = dst[:len(dst)-1]
		}
	}
	return dst
}

// appendPadded appends v, not negative, with at least width digits.
func appendPadded(dst []byte, v int64, width int) []byte {
	var tmp [20]byte
	i := len(tmp)
	for v > 0 || width > 0 {
		i--
		tmp[i] = byte('0' + v%10)
		v /= 10
		width--
	}
	return append(dst, tmp[i:]...)
}
