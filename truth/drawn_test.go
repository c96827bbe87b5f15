package truth

import "testing"

// Runs that draw.py drew: graphs of PyTorch's modules of random kinds and widths, and transformers' models with changed configurations.
// drawnFile is what was looked at to find causes of errors. sealedFile was measured with it, from other seeds, and was not opened until that
// work was done. Most of their runs were measured beside others on the same card and have no time.
const (
	drawnFile    = "memory-drawn.jsonl.gz"
	sealedFile   = "memory-sealed.jsonl.gz"
	autumnFile   = "memory-autumn.jsonl.gz"   // of a seed that was drawn when estimates had been rebuilt on operations
	novemberFile = "memory-november.jsonl.gz" // of a seed that was drawn when time followed from operations and adapters were peft's; looked at since
	unseenFile   = "memory-unseen.jsonl.gz"   // of a seed that was drawn after that; looked at since
	laterFile    = "memory-later.jsonl.gz"    // of a seed that was measured with the workspaces of cuDNN, and opened when their rules were final
	afterFile    = "memory-20261120.jsonl.gz" // of that seed, drawn and measured after all that, and not looked at when cuDNN's table was fitted again
	newestFile   = "memory-20261121.jsonl.gz" // of that seed, drawn and measured when that was done; not looked at
)

// timed are the runs that have a time.
func timed(runs []run) []run {
	var out []run
	for i := range runs {
		if runs[i].StepMs > 0 {
			out = append(out, runs[i])
		}
	}
	return out
}

// drawnSection writes the errors of drawn runs, a line for the graphs and one for the models.
func drawnSection(t *testing.T, doc *accuracy, s set, runs []run) {
	t.Helper()
	grouped := make([]run, len(runs))
	for i := range runs {
		grouped[i] = runs[i]
		grouped[i].family = "transformers' models"
		if runs[i].Graph != nil {
			grouped[i].family = "graphs of PyTorch's modules"
		}
	}
	doc.addRuns(s, allocatedPeak, grouped, peakRatio)
	doc.addRuns(s, reservedMemory, grouped, reservedRatio)
	if timed := timed(grouped); len(timed) > 0 {
		doc.addRuns(s, stepTime, timed, stepRatio)
	}
	if e := errorsIn(ratios(runs, peakRatio)); e.median > 0.02 || e.p95 > 0.06 {
		t.Errorf("%s: the peak is off by %s (median, p90, p95, worst, too low, by at most)", s.title, e)
	}
}
