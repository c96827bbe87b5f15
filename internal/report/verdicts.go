package report

import (
	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
)

// Verdicts are what a record says in numbers and words, each only where the command computed it. Params, Training and Inference
// are there only for a model that runs and where they contain every component: of another they would be those of a part of it.
type Verdicts struct {
	Params    *Params    `json:"params,omitempty"`
	Training  *Training  `json:"training,omitempty"`
	Inference *Inference `json:"inference,omitempty"`
	Serve     *Serve     `json:"serve,omitempty"`
	Layout    *Verdict   `json:"layout,omitempty"`
	DataFit   *Verdict   `json:"dataFit,omitempty"`
	Change    *Gate      `json:"change,omitempty"`
}

// Params is the number of weights.
type Params struct {
	Derived int64 `json:"derived"`
}

// Training is what a run takes. The smallest card is the one with the least memory that holds the upper bound; at the estimate,
// the peak itself. Null where no card does.
type Training struct {
	PeakGB                 quantity.Decimal `json:"peakGb"`
	UpperGB                quantity.Decimal `json:"upperGb"`
	SmallestCard           *string          `json:"smallestCard"`
	SmallestCardAtEstimate *string          `json:"smallestCardAtEstimate"`
	SeqLen                 int64            `json:"seqLen,omitempty"` // of a model of text
	Attention              string           `json:"attention"`
	EstCostUSD             quantity.Decimal `json:"estCostUsd"`
}

// Inference is what using the model takes.
type Inference struct {
	PeakGB       quantity.Decimal `json:"peakGb"`
	SmallestCard *string          `json:"smallestCard"`
	Batch        int64            `json:"batch"`
	PromptTokens int64            `json:"promptTokens"`
	GenTokens    int64            `json:"genTokens"`
	Precision    string           `json:"precision"`
}

// Serve is what an engine makes of a launch command.
type Serve struct {
	Verdict              string  `json:"verdict"`
	Engine               string  `json:"engine"`
	EngineVersion        *string `json:"engineVersion"`
	EngineVersionAssumed bool    `json:"engineVersionAssumed"`
}

// Verdict is pass, warn or block.
type Verdict struct {
	Verdict string `json:"verdict"`
}

// Gate is approved or refused.
type Gate struct {
	Gate string `json:"gate"`
}

func paramsOf(res *infer.Result) *Params {
	for i := range res.Nodes {
		if s := res.Nodes[i].State; s == infer.Withheld || s == infer.Unknown {
			return nil
		}
	}
	if len(res.Refusals)+len(res.ParamsWithheld()) > 0 {
		return nil
	}
	return &Params{res.Params}
}

// countOf is the number of weights of a model that runs.
func countOf(s *action.Study) *Params {
	if !s.Runs() {
		return nil
	}
	return paramsOf(s.Walked)
}

func ofStudy(s *action.Study) (out Verdicts) {
	out.Params = countOf(s)
	if !s.Whole() {
		return out
	}
	t := s.Training
	context := t.CardBytes - t.NeedBytes
	out.Training = &Training{
		PeakGB: gigabytes(t.PeakBytes), UpperGB: gigabytes(t.UpperBytes), SeqLen: s.Length.Used, Attention: t.Options.Attention, EstCostUSD: quantity.USD(t.CostMicroUSD),
		SmallestCard: smallest(t.CardBytes, t.Options.Precision), SmallestCardAtEstimate: smallest(t.PeakBytes+context, t.Options.Precision),
	}
	use := s.Estimates().Infer(s.Sized, estimate.InferOptions{Attention: t.Options.Attention})
	out.Inference = &Inference{PeakGB: gigabytes(use.PeakBytes), SmallestCard: smallest(use.CardBytes, use.Options.Precision), Batch: use.Options.Batch,
		PromptTokens: use.Options.Prompt, GenTokens: use.Options.Generated, Precision: use.Options.Precision}
	return out
}

// smallest is the name of the smallest card that holds so many bytes and computes in a precision; nil where none does.
func smallest(bytes int64, precision string) *string {
	g := hardware.Smallest(bytes, precision)
	if g == nil {
		return nil
	}
	return &g.Name
}

// gigabytes keeps the kilobytes: a small model takes some.
func gigabytes(n int64) quantity.Decimal { return quantity.Ratio(n, 1_000_000_000, 6) }
