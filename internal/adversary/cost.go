//go:build unix

package adversary

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"syscall"
	"testing"
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

// Within reports whether a bar was kept.
func (c Cost) Within(bar Cost) bool { return c.Seconds <= bar.Seconds && c.Bytes <= bar.Bytes }

// Measure is MeasureAgainst the bar of one request.
func Measure(t testing.TB, work func()) Cost {
	t.Helper()
	return MeasureAgainst(t, Bar, work)
}

// MeasureAgainst does some work, and does it again where it took more than the bar: the least of sixteen counts, because other work on the
// machine only adds. Nothing else may run in the process. Under the race detector the test is skipped.
func MeasureAgainst(t testing.TB, bar Cost, work func()) Cost {
	t.Helper()
	hostile.SkipUnderRace(t)
	return measure(bar, work)
}

// referenceSeconds is what hostile.Reference takes of a processor of the machine of docs/security.md when it does nothing else, with garbage
// collected as seldom as once does.
const referenceSeconds = 0.11

// attempts is how often work is done that takes more than the bar: what else the machine does comes and goes.
const attempts = 16

// measure is the cost as it would be on the machine of docs/security.md that does nothing else: behind each attempt over the bar, the same
// machine does some fixed work, and the time is less by as much as the least of those takes longer than it should.
func measure(bar Cost, work func()) Cost {
	least, alike := Cost{math.Inf(1), math.MaxUint64}, math.Inf(1)
	for range attempts {
		again := once(bar.Bytes, work)
		if again.Within(bar) {
			return again
		}
		alike = min(alike, once(bar.Bytes, hostile.Reference).Seconds)
		least.Seconds, least.Bytes = min(least.Seconds, again.Seconds), min(least.Bytes, again.Bytes)
	}
	least.Seconds /= max(1, alike/referenceSeconds)
	return least
}

// once collects garbage as the servers do: seldom, until the memory that they may use is almost full. Theirs is what the process has now,
// requests that are held to be sent among it, and so many bytes. The process has these from the system already, as a server has that answered
// before: whoever attacks one sends more than a request.
func once(bytes uint64, work func()) Cost {
	runtime.GC()
	var beyond []byte
	switch have := free(); {
	case have > bytes: // earlier work has left more than the limit leaves room for
		beyond = make([]byte, have-bytes)
	case have < bytes:
		obtain(bytes - have)
		runtime.GC()
	}
	defer runtime.KeepAlive(beyond)
	defer debug.SetGCPercent(debug.SetGCPercent(serverGCPercent))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(int64(used() + bytes)))
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

// obtain gets so many bytes from the system, for what comes behind.
func obtain(bytes uint64) {
	block := make([]byte, bytes)
	for i := 0; i < len(block); i += os.Getpagesize() {
		block[i] = 1
	}
	runtime.KeepAlive(block)
}

// serverGCPercent is GOGC of verifier-server and verifier-hosted.
const serverGCPercent = 800

// used is how many bytes the process uses of those that the limit of memory counts.
func used() uint64 {
	return metric("/memory/classes/total:bytes") - metric("/memory/classes/heap/released:bytes") - free()
}

// free is how many bytes the heap has left over.
func free() uint64 { return metric("/memory/classes/heap/free:bytes") }

// heap is how many bytes objects take, those that are not collected yet among them.
func heap() uint64 { return metric("/memory/classes/heap/objects:bytes") }

func metric(name string) uint64 {
	sample := []metrics.Sample{{Name: name}}
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
