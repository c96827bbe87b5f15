//go:build linux

package main

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// settle, behind the end of the callers, lets the workers finish what is queued, and reads back everything that was ever acknowledged.
func (l *load) settle(ctx context.Context, most time.Duration) (string, error) {
	ctx, stop := context.WithTimeout(ctx, most)
	defer stop()
	working, finish := context.WithCancel(ctx)
	var group sync.WaitGroup
	for i := range l.workers {
		group.Go(func() { l.labour(working, i) })
	}
	gone, err := l.finished(ctx)
	finish()
	group.Wait()
	if err != nil {
		return "", err
	}
	insist := func(f func() bool) {
		for ctx.Err() == nil && !f() {
			pause(ctx, 100*time.Millisecond)
		}
	}
	removed := 0
	for _, p := range l.kept.plans {
		if p.removed {
			removed++
		}
		insist(func() bool { return l.sees(p) })
	}
	for _, o := range l.kept.outcomes {
		insist(func() bool { return l.reads(o) })
	}
	if ctx.Err() != nil {
		return "", fmt.Errorf("not everything could be read back within %v", most)
	}
	return fmt.Sprintf("read back: %d shared plans (%d of them removed), %d outcomes, %d jobs with their epochs and weights (%d of them simulated)",
		len(l.kept.plans), removed, len(l.kept.outcomes), len(l.kept.jobs), gone), nil
}

// finished waits until every job has ended, and judges it. It returns how many were simulated.
func (l *load) finished(ctx context.Context) (simulated int, err error) {
	for _, j := range l.kept.jobs {
		for ended := false; !ended; {
			if ctx.Err() != nil {
				return simulated, fmt.Errorf("job %s has not ended in time", j.id)
			}
			if got, ok := l.polled(j); ok && got.Ended() && l.judge(got) {
				ended = true
				if got.Mode == "simulated" {
					simulated++
				}
				continue
			}
			pause(ctx, 200*time.Millisecond)
		}
	}
	return simulated, nil
}

// calm waits until no request has failed for a while, and reports whether that came in time.
func (l *load) calm(ctx context.Context, quiet, most time.Duration) bool {
	for end := time.Now().Add(most); time.Now().Before(end) && ctx.Err() == nil; pause(ctx, 50*time.Millisecond) {
		if time.Since(l.last()) >= quiet {
			return true
		}
	}
	return time.Since(l.last()) >= quiet
}

// warm asks until the whole service answers.
func (l *load) warm(ctx context.Context) error {
	return wait(30*time.Second, "the service", func() error {
		if ctx.Err() != nil {
			return final{ctx.Err()}
		}
		resp, err := l.client.Get(l.url + "/readyz")
		if err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				err = fmt.Errorf("status %d", resp.StatusCode)
			}
		}
		return err
	})
}
