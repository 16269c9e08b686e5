package expr

import (
	"math"
	"math/big"

	"github.com/ivmc/ivmc/zset"
)

// What each of the aggregates over pairs reads of the moments. A side with a NaN or
// an infinity has no variation that is a number; one without any variation
// has none to compare with, which is NULL.

func newRegrCount(zset.Type) Accumulator {
	a := newPairSums("regr_count", nil).(*pairSums)
	a.count = true
	return a
}

func newCovarPop(zset.Type) Accumulator {
	return newPairSums("covar_pop", func(m *moments) (float64, bool, error) {
		return m.over(m.syx, m.oddY || m.oddX, new(big.Int).Mul(m.n, m.n))
	})
}

func newCovarSamp(zset.Type) Accumulator {
	return newPairSums("covar_samp", func(m *moments) (float64, bool, error) {
		less := new(big.Int).Sub(m.n, big.NewInt(1))
		if less.Sign() == 0 {
			return 0, false, nil
		}
		return m.over(m.syx, m.oddY || m.oddX, less.Mul(less, m.n))
	})
}

func newRegrSXX(zset.Type) Accumulator {
	return newPairSums("regr_sxx", func(m *moments) (float64, bool, error) { return m.over(m.sxx, m.oddX, m.n) })
}

func newRegrSYY(zset.Type) Accumulator {
	return newPairSums("regr_syy", func(m *moments) (float64, bool, error) { return m.over(m.syy, m.oddY, m.n) })
}

func newRegrSXY(zset.Type) Accumulator {
	return newPairSums("regr_sxy", func(m *moments) (float64, bool, error) { return m.over(m.syx, m.oddY || m.oddX, m.n) })
}

func newRegrAvgX(zset.Type) Accumulator {
	return newPairSums("regr_avgx", func(m *moments) (float64, bool, error) { return m.mean(m.x, m.valueX, m.oddX) })
}

func newRegrAvgY(zset.Type) Accumulator {
	return newPairSums("regr_avgy", func(m *moments) (float64, bool, error) { return m.mean(m.y, m.valueY, m.oddY) })
}

func newRegrSlope(zset.Type) Accumulator {
	return newPairSums("regr_slope", func(m *moments) (float64, bool, error) {
		switch {
		case m.flatX():
			return 0, false, nil
		case m.oddX || m.oddY:
			return math.NaN(), true, nil
		}
		v, err := nearest(m.syx, m.sxx, 0, false)
		return v, true, err
	})
}

// The line meets x = 0 at (y - x syx/sxx) / n.
func newRegrIntercept(zset.Type) Accumulator {
	return newPairSums("regr_intercept", func(m *moments) (float64, bool, error) {
		switch {
		case m.flatX():
			return 0, false, nil
		case m.oddX || m.oddY:
			return math.NaN(), true, nil
		}
		num := new(big.Int).Mul(m.y, m.sxx)
		num.Sub(num, new(big.Int).Mul(m.x, m.syx))
		v, err := nearest(num, new(big.Int).Mul(m.n, m.sxx), spreadUnit, false)
		return v, true, err
	})
}

func newRegrR2(zset.Type) Accumulator {
	return newPairSums("regr_r2", func(m *moments) (float64, bool, error) {
		switch {
		case m.flatX():
			return 0, false, nil
		case m.flatY():
			return 1, true, nil
		case m.oddX || m.oddY:
			return math.NaN(), true, nil
		}
		v, err := nearest(new(big.Int).Mul(m.syx, m.syx), new(big.Int).Mul(m.sxx, m.syy), 0, false)
		return v, true, err
	})
}

func newCorr(zset.Type) Accumulator {
	return newPairSums("corr", func(m *moments) (float64, bool, error) {
		switch {
		case m.flatX() || m.flatY():
			return 0, false, nil
		case m.oddX || m.oddY:
			return math.NaN(), true, nil
		}
		v, err := nearest(new(big.Int).Mul(m.syx, m.syx), new(big.Int).Mul(m.sxx, m.syy), 0, true)
		return math.Copysign(v, float64(m.syx.Sign())), true, err
	})
}

func (m *moments) flatX() bool { return !m.oddX && m.sxx.Sign() == 0 }
func (m *moments) flatY() bool { return !m.oddY && m.syy.Sign() == 0 }

// over is a sum of squares or products divided by den; NaN where a side is odd.
func (m *moments) over(num *big.Int, odd bool, den *big.Int) (float64, bool, error) {
	if odd {
		return math.NaN(), true, nil
	}
	v, err := nearest(num, den, 2*spreadUnit, false)
	return v, true, err
}

func (m *moments) mean(sum *big.Int, value float64, odd bool) (float64, bool, error) {
	if odd {
		return value, true, nil
	}
	v, err := nearest(sum, m.n, spreadUnit, false)
	return v, true, err
}
