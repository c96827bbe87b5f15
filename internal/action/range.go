package action

import (
	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/quantity"
)

// Range is what time and money of a run lie within, as far as their error is known.
type Range struct {
	LowUSD  quantity.Decimal `json:"lowUsd"`
	HighUSD quantity.Decimal `json:"highUsd"`
	LowSec  quantity.Decimal `json:"lowSec"`
	HighSec quantity.Decimal `json:"highSec"`
}

// RangeOf is the range of an estimate.
func RangeOf(t *estimate.Training) Range {
	r := t.Range()
	seconds := func(micros int64) quantity.Decimal { return quantity.Decimal{Unscaled: micros, Places: 6} }
	return Range{quantity.USD(r.LowMicroUSD), quantity.USD(r.HighMicroUSD), seconds(r.LowMicros), seconds(r.HighMicros)}
}
