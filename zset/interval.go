package zset

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
)

// IntervalValue is the content of an INTERVAL: months, days and microseconds,
// which no calendar turns into each other. In a comparison a month is 30 days
// and a day 24 hours.
type IntervalValue struct {
	Months, Days int32
	Micros       int64
}

const intervalBytes = 16

// IntervalOf reads the physical form of an INTERVAL cell: 16 bytes, big endian,
// months, days, microseconds. The content of a NULL cell, no bytes, reads as 0.
func IntervalOf(b []byte) IntervalValue {
	if len(b) != intervalBytes {
		return IntervalValue{}
	}
	return IntervalValue{
		int32(binary.BigEndian.Uint32(b)), int32(binary.BigEndian.Uint32(b[4:])), int64(binary.BigEndian.Uint64(b[8:])),
	}
}

// AppendTo appends the physical form of v.
func (v IntervalValue) AppendTo(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(v.Months))
	dst = binary.BigEndian.AppendUint32(dst, uint32(v.Days))
	return binary.BigEndian.AppendUint64(dst, uint64(v.Micros))
}

// Value is v as an INTERVAL.
func (v IntervalValue) Value() Value { return Value{Type: TInterval, S: string(v.AppendTo(nil))} }

// span128 is a signed number of 128 bits.
type span128 struct {
	hi int64
	lo uint64
}

// span is v in microseconds, by which intervals compare. Months and days reach
// 2^36 days, more than 64 bits of microseconds.
func (v IntervalValue) span() span128 {
	days := int64(v.Months)*30 + int64(v.Days)
	hi, lo := bits.Mul64(uint64(days), usPerDay)
	if days < 0 {
		hi -= usPerDay // the product of the two's complement is too high by 2^64 days
	}
	lo, carry := bits.Add64(lo, uint64(v.Micros), 0)
	hi, _ = bits.Add64(hi, uint64(v.Micros>>63), carry)
	return span128{int64(hi), lo}
}

// Cmp is -1, 0 or 1 as v is shorter than, as long as or longer than w.
func (v IntervalValue) Cmp(w IntervalValue) int {
	a, b := v.span(), w.span()
	switch {
	case a == b:
		return 0
	case a.hi < b.hi || a.hi == b.hi && a.lo < b.lo:
		return -1
	}
	return 1
}

// unspan is an interval of length s, with as much as fits in months, then days.
func unspan(s span128) IntervalValue {
	neg := s.hi < 0
	hi, lo := uint64(s.hi), s.lo
	if neg {
		var borrow uint64
		lo, borrow = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, borrow)
	}
	if hi >= usPerDay { // no interval is that long
		return IntervalValue{}
	}
	days, us := bits.Div64(hi, lo, usPerDay)
	most := uint64(math.MaxInt32)
	if neg {
		most++
	}
	months := min(days/30, most)
	days -= months * 30
	d := min(days, most)
	us += (days - d) * usPerDay
	if neg {
		months, d, us = -months, -d, -us
	}
	return IntervalValue{int32(months), int32(d), int64(us)}
}

func (v IntervalValue) appendKey(dst []byte, row bool) []byte {
	s := v.span()
	dst = append(dst, markValue)
	dst = binary.BigEndian.AppendUint64(dst, uint64(s.hi)^signBit)
	dst = binary.BigEndian.AppendUint64(dst, s.lo)
	if row {
		dst = binary.BigEndian.AppendUint32(dst, uint32(v.Months)^1<<31)
		dst = binary.BigEndian.AppendUint32(dst, uint32(v.Days)^1<<31)
	}
	return dst
}

func decodeIntervalKey(b []byte, c *Column, row bool) ([]byte, error) {
	n := 16
	if row {
		n = 24
	}
	if len(b) < n {
		return nil, errEncoding()
	}
	s := span128{int64(binary.BigEndian.Uint64(b) ^ signBit), binary.BigEndian.Uint64(b[8:])}
	v := unspan(s)
	if row {
		v = IntervalValue{int32(binary.BigEndian.Uint32(b[16:]) ^ 1<<31), int32(binary.BigEndian.Uint32(b[20:]) ^ 1<<31), 0}
		base := v.span()
		v.Micros = int64(s.lo - base.lo)
		if v.span() != s {
			return nil, errEncoding()
		}
	}
	var tmp [intervalBytes]byte
	c.AppendBytes(v.AppendTo(tmp[:0]))
	return b[n:], nil
}

// AppendInterval appends v as PostgreSQL prints it in its own style: 1 year 2
// mons 3 days 04:05:06.789.
func AppendInterval(dst []byte, v IntervalValue) []byte {
	empty, negative := true, false
	part := func(n int32, unit string) {
		if n == 0 {
			return
		}
		if !empty {
			dst = append(dst, ' ')
		}
		if negative && n > 0 {
			dst = append(dst, '+')
		}
		dst = strconv.AppendInt(dst, int64(n), 10)
		dst = append(dst, unit...)
		if n != 1 {
			dst = append(dst, 's')
		}
		empty, negative = false, n < 0
	}
	part(v.Months/12, " year")
	part(v.Months%12, " mon")
	part(v.Days, " day")
	if v.Micros == 0 && !empty {
		return dst
	}
	if !empty {
		dst = append(dst, ' ')
	}
	u := uint64(v.Micros)
	switch {
	case v.Micros < 0:
		dst, u = append(dst, '-'), -u
	case negative:
		dst = append(dst, '+')
	}
	return appendClock(dst, u)
}
