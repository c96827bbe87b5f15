package rules

import (
	_ "embed" // for the data file
	"encoding/json"
)

// Outcome is how a rule is linked to what came of designs that were trained: truth/outcomes.jsonl.gz, docs/outcomes.md. A pair is two
// designs for the same dataset whose accuracies lie further apart than the noise between seeds, and of which the rule fires on one.
type Outcome struct {
	Weight  int     `json:"weight"`  // in the order of rank; 0 where the rule orders nothing
	Designs int     `json:"designs"` // on which the rule fires, among those that rules were found with
	Pairs   int     `json:"pairs"`
	Worse   float64 `json:"worse"` // share of the pairs in which the design that the rule fires on came out worse
	Low     float64 `json:"low"`   // its interval, corrected for the number of rules and limits that were tried
	High    float64 `json:"high"`

	SealedPairs int     `json:"sealedPairs"` // among the designs that were kept aside
	SealedWorse float64 `json:"sealedWorse"`
}

// Linked reports whether designs that the rule fires on come out worse beyond chance.
func (o *Outcome) Linked() bool { return o.Low > 0.5 }

//go:embed outcomes.json
var outcomesFile []byte

// Outcomes is what was measured, by the id of the rule. A test of the trained designs holds it to them.
var Outcomes = func() map[string]*Outcome {
	out := map[string]*Outcome{}
	if err := json.Unmarshal(outcomesFile, &out); err != nil {
		panic("rules: outcomes.json: " + err.Error()) // cannot happen: the file is part of the program
	}
	return out
}()

// Outcome returns what was measured of the rule, or nil where nothing was.
func (r *Rule) Outcome() *Outcome { return Outcomes[r.ID] }

// Weight is what a rule counts for where designs are ordered, 0 for nearly all.
func (r *Rule) Weight() int {
	if o := r.Outcome(); o != nil {
		return o.Weight
	}
	return 0
}
