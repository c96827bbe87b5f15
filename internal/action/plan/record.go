package plan

import (
	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/quantity"
)

// Version is the version of the record's format.
const Version = 1

// Record is the plan. Text and Markdown are made from it and from nothing else. Memory, FLOPs, MACs, Training, SeqLen, Source,
// Inference, Fixes, Sharded, Solved, run.withheld, model.implementation, model.paramsWithheld, cost.gpu, cost.range, cost.asked, cost.withheld and the
// lists of components in a diff are additions to the specification. A figure that lacks a component is null, or a lower bound where cost.withheld names components.
type Record struct {
	Version  int      `json:"version"`
	Summary  string   `json:"summary"`
	Model    Model    `json:"model"`
	Run      Legality `json:"run"`
	Cost     Cost     `json:"cost"`
	Diff     *Diff    `json:"diff,omitempty"`
	Policy   Policy   `json:"policy"`
	History  *History `json:"history,omitempty"`
	Memory   *Memory  `json:"memory"` // null where the model has no price
	FLOPs    *int64   `json:"flops"`  // one sample, forward; null where not every component is counted
	MACs     *int64   `json:"macs"`
	Training Training `json:"training"`
	SeqLen   *SeqLen  `json:"seqLen,omitempty"`
	Source   *Source  `json:"source,omitempty"`
	Notes    []string `json:"notes,omitempty"` // what was translated in a file of another tool

	Inference *Inference `json:"inference"`         // null where it would be that of a part of the model
	Fixes     []Fix      `json:"fixes,omitempty"`   // where training does not fit
	Sharded   *Sharded   `json:"sharded,omitempty"` // what each card holds, where several share the run
	Solved    *Solved    `json:"solved,omitempty"`  // where training.solve asks for it; the plan is that of the answer
}

// Model is what the graph is. A null shape is one that cannot be known.
type Model struct {
	Name        string        `json:"name"`
	Layers      int           `json:"layers"`
	Params      int64         `json:"params"`
	InputShape  catalog.Shape `json:"inputShape"`
	OutputShape catalog.Shape `json:"outputShape"`
	Fingerprint string        `json:"fingerprint"`

	Implementation *Implementation `json:"implementation,omitempty"` // null for PyTorch's own modules
	ParamsWithheld []string        `json:"paramsWithheld"`           // ids of the components whose weights are not in params
}

// Legality is whether it runs.
type Legality struct {
	Legal    bool             `json:"legal"`
	Blockers []action.Finding `json:"blockers"`
	Warnings []action.Finding `json:"warnings"`
	Withheld []string         `json:"withheld"`
}

// Cost is what training takes in time and money.
type Cost struct {
	EstCostUSD    *quantity.Decimal `json:"estCostUsd"` // null, as time and range, where the model has no price
	EstTrainSec   *quantity.Decimal `json:"estTrainSec"`
	FitsGPU       string            `json:"fitsGpu"` // the cheapest that holds a step, none, or unknown
	RefusedRunUSD *quantity.Decimal `json:"refusedRunUsd"`
	GPUFits       GPUFits           `json:"gpuFits"`
	Assumptions   string            `json:"assumptions"`
	GPU           string            `json:"gpu"` // what time and money are for
	Range         *action.Range     `json:"range"`
	Withheld      []string          `json:"withheld"`        // components that time, memory and price lack: those are lower bounds then
	Asked         *Asked            `json:"asked,omitempty"` // the card that was asked for
}

// Asked says whether a training step runs and fits on the card that was asked for.
type Asked struct {
	GPU         string `json:"gpu"`
	Fits        bool   `json:"fits"`
	NeedBytes   int64  `json:"needBytes"`
	MemoryBytes int64  `json:"memoryBytes"`
}

// GPUFits says of three common cards whether a training step was found to fit.
type GPUFits struct {
	T4     bool `json:"T4"`
	A10040 bool `json:"A100_40"`
	H10080 bool `json:"H100_80"`
}

// Policy is whether the caller's own rules were applied.
type Policy struct {
	Applied    bool `json:"applied"`
	Violations int  `json:"violations"`
}

// Memory is what a training step takes, in bytes.
type Memory struct {
	WeightBytes     int64  `json:"weightBytes"`
	GradientBytes   int64  `json:"gradientBytes"`
	OptimizerBytes  int64  `json:"optimizerBytes"`
	ActivationBytes int64  `json:"activationBytes"`
	LogitBytes      int64  `json:"logitBytes"`
	PeakBytes       int64  `json:"peakBytes"`
	NeedBytes       int64  `json:"needBytes"`  // the smallest memory in which the run goes through, without the context of the process
	UpperBytes      int64  `json:"upperBytes"` // reserved at the most where there is more than enough
	CardBytes       int64  `json:"cardBytes"`  // what must fit: needBytes and the context
	Binding         string `json:"binding"`
	EagerExtraBytes int64  `json:"eagerExtraBytes"`      // what eager attention would add
	PagedBytes      int64  `json:"pagedBytes,omitempty"` // of the optimizer in unified memory, which is in none of the others
	ErrorPercent    *int64 `json:"errorPercent"`         // of the peak, in nineteen of twenty measured runs; null where none was measured
}

// Training is the run that the estimates are for, with every default filled in.
type Training struct {
	Batch          int64  `json:"batch"`
	Precision      string `json:"precision"`
	Optimizer      string `json:"optimizer"`
	Epochs         int64  `json:"epochs"`
	Samples        int64  `json:"samples"`
	Checkpointing  bool   `json:"checkpointing"`
	Attention      string `json:"attention"`
	SamplesAssumed bool   `json:"samplesAssumed"`

	MicroBatch    int64    `json:"microBatch,omitempty"` // where it is less than the batch
	FusedLoss     bool     `json:"fusedLoss,omitempty"`
	Expandable    bool     `json:"expandableSegments,omitempty"`
	Dropout       bool     `json:"dropout,omitempty"` // of a config, which is not counted otherwise
	GPU           string   `json:"gpu,omitempty"`     // that was asked for
	Frozen        []string `json:"frozen,omitempty"`
	LoRA          *LoRA    `json:"lora,omitempty"`
	Objective     string   `json:"objective,omitempty"`
	Completion    int64    `json:"completion,omitempty"`    // tokens of an answer that were asked for
	Autocast      bool     `json:"autocast,omitempty"`      // over weights of 16 bits
	Packing       bool     `json:"packing,omitempty"`       // rows are filled up with samples
	Base          string   `json:"quantized,omitempty"`     // how the linear layers lie in memory
	TrainedParams *int64   `json:"trainedParams,omitempty"` // where not all weights are trained
}

// SeqLen is the length of a sample of text.
type SeqLen struct {
	Own    int64 `json:"own"`              // as the graph declares it
	Used   int64 `json:"used"`             // in the estimates
	NotRun int64 `json:"notRun,omitempty"` // the length to be used, where the model does not run at it and its own was kept

	NotPriced int64 `json:"notPriced,omitempty"` // the length to be used, where what the model costs at it is not known and its own was kept
}

// Diff is what changed since the base. Rewired counts components that kept their parameters and have other inputs.
type Diff struct {
	Base            Base              `json:"base"`
	Added           int               `json:"added"`
	Removed         int               `json:"removed"`
	Changed         int               `json:"changed"`
	ParamsDelta     *int64            `json:"paramsDelta"`    // null where a version lacks weights
	ParamsDeltaPct  *quantity.Decimal `json:"paramsDeltaPct"` // null where the base has no parameters and the model has
	MemoryDeltaGB   *quantity.Decimal `json:"memoryDeltaGb"`  // null, as the next, where a figure of a version lacks components
	CostDeltaUSD    *quantity.Decimal `json:"costDeltaUsd"`
	BlastRadius     int               `json:"blastRadius"` // components downstream of a change
	Lines           []string          `json:"lines"`       // one for each changed parameter
	LegalityChanged *string           `json:"legalityChanged"`
	Rewired         int               `json:"rewired"`
	AddedNames      []string          `json:"addedComponents"`
	RemovedNames    []string          `json:"removedComponents"`
	RewiredNames    []string          `json:"rewiredComponents"`
}

// Base is the version before.
type Base struct {
	Name   string `json:"name"`
	Layers int    `json:"layers"`
	Params int64  `json:"params"`

	ParamsWithheld []string `json:"paramsWithheld"`
}

// The values of legalityChanged.
const (
	Broken   = "broken"   // the base was legal and the model is not
	Repaired = "repaired" // the other way round
)

// History is what became of earlier runs of this structure, newest first. Only the hosted service has any.
type History struct {
	Rows []Outcome `json:"rows"`
}

// Outcome is how one run ended. What was not said of it is absent.
type Outcome struct {
	At         string            `json:"at"` // ISO 8601
	Metric     string            `json:"metric"`
	Value      float64           `json:"value"`
	Epochs     *int64            `json:"epochs,omitempty"`
	WallSec    *float64          `json:"wallSec,omitempty"`
	EstCostUSD *quantity.Decimal `json:"estCostUsd,omitempty"`
	Source     string            `json:"source"`
}
