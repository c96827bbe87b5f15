package store

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"
)

// CallBounds are the upper ends of the buckets that calls of the database are counted in, by how long they took.
var CallBounds = [...]time.Duration{500 * time.Microsecond, time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond, 10 * time.Millisecond,
	25 * time.Millisecond, 100 * time.Millisecond, 500 * time.Millisecond, 2 * time.Second}

// The words for how a call of the database ended.
const (
	resultOK          = "ok"
	resultUnavailable = "unavailable"
	resultFull        = "full"
	resultGone        = "gone" // the caller had left
	resultRefused     = "refused"
)

// Results are all of them.
var Results = [...]string{resultFull, resultGone, resultOK, resultRefused, resultUnavailable}

// Stats is what the calls of a database came to since the start, and how its connections stand.
type Stats struct {
	Calls   map[string]int64           // by their end
	Buckets [len(CallBounds) + 1]int64 // by their time; the last is what took longer than all bounds
	Total   time.Duration              // of all calls
	Pools   map[string]sql.DBStats     // of connections: read and write with SQLite, one with PostgreSQL
}

// calls counts.
type calls struct {
	mu      sync.Mutex
	ends    [len(Results)]int64
	buckets [len(CallBounds) + 1]int64
	total   time.Duration
}

func (c *calls) add(took time.Duration, err error) {
	bucket := 0
	for bucket < len(CallBounds) && took > CallBounds[bucket] {
		bucket++
	}
	end := ended(err)
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, word := range Results {
		if word == end {
			c.ends[i]++
		}
	}
	c.buckets[bucket]++
	c.total += took
}

// ended is the word for how a call ended. Rows that are not there, and what a domain package decided in a transaction, are no failure.
func ended(err error) string {
	switch {
	case errors.Is(err, ErrUnavailable), errors.Is(err, context.DeadlineExceeded):
		return resultUnavailable
	case errors.Is(err, ErrFull):
		return resultFull
	case errors.Is(err, context.Canceled):
		return resultGone
	case errors.Is(err, errConflict):
		return resultRefused
	}
	return resultOK
}

// Stats says what became of calls.
func (s *Store) Stats() Stats {
	out := Stats{Calls: map[string]int64{}, Pools: map[string]sql.DBStats{"write": s.write.Stats()}}
	if s.kind == sqlite {
		out.Pools["read"] = s.read.Stats()
	}
	s.calls.mu.Lock()
	defer s.calls.mu.Unlock()
	for i, word := range Results {
		out.Calls[word] = s.calls.ends[i]
	}
	out.Buckets, out.Total = s.calls.buckets, s.calls.total
	return out
}
