// Package train reads what a training run is asked for, and plans it: what the run costs on a card, and everything that keeps it from
// being run. Request, Result and Blocked are the bodies on the wire.
//
// It books nothing and knows no job: who runs jobs asks it first, and so does the command line that trains on this machine.
package train

import (
	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/training"
)

// Request is what can be asked.
type Request struct {
	Model    *graph.Graph
	Dataset  *training.Dataset
	Config   training.Config // clamped
	GPU      string          // a name of package hardware; empty: none was chosen
	Source   Source
	Examined action.Observer // is told about the model once; may be nil
	// Exports says why no PyTorch file can be made of the model; nil: that is not asked. It is a function because those who write such
	// files know of actions, and not the other way round.
	Exports func(*Request) error
}

// Source is where the caller has the model from.
type Source struct {
	Repo string `json:"repo,omitempty"`
	PR   int64  `json:"pr,omitempty"`
}

// Result is the answer to a run that was submitted.
type Result struct {
	JobID   string          `json:"job_id"`
	Mode    string          `json:"mode"`
	Backend string          `json:"backend"`
	Config  training.Config `json:"config"`
	Plan    *plan.Record    `json:"plan"`
	Text    string          `json:"text"`
}

// Blocked is the answer to a design that is refused. Nothing was booked.
type Blocked struct {
	Error string       `json:"error"` // ErrorBlocked
	Plan  *plan.Record `json:"plan"`
	Text  string       `json:"text"`
}

// ErrorBlocked is the word of the specification for a design that is refused.
const ErrorBlocked = "blocked"

// Plan plans the run on a card; empty: on the cheapest that holds it, whether or not it can be had.
func (r *Request) Plan(gpu string) *plan.Record {
	record := plan.New(&plan.Request{Model: r.Model, Training: r.options(gpu), Against: r.against, Examined: r.Examined})
	r.Examined = nil // it has been told
	return record
}

// options is the run as the trainer computes it: bf16 autocast where the card has bf16, and 32-bit floats where it has not.
func (r *Request) options(gpu string) estimate.Options {
	o := estimate.Options{Batch: r.Config.BatchSize, Precision: "amp", Optimizer: r.Config.Optimizer, Epochs: r.Config.Epochs,
		Samples: r.Dataset.Train, SamplesGiven: true, GPU: gpu}
	if g := hardware.Lookup(gpu); g != nil && g.BF16 == 0 {
		o.Precision = "fp32"
	}
	return o
}

// Cheapest is the first card of those offered, the cheapest hour first, on which the plan says that the run fits, and that plan; an
// empty name where there is none.
func (r *Request) Cheapest(offered []string) (gpu string, on *plan.Record) {
	for _, g := range hardware.GPUs() {
		if !contains(offered, g.Name) {
			continue
		}
		if on := r.Plan(g.Name); on.Cost.Asked != nil && on.Cost.Asked.Fits {
			return g.Name, on
		}
	}
	return "", nil
}
