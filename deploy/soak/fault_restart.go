//go:build linux

package main

import (
	"context"
	"fmt"
	"syscall"
	"time"
)

// stopWithin is how long a replica may take to stop: its drain, requests under way, the rows that wait.
const stopWithin = drain + 25*time.Second

// restart stops a replica as an operator does, and starts it again, as another program perhaps.
func (r *replica) restart(ctx context.Context, program string) error {
	if err := r.process.stop(syscall.SIGTERM, stopWithin); err != nil {
		return err
	}
	if r.process.err != nil {
		return fmt.Errorf("%s stopped with %w: %s", r.name, r.process.err, r.process.said())
	}
	r.program = program
	if err := r.serve(); err != nil {
		return err
	}
	pause(ctx, time.Second) // the balancer sees it
	return ctx.Err()
}

var _ = define(fault{
	name: "rolling restart",
	all:  true,
	run: func(ctx context.Context, s *soak) (time.Time, error) {
		from := time.Now()
		for _, r := range s.replicas {
			if err := r.restart(ctx, r.program); err != nil {
				return from, err
			}
		}
		return from, nil
	},
})
