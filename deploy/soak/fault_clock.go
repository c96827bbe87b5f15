//go:build linux

package main

import (
	"context"
	"errors"
	"time"
)

// steps are how far the clock of a replica is set off: as a machine without time service is, as one that comes back from sleep, as one whose
// battery is empty.
var steps = []time.Duration{-25 * time.Hour, -time.Hour, -90 * time.Second, -2 * time.Second, 2 * time.Second, 90 * time.Second, time.Hour, 25 * time.Hour}

var _ = define(fault{
	name: "clock steps of a replica",
	all:  true,
	run: func(ctx context.Context, s *soak) (time.Time, error) {
		r, from := s.replicas[s.load.draw(len(s.replicas))], time.Now()
		err := r.step(steps[s.load.draw(len(steps))])
		pause(ctx, 3*time.Second)
		err = errors.Join(err, r.step(steps[s.load.draw(len(steps))]))
		pause(ctx, 3*time.Second)
		return from, errors.Join(err, r.step(0))
	},
})
