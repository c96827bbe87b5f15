package view

import (
	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/graph"
)

var _ = define(call{"inference", use})

// Use is what using a model takes for every batch and every length of context that was asked for.
type Use struct {
	Batch           []int64   `json:"batch"`
	Context         []int64   `json:"context"` // tokens read and written; empty where it writes none
	Precision       string    `json:"precision"`
	Cells           []UseCell `json:"cells"` // batch by batch, the contexts of each
	WeightBytes     int64     `json:"weightBytes"`
	KVBytesPerToken int64     `json:"kvBytesPerToken"`
	Lacks           string    `json:"lacks"` // why there are no cells
	Assumptions     string    `json:"assumptions"`
	Error           *int64    `json:"errorPercent"`
}

// UseCell is one of them.
type UseCell struct {
	Batch           int64  `json:"batch"`
	Context         int64  `json:"context"`
	CardBytes       int64  `json:"cardBytes"` // what must fit
	KVBytes         int64  `json:"kvBytes"`
	ActivationBytes int64  `json:"activationBytes"`
	GPU             string `json:"gpu"`    // the cheapest that holds it, or none
	NotRun          bool   `json:"notRun"` // whether the model does not run with as many tokens
}

// mostCells is how many lengths, and how many batches, are answered at once.
const mostCells = 64

func use(body []byte, limits graph.Limits) (any, error) {
	f := action.Read(body, limits, action.Model)
	model := f.Model()
	o := estimate.InferOptions{Precision: f.Enum("precision", estimate.InferPrecisions...)}
	o.Attention = f.Enum("attention", estimate.Attentions...)
	out := &Use{Batch: f.Ints("batch", 1), Context: f.Ints("context", 1), Cells: []UseCell{}}
	seqLen, _ := f.Int("seq_len", 1)
	tooMany(f, "batch", len(out.Batch))
	tooMany(f, "context", len(out.Context))
	if err := f.Err(); err != nil {
		return nil, err
	}
	if len(out.Batch) == 0 {
		out.Batch = []int64{1}
	}
	s := action.Examine(model)
	s.Price(estimate.Options{}, seqLen)
	if !s.Complete() {
		if out.Lacks = s.Unpriced(); out.Lacks == "" {
			out.Lacks = s.Bounded()
		}
		return out, nil
	}
	out.fill(s, o)
	return out, nil
}

// tooMany refuses a list that is longer than what is answered at once.
func tooMany(f *action.Fields, name string, n int) {
	if n > mostCells {
		f.Fail(action.Errorf(action.CodeRange, name, "has %d entries but must have at most %d", n, mostCells))
	}
}

// fill estimates every cell as plan estimates one.
func (u *Use) fill(s *action.Study, o estimate.InferOptions) {
	contexts := u.Context
	if first := s.Estimates().Infer(s.Sized, o); first.Options.Prompt == 0 || len(contexts) == 0 {
		contexts = []int64{first.Options.Prompt + first.Options.Generated}
	}
	runs := map[int64]bool{}
	for _, n := range contexts {
		runs[n] = n <= s.Length.Used || s.RunsAt(n)
	}
	for _, o.Batch = range u.Batch {
		for _, n := range contexts {
			if n > 0 {
				o.Prompt, o.Generated = estimate.Context(n)
			}
			t := s.Estimates().Infer(s.Sized, o)
			cell := UseCell{Batch: o.Batch, Context: n, CardBytes: t.CardBytes, KVBytes: t.CacheBytes,
				ActivationBytes: t.ActivationBytes, GPU: action.NoCard, NotRun: !runs[n]}
			if t.GPU != nil {
				cell.GPU = t.GPU.Name
			}
			u.Cells = append(u.Cells, cell)
			u.Precision, u.WeightBytes, u.KVBytesPerToken = t.Options.Precision, t.WeightBytes, t.BytesPerToken
			u.Assumptions, u.Error = t.Assumptions(), t.PeakError()
		}
	}
	if contexts[0] == 0 {
		contexts = []int64{}
	}
	u.Context = contexts
}
