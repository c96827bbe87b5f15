package plan

import (
	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/quantity"
)

// Sharded is what one card holds of a run that several share, in bytes. It is computed and was not measured.
type Sharded struct {
	GPUs            int64    `json:"gpus"`
	Shard           string   `json:"shard"`
	Offload         string   `json:"offload,omitempty"`
	WeightBytes     int64    `json:"weightBytes"`
	GradientBytes   int64    `json:"gradientBytes"`
	OptimizerBytes  int64    `json:"optimizerBytes"`
	UnitBytes       int64    `json:"unitBytes"`   // gathered for a while
	BufferBytes     int64    `json:"bufferBytes"` // of communication
	ActivationBytes int64    `json:"activationBytes"`
	PeakBytes       int64    `json:"peakBytes"`
	CardBytes       int64    `json:"cardBytes"`
	HostBytes       int64    `json:"hostBytes"` // of the host, for each card
	FitsGPUs        []string `json:"fitsGpus"`  // cards of which each holds its part
	Measured        bool     `json:"measured"`
	Source          string   `json:"source"`
}

// sharding reads how several cards train the model together. What it says takes gpus.
func sharding(t *action.Fields) (s estimate.Shard) {
	var given bool
	s.GPUs, given = t.Int("gpus", 1)
	s.Kind, s.Offload = t.Enum("shard", estimate.Shardings...), t.Enum("offload", estimate.Offloads...)
	if !given {
		for _, name := range []string{"shard", "offload"} {
			if t.Given(name) {
				t.Fail(action.Errorf(action.CodeValue, t.Path(name), "is given without gpus, the number of cards that share the run"))
			}
		}
	}
	if why := s.Wrong(); why != "" {
		t.Fail(action.Errorf(action.CodeValue, t.Path("offload"), "is %q, %s", s.Offload, quantity.Own(why)))
	}
	return s
}

// sharded is what a card holds, nil where one trains alone or the model has no price.
func (s *studied) sharded() *Sharded {
	if !s.Priced() {
		return nil
	}
	k := s.Rank()
	if k == nil {
		return nil
	}
	out := &Sharded{GPUs: k.GPUs, Shard: k.Kind, Offload: k.Offload, WeightBytes: k.WeightBytes, GradientBytes: k.GradientBytes, OptimizerBytes: k.OptimizerBytes,
		UnitBytes: k.UnitBytes, BufferBytes: k.BufferBytes, ActivationBytes: k.ActivationBytes, PeakBytes: k.PeakBytes, CardBytes: k.CardBytes,
		HostBytes: k.HostBytes, FitsGPUs: []string{}, Source: estimate.RankSource}
	for _, f := range k.Fits {
		if f.Fits {
			out.FitsGPUs = append(out.FitsGPUs, f.GPU.Name)
		}
	}
	return out
}

// sharded says what each of several cards holds.
func (p *page) sharded(s *Sharded) {
	if s == nil {
		return
	}
	how := s.Shard
	if s.Offload != "" {
		how += ", offload " + s.Offload
	}
	p.row("each card", "of %s (%s): %s on the card: weights %s, gradients %s, optimizer %s, gathered %s, buffers %s, activations and logits %s; %s of the host",
		quantity.Grouped(s.GPUs), how, quantity.Bytes(s.CardBytes), quantity.Bytes(s.WeightBytes), quantity.Bytes(s.GradientBytes),
		quantity.Bytes(s.OptimizerBytes), quantity.Bytes(s.UnitBytes), quantity.Bytes(s.BufferBytes), quantity.Bytes(s.ActivationBytes), quantity.Bytes(s.HostBytes))
	p.row("", "%s; memory, time and cost elsewhere are those of one card that trains alone", s.Source)
}
