package plan

import (
	"fmt"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/quantity"
)

// Inference is what using the trained model takes, in bytes.
type Inference struct {
	Batch           int64                `json:"batch"`
	Precision       string               `json:"precision"`
	Prompt          int64                `json:"prompt"`    // tokens read at once; 0 where the model does not write token by token
	Generated       int64                `json:"generated"` // tokens written
	WeightBytes     int64                `json:"weightBytes"`
	KVBytes         int64                `json:"kvBytes"` // what it remembers when the last token has been written
	KVBytesPerToken int64                `json:"kvBytesPerToken"`
	ActivationBytes int64                `json:"activationBytes"`
	PeakBytes       int64                `json:"peakBytes"`
	CardBytes       int64                `json:"cardBytes"`
	FitsGPU         string               `json:"fitsGpu"`
	Caches          []Cache              `json:"caches"`
	NotRun          int64                `json:"notRun,omitempty"` // tokens, where the model does not run with as many
	Assumptions     string               `json:"assumptions"`
	Images          *estimate.ImagesBody `json:"images,omitempty"` // what the images of a request take, where their number is given
	ErrorPercent    *int64               `json:"errorPercent"`     // what the peak was off by at the most in measured runs of this kind; null where none was measured
}

// images says what they take.
func (p *page) images(i *Inference) {
	if i == nil || i.Images == nil {
		return
	}
	m := i.Images
	text := quantity.Sprintf("%s in a request", quantity.Grouped(m.Count))
	if m.Tokens != nil {
		text += quantity.Sprintf(": %s tokens of the prompt, %s each", quantity.Grouped(*m.Tokens), quantity.Grouped(*m.TokensEach))
		if i.Prompt > 0 && *m.Tokens >= i.Prompt {
			text += quantity.Sprintf(", which has %s and no room for them: --prompt", quantity.Grouped(i.Prompt))
		}
	}
	if m.ActivationBytes > 0 {
		text += fmt.Sprintf("; the tower has %s of weights and %s while it looks at them, %s at once", quantity.Bytes(m.WeightBytes), quantity.Bytes(m.ActivationBytes),
			quantity.Grouped(m.Count*i.Batch))
	}
	if m.Open != "" {
		text += "; " + m.Open
	}
	p.row("images", "%s; computed, not measured", text)
}

// Cache is what layers of one kind and size remember.
type Cache struct {
	Kind          string `json:"kind"`
	Layers        int64  `json:"layers"`
	BytesPerToken int64  `json:"bytesPerToken"` // of one layer and one sequence
	Window        int64  `json:"window,omitempty"`
	Bytes         int64  `json:"bytes"`
}

// inference estimates the use of the model. A length beyond that of the estimates is tried.
func (s *studied) inference(o estimate.InferOptions) *Inference {
	if !s.Complete() {
		return nil
	}
	t := s.Estimates().Infer(s.Sized, o)
	used := t.Options
	out := &Inference{used.Batch, used.Precision, used.Prompt, used.Generated, t.WeightBytes, t.CacheBytes, t.BytesPerToken, t.ActivationBytes, t.PeakBytes, t.CardBytes,
		action.NoCard, make([]Cache, 0, len(t.Caches)), 0, t.Assumptions(), t.Images.Body(), t.PeakError()}
	if t.GPU != nil {
		out.FitsGPU = t.GPU.Name
	}
	for _, c := range t.Caches {
		out.Caches = append(out.Caches, Cache(c))
	}
	if total := used.Prompt + used.Generated; total > s.Length.Used && !s.RunsAt(total) {
		out.NotRun = total
		out.Assumptions += "; the model does not run with " + quantity.Grouped(total) + " tokens"
	}
	return out
}

// words is a line on it.
func (i *Inference) words() string {
	if i == nil {
		return notKnown
	}
	text := fmt.Sprintf("%s on the card in %s, batch %s (%s): weights %s, activations about %s", quantity.Bytes(i.CardBytes), i.Precision, quantity.Grouped(i.Batch), i.FitsGPU,
		quantity.Bytes(i.WeightBytes), quantity.Bytes(i.ActivationBytes))
	if i.Prompt > 0 {
		text += quantity.Sprintf(", a KV cache of %s for %s tokens read and %s written", quantity.Bytes(i.KVBytes), quantity.Grouped(i.Prompt), quantity.Grouped(i.Generated))
		if i.KVBytesPerToken > 0 {
			text += fmt.Sprintf(", %s a token", quantity.Bytes(i.KVBytesPerToken))
		}
	}
	if i.NotRun > 0 {
		text += ", but the model does not run with that many"
	}
	if i.ErrorPercent == nil {
		return text + "; not measured"
	}
	return text + fmt.Sprintf("; ±%d %% of what is allocated", *i.ErrorPercent)
}
