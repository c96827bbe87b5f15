//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// load is everybody who calls: organisations with their keys, and workers.
type load struct {
	*journal
	url       string
	client    *http.Client
	transport *http.Transport
	tenants   []*tenant // who check, plan, share and tell
	trainer   *tenant   // who trains: their checks would tell of their runs
	workers   []string  // tokens
	versions  atomic.Pointer[[]int]
	known     []*known
	kept      kept
	cancel    context.CancelFunc
	group     sync.WaitGroup
	chance    struct {
		sync.Mutex
		*rand.Rand
	}
}

// newLoad is a load on a service; dial leads to it.
func newLoad(url string, dial func(ctx context.Context, network, address string) (c connection, err error), known []*known, seed uint64) *load {
	l := &load{journal: newJournal(), url: url, known: known}
	l.transport = &http.Transport{DialContext: dial, MaxIdleConnsPerHost: 64, IdleConnTimeout: 20 * time.Second}
	l.client = &http.Client{Transport: l.transport, Timeout: patience}
	l.chance.Rand = rand.New(rand.NewPCG(seed, 1))
	l.answeredBy(present)
	return l
}

// patience is how long a caller waits for an answer.
const patience = 15 * time.Second

// answeredBy says which versions may answer.
func (l *load) answeredBy(versions ...int) { l.versions.Store(&versions) }

// draw draws a number below n.
func (l *load) draw(n int) int {
	l.chance.Lock()
	defer l.chance.Unlock()
	return l.chance.IntN(n)
}

// begin starts callers, each of which waits for its answer and a while before it asks again.
func (l *load) begin(ctx context.Context) {
	ctx, l.cancel = context.WithCancel(ctx)
	again := func(many int, every time.Duration, f func(ctx context.Context, i int)) {
		for i := range many {
			l.group.Go(func() {
				for ctx.Err() == nil {
					f(ctx, i)
					pause(ctx, every/2+time.Duration(l.draw(int(every))))
				}
			})
		}
	}
	again(6, 100*time.Millisecond, func(ctx context.Context, i int) { l.act(ctx, l.tenants[i%len(l.tenants)]) })
	again(2, 300*time.Millisecond, func(ctx context.Context, i int) { l.share(ctx, l.tenants[i%len(l.tenants)]) })
	again(3, 200*time.Millisecond, func(ctx context.Context, i int) { l.tell(ctx, l.tenants[i%len(l.tenants)]) })
	again(2, 150*time.Millisecond, func(ctx context.Context, _ int) { l.look(ctx) })
	again(1, 400*time.Millisecond, func(ctx context.Context, _ int) { l.spy(ctx) })
	again(2, 2*time.Second, func(ctx context.Context, _ int) { l.train(ctx) })
	for i := range l.workers {
		l.group.Go(func() { l.labour(ctx, i) })
	}
}

// end lets every caller finish what it does.
func (l *load) end() { l.cancel(); l.group.Wait(); l.transport.CloseIdleConnections() }

// pause waits, or until the end.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// ask sends a request. It notes one that got no answer, or one of a service that is away, and says so by a status of 0.
func (l *load) ask(k kind, key, method, path string, body []byte, headers ...string) (status int, answer []byte) {
	r, err := http.NewRequest(method, l.url+path, bytes.NewReader(body))
	if err != nil {
		l.lied("%v", err)
		return 0, nil
	}
	r.GetBody = nil // nobody sends it a second time behind our back
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	began := time.Now()
	resp, err := l.client.Do(r)
	if err != nil {
		l.failed(k, fmt.Sprintf("%s %s: no answer: %v", method, path, err))
		return 0, nil
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(resp.Body)
	switch {
	case err != nil:
		l.failed(k, fmt.Sprintf("%s %s: %v", method, path, err))
	case resp.StatusCode >= http.StatusInternalServerError || resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusRequestTimeout:
		l.failed(k, fmt.Sprintf("%s %s: %d %s", method, path, resp.StatusCode, bytes.TrimSpace(answer[:min(len(answer), 200)])))
		if resp.StatusCode == http.StatusInternalServerError {
			l.lied("a fault of the service itself: %s %s: %.300s", method, path, answer)
		}
	default:
		l.answered(k, time.Since(began))
		return resp.StatusCode, answer
	}
	return 0, nil
}

// act asks something whose answer is known.
func (l *load) act(_ context.Context, t *tenant) {
	versions := *l.versions.Load()
	may := answerable(l.known, versions)
	k := may[l.draw(len(may))]
	status, answer := l.ask(acting, t.key, http.MethodPost, "/api/v1/"+k.action, k.body)
	if status == 0 || k.says(status, answer, versions) || k.says(status, answer, *l.versions.Load()) {
		return
	}
	l.lied("%s %s: %d %.300s", k.action, k.name, status, answer)
}
