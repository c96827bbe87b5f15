package check

import (
	"math"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/fit/layout"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/rules"
)

// decodeLayout reads the split that is to be judged. A size below 1 is a finding, no error.
func decodeLayout(f *action.Fields) *layout.Request {
	o := f.Object("layout")
	if o == nil {
		return nil
	}
	defer f.Close(o)
	r := layout.Default()
	for _, s := range []struct {
		name string
		into *int64
	}{{"tp", &r.TP}, {"pp", &r.PP}, {"dp", &r.DP}, {"cp", &r.CP}, {"ep", &r.EP}, {"vpp", &r.VPP}, {"micro_batch", &r.MicroBatch}} {
		if n, given := o.Int(s.name, math.MinInt64); given {
			*s.into = n
		}
	}
	for _, s := range []struct {
		name string
		into **int64
	}{{"etp", &r.ETP}, {"zero", &r.Zero}, {"global_batch", &r.GlobalBatch}, {"seq_len", &r.SeqLen}, {"first_stage_layers", &r.FirstLayers}, {"last_stage_layers", &r.LastLayers}} {
		if n, given := o.Int(s.name, math.MinInt64); given {
			*s.into = &n
		}
	}
	if o.Given("sequence_parallel") {
		on := o.Bool("sequence_parallel")
		r.SequenceParallel = &on
	}
	if word := o.Enum("recompute", layout.Recomputes...); word != "" {
		r.Recompute = word
	}
	r.Offload = o.Enum("offload", layout.Offloads...)
	if word := o.Enum("framework", layout.Frameworks...); word != "" {
		r.Framework = word
	}
	r.GPU = hardware.Lookup(o.GPU("gpu"))
	return &r
}

// fitLayout judges the split, whether or not the walk gets as far as training.
func (w *walk) fitLayout() *layout.Result {
	if w.request.Layout == nil {
		return nil
	}
	split := *w.request.Layout
	if tokens := w.request.Length(); split.SeqLen == nil && tokens > 0 {
		split.SeqLen = &tokens
	}
	w.layout = layout.Check(w.Walked, split)
	return w.layout
}

// layoutFindings are those of the section as findings of the stage train.
func (w *walk) layoutFindings() (out []action.Finding, blocks, warns int) {
	if w.layout == nil {
		return nil, 0, 0
	}
	for _, f := range w.layout.Findings {
		out = append(out, action.Finding{Stage: action.Train, Severity: f.Severity, Title: f.Title, Detail: f.Detail, Fix: f.Fix, Section: true})
		if f.Severity == rules.Block {
			blocks++
		} else {
			warns++
		}
	}
	return out, blocks, warns
}
