// Package layout says whether a model can be split over many GPUs the way a caller wants to train it, and what every stage of that
// split holds: tensor, pipeline, data, context and expert parallelism, under the rules of Megatron-LM, torchtitan or DeepSpeed.
//
// One file is one framework: its conditions, each with the place in its source that refuses. The memory of a stage is an estimate
// from the components' own weights and kept tensors; legality is not, and says nothing about fitting a card.
// The package must not know requests or surfaces.
package layout

import (
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/rules"
)

// Request is a layout that is asked about. Sizes that were left out are those of Default.
type Request struct {
	TP, PP, DP, CP, EP, VPP int64  // VPP is the number of model chunks on each pipeline rank
	ETP                     *int64 // tensor-parallel ranks of experts; nil for what the framework does unless told otherwise
	Zero                    *int64 // stage; nil likewise
	MicroBatch              int64
	GlobalBatch             *int64        // nil for one micro-batch on every data-parallel rank
	SeqLen                  *int64        // nil for the model's own length, at most 2,048
	FirstLayers, LastLayers *int64        // layers on the first and the last stage, where they differ from the others
	SequenceParallel        *bool         // nil for on where TP is above 1
	Offload                 string        // one of Offloads, or empty
	Recompute               string        // one of Recomputes; selective is the scores of attention, where they are kept
	Framework               string        // one of Frameworks
	GPU                     *hardware.GPU // nil: whether it fits is not judged
}

// Default is the layout of one GPU.
func Default() Request {
	return Request{TP: 1, PP: 1, DP: 1, CP: 1, EP: 1, VPP: 1, MicroBatch: 1, Recompute: Recomputes[0], Framework: Frameworks[0]}
}

// The words that a request may have, the default first.
var (
	Recomputes = []string{"none", "selective", "full"}
	Frameworks = []string{"megatron", "torchtitan", "deepspeed"}
)

// Result is the section of the answer.
type Result struct {
	Verdict      string            `json:"verdict"` // pass, warn or block
	Legal        bool              `json:"legal"`   // whether the framework accepts it, whether or not it fits the card
	GPUs         int64             `json:"gpus"`
	MicroBatches int64             `json:"microBatches"` // on each data-parallel rank in a step; 0 where the batch cannot be divided
	Bubble       *quantity.Decimal `json:"bubble"`       // idle share of a step; null where there is no micro-batch
	Balance      *quantity.Decimal `json:"balance"`      // work of the mean stage over that of the slowest; null where unknown
	Stages       []Stage           `json:"stages"`
	Findings     []Finding         `json:"findings"`
	LegalTP      []int64           `json:"legalTp"`
	LegalPP      []int64           `json:"legalPp"`
	Framework    string            `json:"framework"`
	SeqLen       int64             `json:"seqLen"` // tokens of a sample in these figures; 0 where the model reads no tokens

	Withheld []string `json:"withheld,omitempty"` // components that the figures of stages lack: those are lower bounds then

	// Judged are the ids of the rules that were looked at with everything that they need, sorted: what is not among them was not found
	// out, for lack of a card, of a length, or of the model's sizes.
	Judged []string     `json:"-"`
	Open   []rules.Open `json:"-"` // the other rules of the framework, and what they lack
}

// Stage is the peak memory of one rank of a pipeline stage.
type Stage struct {
	Index         int64            `json:"index"`
	Layers        int64            `json:"layers"`
	Params        int64            `json:"params"` // of the stage, over all its tensor- and expert-parallel ranks
	WeightsGB     quantity.Decimal `json:"weightsGb"`
	GradsGB       quantity.Decimal `json:"gradsGb"`
	OptimizerGB   quantity.Decimal `json:"optimizerGb"`
	ActivationsGB quantity.Decimal `json:"activationsGb"` // of all micro-batches in flight, logits included
	PeakGB        quantity.Decimal `json:"peakGb"`
	Fits          *bool            `json:"fits"`     // null where no GPU was named, or what is known fits and something is not
	InFlight      int64            `json:"inFlight"` // micro-batches whose activations are in memory at once; of interleaved stages, chunks
	LogitsGB      quantity.Decimal `json:"logitsGb"`

	HostGB *quantity.Decimal `json:"hostGb,omitempty"` // of the host's memory, for this rank; absent where nothing is offloaded
}

// Finding is one thing that stands in the way.
type Finding struct {
	Rule      string         `json:"rule"`
	Severity  rules.Severity `json:"severity"` // block or warn
	Title     string         `json:"title"`
	Detail    string         `json:"detail"`
	Fix       string         `json:"fix,omitempty"`       // what was judged to do away with it
	Framework string         `json:"framework,omitempty"` // the one that refuses
}

// Check judges a layout of a model that was walked.
func Check(res *infer.Result, r Request) *Result {
	return newModel(res, r.SeqLen).check(r)
}

// check judges a layout of a model whose parts are known, and offers the fixes that hold.
func (m *model) check(r Request) *Result {
	pending, judged := m.judge(r)
	c := judged.plan
	out := &Result{Framework: c.framework.name, SeqLen: m.seqLen, Withheld: m.withheld, GPUs: c.gpus, MicroBatches: c.microBatches, Stages: []Stage{},
		LegalTP: c.legal(onTP), LegalPP: c.legal(onPP), Legal: judged.legal, Findings: m.settle(r, pending)}
	if c.sized {
		out.Bubble = c.bubble()
	}
	if len(judged.stages) > 0 && m.computed {
		out.Balance = balance(judged.stages)
	}
	for i := range judged.stages {
		out.Stages = append(out.Stages, c.wire(&judged.stages[i]))
	}
	out.Judged = c.judged(out)
	out.Open = c.open(out)
	out.Verdict = "pass"
	if len(out.Findings) > 0 {
		out.Verdict = string(out.Findings[0].Severity)
	}
	return out
}

// judgement is what a layout was found to be, beside its findings.
type judgement struct {
	plan   *plan
	legal  bool
	stages []stage
}

// judge finds what stands in the way, blocks before warnings, each with what could be done about it.
func (m *model) judge(r Request) ([]pending, judgement) {
	c := newPlan(m, r, frameworkOf(r.Framework))
	found := c.refusals()
	out := judgement{plan: c, legal: len(found) == 0}
	if c.sized {
		found = append(found, c.advise()...)
		if out.stages = c.stages(); len(out.stages) > 0 {
			found = append(found, c.misfit(out.stages)...)
			found = append(found, c.idle(c.bubble())...)
		}
	}
	slices.SortStableFunc(found, func(a, b pending) int { return strings.Compare(string(a.Severity), string(b.Severity)) }) // block, then warn
	return found, out
}
