//go:build linux

package main

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// kind is what a request asks for.
type kind string

// The kinds of requests.
const (
	acting  kind = "check, lint, plan, rank" // whose answer is known byte for byte
	sharing kind = "shared plans"
	telling kind = "history"
	jobbing kind = "jobs"
	working kind = "workers"
	foreign kind = "others' data"
)

// failure is a request that got no answer, or one that says to try again.
type failure struct {
	at   time.Time
	kind kind
	why  string
}

// journal is what became of every request.
type journal struct {
	mu       sync.Mutex
	took     map[kind][]time.Duration
	failures []failure
	wrong    []string // answers that must never be given
}

func newJournal() *journal { return &journal{took: map[kind][]time.Duration{}} }

// mostTimes of each kind are kept for the percentiles; an hour has more, of which every so many are enough.
const mostTimes = 200_000

// answered notes a request that was answered as it had to be.
func (j *journal) answered(k kind, took time.Duration) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if all := j.took[k]; len(all) < mostTimes {
		j.took[k] = append(all, took)
	} else {
		all[int(took.Nanoseconds())%mostTimes] = took
	}
}

// failed notes one that was not.
func (j *journal) failed(k kind, why string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.failures = append(j.failures, failure{time.Now(), k, why})

}

// lied notes an answer that is wrong, somebody else's, or lacks what was acknowledged.
func (j *journal) lied(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.wrong = append(j.wrong, fmt.Sprintf(format, args...))
}

// since returns the failures behind a moment, and what is wrong.
func (j *journal) since(t time.Time) ([]failure, int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	at, _ := slices.BinarySearchFunc(j.failures, t, func(f failure, t time.Time) int { return f.at.Compare(t) })
	return slices.Clone(j.failures[at:]), len(j.wrong)
}

// last is when a request last failed.
func (j *journal) last() time.Time {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.failures) == 0 {
		return time.Time{}
	}
	return j.failures[len(j.failures)-1].at
}

// at is a percentile of sorted times.
func at(all []time.Duration, percent float64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	return all[min(len(all)-1, int(float64(len(all))*percent/100))]
}

// String is the table of requests.
func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	out := fmt.Sprintf("%-26s %10s %8s %10s %10s\n", "requests", "answered", "failed", "p50", "p99")
	failed := map[kind]int{}
	for _, f := range j.failures {
		failed[f.kind]++
	}
	var kinds []kind
	for k := range j.took {
		kinds = append(kinds, k)
	}
	slices.Sort(kinds)
	for _, k := range kinds {
		all := slices.Sorted(slices.Values(j.took[k]))
		out += fmt.Sprintf("%-26s %10d %8d %10v %10v\n", k, len(all), failed[k], at(all, 50).Round(10*time.Microsecond), at(all, 99).Round(10*time.Microsecond))
	}
	return out
}
