// Package rank puts candidates in order by what has been measured, and says where nothing has: designs that do not run come
// last, and two that run are ordered only by rules with a measured link to trained outcomes. Request and Result are the bodies
// on the wire.
//
// It must not order by anything else on its own: not by size, not by cost, unless the caller breaks ties by them and is told.
package rank

import (
	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/policy"
	"github.com/modelverifier/verifier/internal/quantity"
)

// Request is what can be asked.
type Request struct {
	Candidates []Candidate
	TieBreak   string // cost, params or nothing
	Policy     *policy.Policy
	Examined   action.Observer // is told about one candidate: the one recommended, or else the first of the request; may be nil

	room *action.Room // nil where it was not read by DecodeIn
}

// Candidate is one design.
type Candidate struct {
	ID    string
	Model *graph.Graph
	Notes []string        // what was translated in a file of another tool
	Text  action.TextCall // of a model that also reads pictures or sounds
}

// The rules that a caller can break ties by.
const (
	ByCost   = "cost"
	ByParams = "params"
)

// Result is the answer.
type Result struct {
	Ranked         []Ranked    `json:"ranked"`
	Recommended    *string     `json:"recommended"`
	Recommendation string      `json:"recommendation"`
	Budget         Budget      `json:"budget"`
	Calibration    Calibration `json:"calibration"`
	TieBreak       *TieBreak   `json:"tieBreak,omitempty"`
}

// Ranked is one candidate in its place. What stands behind Reasons is an addition to the specification: the figures that people
// compare designs by. They order nothing.
type Ranked struct {
	ID                 string            `json:"id"`
	Rank               int               `json:"rank"`
	MeasuredRank       int               `json:"measuredRank"`
	Tier               string            `json:"tier"`     // legal or blocked
	TiedWith           int               `json:"tiedWith"` // candidates that share the rank, this one among them; 0 where it is alone
	Blocking           int               `json:"blocking"`
	Warnings           int               `json:"warnings"`
	OutcomeFlags       []string          `json:"outcomeFlags"`
	Params             int64             `json:"params"`
	EstCostUSD         *quantity.Decimal `json:"estCostUsd"` // null where it has no price
	FitsGPU            string            `json:"fitsGpu"`
	OtherStageBlockers []string          `json:"otherStageBlockers"` // what check refuses past preflight
	Reasons            []string          `json:"reasons"`

	OtherStageWarnings  []string          `json:"otherStageWarnings"` // what check warns of past preflight; they count in warnings
	Withheld            []string          `json:"withheld"`           // ids of the components that no verdict is given on
	FLOPs               *int64            `json:"flops"`              // null where not every component is counted
	WeightBytes         *int64            `json:"weightBytes"`
	TrainFootprintBytes *int64            `json:"trainFootprintBytes"`
	EstTrainSec         *quantity.Decimal `json:"estTrainSec"`
	GPU                 string            `json:"gpu"` // what time and money are for
	Range               *action.Range     `json:"range"`
	ParamsWithheld      []string          `json:"paramsWithheld"`  // components whose weights are not in params
	CostWithheld        []string          `json:"costWithheld"`    // components that the figures lack: they are lower bounds then
	Notes               []string          `json:"notes,omitempty"` // what was translated in a file of another tool

	Fired []string `json:"-"` // ids of the rules that fired, once for each finding, for a caller in this program

	weight       int    // of the outcome flags together
	task         string // see rules.Task
	apart        bool   // the candidates are not of one task, so the flags order nothing
	costMicroUSD int64  // of a part of the model, too; preferred does not compare those
	unpriced     string
	whole        bool
	crashes      bool
}

// The tiers.
const (
	Legal   = "legal"
	Blocked = "blocked"
)

// Budget is what need not be tried.
type Budget struct {
	Candidates  int              `json:"candidates"`
	Blocked     int              `json:"blocked"`
	Legal       int              `json:"legal"`
	WouldNotRun []string         `json:"wouldNotRun"` // those that crash on the forward pass
	Reclaimed   quantity.Decimal `json:"reclaimed"`   // blocked of all
}

// TieBreak says what the caller's rule decided.
type TieBreak struct {
	Rule    string `json:"rule"`
	Decided int    `json:"decided"` // positions inside ties that the rule gave
	Note    string `json:"note"`
}

// Decode reads a request.
func Decode(body []byte, limits graph.Limits) (*Request, error) { return DecodeIn(nil, body, limits) }

// DecodeIn is the same for a Run that examines the candidates in memory that was used before. They are read into memory of their own, because the
// room is cleared behind each.
func DecodeIn(room *action.Room, body []byte, limits graph.Limits) (*Request, error) {
	f := action.Read(body, limits, action.Candidates)
	r := &Request{room: room}
	seen := map[string]int{}
	for i, c := range f.Candidates() {
		id := c.Str("id")
		if id == "" {
			id = Name(i)
		}
		if first, twice := seen[id]; twice {
			c.Fail(action.Errorf(action.CodeSameID, c.Path("id"), "is the id of %s already", action.Item(action.Candidates, first)))
		}
		seen[id] = i
		r.Candidates = append(r.Candidates, Candidate{ID: id, Model: c.Model(), Notes: c.Notes()})
		if c.Err() != nil {
			f.Fail(c.Err())
			break
		}
	}
	r.TieBreak = f.Enum("tieBreak", ByCost, ByParams)
	r.Policy = f.Policy()
	if err := f.Err(); err != nil {
		return nil, err
	}
	return r, nil
}
