package account

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/modelverifier/verifier/internal/secret"
)

// Caller is whom a key stands for.
type Caller struct{ Org, KeyID string }

// How long an answer of the store is used. A key that is revoked is refused everywhere well within a second.
const (
	freshFor    = 500 * time.Millisecond // older answers are not used
	renewAfter  = 250 * time.Millisecond // older answers are used, and replaced in the background
	askFor      = 2 * time.Second        // how long the store may take to answer
	noteFor     = 10 * time.Second       // how long it may take to note a use, for which nobody waits but Close
	touchEvery  = time.Minute            // how exactly the last use is noted
	answersMost = 50_000                 // remembered at once
	wrongMost   = 5_000                  // of which for keys that do not work
)

// Keys says whom a key stands for, on every call. It remembers what the store said for half a second, whichever way it was.
type Keys struct {
	store Store
	clock func() time.Time
	mu    sync.RWMutex
	known map[secret.Hash]*answer
	wrong int // of known
	done  bool
	work  sync.WaitGroup
	ctx   context.Context // ends with Close
	stop  context.CancelFunc
}

// errCrowded is returned instead of remembering more than there is room for; like any error, it says nothing about the key.
var errCrowded = errors.New("account: too many keys are being looked up at once")

// answer is what the store said about a digest. It is not changed once it is there, but for the two marks.
type answer struct {
	caller   Caller
	works    bool
	asked    time.Time     // when the store was asked: what it said may be as old as this
	touched  time.Time     // when its use was last noted
	renewing chan struct{} // closed when the question that is under way has been answered; nil if none is
	err      error         // why there is no answer
}

// NewKeys returns an empty memory in front of a store.
func NewKeys(store Store, clock func() time.Time) *Keys {
	ctx, stop := context.WithCancel(context.Background())
	return &Keys{store: store, clock: clock, known: map[secret.Hash]*answer{}, ctx: ctx, stop: stop}
}

// Close gives up the questions under way, and waits until the uses that are being noted are in the store. Nobody is let in
// behind it.
func (k *Keys) Close() {
	k.mu.Lock()
	k.done = true
	k.mu.Unlock()
	k.stop()
	k.work.Wait()
}

// Authenticate says whom a key stands for. Missing, wrong and revoked keys give ErrUnauthorised. Any other error means that
// the store did not answer: the key may well be right.
//
// No comparison here depends on the key itself: it is found by its SHA-256, about which somebody who guesses learns nothing.
func (k *Keys) Authenticate(ctx context.Context, key string) (Caller, error) {
	if !secret.WellFormed(KeyPrefix, key) {
		return Caller{}, ErrUnauthorised
	}
	hash, now := secret.Of(key), k.clock()
	for {
		a, wait := k.look(hash, now)
		if wait == nil {
			return a.result()
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return Caller{}, ctx.Err()
		}
	}
}

func (a answer) result() (Caller, error) {
	switch {
	case a.err != nil:
		return Caller{}, a.err
	case !a.works:
		return Caller{}, ErrUnauthorised
	}
	return a.caller, nil
}

// within says whether an answer of some age is young enough. One from the future is as old as can be: the clock was set back, and
// a key that is revoked must not work until it is that time again. A caller may have come while the store was asked.
func within(age, most time.Duration) bool { return age < most && age > -aheadMost }

// aheadMost is how much later than its caller came an answer may be.
const aheadMost = 10 * time.Second

// look returns an answer that is fresh enough for somebody who came at a time, or what to wait for.
func (k *Keys) look(hash secret.Hash, came time.Time) (answer, <-chan struct{}) {
	k.mu.RLock()
	a := k.known[hash]
	if a != nil && within(came.Sub(a.asked), renewAfter) {
		got := *a
		k.mu.RUnlock()
		return got, nil
	}
	k.mu.RUnlock()

	k.mu.Lock()
	defer k.mu.Unlock()
	if k.done {
		return answer{err: context.Canceled}, nil
	}
	if a = k.known[hash]; a == nil {
		if !k.room(came) {
			return answer{err: errCrowded}, nil
		}
		a = &answer{}
		k.known[hash] = a
		k.wrong++ // until the store says otherwise
	}
	fresh := !a.asked.IsZero() && within(came.Sub(a.asked), freshFor)
	if a.renewing == nil && (!fresh || a.err == nil && !within(came.Sub(a.asked), renewAfter)) {
		a.renewing = make(chan struct{})
		k.work.Add(1)
		go k.ask(hash, *a)
	}
	if fresh {
		return *a, nil
	}
	return answer{}, a.renewing
}

// room forgets answers that are too old to be used when there are many, and, if all are young, those for wrong keys: a
// flood of guesses must neither fill the memory nor push out callers. It says whether there is room: what is being asked stays.
func (k *Keys) room(now time.Time) bool {
	space := func() bool { return len(k.known) < answersMost && k.wrong < wrongMost }
	for _, all := range []bool{false, true} {
		if space() {
			return true
		}
		for h, a := range k.known {
			if a.renewing == nil && (!within(now.Sub(a.asked), freshFor) || all && !a.works) {
				k.forget(h, a)
			}
		}
	}
	return space()
}

func (k *Keys) forget(h secret.Hash, a *answer) {
	delete(k.known, h)
	if !a.works {
		k.wrong--
	}
}

// ask asks the store, once for all who wait.
func (k *Keys) ask(hash secret.Hash, was answer) {
	defer k.work.Done()
	ctx, cancel := context.WithTimeout(k.ctx, askFor)
	defer cancel()
	now := answer{asked: k.clock(), touched: was.touched}
	key, err := k.store.Key(ctx, hash)
	switch {
	case err == nil:
		now.works = key.RevokedAt.IsZero() && key.Hash.Equal(hash)
		now.caller = Caller{key.Org, key.ID}
	case !errors.Is(err, ErrNotFound):
		now.err = err
	}
	due := now.works && now.asked.Sub(now.touched) >= touchEvery
	if due {
		now.touched = now.asked
	}
	k.answered(hash, now)
	if due {
		k.note(now)
	}
}

// note writes down that a key was used. That the store failed to is no reason to turn the caller away; the next minute's use
// is noted again.
func (k *Keys) note(used answer) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(k.ctx), noteFor)
	defer cancel()
	_ = k.store.Touch(ctx, used.caller.Org, used.caller.KeyID, used.asked.UTC().Truncate(touchEvery))
}

// answered keeps an answer and wakes those who wait for it. A failure does not replace an answer that can still be used.
func (k *Keys) answered(hash secret.Hash, now answer) {
	k.mu.Lock()
	defer k.mu.Unlock()
	a := k.known[hash]
	if now.err != nil && a.err == nil && !a.asked.IsZero() && within(k.clock().Sub(a.asked), freshFor) {
		close(a.renewing)
		a.renewing = nil
		return
	}
	if a.works != now.works {
		if now.works {
			k.wrong--
		} else {
			k.wrong++
		}
	}
	done := a.renewing
	*a = now
	close(done)
}
