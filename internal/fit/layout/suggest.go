package layout

import (
	"cmp"
	"slices"

	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
)

// Suggestions are the fastest layouts for a number of GPUs.
type Suggestions struct {
	GPUs        int64        `json:"gpus"`
	GPU         string       `json:"gpu"`
	Framework   string       `json:"framework"`
	GlobalBatch int64        `json:"globalBatch"`
	SeqLen      int64        `json:"seqLen"`
	Considered  int64        `json:"considered"`         // layouts that the framework takes
	Layouts     []Suggestion `json:"layouts"`            // those that fit, the fastest first
	Basis       string       `json:"basis"`              // how far the times can be trusted
	Withheld    []string     `json:"withheld,omitempty"` // components that times and peaks lack: those are lower bounds then, and more may not fit
}

// basis says what the times are. They put layouts in an order; no run was timed to find out how good they are.
const basis = "step times are not measured: they come from FLOPs at half of the card's dense 16-bit rate and the links' nominal rates, and serve to compare layouts"

// Suggestion is one layout and what it is expected to do.
type Suggestion struct {
	TP               int64            `json:"tp"`
	PP               int64            `json:"pp"`
	DP               int64            `json:"dp"`
	CP               int64            `json:"cp"`
	EP               int64            `json:"ep"`
	ETP              int64            `json:"etp,omitempty"` // tensor-parallel ranks of experts, where they are not those of tp
	VPP              int64            `json:"vpp"`
	Zero             int64            `json:"zero"`
	MicroBatch       int64            `json:"microBatch"`
	MicroBatches     int64            `json:"microBatches"`
	SequenceParallel bool             `json:"sequenceParallel"`
	Recompute        string           `json:"recompute"`
	LastStageLayers  int64            `json:"lastStageLayers,omitempty"` // where the layers do not divide among the stages
	StepSec          quantity.Decimal `json:"stepSec"`                   // estimated, see the package's time.go
	Bubble           quantity.Decimal `json:"bubble"`
	PeakGB           quantity.Decimal `json:"peakGb"` // of the fullest stage

	micros int64
}

// Limits of the search: within a machine of eight cards tensor parallelism is quick, and micro-batches larger than eight gain nothing.
const (
	nodeGPUs      = 8
	maxMicroBatch = 8
	maxChunks     = 8
	SearchedGPUs  = 1 << 16 // the most cards that layouts are searched for
)

// Suggest searches the layouts of a model over a number of GPUs with the functions that judge one. Framework, lengths, global batch
// and card are taken from the request, which must name a card; the rest is searched.
func Suggest(res *infer.Result, r Request, gpus int64, count int) *Suggestions {
	m := newModel(res, r.SeqLen)
	out := &Suggestions{GPUs: gpus, GPU: r.GPU.Name, Framework: frameworkOf(r.Framework).name, SeqLen: m.seqLen, Layouts: []Suggestion{}, Basis: basis, Withheld: m.withheld}
	if len(m.withheld) > 0 {
		out.Basis += "; peaks and times are lower bounds, for components of the model are not known: fewer layouts may fit"
	}
	if r.GlobalBatch == nil {
		r.GlobalBatch = &gpus
	}
	out.GlobalBatch = *r.GlobalBatch
	if gpus < 1 || gpus > SearchedGPUs || out.GlobalBatch < 1 || out.GlobalBatch > largest {
		return out
	}
	if m.seqLen > 0 {
		r.SeqLen = &m.seqLen // what is suggested must hold at the length that the figures are for
	}
	s := &search{model: m, base: r, gpus: gpus, out: out}
	for _, tp := range divisors(gpus, nodeGPUs) {
		for _, pp := range divisors(gpus/tp, m.layers()+2) {
			for _, cp := range s.contexts(gpus / (tp * pp)) {
				s.split(tp, pp, cp)
			}
		}
	}
	slices.SortFunc(out.Layouts, func(a, b Suggestion) int {
		return cmp.Or(cmp.Compare(a.micros, b.micros), cmp.Compare(a.TP*a.CP, b.TP*b.CP), cmp.Compare(a.PP, b.PP), cmp.Compare(a.TP, b.TP), cmp.Compare(a.EP, b.EP), cmp.Compare(a.ETP, b.ETP), cmp.Compare(a.VPP, b.VPP),
			cmp.Compare(a.MicroBatch, b.MicroBatch), cmp.Compare(a.Zero, b.Zero))
	})
	out.Layouts = out.Layouts[:min(len(out.Layouts), count)]
	return out
}

type search struct {
	*model
	base Request
	gpus int64
	out  *Suggestions
}

// contexts are the sizes of context parallelism worth a look: where each rank keeps a few thousand tokens.
func (s *search) contexts(rest int64) []int64 {
	out := []int64{1}
	for cp := int64(2); rest%cp == 0 && s.seqLen/cp >= 4096; cp *= 2 {
		out = append(out, cp)
	}
	return out
}

// split tries everything that is left once the large sizes are fixed.
func (s *search) split(tp, pp, cp int64) {
	dp := s.gpus / (tp * pp * cp)
	if s.out.GlobalBatch%dp != 0 {
		return
	}
	experts := []int64{1}
	if s.facts.HasExperts() {
		experts = divisors(s.facts.Experts, dp*cp*tp)
	}
	chunks := []int64{1}
	if pp > 1 {
		chunks = divisors(max(1, s.layers()/pp), maxChunks)
	}
	r := s.base
	r.TP, r.PP, r.DP, r.CP = tp, pp, dp, cp
	r.FirstLayers, r.LastLayers = nil, s.rest(pp)
	for _, r.EP = range experts {
		for _, r.ETP = range s.expertSplits(&r) {
			for _, r.VPP = range chunks {
				s.grow(r)
			}
		}
	}
}

// expertSplits are the sizes of experts' tensor parallelism worth a look: that of tp, which needs no word, and none.
func (s *search) expertSplits(r *Request) []*int64 {
	if !s.facts.HasExperts() || r.TP == 1 || r.EP == 1 || !frameworkOf(r.Framework).splitsExperts {
		return []*int64{nil}
	}
	return []*int64{nil, &alone}
}

var alone = int64(1)

// grow tries larger and larger micro-batches until they do not fit.
func (s *search) grow(r Request) {
	for r.MicroBatch = 1; r.MicroBatch <= min(maxMicroBatch, s.out.GlobalBatch/r.DP); r.MicroBatch *= 2 {
		if s.try(r) == tooLarge {
			return
		}
	}
}

// rest is the number of layers on the last stage where Megatron-LM's stages cannot all be alike, nil where they can.
func (s *search) rest(pp int64) *int64 {
	if s.base.Framework != megatron.name || pp == 1 || s.layers()%pp == 0 {
		return nil
	}
	if n := s.layers() - (pp-1)*share(s.layers(), pp); n > 0 {
		return &n
	}
	return nil
}

// What became of a layout that was tried.
type outcome uint8

const (
	refused outcome = iota
	tooLarge
	added
)

// try adds a layout with the least sharding and recomputation with which it fits.
func (s *search) try(r Request) outcome {
	out := refused
	for _, recompute := range []string{"none", "full"} {
		for _, zero := range stagesOf(&r) {
			z := zero
			r.Zero, r.Recompute = &z, recompute
			c := newPlan(s.model, r, frameworkOf(r.Framework))
			if !c.sized || !c.passes(onTP|onPP|onOther) {
				continue
			}
			s.out.Considered++
			stages := c.stages()
			if peak := fullest(stages); len(stages) > 0 && plus(peak, c.overhead()) <= r.GPU.MemoryBytes {
				s.add(c, stages, peak)
				return added
			}
			out = tooLarge
		}
	}
	return out
}

// stagesOf lists the ZeRO stages that are worth trying, the quickest first.
func stagesOf(r *Request) []int64 {
	switch {
	case r.Framework == torchtitan.name && r.PP > 1:
		return []int64{2}
	case r.Framework == torchtitan.name:
		return []int64{2, 3}
	case r.DP*r.CP == 1:
		return []int64{0}
	case r.Framework == deepspeed.name && r.PP == 1 && r.TP == 1:
		return []int64{1, 2, 3}
	}
	return []int64{1}
}

func fullest(stages []stage) int64 {
	peak := int64(0)
	for i := range stages {
		peak = max(peak, stages[i].peak())
	}
	return peak
}

func (s *search) add(c *plan, stages []stage, peak int64) {
	micros := c.stepMicros(stages)
	out := Suggestion{TP: c.TP, PP: c.PP, DP: c.DP, CP: c.CP, EP: c.EP, VPP: c.VPP, Zero: c.zero, MicroBatch: c.MicroBatch, MicroBatches: c.microBatches,
		SequenceParallel: c.sequenceParallel, Recompute: c.Recompute, StepSec: quantity.Ratio(micros, 1_000_000, 3), PeakGB: quantity.GB(peak), micros: micros}
	if c.LastLayers != nil {
		out.LastStageLayers = *c.LastLayers
	}
	if c.ETP != nil {
		out.ETP = *c.ETP
	}
	if b := c.bubble(); b != nil {
		out.Bubble = *b
	}
	s.out.Layouts = append(s.out.Layouts, out)
}

// divisors lists the divisors of n up to a limit.
func divisors(n, limit int64) []int64 {
	var out []int64
	for d := int64(1); d <= min(n, limit); d++ {
		if n%d == 0 {
			out = append(out, d)
		}
	}
	return out
}
