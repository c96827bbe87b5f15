package view

import (
	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/fit/layout"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
)

var _ = define(call{"grid", grid})

// Grid is every split of a training run over a number of cards by tensor, pipeline and data parallelism.
type Grid struct {
	GPUs      int64               `json:"gpus"`
	Framework string              `json:"framework"`
	GPU       string              `json:"gpu"` // empty: whether it fits is not judged
	Bytes     int64               `json:"bytes"`
	SeqLen    int64               `json:"seqLen"`
	TP        []int64             `json:"tp"`
	PP        []int64             `json:"pp"`
	Cells     []GridCell          `json:"cells"` // tp by tp, the pp of each
	Best      *layout.Suggestions `json:"best"`  // null where no card is named
	Withheld  []string            `json:"withheld"`
}

// GridCell is one split.
type GridCell struct {
	TP       int64             `json:"tp"`
	PP       int64             `json:"pp"`
	DP       int64             `json:"dp"`
	Verdict  string            `json:"verdict"`
	Legal    bool              `json:"legal"`
	Fits     *bool             `json:"fits"`   // null where no card is named, or not all is known
	PeakGB   *quantity.Decimal `json:"peakGb"` // of the fullest stage; null where it has none
	Bubble   *quantity.Decimal `json:"bubble"`
	Findings []layout.Finding  `json:"findings"`
	Stages   []layout.Stage    `json:"stages"`
}

// Limits of the grid: larger splits are not drawn.
const (
	mostGPUs = 4096
	mostTP   = 64
	mostPP   = 64
	bestOf   = 5
)

func grid(body []byte, limits graph.Limits) (any, error) {
	f := action.Read(body, limits, action.Model)
	model := f.Model()
	gpus, given := f.Int("gpus", 1)
	if !given {
		gpus = 8
	}
	r := layout.Default()
	r.GPU = hardware.Lookup(f.GPU("card"))
	if word := f.Enum("framework", layout.Frameworks...); word != "" {
		r.Framework = word
	}
	if word := f.Enum("recompute", layout.Recomputes...); word != "" {
		r.Recompute = word
	}
	if n, given := f.Int("micro_batch", 1); given {
		r.MicroBatch = n
	}
	for _, s := range []struct {
		name  string
		least int64
		into  **int64
	}{{"global_batch", 1, &r.GlobalBatch}, {"seq_len", 1, &r.SeqLen}, {"zero", 0, &r.Zero}} {
		if n, given := f.Int(s.name, s.least); given {
			*s.into = &n
		}
	}
	if gpus > mostGPUs {
		f.Fail(action.Errorf(action.CodeRange, "gpus", "is %d but must be at most %d", gpus, mostGPUs))
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	model.Normalize(catalog.Vocabulary)
	return gridOf(infer.Walk(model), r, gpus), nil
}

func gridOf(res *infer.Result, r layout.Request, gpus int64) *Grid {
	out := &Grid{GPUs: gpus, Cells: []GridCell{}, Withheld: []string{}, Framework: r.Framework}
	out.TP, out.PP = divisors(gpus, mostTP), divisors(gpus, mostPP)
	if r.GPU != nil {
		out.GPU, out.Bytes = r.GPU.Name, r.GPU.MemoryBytes
	}
	for _, r.TP = range out.TP {
		for _, r.PP = range out.PP {
			if gpus%(r.TP*r.PP) != 0 {
				continue
			}
			r.DP = gpus / (r.TP * r.PP)
			got := layout.Check(res, r)
			out.SeqLen, out.Withheld = got.SeqLen, append(out.Withheld[:0], got.Withheld...)
			out.Cells = append(out.Cells, cellOf(&r, got))
		}
	}
	if r.GPU != nil {
		out.Best = layout.Suggest(res, r, gpus, bestOf)
	}
	return out
}

// cellOf is a split with the peak of its fullest stage.
func cellOf(r *layout.Request, got *layout.Result) GridCell {
	c := GridCell{TP: r.TP, PP: r.PP, DP: r.DP, Verdict: got.Verdict, Legal: got.Legal,
		Bubble: got.Bubble, Findings: got.Findings, Stages: got.Stages}
	fits := len(got.Stages) > 0
	for i := range got.Stages {
		s := &got.Stages[i]
		if c.PeakGB == nil || s.PeakGB.Unscaled > c.PeakGB.Unscaled {
			c.PeakGB = &s.PeakGB
		}
		if s.Fits == nil {
			return c.without(got.Stages)
		}
		fits = fits && *s.Fits
	}
	if len(got.Stages) > 0 {
		c.Fits = &fits
	}
	return c
}

// without leaves open whether a split fits, unless one of its stages is known not to.
func (c GridCell) without(stages []layout.Stage) GridCell {
	for i := range stages {
		s := &stages[i]
		if s.Fits != nil && !*s.Fits {
			c.Fits = s.Fits
		}
		if s.PeakGB.Unscaled > c.PeakGB.Unscaled {
			c.PeakGB = &s.PeakGB
		}
	}
	return c
}

// divisors lists the divisors of a number up to a limit.
func divisors(n, most int64) []int64 {
	var out []int64
	for d := int64(1); d <= min(n, most); d++ {
		if n%d == 0 {
			out = append(out, d)
		}
	}
	return out
}
