//go:build unix

package adversary

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/hostile"
)

// attempts is how often a request is judged that is over the bar: what else the machine does comes and goes.
const attempts = 4

// Promise sends requests and fails where one costs more than the bar: every request of Fixed, and so many random ones. send must
// answer a request and let nothing of it run on; it returns how many bytes the answer has. In the long form, with VERIFIER_PROMISE
// set to a duration, random requests are drawn for so long, from the seed that VERIFIER_PROMISE_SEED has.
func Promise(t *testing.T, random int, mostAnswer int, send func(r Request) (answer int)) {
	t.Helper()
	hostile.SkipUnderRace(t)
	try := func(r Request) {
		if len(r.Body) > 8<<20 {
			t.Fatalf("%s has %d bytes", r.Name, len(r.Body))
		}
		answer, c := 0, Cost{}
		for range attempts {
			c = Measure(func() { answer = send(r) })
			if r.Action == "rank" { // has up to twenty models: see MaxRankSeconds
				c.Seconds *= MaxSeconds / MaxRankSeconds
				c.Bytes = c.Bytes * MaxBytes / MaxRankBytes
			}
			if c = c.Slowed(); c.Within() {
				break
			}
		}
		if !c.Within() || answer > mostAnswer {
			t.Errorf("%s, %s of %d bytes: %.3f s, %d MB, an answer of %d bytes", r.Name, r.Action, len(r.Body), c.Seconds, c.Bytes>>20, answer)
		}
	}
	for _, r := range Fixed() {
		try(r)
	}
	seed := uint64(0)
	if long, err := time.ParseDuration(os.Getenv("VERIFIER_PROMISE")); err == nil {
		if _, err := fmt.Sscan(os.Getenv("VERIFIER_PROMISE_SEED"), &seed); err != nil {
			seed = uint64(time.Now().UnixNano())
		}
		t.Logf("from seed %d", seed)
		for end := time.Now().Add(long); time.Now().Before(end); seed++ {
			try(Random(seed))
		}
		return
	}
	for range random {
		try(Random(seed))
		seed++
	}
}
