package estimate

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/infer"
	autograd "github.com/modelverifier/verifier/internal/tape"
)

// simulated is a model of 2,000 components: norms and attentions that are all alike or all distinct, or plain layers that are distinct.
func simulated(tb testing.TB, kind string) *infer.Result {
	tb.Helper()
	if kind == "plain" {
		return chain(tb, 2000)
	}
	var text, edges strings.Builder
	text.WriteString("x: input shape=[256]\ne: embedding vocabSize=1000 embedDim=64\no: output\n")
	edges.WriteString("x -> e")
	for i := range 666 {
		w, next := 64, 64
		if kind == "attention" {
			w, next = 64+4*i, 68+4*i
		}
		fmt.Fprintf(&text, "a%d: layerNorm normalizedShape=%d\nb%d: multiHeadAttention embedDim=%d numHeads=4\nc%d: linear inFeatures=%d outFeatures=%d\n",
			i, w, i, w, i, w, next)
		fmt.Fprintf(&edges, " -> a%d -> b%d -> c%d", i, i, i)
	}
	return parse(tb, text.String()+edges.String()+" -> o")
}

// processor is the time that this process has had of a processor: other processes do not count.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkSimulation is what following memory adds to an estimate of 2,000 components, in the memory of the one before, as a server does it: the
// tape, its run and what it needs of a card, in milliseconds of processor time. The least of all rounds is reported, as others disturb.
func BenchmarkSimulation(b *testing.B) {
	for _, kind := range []string{"alike", "plain", "attention"} {
		res := simulated(b, kind)
		b.Run(kind, func(b *testing.B) {
			room, names := new(Room), [...]string{"tape-ms", "run-ms", "need-ms", "simulation-ms", "estimate-ms"}
			least := [len(names)]time.Duration{}
			for b.Loop() {
				var at [len(names) + 1]time.Duration
				o := Options{}.or(Defaults(), batchFor(res))
				at[0] = processor()
				t, _ := room.tape(res, o)
				at[1] = processor()
				t.Run(autograd.OptimizerOf(o.Optimizer))
				at[2] = processor()
				t.Need(false)
				at[3] = processor()
				room.Train(res, o)
				at[4] = processor()
				room.Clear()
				for k, took := range [...]time.Duration{at[1] - at[0], at[2] - at[1], at[3] - at[2], at[3] - at[0], at[4] - at[3]} {
					if least[k] == 0 || took < least[k] {
						least[k] = took
					}
				}
			}
			for k, name := range names {
				b.ReportMetric(float64(least[k].Microseconds())/1000, name)
			}
		})
	}
}
