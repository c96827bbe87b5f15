//go:build linux

package main

import (
	"context"
	"syscall"
	"time"
)

var _ = define(fault{
	name:  "kill -9 of a replica",
	bound: 3 * time.Second,
	run: func(ctx context.Context, s *soak) (time.Time, error) {
		r := s.replicas[s.load.draw(len(s.replicas))]
		from := time.Now()
		_ = r.process.stop(syscall.SIGKILL, time.Second)
		pause(ctx, 2*time.Second) // the balancer sees it
		return from, r.serve()
	},
})
