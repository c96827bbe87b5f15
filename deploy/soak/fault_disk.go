//go:build linux

package main

import (
	"context"
	"errors"
	"path/filepath"
	"time"
)

var _ = define(fault{
	name:   "full disk of the database",
	bound:  5 * time.Second,
	spares: []kind{acting},
	run: func(ctx context.Context, s *soak) (time.Time, error) {
		db := s.primary
		if err := db.fill(db.tables); err != nil {
			return time.Time{}, err
		}
		pause(ctx, 8*time.Second)
		err := db.empty(db.tables)
		return time.Now(), err
	},
})

// slowWrites is how many writes a second a slow disk takes.
const slowWrites = 15

var _ = define(fault{
	name:  "slow disk of the database",
	bound: 5 * time.Second,
	needs: func(s *soak) error { return s.slowErr },
	run: func(ctx context.Context, s *soak) (time.Time, error) {
		db := s.primary
		slow, err := newSlowdown(db.host, filepath.Dir(db.data), filepath.Base(s.base)+"-"+db.name)
		if err != nil {
			return time.Time{}, err
		}
		err = errors.Join(slow.join(db.process.cmd.Process.Pid), slow.set(slowWrites))
		pause(ctx, 8*time.Second)
		err = errors.Join(err, slow.set(0))
		healed := time.Now()
		return healed, errors.Join(err, slow.leave(), wait(5*time.Second, "the control group", slow.remove))
	},
})
