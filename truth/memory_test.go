package truth

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/docs"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/hf"
	"github.com/modelverifier/verifier/internal/infer"
)

// memoryFiles are the rows of training runs on an H200: graphs as PyTorch's own modules, and transformers' models.
var memoryFiles = []string{"memory.jsonl.gz", "memory-hf.jsonl.gz"}

// Further runs that memory.py measured: moreFile of both kinds, kinFile of models that resemble those of its rows set aside that were
// estimated worst, freshFile and lastFile of a second and a third set aside, whose errors were looked at once and used from then on, and
// blindFile of a fourth, which was measured before what replay.py shows of other models was mended.
const (
	moreFile  = "memory-more.jsonl.gz"
	kinFile   = "memory-kin.jsonl.gz"
	freshFile = "memory-fresh.jsonl.gz"
	lastFile  = "memory-last.jsonl.gz"
	blindFile = "memory-blind.jsonl.gz"
)

// run is a training run that was measured, and what is estimated of it.
type run struct {
	ID, Task, Precision, Attention, Optimizer       string
	Graph, Config                                   json.RawMessage
	SeqLen, Batch, PeakBytes, ReservedBytes, Params int64
	StepMs                                          float64
	Checkpointing, Aside                            bool
	Frozen                                          []string
	LoRA                                            *estimate.LoRA
	MicroBatch                                      int64

	used        bool // and not trained
	family      string
	model       *graph.Graph
	got         *estimate.Training
	work        work
	peak, steps float64 // estimated by measured
}

// estimatedRuns has the files of runs that were estimated: that takes minutes, and several tests look at the same ones.
var estimatedRuns = map[string][]run{}

// runsOf reads a file of runs and estimates each of them. Callers must not change them.
func runsOf(t *testing.T, file string) []run {
	t.Helper()
	if known, ok := estimatedRuns[file]; ok {
		return known
	}
	var out []run
	lines(t, file, func(line []byte) {
		var r run
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		res, err := r.infer()
		if err != nil && strings.Contains(err.Error(), "is not modelled") { // of drawn ones: every type is drawn
			t.Logf("%s is not estimated: %v", r.ID, err)
			return
		} else if err != nil {
			t.Fatalf("%s: %v", r.ID, err)
		}
		o := estimate.Options{Batch: r.Batch, Precision: r.Precision, Attention: r.Attention, Optimizer: r.Optimizer, Checkpointing: r.Checkpointing, GPU: "H200",
			MicroBatch: r.MicroBatch, Dropout: strings.HasSuffix(r.ID, "dropout")}
		params := res.Params
		if r.Frozen != nil || r.LoRA != nil {
			o.Adapt = &estimate.Adaptation{Frozen: r.Frozen, LoRA: r.adapters()}
			if field, pattern, found := o.Adapt.Unmatched(r.model); found {
				t.Logf("%s is not estimated: %s, %q, is no component of its own, which a plan says", r.ID, field, pattern)
				return
			}
		}
		if r.LoRA != nil { // the adapters are beside the weights
			params += new(estimate.Room).TrainedParams(res, o.Adapt)
		}
		if params != r.Params {
			t.Errorf("%s has %d parameters, measured %d", r.ID, params, r.Params)
		}
		r.got, r.work = estimate.Train(res, o), workOf(res, o)
		r.peak, r.steps = float64(r.got.PeakBytes)/float64(r.PeakBytes), float64(r.got.StepMicros)/1e3/r.StepMs // no time in most of those drawn
		out = append(out, r)
	})
	estimatedRuns[file] = out
	return out
}

func (r *run) infer() (*infer.Result, error) {
	var g *graph.Graph
	if r.Graph != nil {
		decoded, err := graph.Decode(r.Graph, "model", graph.Limits{})
		if err != nil {
			return nil, err
		}
		g, r.family = decoded, r.ID[:strings.Index(r.ID, "-b")]
	} else {
		m, err := hf.Import(r.Config, hf.Options{SeqLen: r.SeqLen, Text: r.Task != "image-classification"})
		if err != nil {
			return nil, err
		}
		g, r.family = m.Graph, m.ModelType+" of transformers"
	}
	g.Normalize(catalog.Vocabulary)
	r.model = g
	res := infer.Walk(g)
	if r.used && r.Graph != nil {
		asRun(res)
	}
	return res, nil
}

// errorsOf sums up ratios of estimated to measured: quantiles of the error, the share that is too low, and the lowest.
type errorsOf struct {
	median, p90, p95, worst, under, lowest float64
}

func errorsIn(ratios []float64) errorsOf {
	off := make([]float64, len(ratios))
	e := errorsOf{lowest: math.Inf(1)}
	for i, r := range ratios {
		off[i] = math.Abs(r - 1)
		if r < 1 {
			e.under += 1 / float64(len(ratios))
		}
		e.lowest = min(e.lowest, r-1)
	}
	slices.Sort(off)
	at := func(q float64) float64 { return off[int(math.Ceil(q*float64(len(off))))-1] }
	e.median, e.p90, e.p95, e.worst = at(0.5), at(0.9), at(0.95), at(1)
	return e
}

func (e errorsOf) String() string {
	return fmt.Sprintf("%.1f %% | %.1f %% | %.1f %% | %.1f %% | %.0f %% | %.1f %%", 100*e.median, 100*e.p90, 100*e.p95, 100*e.worst, 100*e.under, 100*max(0, -e.lowest))
}

func peakRatio(r *run) float64     { return r.peak }
func stepRatio(r *run) float64     { return r.steps }
func reservedRatio(r *run) float64 { return float64(r.got.UpperBytes) / float64(r.ReservedBytes) }

// TestAccuracy compares the estimates with the runs that were measured, and docs/accuracy.json with both. The architectures of held-out
// rows occur in no other rows, and nothing was fitted to them.
func TestAccuracy(t *testing.T) {
	var doc accuracy
	var fitted []run
	for k, file := range memoryFiles {
		runs := runsOf(t, file)
		fitted = append(fitted, runs...)
		title := [...]string{"PyTorch's own modules", "transformers' models"}[k]
		accuracySection(t, &doc, rows(title, file), runs, bars{0.01, 0.04, 0.03})
	}
	var more, aside []run
	for _, r := range runsOf(t, moreFile) {
		if r.Aside {
			aside = append(aside, r)
		} else {
			more = append(more, r)
		}
	}
	kin, fresh, last, blind := runsOf(t, kinFile), runsOf(t, freshFile), runsOf(t, lastFile), runsOf(t, blindFile)
	drawn, sealed := runsOf(t, drawnFile), runsOf(t, sealedFile)
	fitted = append(append(append(fitted, more...), kin...), timed(drawn)...)
	accuracySection(t, &doc, rows("Further models and training settings", moreFile), more, bars{0.01, 0.03, 0.15})
	accuracySection(t, &doc, rows("Models like those with the largest errors", kinFile), kin, bars{0.01, 0.03, 0.15})
	accuracySection(t, &doc, rows("First held-out architectures", moreFile), aside, bars{0.02, 0.06, 0.06})
	accuracySection(t, &doc, rows("Second held-out architectures", freshFile), fresh, bars{0.02, 0.06, 0.06})
	accuracySection(t, &doc, rows("Third held-out architectures", lastFile), last, bars{0.02, 0.06, 0.06})
	accuracySection(t, &doc, rows("Fourth held-out architectures", blindFile), blind, bars{0.02, 0.09, 0.03})
	drawnSection(t, &doc, rows("Runs drawn at random", drawnFile), drawn)
	drawnSection(t, &doc, rows("Runs drawn at random, opened at the end", sealedFile), sealed)
	drawnSection(t, &doc, rows("Runs drawn at random afterwards", autumnFile), runsOf(t, autumnFile))
	drawnSection(t, &doc, rows("Runs drawn at random in November", novemberFile), runsOf(t, novemberFile))
	drawnSection(t, &doc, rows("Runs drawn at random on 17 November", unseenFile), runsOf(t, unseenFile))
	drawnSection(t, &doc, rows("Runs drawn at random on 18 November", laterFile), runsOf(t, laterFile))
	drawnSection(t, &doc, rows("Runs drawn at random after that", afterFile), runsOf(t, afterFile))
	drawnSection(t, &doc, rows("Runs drawn at random last", newestFile), runsOf(t, newestFile))
	checkStated(t, sealed)
	checkStated(t, aside)
	checkStated(t, last)
	checkStated(t, blind)
	checkSteps(t, "in sample", ratios(fitted, stepRatio), 3) // JetMoE waits for the card before every expert
	checkSteps(t, "of the first held-out set", ratios(aside, stepRatio), 2)
	checkSteps(t, "of the third held-out set", ratios(last, stepRatio), 2)
	checkSteps(t, "of the fourth held-out set", ratios(blind, stepRatio), 2)
	checkSteps(t, "of what was opened at the end", ratios(timed(sealed), stepRatio), 2)
	left := leftOut(append(timings(fitted), publishedSection(t, &doc)...))
	checkSteps(t, "of architectures left out of the fit", left, 3)
	doc.add(set{title: "Time, six-fold cross-validation by architecture", files: []string{}}, stepTime, []docs.Errors{line("all", left)})
	inferenceSection(t, &doc)
	t.Log(string(doc.encode(t)))
	doc.compare(t)
}

// bars is what the error of the allocated peak may be: in the median, in nineteen of twenty rows, and too low.
type bars struct{ median, p95, under float64 }

func accuracySection(t *testing.T, doc *accuracy, s set, runs []run, b bars) {
	t.Helper()
	doc.addRuns(s, allocatedPeak, runs, peakRatio)
	doc.addRuns(s, reservedMemory, runs, reservedRatio)
	doc.addRuns(s, stepTime, runs, stepRatio)
	if e := errorsIn(ratios(runs, peakRatio)); e.median > b.median || e.p95 > b.p95 || e.lowest < -b.under {
		t.Errorf("%s: the peak is off by %s (median, p90, p95, worst, too low, by at most); the bars are %v", s.title, e, b)
	}
	for i := range runs {
		if r := &runs[i]; r.got.UpperBytes < r.ReservedBytes && !r.Aside {
			t.Errorf("%s reserved %d bytes, more than the upper bound %d", r.ID, r.ReservedBytes, r.got.UpperBytes)
		}
	}
}

func ratios(runs []run, ratio func(*run) float64) []float64 {
	out := make([]float64, len(runs))
	for i := range runs {
		out[i] = ratio(&runs[i])
	}
	return out
}

// checkStated holds the error that plans state to rows that nothing was fitted to: nineteen in twenty keep it.
func checkStated(t *testing.T, runs []run) {
	t.Helper()
	kept := 0
	for i := range runs {
		if stated := runs[i].got.PeakError(); stated != nil && math.Abs(runs[i].peak-1) <= float64(*stated)/100 {
			kept++
		}
	}
	if 20*kept < 19*len(runs) {
		t.Errorf("%d of %d runs keep the error that is stated for them", kept, len(runs))
	}
}

// checkSteps holds times to 15 % in the median, and all of them to a factor.
func checkSteps(t *testing.T, what string, ratios []float64, factor float64) {
	t.Helper()
	if e := errorsIn(ratios); e.median > 0.15 {
		t.Errorf("the time of a step %s is off by %.1f %% in the median", what, 100*e.median)
	}
	for _, r := range ratios {
		if r > factor || r < 1/factor {
			t.Errorf("a step %s is off by more than %.1f times: %.2f", what, factor, r)
		}
	}
}

// leftOut fits the rates of time without a sixth of the architectures in turn, and returns what they estimate of those by what was
// measured.
func leftOut(runs []timing) []float64 {
	families := map[string]bool{}
	for i := range runs {
		families[runs[i].family] = true
	}
	names := make([]string, 0, len(families))
	for f := range families {
		names = append(names, f)
	}
	sort.Strings(names)
	var out []float64
	for part := range 6 {
		var fit, tried []timing
		for i := range runs {
			if slices.Index(names, runs[i].family)%6 == part {
				tried = append(tried, runs[i])
			} else {
				fit = append(fit, runs[i])
			}
		}
		rates := fitRates(fit)
		for i := range tried {
			out = append(out, tried[i].micros(&rates)/1e3/tried[i].ms)
		}
	}
	return out
}

// timings are runs as the rates are fitted on them.
func timings(runs []run) (out []timing) {
	for i := range runs {
		out = append(out, timing{work: runs[i].work, family: runs[i].family, ms: runs[i].StepMs, weight: 1})
	}
	return out
}

// adapters are those of the run: memory.py makes them in the type of the weights.
func (r *run) adapters() *estimate.LoRA {
	if r.LoRA == nil {
		return nil
	}
	out := *r.LoRA
	out.Bits = 16
	return &out
}
