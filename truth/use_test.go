package truth

import (
	"encoding/json"
	"fmt"
	"math"
	"sort"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/estimate"
)

// followedUse is a model in use whose components are all lowered to operations: what the tape makes of it, and what the estimate says, by what was measured.
type followedUse struct {
	id, kind              string
	peak, read, write, is float64
}

// mostOff is by how much the kinds of runs may be off: the median, and nineteen of twenty.
var mostOff = map[string]map[string][2]float64{
	"inference.jsonl.gz": {"generation": {0.005, 0.03}, "a pass of PyTorch's modules": {0.001, 0.02}},
	replayedUses:         {"generation": {0.005, 0.06}, "a pass of PyTorch's modules": {0.001, 0.02}, "a pass of transformers": {0.02, 0.21}},
}

// TestUse holds the engine of operations to the runs of models in use that were measured or replayed, as far as all components of a run are lowered.
func TestUse(t *testing.T) {
	for _, file := range []string{"inference.jsonl.gz", replayedUses} {
		missing := map[string]int{}
		var all []followedUse
		lines(t, file, func(line []byte) {
			if f, lacks, ok := followUse(t, line); ok && lacks != "" {
				missing[f.kind+": "+lacks]++
			} else if ok {
				all = append(all, f)
			}
		})
		sort.Slice(all, func(i, j int) bool { return math.Abs(all[i].peak-1) > math.Abs(all[j].peak-1) })
		for kind, most := range mostOff[file] {
			compareUse(t, file, kind, all, most)
		}
		var names []string
		for m, n := range missing {
			names = append(names, fmt.Sprintf("%s %d", m, n))
		}
		sort.Strings(names)
		t.Logf("%s: not followed for lack of: %s", file, strings.Join(names, ", "))
	}
}

// compareUse says how far the runs of a kind are off.
func compareUse(t *testing.T, file, kind string, all []followedUse, most [2]float64) {
	t.Helper()
	var peaks, before []float64
	for _, f := range all {
		if f.kind == kind {
			peaks, before = append(peaks, f.peak), append(before, f.is)
		}
	}
	if len(peaks) == 0 {
		return
	}
	e := errorsIn(peaks)
	t.Logf("%s, %s: %d runs, off by %s (median, p90, p95, worst, too low, by at most); the estimate by %s", file, kind, len(peaks), e, errorsIn(before))
	if e.median > most[0] || e.p95 > most[1] {
		t.Errorf("%s, %s: off by %s", file, kind, e)
	}
	shown := 0
	for _, f := range all {
		if f.kind == kind && (shown < 30 || *everyRun) {
			shown++
			t.Logf("%-44s peak %.4f reading %.4f writing %.4f estimated %.4f", f.id, f.peak, f.read, f.write, f.is)
		}
	}
}

// followUse runs the tape of a row; ok where what is estimated was measured.
func followUse(t *testing.T, line []byte) (f followedUse, missing string, ok bool) {
	t.Helper()
	var r used
	var phases struct{ PromptBytes, TokenBytes int64 }
	if err := json.Unmarshal(line, &r); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(line, &phases); err != nil {
		t.Fatal(err)
	}
	r.SeqLen, r.used = max(r.SeqLen, r.Prompt+r.Generated), true
	res, err := r.infer()
	if err != nil {
		t.Fatal(err)
	}
	o := estimate.InferOptions{Batch: r.Batch, Precision: r.Precision, Prompt: r.Prompt, Generated: r.Generated, Attention: r.Attention}
	old := estimate.Infer(res, o)
	if r.Prompt == 0 && old.Options.Prompt > 0 {
		return f, "", false
	}
	f.id, f.kind, f.is = r.ID, "a pass of transformers", float64(old.PeakBytes)/float64(r.PeakBytes)
	if r.Prompt > 0 {
		f.kind = "generation"
	} else if r.Graph != nil {
		f.kind = "a pass of PyTorch's modules"
	}
	got, missing := estimate.ReplayUse(res, o)
	f.peak = float64(got.Most()) / float64(r.PeakBytes)
	if phases.PromptBytes > 0 {
		f.read, f.write = float64(got.Reading.Most)/float64(phases.PromptBytes), float64(got.Writing.Most)/float64(phases.TokenBytes)
	}
	return f, missing, true
}
