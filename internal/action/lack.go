package action

import "github.com/modelverifier/verifier/internal/quantity"

// NotKnown stands for a name, such as that of a card, that was not found out.
const NotKnown = "unknown"

// lack notes which components the figures do not contain.
func (s *Study) lack() {
	s.ParamsWithheld, s.CostWithheld = s.Walked.ParamsWithheld(), s.Sized.CostWithheld()
}

// Complete reports whether every figure contains every component.
func (s *Study) Complete() bool { return s.Priced() && s.Bounded() == "" }

// Whole reports whether the model runs, as far as every component, and every figure contains all of them.
func (s *Study) Whole() bool { return s.Runs() && len(s.Withheld) == 0 && s.Complete() }

// Priced reports whether the model has a price.
func (s *Study) Priced() bool { return s.Unpriced() == "" }

// Unpriced says why a model has no price; it is empty where it has one. A model whose weights are not all known has none, nor has one
// of which no verdict is given, nor one without layers. One that is blocked has the price of the run that fails.
func (s *Study) Unpriced() string {
	switch {
	case s.Layers() == 0:
		return "it has no layers"
	case len(s.ParamsWithheld) > 0:
		return lacking("weights", s.ParamsWithheld)
	case s.Runs() && len(s.Withheld) > 0:
		return lacking("shapes", s.Withheld)
	}
	return ""
}

// Bounded says what time, memory and price do not contain, where they are those of a part of the model; it is empty otherwise.
func (s *Study) Bounded() string {
	switch n := len(s.CostWithheld); {
	case n == 0:
		return ""
	case s.FLOPs() == nil:
		return lacking("costs", s.CostWithheld)
	case n == 1:
		return "what 1 component holds in memory is not known"
	default: // every weight and operation is counted
		return "what " + quantity.Grouped(int64(n)) + " components hold in memory is not known"
	}
}

// lacking says that something of components is not known. Which ones they are is in the lists.
func lacking(what string, ids []string) string {
	if len(ids) == 1 {
		return "the " + what + " of 1 component are not known"
	}
	return "the " + what + " of " + quantity.Grouped(int64(len(ids))) + " components are not known"
}

// FLOPs is the forward pass of one sample, nil where not every component is counted.
func (s *Study) FLOPs() *int64 { return s.Sized.KnownFLOPs() }

// MACs are half of the FLOPs.
func (s *Study) MACs() *int64 { return Half(s.FLOPs()) }

// Half is half of a number that may not be known.
func Half(n *int64) *int64 {
	if n == nil {
		return nil
	}
	half := *n / 2
	return &half
}

// CostUSD is what training costs, nil where the model has no price.
func (s *Study) CostUSD() *quantity.Decimal {
	if !s.Priced() {
		return nil
	}
	d := quantity.USD(s.Training.CostMicroUSD)
	return &d
}

// TrainSec is how long training takes, nil where the model has no price.
func (s *Study) TrainSec() *quantity.Decimal {
	if !s.Priced() {
		return nil
	}
	d := quantity.Round(s.Training.TotalSec, 3)
	return &d
}

// Range is what time and price lie within, nil where the model has no price.
func (s *Study) Range() *Range {
	if !s.Priced() {
		return nil
	}
	r := RangeOf(s.Training)
	return &r
}

// Bytes is a number of bytes that training takes, nil where the model has no price.
func (s *Study) Bytes(n int64) *int64 {
	if !s.Priced() {
		return nil
	}
	return &n
}

// PriceText is the price with its range in words, at least so much where it is that of a part of the model. The model has a price.
func (s *Study) PriceText() string {
	r := s.Training.Range()
	text := quantity.AboutDollars(s.Training.CostMicroUSD) + " (" + quantity.AboutDollars(r.LowMicroUSD) + " to " + quantity.AboutDollars(r.HighMicroUSD) + ")"
	if s.Bounded() != "" {
		return "at least " + text
	}
	return "about " + text
}

// ParamsText is the number of weights in words: at least so many where components are lacking.
func (s *Study) ParamsText() string {
	n := s.Params()
	text := quantity.Short(n) + " parameters"
	if n == 1 {
		text = "1 parameter"
	}
	if len(s.ParamsWithheld) > 0 {
		return "at least " + text
	}
	return text
}
