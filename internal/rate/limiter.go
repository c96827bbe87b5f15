package rate

import (
	"context"
	"sync"
	"time"
)

// leases is how many parts a limit is leased in, at the least. A replica takes one part at a time from the store and hands it
// out by itself, and takes the next while a quarter of it is left, so that nobody waits for the store: what is left with replicas
// when a limit is reached is what the limit is short of.
const leases = 125

// aheadFrom is how large a part is whose next is taken ahead: a few calls are not worth a part that nobody has asked for.
const aheadFrom = 16

// aheadMost is how long a replica waits for a part that nobody waits for yet.
const aheadMost = 10 * time.Second

// mostBuckets is how many buckets are remembered. Beyond it some are forgotten, and asked for again.
const mostBuckets = 50_000

// Limiter hands out calls. Replicas that share a store share the limit: together they never hand out more, and at most a
// hundredth for each replica less. It may be used by many at the same time.
type Limiter struct {
	store  Store
	limit  int64
	period time.Duration
	clock  func() time.Time

	mu      sync.Mutex
	buckets map[string]*bucket
}

// New returns a limiter of so many calls, at least one, for each bucket and period.
func New(store Store, limit int64, period time.Duration, clock func() time.Time) *Limiter {
	return &Limiter{store: store, limit: max(1, limit), period: period, clock: clock, buckets: map[string]*bucket{}}
}

// bucket is what this replica knows of a bucket.
type bucket struct {
	turn chan struct{} // holds one: whoever has it asks the store, and the others wait

	mu      sync.Mutex
	waiting int64 // for a call
	faults  int64 // how often the store has failed
	fault   error // the last time
	left    int64 // calls leased and not handed out
	used    int64 // of the limit, by all replicas, when the store was last asked
	leased  int64 // in this window, by the last lease
	handed  int64 // out in this window
	ends    time.Time
}

// Result says whether a call may be made, and how the window stands.
type Result struct {
	Allowed   bool
	Limit     int64
	Remaining int64 // as far as this replica knows
	Reset     time.Time
}

// Take asks for one call. An error is the store's: nothing is known then.
func (l *Limiter) Take(ctx context.Context, name string) (Result, error) {
	b := l.bucket(name)
	if r, known := b.take(l); known {
		l.ahead(name, b)
		return r, nil
	}
	before := b.enter()
	defer b.leave()
	select {
	case b.turn <- struct{}{}:
		defer func() { <-b.turn }()
	case <-ctx.Done():
		return Result{}, ctx.Err()
	}
	if r, known := b.take(l); known { // somebody has asked in the meantime
		return r, nil
	}
	n, err := b.wanted(l, before)
	if err != nil {
		return Result{}, err
	}
	w, err := l.store.Take(ctx, name, n, l.limit, l.period, l.clock())
	if err != nil {
		b.failed(ctx, err)
		return Result{}, err
	}
	return b.lease(l, w), nil
}

// ahead leases the next part of a bucket of whose last little is left, where nobody does yet.
func (l *Limiter) ahead(name string, b *bucket) {
	if _, low := b.next(l); !low {
		return
	}
	select {
	case b.turn <- struct{}{}:
	default:
		return
	}
	go func() {
		defer func() { <-b.turn }()
		n, low := b.next(l)
		if !low { // somebody has asked in the meantime
			return
		}
		ctx, stop := context.WithTimeout(context.Background(), aheadMost)
		defer stop()
		w, err := l.store.Take(ctx, name, n, l.limit, l.period, l.clock())
		if err != nil {
			b.failed(ctx, err)
			return
		}
		b.refill(l, w)
	}()
}

func (l *Limiter) bucket(name string) *bucket {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.buckets[name]
	if b == nil {
		if len(l.buckets) >= mostBuckets {
			l.forget()
		}
		b = &bucket{turn: make(chan struct{}, 1)}
		l.buckets[name] = b
	}
	return b
}

// forget drops buckets whose window has ended, or else a tenth of all. One that is dropped is asked for again.
func (l *Limiter) forget() {
	now := l.clock()
	for name, b := range l.buckets {
		if b.ended(now) {
			delete(l.buckets, name)
		}
	}
	for name := range l.buckets {
		if len(l.buckets) <= mostBuckets-mostBuckets/10 {
			return
		}
		delete(l.buckets, name)
	}
}

func (b *bucket) ended(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.waiting == 0 && !now.Before(b.ends)
}

// enter joins those who wait, and says how often the store had failed then.
func (b *bucket) enter() (faults int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting++
	return b.faults
}

func (b *bucket) leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting--
}

// failed tells everybody who waits, so that not each of them finds out by waiting for a store that is away. That a caller gave
// up says nothing to the others.
func (b *bucket) failed(ctx context.Context, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if ctx.Err() == nil {
		b.faults, b.fault = b.faults+1, err
	}
}

// take hands a call out, or says that there is none until the window ends. It is not known while the store would have to be
// asked.
func (b *bucket) take(l *Limiter) (r Result, known bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.current(l) || b.left == 0 && b.used < l.limit {
		return r, false
	}
	return b.hand(l), true
}

// current says whether the window that is known is the present one. One that lies wholly in the future was counted by a clock that
// was set back since: the store knows more. The caller holds the lock.
func (b *bucket) current(l *Limiter) bool {
	now := l.clock()
	return now.Before(b.ends) && b.ends.Sub(now) <= l.period+min(l.period, time.Minute)
}

// hand hands out what is left, if anything is. The caller holds the lock.
func (b *bucket) hand(l *Limiter) Result {
	allowed := b.left > 0
	if allowed {
		b.left, b.handed = b.left-1, b.handed+1
	}
	return Result{Allowed: allowed, Limit: l.limit, Remaining: max(0, l.limit-b.used) + b.left, Reset: b.ends}
}

// next is how much to lease ahead, and whether it is time: the last part is nearly used, and the limit has more.
func (b *bucket) next(l *Limiter) (n int64, low bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.leased < aheadFrom || b.left > b.leased/4 || b.used >= l.limit || !b.current(l) {
		return 0, false
	}
	return b.part(l), true
}

// wanted is how much to lease, or an error where the store has failed since the caller began to wait.
func (b *bucket) wanted(l *Limiter, faults int64) (int64, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.faults > faults {
		return 0, b.fault
	}
	return b.part(l), nil
}

// part is how much to lease: twice as much each time, up to one part of the limit, so that a replica which is rarely called holds
// little back; a quarter of what it handed out in the window before where one begins; and at least one for everybody who waits, since
// those are handed out at once. The caller holds the lock.
func (b *bucket) part(l *Limiter) int64 {
	n := b.handed / 4
	if b.current(l) {
		n = 2 * b.leased
	}
	return max(1, b.waiting, min(n, l.limit/leases))
}

// lease notes what the store has granted, and hands one of it to whoever asked, before anybody else can have it: the limit may have more.
func (b *bucket) lease(l *Limiter, w Window) Result {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.granted(l, w)
	return b.hand(l)
}

// refill notes what the store has granted before anybody asked for it.
func (b *bucket) refill(l *Limiter, w Window) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.granted(l, w)
}

// granted adds a lease. One that is left from a window before has lapsed. The caller holds the lock.
func (b *bucket) granted(l *Limiter, w Window) {
	ends := w.Began.Add(l.period)
	if !ends.Equal(b.ends) {
		b.left, b.handed, b.ends = 0, 0, ends
	}
	b.left, b.used, b.leased = b.left+w.Granted, w.Used, w.Granted
}
