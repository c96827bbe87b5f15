//go:build linux

package main

import (
	"context"
	"errors"
	"time"
)

var _ = define(fault{
	name:  "partition of a replica from the db",
	bound: 8 * time.Second,
	run: func(ctx context.Context, s *soak) (time.Time, error) {
		r := s.replicas[s.load.draw(len(s.replicas))]
		dbs := []*host{s.primary.host, s.standby.host}
		// Nothing arrives, or only the answers do not: then what was asked is done, and nobody hears of it.
		whole := s.load.draw(2) == 0
		from := time.Now()
		var err error
		for _, db := range dbs {
			if err = errors.Join(err, db.cut(r.host)); whole {
				err = errors.Join(err, r.cut(db))
			}
		}
		pause(ctx, 10*time.Second)
		for _, db := range dbs {
			if err = errors.Join(err, db.mend(r.host)); whole {
				err = errors.Join(err, r.mend(db))
			}
		}
		return from, errors.Join(err, r.ready(30*time.Second))
	},
})

var _ = define(fault{
	name:   "S3 away",
	bound:  5 * time.Second,
	spares: []kind{acting, sharing, telling, foreign},
	run: func(ctx context.Context, s *soak) (time.Time, error) {
		hung := s.load.draw(2) == 0 // its cable, or its process
		err := error(nil)
		if hung {
			err = s.objects.unplug(s.ethernet)
		} else {
			_ = s.objects.process.cmd.Process.Kill()
			<-s.objects.process.ended
		}
		pause(ctx, 6*time.Second)
		if hung {
			err = errors.Join(err, s.objects.replug(s.ethernet))
		} else {
			err = errors.Join(err, s.objects.serve())
		}
		return time.Now(), err
	},
})
