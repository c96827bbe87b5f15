package truth

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/infer"
)

// Runs of well-known models at their published sizes, each repeated under ever smaller caps on the process's memory.
const (
	capacityFile = "capacity.jsonl.gz"
	fitFile      = "fit.jsonl.gz"
)

// capped is a run of which the smallest memory is known in which it goes through: more than NeedsAtLeast, and RunsIn is enough.
type capped struct {
	Model, Run, Task, Quant                        string
	Batch, Seq, LoRA                               int64
	Expandable, Aside                              bool
	Targets                                        any
	Config                                         json.RawMessage
	PeakBytes, ReservedBytes, NeedsAtLeast, RunsIn int64
}

// estimate is what is estimated of the run.
func (c *capped) estimate(t *testing.T) *estimate.Training {
	t.Helper()
	return estimate.Train(c.asRun(t))
}

// asRun is the model and how it is trained.
func (c *capped) asRun(t *testing.T) (*infer.Result, estimate.Options) {
	t.Helper()
	r := run{Task: c.Task, Config: c.Config, SeqLen: c.Seq}
	res, err := r.infer()
	if err != nil {
		t.Fatalf("%s: %v", c.Model, err)
	}
	asked := recipe{Run: c.Run, Quant: c.Quant, Batch: c.Batch, LoRA: c.LoRA, Targets: c.Targets}
	o := asked.options()
	o.Expandable = c.Expandable
	o.GPU = "H200"
	return res, o
}

// compared is what is estimated of runs by what was measured: the middle of the interval, its lower end, and what was reserved.
type compared struct{ needs, lows, reserved []float64 }

func (a *compared) add(t *testing.T, c *capped) {
	t.Helper()
	got, peak := c.estimate(t), float64(c.PeakBytes)
	need := float64(got.NeedBytes) / (float64(c.NeedsAtLeast+c.RunsIn) / 2)
	a.needs, a.lows = append(a.needs, need), append(a.lows, float64(got.NeedBytes)/float64(c.NeedsAtLeast))
	a.reserved = append(a.reserved, float64(got.ReservedBytes)/float64(c.ReservedBytes))
	t.Logf("%-15s %3d × %4d %-24s expandable %-5v peak %.3f; need %.3f: %.3f of the peak, measured %.3f to %.3f; reserved %.3f, measured %.3f", c.Model, c.Batch, c.Seq, c.Run, c.Expandable,
		float64(got.PeakBytes)/peak, need, float64(got.NeedBytes)/peak, float64(c.NeedsAtLeast)/peak, float64(c.RunsIn)/peak,
		float64(got.ReservedBytes)/peak, float64(c.ReservedBytes)/peak)
}

// TestNeed holds the memory that a run is said to need to what it was found to need. Nothing is fitted to any of the rows.
func TestNeed(t *testing.T) {
	var known, rest, aside compared
	lines(t, capacityFile, func(line []byte) { compareCapped(t, line, &known, &known) })
	lines(t, fitFile, func(line []byte) { compareCapped(t, line, &rest, &aside) })
	known.hold(t, "well-known models")
	aside.hold(t, "further models, set aside")
	rest.join(&aside)
	rest.hold(t, "further models, all") // DeBERTa v3 is 12 % too high: why is not known
}

func (a *compared) join(b *compared) {
	a.needs, a.lows, a.reserved = append(a.needs, b.needs...), append(a.lows, b.lows...), append(a.reserved, b.reserved...)
}

func compareCapped(t *testing.T, line []byte, rest, aside *compared) {
	t.Helper()
	var c capped
	if err := json.Unmarshal(line, &c); err != nil {
		t.Fatal(err)
	}
	switch {
	case c.Aside:
		aside.add(t, &c)
	case strings.Contains(c.Run, "8bit"): // where bitsandbytes' states find room is not followed to the end: of a run that was looked at, 4 % too little
		t.Logf("%s, %s: not compared", c.Model, c.Run)
	default:
		rest.add(t, &c)
	}
}

// hold keeps errors to 3 % in the median and 10 % in nineteen of twenty runs, and all of them to 3 % below what is needed at the least.
func (a *compared) hold(t *testing.T, what string) {
	t.Helper()
	e := errorsIn(a.needs)
	t.Logf("%s: %d runs, need off by %s, reserved by %s (median, p90, p95, worst, too low, by at most)", what, len(a.needs), e, errorsIn(a.reserved))
	if e.median > 0.03 || e.p95 > 0.10 {
		t.Errorf("%s: need off by %s; the bars are 3 %% in the median and 10 %% in nineteen of twenty", what, e)
	}
	for k, low := range a.lows {
		if low < 0.97 {
			t.Errorf("%s: run %d is said to need %.1f %% of what was not enough", what, k, 100*low)
		}
	}
}
