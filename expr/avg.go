package expr

import "github.com/ivmc/ivmc/zset"

// AVG is the exact sum divided by the number of inputs, rounded once. Over
// integers and decimals the quotient has the scale of numeric division in
// PostgreSQL; over doubles see floatSum.

func readAvgInt(s *intState, scale int, out *zset.Column) error {
	sum, err := s.decimal(scale)
	if err != nil {
		return err
	}
	return appendAvg(sum, s.n, out)
}

func appendAvg(sum zset.Decimal, n int64, out *zset.Column) error {
	q, err := sum.Div(zset.DecimalFromInt64(n))
	if err != nil {
		return err
	}
	appendDecimal(out, q)
	return nil
}
