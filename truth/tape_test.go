package truth

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"sort"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/estimate"
)

// phases is what was allocated at the most in each phase of a step, and at the end of the forward pass.
type phases struct{ KeptBytes, ForwardBytes, BackwardBytes int64 }

// followed is a run whose components are all lowered to operations, and what the tape makes of it by what was measured.
type followed struct {
	id                      string
	foreign                 bool // it is a model of transformers
	kept, forward, backward float64
}

// TestTape holds the engine of operations to the phases of the runs that were measured, as far as all components of a run are lowered.
func TestTape(t *testing.T) {
	missing := map[string]int{}
	var all []followed
	for _, file := range []string{moreFile, kinFile, freshFile, lastFile, blindFile, drawnFile, sealedFile} {
		lines(t, file, func(line []byte) {
			if f, lacks, ok := follow(t, line); ok && lacks != "" {
				missing[lacks]++
			} else if ok {
				all = append(all, f)
			}
		})
	}
	sort.Slice(all, func(i, j int) bool { return math.Abs(all[i].backward-1) > math.Abs(all[j].backward-1) })
	for _, foreign := range []bool{false, true} {
		compare(t, all, foreign)
	}
	var names []string
	for m, n := range missing {
		names = append(names, fmt.Sprintf("%s %d", m, n))
	}
	sort.Strings(names)
	t.Logf("not followed for lack of: %s", strings.Join(names, ", "))
}

// compare says how far the phases of runs are off, of graphs or of transformers' models.
func compare(t *testing.T, all []followed, foreign bool) {
	t.Helper()
	of := "graphs"
	if foreign {
		of = "transformers"
	}
	for _, phase := range []struct {
		name  string
		ratio func(*followed) float64
	}{
		{"kept", func(f *followed) float64 { return f.kept }},
		{"forward", func(f *followed) float64 { return f.forward }},
		{"backward", func(f *followed) float64 { return f.backward }},
	} {
		var ratios []float64
		for i := range all {
			if all[i].foreign == foreign {
				ratios = append(ratios, phase.ratio(&all[i]))
			}
		}
		if len(ratios) == 0 {
			continue
		}
		e := errorsIn(ratios)
		t.Logf("%s, %s: %d runs, off by %s (median, p90, p95, worst, too low, by at most)", of, phase.name, len(ratios), e)
		if phase.name == "backward" && !foreign && (e.median > 0.005 || e.p95 > 0.03) {
			t.Errorf("the backward pass is off by %s", e)
		}
	}
	shown := 0
	for _, f := range all {
		if f.foreign == foreign && (shown < 40 || *everyRun) {
			shown++
			t.Logf("%-40s kept %.4f forward %.4f backward %.4f", f.id, f.kept, f.forward, f.backward)
		}
	}
}

var everyRun = flag.Bool("every-run", false, "list every run that the tape follows, and not the worst alone")

// follow runs the tape of a row; ok where the row is one of a graph with phases, trained as the tape knows.
func follow(t *testing.T, line []byte) (f followed, missing string, ok bool) {
	t.Helper()
	var r run
	var measured phases
	if err := json.Unmarshal(line, &r); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(line, &measured); err != nil {
		t.Fatal(err)
	}
	if measured.KeptBytes == 0 {
		return f, "", false
	}
	res, err := r.infer()
	if err != nil && strings.Contains(err.Error(), "is not modelled") { // of drawn ones: every type is drawn
		return f, "", false
	} else if err != nil {
		t.Fatal(err)
	}
	o := estimate.Options{Batch: r.Batch, Precision: r.Precision, Attention: r.Attention, Optimizer: r.Optimizer, Checkpointing: r.Checkpointing, MicroBatch: r.MicroBatch,
		Dropout: strings.HasSuffix(r.ID, "dropout")}
	if r.Frozen != nil || r.LoRA != nil {
		o.Adapt = &estimate.Adaptation{Frozen: r.Frozen, LoRA: r.adapters()}
		if _, _, unmatched := o.Adapt.Unmatched(r.model); unmatched { // a part of a component, which a plan refuses
			return f, "", false
		}
	}
	got, missing := estimate.Replay(res, o)
	if missing != "" {
		return f, missing, true
	}
	return followed{r.ID, r.Config != nil, float64(got.Kept) / float64(measured.KeptBytes), float64(got.Forward) / float64(measured.ForwardBytes),
		float64(got.Backward) / float64(measured.BackwardBytes)}, "", true
}
