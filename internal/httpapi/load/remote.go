package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelverifier/verifier/internal/httpapi/load/drive"
)

// remote is a load on a service that somebody else runs: a staging, over HTTP or HTTPS. Requests are sent at a rate, whatever the answers do, and
// a time is counted from when a request was due.
type remote struct {
	url, key string
	rate     float64
	lasts    time.Duration
}

// mostUnderWay bounds what this program holds; what is due beyond it is counted as not sent.
const mostUnderWay = 1000

// outcome is what became of the requests.
type outcome struct {
	mu       sync.Mutex
	times    []time.Duration
	statuses map[int]int
	failed   int
	unsent   int
	unlike   int    // answers that differ from the first one
	first    []byte // answer
	why      string
}

// newRemote reads the key from a file, so that no list of processes shows it.
func newRemote(url, keyFile string, rate float64, lasts time.Duration) (*remote, error) {
	r := &remote{url: strings.TrimSuffix(url, "/"), rate: rate, lasts: lasts}
	if !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") {
		return nil, fmt.Errorf("-url is %q but must begin with http:// or https://", url)
	}
	if rate <= 0 || lasts <= 0 {
		return nil, errors.New("-rate and -for must be more than nothing")
	}
	if keyFile == "" {
		return r, nil
	}
	data, err := os.ReadFile(keyFile)
	r.key = strings.TrimSpace(string(data))
	return r, err
}

// run sends checks of a decoder of 197 components, to the service with a key or to the container without one.
func (r *remote) run(path string) error {
	body, err := drive.Request(drive.Decoder(32))
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	client := &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: mostUnderWay, ForceAttemptHTTP2: true}}
	out := &outcome{statuses: map[int]int{}}
	if r.ask(client, path, body, time.Now(), out); out.statuses[http.StatusOK] != 1 {
		return fmt.Errorf("the first check: %v %s", out.statuses, out.why)
	}
	out.times = nil
	var group sync.WaitGroup
	var under atomic.Int64
	began := time.Now()
	for n := 0; ctx.Err() == nil; n++ {
		due := began.Add(time.Duration(float64(n) / r.rate * float64(time.Second)))
		if due.Sub(began) >= r.lasts {
			break
		}
		time.Sleep(time.Until(due))
		if under.Load() >= mostUnderWay {
			out.unsent++
			continue
		}
		under.Add(1)
		group.Go(func() { defer under.Add(-1); r.ask(client, path, body, due, out) })
	}
	group.Wait()
	return out.report(time.Since(began))
}

// ask sends one request.
func (r *remote) ask(client *http.Client, path string, body []byte, due time.Time, out *outcome) {
	request, err := http.NewRequest(http.MethodPost, r.url+path, bytes.NewReader(body))
	if err != nil {
		out.fail(err.Error())
		return
	}
	request.Header.Set("Content-Type", "application/json")
	if r.key != "" {
		request.Header.Set("Authorization", "Bearer "+r.key)
	}
	resp, err := client.Do(request)
	if err != nil {
		out.fail(err.Error())
		return
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		out.fail(err.Error())
		return
	}
	took := time.Since(due)
	out.mu.Lock()
	defer out.mu.Unlock()
	out.statuses[resp.StatusCode]++
	if resp.StatusCode != http.StatusOK {
		out.why = fmt.Sprintf("%d %.200s", resp.StatusCode, answer)
		return
	}
	out.times = append(out.times, took)
	if out.first == nil {
		out.first = answer
	} else if !bytes.Equal(out.first, answer) {
		out.unlike++
	}
}

func (o *outcome) fail(why string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.failed, o.why = o.failed+1, why
}

// report prints what was seen; it is an error where something was not answered, or not as the first.
func (o *outcome) report(took time.Duration) error {
	slices.Sort(o.times)
	at := func(percent int) time.Duration {
		if len(o.times) == 0 {
			return 0
		}
		return o.times[min(len(o.times)-1, len(o.times)*percent/100)].Round(10 * time.Microsecond)
	}
	fmt.Printf("%d accepted in %v, %.1f a second: p50 %v, p90 %v, p99 %v, most %v\n", len(o.times), took.Round(time.Millisecond), float64(len(o.times))/took.Seconds(), at(50), at(90), at(99), at(100))
	turned := o.statuses[http.StatusServiceUnavailable] + o.statuses[http.StatusTooManyRequests]
	fmt.Printf("%d turned away (429, 503), %d without an answer, %d that this machine could not send in time; by status %v\n", turned, o.failed, o.unsent, o.statuses)
	if other := o.failed + o.unlike; other > 0 {
		return fmt.Errorf("%d without an answer, %d answers differ from the first: %s", o.failed, o.unlike, o.why)
	}
	return nil
}
