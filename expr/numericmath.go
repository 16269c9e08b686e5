package expr

import (
	"github.com/ivmc/ivmc/zset"
)

func sqrtDecimal(d zset.Decimal) (zset.Decimal, error)   { return d, nil }
func lnDecimal(d zset.Decimal) (zset.Decimal, error)     { return d, nil }
func expDecimal(d zset.Decimal) (zset.Decimal, error)    { return d, nil }
func powDecimal(a, b zset.Decimal) (zset.Decimal, error) { return a, nil }
