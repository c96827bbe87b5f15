package plan

import (
	"fmt"

	"github.com/modelverifier/verifier/internal/quantity"
)

// notKnown stands for a figure that would be that of a part of the model.
const notKnown = "not known"

// params is the number of weights in words, and how many components it lacks.
func (r *Record) params() string {
	text := quantity.Short(r.Model.Params) + " parameters"
	if r.Model.Params == 1 {
		text = "1 parameter"
	}
	if n := len(r.Model.ParamsWithheld); n > 0 {
		return "at least " + text + " without " + count(n, "component")
	}
	return text
}

// priced says what a run costs and what that lacks, or why it has no price.
func (r *Record) priced(run string) string {
	switch cost, lacks := r.Cost.EstCostUSD, len(r.Cost.Withheld); {
	case cost != nil && lacks == 0:
		return run + " is priced at " + dollars(*cost)
	case cost != nil:
		return fmt.Sprintf("%s is priced at %s at the least, without %s", run, dollars(*cost), r.lacks())
	}
	return "no price is given: " + r.unpriced()
}

// lacks says what time, memory and price do not contain, and of which components. Where every operation is counted, as it is where a
// module of the caller's own declares its FLOPs, it is memory alone.
func (r *Record) lacks() string {
	verb, n := "take", len(r.Cost.Withheld)
	if r.FLOPs != nil {
		verb = "hold"
	}
	if n == 1 {
		verb += "s"
	}
	text := "what " + count(n, "component") + " " + verb
	if r.FLOPs != nil {
		text += " in memory"
	}
	return text + ": " + some(r.Cost.Withheld)
}

// unpriced says why there is no price.
func (r *Record) unpriced() string {
	switch {
	case r.Model.Layers == 0:
		return "it has no layers"
	case len(r.Model.ParamsWithheld) > 0:
		return "the weights of " + count(len(r.Model.ParamsWithheld), "component") + " are not known (" + some(r.Model.ParamsWithheld) + ")"
	}
	return "the shapes of " + count(len(r.Run.Withheld), "component") + " are not known"
}

// counted is the number of weights, written so, and which components it lacks.
func (r *Record) counted(text string) string {
	if len(r.Model.ParamsWithheld) > 0 {
		text = "at least " + text + ", without those of " + some(r.Model.ParamsWithheld)
	}
	return text + behind(", ", r.adapted())
}

// atLeast stands before a figure that lacks components.
func (r *Record) atLeast() string {
	if len(r.Cost.Withheld) > 0 {
		return "at least "
	}
	return ""
}

// compute is the cost of one sample.
func (r *Record) compute() string {
	if r.FLOPs == nil {
		return notKnown
	}
	return quantity.FLOPs(*r.FLOPs) + " forward, one sample"
}

// fits names the cheapest card.
func (r *Record) fits() string {
	if r.Cost.EstCostUSD == nil || len(r.Cost.Withheld) > 0 && r.Memory != nil && r.Cost.FitsGPU != "none" {
		return notKnown
	}
	return r.Cost.FitsGPU
}

// onCard is what training takes.
func (r *Record) onCard() string {
	if r.Memory == nil {
		return notKnown
	}
	return r.atLeast() + quantity.Bytes(r.Memory.CardBytes) + " on the card, " + r.Memory.peak() + " allocated"
}
