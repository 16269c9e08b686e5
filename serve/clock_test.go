package serve

import (
	"sync/atomic"
	"time"
)

// clock is one that is set by hand.
type clock struct{ ms atomic.Int64 }

func clockAt(s string) *clock {
	t, err := time.Parse(time.DateTime, s)
	if err != nil {
		panic(err)
	}
	c := &clock{}
	c.ms.Store(t.UnixMilli())
	return c
}

func (c *clock) time() time.Time { return time.UnixMilli(c.ms.Load()).UTC() }
func (c *clock) add(ms int64)    { c.ms.Add(ms) }
