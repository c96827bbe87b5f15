//go:build unix

package adversary

import (
	"runtime"
	"runtime/metrics"
	"sync"
	"syscall"
	"time"

	"github.com/modelverifier/verifier/internal/hostile"
)

// Cost is what some work took.
type Cost struct {
	Seconds float64 // of the processor, those of the garbage collector among them
	Bytes   uint64  // that the heap grew by at the most
}

// Bar is what one request may cost.
var Bar = Cost{MaxSeconds, MaxBytes}

// Slowed is the cost as it would be on a machine that is not busy: over the bar, the same machine does some fixed work, and the time is
// less by as much as that takes longer than it should.
func (c Cost) Slowed() Cost { return c.slowed(Bar) }

func (c Cost) slowed(bar Cost) Cost {
	if c.Seconds > bar.Seconds {
		c.Seconds /= hostile.Slow(once(hostile.Reference).Seconds)
	}
	return c
}

// Within reports whether the bar was kept.
func (c Cost) Within() bool { return c.within(Bar) }

func (c Cost) within(bar Cost) bool { return c.Seconds <= bar.Seconds && c.Bytes <= bar.Bytes }

// Measure does some work, and does it again where it took more than the bar: the least of eight counts, because other work on the
// machine only adds. Nothing else may run in the process.
func Measure(work func()) Cost { return measure(Bar, work) }

func measure(bar Cost, work func()) Cost {
	least := once(work)
	for range 7 {
		if least.within(bar) {
			break
		}
		again := once(work)
		least.Seconds, least.Bytes = min(least.Seconds, again.Seconds), min(least.Bytes, again.Bytes)
	}
	return least
}

func once(work func()) Cost {
	runtime.GC()
	before, peak, stop := heap(), uint64(0), make(chan struct{})
	var watched sync.WaitGroup
	watched.Go(func() {
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			peak = max(peak, heap())
			select {
			case <-stop:
				return
			case <-tick.C:
			}
		}
	})
	start := processor()
	work()
	seconds := processor() - start
	peak2 := heap()
	close(stop)
	watched.Wait()
	return Cost{seconds, max(peak, peak2, before) - before}
}

// heap is how many bytes objects take, those that are not collected yet among them.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// processor is the time that the process has used, in seconds. A clock on the wall would count what others do.
func processor() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}
