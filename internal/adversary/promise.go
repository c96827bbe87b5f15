//go:build unix

package adversary

import (
	"fmt"
	"iter"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/hostile"
)

// Set is requests that are judged by one bar each.
type Set struct {
	Fixed  iter.Seq[Request]
	Random func(seed uint64) Request
	Draws  int // of random requests, in the short form
	Bar    func(r *Request) Cost
	Sent   func(r *Request) bool // reports whether one is sent; nil for all
}

// Send answers a request, lets nothing of it run on, and returns how many bytes the answer has.
type Send func(r Request) (answer int)

// Requests are those of Fixed, and so many random ones.
func Requests(random int) Set {
	return Set{Fixed: func(yield func(Request) bool) { slices.Values(Fixed())(yield) }, Random: Random, Draws: random, Bar: bar}
}

// bar is the bar of a request.
func bar(r *Request) Cost {
	if r.Action == "rank" { // has up to twenty models: see MaxRankSeconds
		return Cost{MaxRankSeconds, MaxRankBytes}
	}
	return Bar
}

// Promise sends requests and fails where one costs more than its bar: every fixed request, and so many random ones, each in all of these
// ways. In the long form, with VERIFIER_PROMISE set to a duration, random requests are drawn for so long, from the seed that
// VERIFIER_PROMISE_SEED has.
func (s Set) Promise(t *testing.T, mostAnswer int, sends ...Send) {
	t.Helper()
	hostile.SkipUnderRace(t)
	sent, worst := 0, Cost{}
	way := func(r Request, send Send) {
		answer, bar := 0, s.Bar(&r)
		c := measure(bar, func() { answer = send(r) })
		if !c.Within(bar) || answer > mostAnswer {
			t.Errorf("%s, %s of %d bytes: %.3f s, %d MB, an answer of %d bytes", r.Name, r.Action, len(r.Body), c.Seconds, c.Bytes>>20, answer)
		}
		worst = Cost{max(worst.Seconds, c.Seconds), max(worst.Bytes, c.Bytes)}
	}
	try := func(r Request) {
		if s.Sent != nil && !s.Sent(&r) {
			return
		}
		if len(r.Body) > 8<<20 {
			t.Fatalf("%s has %d bytes", r.Name, len(r.Body))
		}
		for _, send := range sends {
			way(r, send)
		}
		sent++
	}
	defer func() {
		t.Logf("%d requests, of which one took %.0f ms and one %d MB", sent, worst.Seconds*1000, worst.Bytes>>20)
	}()
	for r := range s.Fixed {
		try(r)
	}
	seed := uint64(0)
	if long, err := time.ParseDuration(os.Getenv("VERIFIER_PROMISE")); err == nil {
		if _, err := fmt.Sscan(os.Getenv("VERIFIER_PROMISE_SEED"), &seed); err != nil {
			seed = uint64(time.Now().UnixNano())
		}
		t.Logf("from seed %d", seed)
		for end := time.Now().Add(long); time.Now().Before(end); seed++ {
			try(s.Random(seed))
		}
		return
	}
	for range s.Draws {
		try(s.Random(seed))
		seed++
	}
}
