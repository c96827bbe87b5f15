package bench

import (
	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/quantity"
)

// options is the run as the estimate takes it.
func (r *Run) options() estimate.Options {
	if r == nil {
		return estimate.Options{}
	}
	return estimate.Options{Batch: r.Batch, Precision: r.Precision, Optimizer: r.Optimizer, Epochs: r.Epochs,
		Samples: r.Samples, SamplesGiven: r.Samples > 0}
}

// text says the run in words.
func (r *Run) text() string {
	if r == nil {
		return "the default run"
	}
	text := quantity.Sprintf("batch %s, %s, %s", quantity.Grouped(r.Batch), r.Precision, r.Optimizer)
	if r.Tokens > 0 {
		text += quantity.Sprintf(", %s tokens a sample", quantity.Grouped(r.Tokens))
	}
	if r.Epochs > 0 && r.Samples > 0 {
		text += quantity.Sprintf(", %d epochs over %s samples", r.Epochs, quantity.Grouped(r.Samples))
	}
	return text
}

// priced estimates a run of the model, nil where a figure would lack a component or be that of another length. The
// estimates are exact functions of the graph: every machine gives the same.
func (s *subject) priced(r *Run) (*estimate.Training, string) {
	study, tokens := *s.study, int64(0)
	if r != nil {
		tokens = r.Tokens
	}
	study.Price(r.options(), tokens)
	switch {
	case !study.Runs():
		return nil, "it does not run, so that nothing is estimated"
	case !study.Complete():
		return nil, "what it takes is not known: " + study.Unpriced() + study.Bounded()
	case tokens > 0 && study.Length.Own > 0 && study.Length.Used != tokens:
		return nil, "it does not run with " + quantity.Grouped(tokens) + " tokens"
	}
	return study.Training, ""
}

// used estimates the use of the model with so many tokens in memory, in bf16.
func (s *subject) used(tokens int64) (*estimate.Inference, string) {
	study := *s.study
	study.Price(estimate.Options{}, 0)
	switch {
	case !study.Whole():
		return nil, "it does not run, or what it takes is not known"
	case tokens > 0 && !study.RunsAt(tokens):
		return nil, "it does not run with " + quantity.Grouped(tokens) + " tokens"
	}
	prompt, generated := estimate.Context(tokens)
	return study.Estimates().Infer(study.Sized, estimate.InferOptions{Batch: 1, Prompt: prompt, Generated: generated}), ""
}
