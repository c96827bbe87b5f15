package accounttest

import (
	"sync/atomic"
	"time"
)

// Clock is a time that tests move.
type Clock struct {
	from  func() time.Time
	ahead atomic.Int64 // nanoseconds
}

// Standing returns a clock that only tests move. It begins at noon on 1 March 2026.
func Standing() *Clock {
	return &Clock{from: func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }}
}

// Running returns a clock that goes on by itself too, for what also waits in real time.
func Running() *Clock { return &Clock{from: time.Now} }

// Now is its time.
func (c *Clock) Now() time.Time { return c.from().Add(time.Duration(c.ahead.Load())) }

// Pass lets time pass.
func (c *Clock) Pass(d time.Duration) { c.ahead.Add(int64(d)) }
