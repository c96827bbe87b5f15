// Package pipeline says what the parts of a diffusers pipeline take, and what using all of them takes of a card: every part resident, or one at a
// time as enable_model_cpu_offload has it. The result is the wire body. It must not know where parts come from.
package pipeline

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
)

// Request is what can be asked.
type Request struct {
	Class     string // StableDiffusionPipeline
	Parts     []Part
	Precision string // one of estimate.InferPrecisions; the first where empty
	Batch     int64  // images at once; 1 where 0
}

// Part is one entry of model_index.json.
type Part struct {
	Name, Library, Class string
	Graph                *graph.Graph // nil where it was not read, or has no weights
	Open                 string       // why it was not read
	Weightless           bool         // it is a tokenizer, a scheduler or the like
	Notes                []string
}

// Result is the answer.
type Result struct {
	Pipeline  string     `json:"pipeline"`
	Precision string     `json:"precision"`
	Batch     int64      `json:"batch"` // images at once
	Parts     []PartBody `json:"parts"`
	Resident  *Memory    `json:"resident"`  // with every part on the card; null where a part is not priced
	Offload   *Memory    `json:"offload"`   // with one part on the card at a time, the others in the host's memory
	NotPriced []string   `json:"notPriced"` // parts that are in none of the figures; the pipeline then has none
	Measured  bool       `json:"measured"`  // whether such pipelines were run: they were not
}

// PartBody is what one part takes.
type PartBody struct {
	Name            string   `json:"name"`
	Library         string   `json:"library"`
	Class           string   `json:"class"`
	Params          *int64   `json:"params"` // null where it was not read
	Batch           int64    `json:"batch"`  // samples at once: two for each image where guidance asks with and without the text
	WeightBytes     *int64   `json:"weightBytes"`
	ActivationBytes *int64   `json:"activationBytes"` // at the most, beside the weights
	FLOPs           *int64   `json:"flops"`           // of one sample and one call
	Open            string   `json:"open,omitempty"`  // why it is not priced
	Notes           []string `json:"notes,omitempty"`
}

// Memory is what the parts take of a card.
type Memory struct {
	Part        string `json:"part"` // the one that is largest while it runs
	WeightBytes int64  `json:"weightBytes"`
	PeakBytes   int64  `json:"peakBytes"`
	CardBytes   int64  `json:"cardBytes"` // with workspace and context: what must fit
	FitsGPU     string `json:"fitsGpu"`   // the smallest of the listed cards that holds it and computes in the precision, "none" where none does
}

// Validate lists what is wrong with how the pipeline is used.
func (q *Request) Validate() []estimate.Problem {
	return estimate.InferOptions{Batch: q.Batch, Precision: q.Precision}.Validate()
}

// guided are the classes that a pipeline calls with and without the text, in one batch (do_classifier_free_guidance).
var guided = map[string]bool{"UNet2DConditionModel": true}

// New says what a pipeline takes.
func New(q *Request) *Result {
	out := &Result{Pipeline: q.Class, Precision: q.Precision, Batch: max(1, q.Batch), Parts: []PartBody{}, NotPriced: []string{}}
	if out.Precision == "" {
		out.Precision = estimate.InferPrecisions[0]
	}
	resident, offload := Memory{}, Memory{}
	activations, beside := int64(0), int64(0)
	for i := range q.Parts {
		p := &q.Parts[i]
		if p.Weightless {
			continue
		}
		body, used := p.body(out)
		out.Parts = append(out.Parts, body)
		if used == nil {
			out.NotPriced = append(out.NotPriced, p.Name)
			continue
		}
		beside = used.CardBytes - used.PeakBytes // workspace and context, the same for every part
		resident.WeightBytes = sum(resident.WeightBytes, used.WeightBytes)
		if a := used.PeakBytes - used.WeightBytes; a >= activations {
			activations, resident.Part = a, p.Name
		}
		if used.PeakBytes >= offload.PeakBytes {
			offload.PeakBytes, offload.WeightBytes, offload.Part = used.PeakBytes, used.WeightBytes, p.Name
		}
	}
	if len(out.Parts) > 0 && len(out.NotPriced) == 0 {
		resident.PeakBytes = sum(resident.WeightBytes, activations)
		resident.settle(beside, out.Precision)
		offload.settle(beside, out.Precision)
		out.Resident, out.Offload = &resident, &offload
	}
	return out
}

// body walks a part. Used is nil where it is not priced.
func (p *Part) body(r *Result) (body PartBody, used *estimate.Inference) {
	body = PartBody{Name: p.Name, Library: p.Library, Class: p.Class, Batch: r.Batch, Open: p.Open, Notes: p.Notes}
	if guided[p.Class] {
		body.Batch = 2 * r.Batch
	}
	if p.Graph == nil {
		return body, nil
	}
	p.Graph.Normalize(catalog.Vocabulary)
	res := infer.Walk(p.Graph)
	params := res.Params
	body.Params = &params
	if len(res.Refusals) > 0 {
		body.Open = "it does not run: " + res.Refusals[0].Message
		return body, nil
	}
	flops := res.FLOPs
	used = estimate.Infer(res, estimate.InferOptions{Batch: body.Batch, Precision: r.Precision})
	weights, activations := used.WeightBytes, used.PeakBytes-used.WeightBytes
	body.WeightBytes, body.ActivationBytes, body.FLOPs = &weights, &activations, &flops
	return body, used
}

// settle adds what a card holds beside, and finds the smallest one that computes in the precision.
func (m *Memory) settle(beside int64, precision string) {
	m.CardBytes = sum(m.PeakBytes, beside)
	m.FitsGPU = "none"
	if g := hardware.Smallest(m.CardBytes, precision); g != nil {
		m.FitsGPU = g.Name
	}
}

// sum is a total of bytes, which no card has long before it overflows.
func sum(a, b int64) int64 {
	if n, ok := quantity.Add(a, b); ok {
		return n
	}
	return 1 << 62
}
