//go:build linux

package main

import (
	"context"
	"errors"
	"time"
)

var _ = define(fault{
	name:  "failover: the primary is killed",
	bound: 15 * time.Second,
	run: func(ctx context.Context, s *soak) (time.Time, error) {
		from := time.Now()
		s.primary.kill()
		return from, s.failover(ctx)
	},
})

var _ = define(fault{
	name:  "failover: the primary falls silent",
	bound: 20 * time.Second,
	run: func(ctx context.Context, s *soak) (time.Time, error) {
		from := time.Now()
		if err := s.primary.unplug(s.ethernet); err != nil {
			return from, err
		}
		s.primary.kill() // it must not come back as a second primary
		err := s.failoverTo(ctx)
		// It stays away for a while: whoever looks for the primary must not wait for this one first.
		pause(ctx, 10*time.Second)
		return from, errors.Join(err, s.primaryBehind().replug(s.ethernet), s.rejoin())
	},
})

// failover makes the standby the primary, and what was the primary its standby.
func (s *soak) failover(ctx context.Context) error {
	if err := s.failoverTo(ctx); err != nil {
		return err
	}
	pause(ctx, time.Second)
	return s.rejoin()
}

// failoverTo promotes the standby. What decides that is the operator's: Patroni, repmgr or a person. Here it takes a second.
func (s *soak) failoverTo(ctx context.Context) error {
	pause(ctx, time.Second)
	if err := s.standby.promote(); err != nil {
		return err
	}
	s.primary, s.standby = s.standby, s.primary
	return nil
}

// primaryBehind is the server that was the primary before.
func (s *soak) primaryBehind() *postgres { return s.standby }

// rejoin makes the server that failed the standby of the other.
func (s *soak) rejoin() error { return s.standby.follow(s.primary) }
