//go:build linux

package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// fault is something that goes wrong while others call.
type fault struct {
	name string
	// bound is the longest time from the moment that run returns to the last request that fails.
	bound time.Duration
	// spares are kinds of requests that must not fail at all, also while it lasts; all: none may.
	spares []kind
	all    bool
	// run does it, and returns when the service should have begun to recover. What it broke is mended when it returns.
	run func(ctx context.Context, s *soak) (from time.Time, err error)
	// needs says why it cannot be done here; nil: it always can.
	needs func(s *soak) error
}

// faults are all of them, by the files that define them.
var faults []*fault

func define(f fault) *fault {
	faults = append(faults, &f)
	return &f
}

// soak is one run.
type soak struct {
	*cluster
	load    *load
	program string // the present one
	former  string // the one before; empty: none
	print   func(format string, args ...any)
	rows    map[string]*row
	bad     []string // what makes the run fail
}

// row is what a fault has shown so far.
type row struct {
	times, failed int
	worst         time.Duration
	skipped       string
}

// quiet is how long nothing may fail before the next fault.
const quiet = 2 * time.Second

// inflict does a fault, waits until the service is well again, and notes how long that took.
func (s *soak) inflict(ctx context.Context, f *fault) error {
	r := s.row(f)
	if f.needs != nil {
		if err := f.needs(s); err != nil {
			r.skipped = err.Error()
			return nil
		}
	}
	began := time.Now()
	from, err := f.run(ctx, s)
	if err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	calm := s.load.calm(ctx, quiet, f.bound+2*quiet)
	failures, _ := s.load.since(began)
	r.times, r.failed = r.times+1, r.failed+len(failures)
	worst := time.Duration(0)
	if len(failures) > 0 {
		worst = max(0, failures[len(failures)-1].at.Sub(from))
	}
	r.worst = max(r.worst, worst)
	s.print("%-34s %4d failed, well behind %v\n", f.name, len(failures), worst.Round(time.Millisecond))
	if ctx.Err() == nil && (!calm || worst > f.bound) {
		s.fail("%s: requests still failed %v behind it, %v are allowed: %s", f.name, worst.Round(time.Millisecond), f.bound, failures[len(failures)-1].why)
	}
	for _, one := range failures {
		if f.all || slices.Contains(f.spares, one.kind) {
			s.fail("%s: a request of %s failed, which must not: %s", f.name, one.kind, one.why)
			break
		}
	}
	return ctx.Err()
}

func (s *soak) fail(format string, args ...any) {
	s.bad = append(s.bad, fmt.Sprintf(format, args...))
	s.print("FAILED: %s\n", s.bad[len(s.bad)-1])
}

func (s *soak) row(f *fault) *row {
	r := s.rows[f.name]
	if r == nil {
		r = &row{}
		s.rows[f.name] = r
	}
	return r
}

// table is what all faults have shown.
func (s *soak) table() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%-34s %5s %15s %15s %8s\n", "fault", "times", "failed requests", "worst recovery", "bound")
	for _, f := range slices.SortedFunc(slices.Values(append(faults[:len(faults):len(faults)], upgrade)), func(a, b *fault) int { return cmp.Compare(a.name, b.name) }) {
		r := s.rows[f.name]
		switch {
		case r == nil:
		case r.skipped != "":
			fmt.Fprintf(&out, "%-34s not done: %s\n", f.name, r.skipped)
		default:
			bound := f.bound.String()
			if f.all {
				bound = "no loss"
			}
			fmt.Fprintf(&out, "%-34s %5d %15d %15v %8s\n", f.name, r.times, r.failed, r.worst.Round(time.Millisecond), bound)
		}
	}
	return out.String()
}
