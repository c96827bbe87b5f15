//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelverifier/verifier/internal/action/all"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/httpapi/load/drive"
)

// The bars of an overload.
const (
	overloadFactor = 2.0                    // of the capacity
	quietPart      = 0.05                   // of the capacity, by the organisation that does not make the noise
	slowerMost     = 3.0                    // p99 of what is accepted, against that at half the capacity
	shedMost       = 100 * time.Millisecond // p99 of a refusal
	growsMost      = 1.25                   // memory at the end, against that behind a fifth of the time
	recoverMost    = 5 * time.Second
	quietShedMost  = 0.01 // of the calls of the quiet organisation
)

// press is a request that is sent again and again, whose answer is known.
type press struct {
	client     *http.Client
	url        string
	body, want []byte
}

// newPress has a check of a decoder of 773 components.
func newPress(s *soak) (*press, error) {
	body, err := drive.Request(drive.Decoder(overloadBlocks))
	if err != nil {
		return nil, err
	}
	status, want := all.Answer("check", body, graph.ServiceLimits)
	if status != http.StatusOK {
		return nil, fmt.Errorf("the engine itself says %d", status)
	}
	transport := &http.Transport{DialContext: s.outside.dial, MaxIdleConnsPerHost: 512, MaxIdleConns: 1024}
	return &press{&http.Client{Transport: transport, Timeout: patience}, s.url() + "/api/v1/check", body, want}, nil
}

// overloadBlocks of six components make a model that takes a few milliseconds, so that the callers take little of the processors.
const overloadBlocks = 128

// tally is what became of a stretch of calls.
type tally struct {
	mu               sync.Mutex
	accepted, shed   []time.Duration
	failed, wrong    int
	missing          int // refusals without Retry-After
	lastShed, lastAt time.Time
	why              string
}

// call sends one request, due at a time.
func (p *press) call(t *tenant, due time.Time, into *tally) {
	r, err := http.NewRequest(http.MethodPost, p.url, bytes.NewReader(p.body))
	if err != nil {
		panic(err) // the address is ours
	}
	r.Header.Set("Authorization", "Bearer "+t.key)
	r.Header.Set("Content-Type", "application/json")
	resp, err := p.client.Do(r)
	var answer []byte
	if err == nil {
		answer, err = io.ReadAll(resp.Body)
		_ = resp.Body.Close()
	}
	took := time.Since(due)
	into.mu.Lock()
	defer into.mu.Unlock()
	into.lastAt = time.Now()
	switch {
	case err != nil:
		into.failed, into.why = into.failed+1, err.Error()
	case resp.StatusCode == http.StatusOK && bytes.Equal(bytes.TrimSuffix(answer, []byte("\n")), p.want):
		into.accepted = append(into.accepted, took)
	case resp.StatusCode == http.StatusServiceUnavailable || resp.StatusCode == http.StatusTooManyRequests:
		into.shed, into.lastShed = append(into.shed, took), time.Now()
		if resp.Header.Get("Retry-After") == "" {
			into.missing++
		}
	default:
		into.wrong, into.why = into.wrong+1, fmt.Sprintf("%d %.200s", resp.StatusCode, answer)
	}
}

// full sends as fast as the answers come, on some connections, and returns how many were accepted a second.
func (p *press) full(ctx context.Context, t *tenant, connections int, lasts time.Duration) (float64, *tally) {
	into, began := &tally{}, time.Now()
	var group sync.WaitGroup
	for range connections {
		group.Go(func() {
			for ctx.Err() == nil && time.Since(began) < lasts {
				p.call(t, time.Now(), into)
			}
		})
	}
	group.Wait()
	return float64(len(into.accepted)) / time.Since(began).Seconds(), into
}

// mostAtOnce bounds what the callers themselves hold.
const mostAtOnce = 1500

// even sends at a rate, whatever the answers do.
func (p *press) even(ctx context.Context, t *tenant, rate float64, lasts time.Duration) *tally {
	into, began := &tally{}, time.Now()
	var group sync.WaitGroup
	var under atomic.Int64
	for n := 0; ctx.Err() == nil; n++ {
		due := began.Add(time.Duration(float64(n) / rate * float64(time.Second)))
		if due.Sub(began) >= lasts {
			break
		}
		time.Sleep(time.Until(due))
		if under.Load() >= mostAtOnce {
			continue
		}
		under.Add(1)
		group.Go(func() { defer under.Add(-1); p.call(t, due, into) })
	}
	group.Wait()
	slices.Sort(into.accepted)
	slices.Sort(into.shed)
	return into
}

// resident is what the replicas have in memory, in MB.
func (c *cluster) resident() (sum float64) {
	for _, r := range c.replicas {
		data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", r.process.cmd.Process.Pid))
		if fields := strings.Fields(string(data)); len(fields) > 1 {
			pages, _ := strconv.Atoi(fields[1])
			sum += float64(pages*os.Getpagesize()) / (1 << 20)
		}
	}
	return sum
}

// overload sends twice what can be done, most of it by one organisation, and prints each figure beside its bar.
func (s *soak) overload(ctx context.Context, lasts time.Duration) error {
	p, err := newPress(s)
	if err != nil {
		return err
	}
	if s.cluster.shareErr != nil {
		s.print("the replicas share the processors with everybody else: %v\n", s.cluster.shareErr)
	}
	noisy, quiet := s.load.tenants[0], s.load.tenants[1]
	short := max(5*time.Second, lasts/6)
	_, _ = p.full(ctx, noisy, 2*len(s.replicas), 3*time.Second) // warm
	capacity, _ := p.full(ctx, noisy, 2*len(s.replicas), short)
	half := p.even(ctx, noisy, capacity/2, short)
	s.print("capacity %.0f a second; at half of it p50 %v, p99 %v, %d turned away\n", capacity, ms(at(half.accepted, 50)), ms(at(half.accepted, 99)), len(half.shed))
	var loud, soft *tally
	var group sync.WaitGroup
	before, after := 0.0, 0.0
	group.Go(func() { loud = p.even(ctx, noisy, capacity*(overloadFactor-quietPart), lasts) })
	group.Go(func() { soft = p.even(ctx, quiet, capacity*quietPart, lasts) })
	group.Go(func() {
		pause(ctx, lasts/5)
		before = s.resident()
		pause(ctx, lasts*3/4-lasts/5)
		after = s.resident()
	})
	group.Wait()
	ended := time.Now()
	again := p.even(ctx, noisy, capacity/2, short)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	recovered := max(0, again.lastShed.Sub(ended))
	s.bar("accepted of the noisy organisation, a second", float64(len(loud.accepted))/lasts.Seconds(), 0.4*capacity, false)
	s.bar("p99 of what is accepted, ms", at(loud.accepted, 99).Seconds()*1000, slowerMost*at(half.accepted, 99).Seconds()*1000, true)
	s.bar("p99 of the quiet organisation, ms", at(soft.accepted, 99).Seconds()*1000, slowerMost*at(half.accepted, 99).Seconds()*1000, true)
	s.bar("turned away of the quiet organisation, part", float64(len(soft.shed))/float64(max(1, len(soft.shed)+len(soft.accepted))), quietShedMost, true)
	s.bar("turned away in all, a second", float64(len(loud.shed))/lasts.Seconds(), 0.4*capacity, false)
	s.bar("p99 of a refusal, ms", at(loud.shed, 99).Seconds()*1000, shedMost.Seconds()*1000, true)
	s.bar("refusals without Retry-After", float64(loud.missing+soft.missing+half.missing), 0, true)
	s.bar("no answer, or a wrong one", float64(loud.failed+loud.wrong+soft.failed+soft.wrong), 0, true)
	s.bar("memory of the replicas, MB", after, growsMost*before, true)
	s.bar("seconds until none is turned away at half load", recovered.Seconds(), recoverMost.Seconds(), true)
	for _, t := range []*tally{loud, soft} {
		if t.why != "" {
			s.print("one of them: %s\n", t.why)
		}
	}
	return nil
}

func ms(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }

// bar prints a figure beside what it must hold.
func (s *soak) bar(name string, got, bar float64, most bool) {
	word, held := "at least", got >= bar
	if most {
		word, held = "at most", got <= bar
	}
	s.print("overload: %-50s %10.2f  %s %.2f\n", name, got, word, bar)
	if !held {
		s.fail("overload: %s is %.2f, %s %.2f is allowed", name, got, word, bar)
	}
}
