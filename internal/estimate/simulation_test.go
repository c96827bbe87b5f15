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

// BenchmarkSimulation is what following memory adds to a plan of 2,000 components, in the memory of the one before, as a server does it. Of a plan it
// times the walk, the estimate and the peak with eager attention; of the estimate the simulation, which is the tape, its run and what that needs of a
// card. All are milliseconds of processor time, the least of all rounds, as others disturb. A plan without the simulation takes the walk, and what the
// estimate takes longer than the simulation.
func BenchmarkSimulation(b *testing.B) {
	for _, kind := range []string{"alike", "plain", "attention"} {
		res := simulated(b, kind)
		b.Run(kind, func(b *testing.B) {
			room, least := new(Room), map[string]time.Duration{}
			lap := func(name string, from time.Duration) (now time.Duration) {
				now = processor()
				if took := now - from; least[name] == 0 || took < least[name] {
					least[name] = took
				}
				return now
			}
			o := Options{}.or(Defaults(), batchFor(res))
			for b.Loop() {
				begin := processor()
				t, _ := room.tape(res, o)
				at := lap("tape", begin)
				t.Run(autograd.OptimizerOf(o.Optimizer))
				at = lap("run", at)
				t.Need(false)
				lap("need", at)
				at = lap("simulation", begin)
				training := room.Train(res, o)
				at = lap("estimate", at)
				room.EagerExtra(res, training)
				at = lap("eager", at)
				infer.Walk(res.Graph)
				lap("walk", at)
				room.Clear()
			}
			for name, took := range least {
				b.ReportMetric(float64(took.Microseconds())/1000, name+"-ms")
			}
		})
	}
}
