package estimate

import (
	"fmt"

	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/quantity"
)

// What the measured runs say about the error of an estimate. A test holds these figures to the rows.
const (
	measuredCard = "H200" // the one that all errors and the rates of time are from

	// PeakErrorPercent is what the allocated peak of nineteen runs in twenty is off by at the most, of graphs of PyTorch's own modules.
	// Sealed runs, drawn at random, kept 4.6 % when they were first looked at (docs/accuracy.md).
	PeakErrorPercent = 6
	// ForeignErrorPercent is the same of transformers' models. Sealed runs kept 2.2 %; models that are written in a way of their own can
	// be further off, as every set of hand-picked ones has shown.
	ForeignErrorPercent = 6
	// AdaptedErrorPercent is the same where parts are frozen or have adapters: small runs whose forward pass is the largest moment.
	AdaptedErrorPercent = 14

	// otherCardPercent is how much more the peak can be off on a card that nothing was measured on, whose kernels and workspaces are others: an assumption.
	otherCardPercent = 6

	measuredSpread = 155 // percent: nine steps in ten take from 100/155 to 155/100 of the estimate on that card, small runs among them
	scaledSpread   = 250 // on others, whose constants are scaled from their data sheets: an assumption
)

// significant is how many digits of time and money are worth writing down beside an error of that size.
const significant = 3

// spread is by what percent time and cost may be off, as a factor in both directions.
func (t *Training) spread() int64 {
	if t.PricedOn.Name == measuredCard && t.Cards == 1 && t.measured() && t.Options.Base == "" && t.Options.Objective == "" {
		return measuredSpread
	}
	return scaledSpread
}

// measured reports whether runs of this kind were measured.
func (t *Training) measured() bool {
	o := t.Options
	return !o.FusedLoss
}

// PeakError is by what percent the peak is off in nineteen of twenty runs like this one, and more on a card that is not the measured one; nil where
// none was measured.
func (t *Training) PeakError() *int64 {
	if !t.measured() {
		return nil
	}
	percent := int64(PeakErrorPercent)
	if t.Options.Adapt != nil {
		percent = AdaptedErrorPercent
	}
	if t.foreign {
		percent = ForeignErrorPercent
	}
	percent += onAnother(t.PricedOn)
	return &percent
}

// onAnother is what is added to the error of memory on a card that is not the measured one.
func onAnother(g *hardware.GPU) int64 {
	if g == nil || g.Name == measuredCard {
		return 0
	}
	return otherCardPercent
}

// timeError says how far time and cost can be relied on.
func (t *Training) timeError() string {
	s := t.spread()
	text := fmt.Sprintf("%d to %d %% of it", 10000/s, s)
	if s == measuredSpread {
		return "and was " + text + " in nine of ten measured runs"
	}
	return "scaled to this run from others that were measured on " + measuredCard + ", so " + text + " are likely"
}

// Range is what time and money lie within.
type Range struct {
	LowMicros, HighMicros     int64 // of the whole run
	LowMicroUSD, HighMicroUSD int64
}

// Range widens the estimate by its error.
func (t *Training) Range() Range {
	s := t.spread()
	return Range{
		LowMicros: quantity.Significant(scale(t.TotalMicros, 100, s), 2), HighMicros: quantity.Significant(scale(t.TotalMicros, s, 100), 2),
		LowMicroUSD: quantity.Significant(scale(t.CostMicroUSD, 100, s), 2), HighMicroUSD: quantity.Significant(scale(t.CostMicroUSD, s, 100), 2),
	}
}

// round leaves of time and cost what the error lets one say.
func (t *Training) round() {
	t.StepMicros, t.CostMicroUSD = quantity.Significant(t.StepMicros, significant), quantity.Significant(t.CostMicroUSD, significant)
	t.TotalMicros = quantity.Significant(t.TotalMicros, significant)
	t.TotalSec = float64(t.TotalMicros) / 1e6
}
