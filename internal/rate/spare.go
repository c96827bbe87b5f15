package rate

import (
	"context"
	"sync"
	"time"
)

// Spare is a store that counts in this process while the one behind it cannot write, as on a full disk: calls go on, and limits
// then hold for each replica by itself.
type Spare struct {
	Store
	When func(error) bool // whether an error is one of those

	mu      sync.Mutex
	windows map[string]*spareWindow
}

type spareWindow struct {
	began, ends time.Time
	used        int64
}

// spareMost is how many windows are counted here. Beyond it those that have ended are forgotten, or else the error stays.
const spareMost = 50_000

// Take counts in the store, or here.
func (s *Spare) Take(ctx context.Context, bucket string, n, limit int64, period time.Duration, now time.Time) (Window, error) {
	w, err := s.Store.Take(ctx, bucket, n, limit, period, now)
	if err == nil || !s.When(err) {
		return w, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.windows) >= spareMost {
		for name, old := range s.windows {
			if !now.Before(old.ends) {
				delete(s.windows, name)
			}
		}
	}
	here := s.windows[bucket]
	if here == nil && len(s.windows) >= spareMost {
		return w, err
	}
	if here == nil || !now.Before(here.ends) || here.began.Sub(now) > 0 {
		here = &spareWindow{began: now, ends: now.Add(period)}
		if s.windows == nil {
			s.windows = map[string]*spareWindow{}
		}
		s.windows[bucket] = here
	}
	granted := max(0, min(n, limit-here.used))
	here.used += granted
	return Window{Granted: granted, Used: here.used, Began: here.began.UTC()}, nil
}
