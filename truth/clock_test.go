package truth

import (
	"encoding/json"
	"hash/fnv"
	"math"
	"sort"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/docs"
	"github.com/modelverifier/verifier/internal/clock"
	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/tape"
)

// timesFile has times of well-known models at their published sizes that nothing was fitted on.
const timesFile = "times.jsonl.gz"

// measuredOn is the card of all rows.
var measuredOn = hardware.Lookup("H200")

// work is what a run has card and host do: calls that are alike are counted together.
type work struct {
	calls     []tape.Call
	times     []float64
	counts    clock.Counts
	optimizer clock.Optimizer
	card      clock.Card
}

// workOf finds the work of a run.
func workOf(res *infer.Result, o estimate.Options) (w work) {
	w.optimizer, w.card = clock.OptimizerOf(o.Optimizer), clock.On(measuredOn, o.Precision)
	seen := map[tape.Call]int{}
	w.counts = estimate.Calls(res, o, func(c *tape.Call) {
		times := float64(c.Times)
		c.Times = 0 // calls that differ in it alone are one
		at, ok := seen[*c]
		if !ok {
			at, seen[*c] = len(w.calls), len(w.calls)
			w.calls, w.times = append(w.calls, *c), append(w.times, 0)
		}
		w.times[at] += times
	})
	return w
}

// kernels is how many kernels the two passes start.
func (w *work) kernels() (sum float64) {
	for k := range w.calls {
		sum += w.times[k] * float64(w.calls[k].Kernels)
	}
	return sum
}

// micros is how long a step takes with some rates.
func (w *work) micros(r *clock.Rates) float64 {
	var sum clock.Work
	for k := range w.calls {
		sum.Add(&w.calls[k], w.times[k], r, &w.card)
	}
	return sum.Micros(w.counts, w.optimizer, r, &w.card)
}

// timing is a run that was timed, and what its time is computed from.
type timing struct {
	work
	family            string
	ms, weight, steps float64 // steps: estimated by measured
	ckpt, eager       bool
	fitted            bool
}

// publishedWeight is how much a row of a published size counts in the fit: those are what people ask about, and few beside the small ones.
const publishedWeight = 6

// publishedRuns has the files that published has read.
var publishedRuns = map[string][]timing{}

// published reads the runs of well-known models. Those of capacityFile whose name and recipe have a hash that three divides are set aside, as are the
// rows that say so.
func published(t *testing.T, file string) (out []timing) {
	t.Helper()
	if known, ok := publishedRuns[file]; ok {
		return known
	}
	defer func() { publishedRuns[file] = out }()
	lines(t, file, func(line []byte) {
		var c struct {
			capped
			StepMs float64
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		if c.StepMs == 0 || c.LoRA > 0 || c.Quant != "" || strings.Contains(c.Run, "8bit") { // the rates are fitted on none of these
			return
		}
		res, o := c.asRun(t)
		got := estimate.Train(res, o)
		x := timing{work: workOf(res, o), family: c.Model + ", " + c.Run, ms: c.StepMs, weight: publishedWeight, steps: float64(got.StepMicros) / 1e3 / c.StepMs,
			ckpt: o.Checkpointing, eager: o.Attention == "eager", fitted: !c.Aside && file != timesFile}
		if h := fnv.New32a(); file == capacityFile {
			h.Write([]byte(c.Model + " " + c.Run))
			x.fitted = h.Sum32()%3 != 0
		}
		out = append(out, x)
	})
	return out
}

// fitRates changes one rate after the other by ever smaller steps, as long as that brings the estimates closer: the mean of the logarithm's size, and of
// its square.
func fitRates(runs []timing) clock.Rates {
	r := clock.Measured().Rates
	for _, n := range r.All() { // round numbers to begin with
		*n.Value = rounded(*n.Value)
	}
	loss := func() (sum float64) {
		for i := range runs {
			x := math.Log(runs[i].micros(&r) / 1e3 / runs[i].ms)
			sum += runs[i].weight * (math.Abs(x) + x*x/2)
		}
		return sum
	}
	best := loss()
	for step := 0.4; step > 0.01; step *= 0.75 {
		for _, n := range r.All() {
			for _, by := range []float64{1 + step, 1 / (1 + step)} {
				old := *n.Value
				if *n.Value *= by; clock.Most(n.Name) > 0 {
					*n.Value = min(*n.Value, clock.Most(n.Name))
				}
				if now := loss(); now < best {
					best = now
				} else {
					*n.Value = old
				}
			}
		}
	}
	return r
}

// rounded is a number to one digit.
func rounded(x float64) float64 {
	if x == 0 {
		return 0
	}
	unit := math.Pow(10, math.Floor(math.Log10(x)))
	return math.Round(x/unit) * unit
}

// TestStepTimeAtPublishedSizes holds times of well-known models to 10 % in the median and 30 % in nineteen of twenty runs, set aside or not.
func TestStepTimeAtPublishedSizes(t *testing.T) {
	var doc accuracy
	publishedSection(t, &doc)
	t.Log(string(doc.encode(t)))
}

func publishedSection(t *testing.T, doc *accuracy) (fitted []timing) {
	t.Helper()
	sets := map[string][]float64{}
	var all []timing
	for _, file := range []string{capacityFile, fitFile, timesFile} {
		for _, x := range published(t, file) {
			all = append(all, x)
			kinds := []string{"5 all", "2 held out"}
			if x.fitted {
				kinds[1] = "1 fitted on"
				fitted = append(fitted, x)
			}
			if x.ckpt {
				kinds = append(kinds, "3 with checkpointing")
			}
			if x.eager {
				kinds = append(kinds, "4 eager attention")
			}
			for _, kind := range kinds {
				sets[kind] = append(sets[kind], x.steps)
			}
		}
	}
	var names []string
	for name := range sets {
		names = append(names, name)
	}
	sort.Strings(names)
	var errors []docs.Errors
	for _, name := range names {
		e := errorsIn(sets[name])
		errors = append(errors, line(name[2:], sets[name]))
		if e.median > 0.10 || e.p95 > 0.30 {
			t.Errorf("the time of a step at published sizes, %s, is off by %s; the bars are 10 %% and 30 %%", name[2:], e)
		}
	}
	doc.add(set{"Time at published sizes", []string{"truth/" + capacityFile, "truth/" + fitFile, "truth/" + timesFile}}, stepTime, errors)
	for i := range all {
		t.Logf("%.3f of %7.1f ms, fitted %-5v %s", all[i].steps, all[i].ms, all[i].fitted, all[i].family)
	}
	return fitted
}
