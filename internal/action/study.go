package action

import (
	"cmp"
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/policy"
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/rules"
)

// Room is the memory that a model is read and examined in, so that a server need not ask for it anew with every request. The zero
// value is ready.
type Room struct {
	graph    graph.Room
	infer    infer.Room
	estimate estimate.Room
}

// Clear takes back what was read and examined, and leaves nothing of it.
func (r *Room) Clear() {
	r.graph.Clear()
	r.infer.Clear()
	r.estimate.Clear()
}

// Study is what the actions find out about one model.
type Study struct {
	room     *Room
	Graph    *graph.Graph
	Walked   *infer.Result
	Findings []rules.Finding // worst first, then in the order of the graph

	// What follows is there once the model has been priced.
	Blockers []Finding // what rules refuse
	Warnings []Finding
	Withheld []string           // ids of the components that no verdict is given on
	Length   Length             // of a sample of text
	Sized    *infer.Result      // the walk at that length, or of the model repaired
	Repaired bool               // whether the estimates are those of the model with every fix applied
	Training *estimate.Training // of Sized

	precision string // where the precision is from, for what is assumed

	targets []estimate.Deployment // once they were asked for

	ParamsWithheld []string // ids of the components whose weights Params lacks
	CostWithheld   []string // ids of the components that FLOPs, memory, time and price lack
}

// Observer is told about a model that was examined. What it wants to keep it must copy.
type Observer func(*Study)

// Tell tells an observer, where there is one.
func (o Observer) Tell(s *Study) {
	if o != nil {
		o(s)
	}
}

// Examine brings a graph into canonical form, in place, walks it and runs every rule.
func Examine(g *graph.Graph) *Study { return new(Room).Examine(g) }

// Examine is the same in memory that was used before, or in its own where there is no room. A study is good until the room is cleared.
func (r *Room) Examine(g *graph.Graph) *Study {
	if r == nil {
		r = new(Room)
	}
	g.Normalize(catalog.Vocabulary)
	s := &Study{room: r, Graph: g, Walked: r.infer.Walk(g)}
	s.Findings = rules.Run(s.Walked)
	return s
}

// Price estimates what training takes with samples of so many tokens; 0 stands for the default length. Only a model of text
// has a length.
func (s *Study) Price(o estimate.Options, seqLen int64) {
	o = s.Size(o, seqLen)
	s.Training = s.room.estimate.Train(s.Sized, o)
}

// Size finds the model that is priced, and returns the run with its precision; what follows from them is estimated by Price.
func (s *Study) Size(o estimate.Options, seqLen int64) estimate.Options {
	s.Blockers, s.Warnings, s.Withheld = s.ruleFindings(rules.Block), s.ruleFindings(rules.Warn), []string{}
	for i := range s.Walked.Nodes {
		if n := &s.Walked.Nodes[i]; n.State == infer.Withheld || n.State == infer.Unknown {
			s.Withheld = append(s.Withheld, n.Component.ID)
		}
	}
	s.Sized, s.Length = s.atLength(seqLen)
	if whole := s.repair(); whole != nil {
		s.Sized, s.Repaired = whole, true
	}
	o, s.precision = s.settle(o)
	s.lack()
	return o
}

// Estimates is the memory for further estimates of the model.
func (s *Study) Estimates() *estimate.Room { return &s.room.estimate }

// EagerExtra is what the peak would gain by attention that has its scores in memory.
func (s *Study) EagerExtra() int64 { return s.room.estimate.EagerExtra(s.Sized, s.Training) }

// Rank is what a card holds of a run that several share, nil where one trains alone.
func (s *Study) Rank() *estimate.Rank { return s.room.estimate.Rank(s.Sized, s.Training.Options) }

// Assumptions says what the estimate rests on.
func (s *Study) Assumptions() string {
	text := s.Training.Assumptions()
	if s.Repaired {
		text += "; estimated as if the fixes had been applied"
	}
	switch why, bound := s.Unpriced(), s.Bounded(); {
	case why != "":
		text += "; not estimated: " + why
	case bound != "":
		text += "; time, memory and price are lower bounds: " + bound
	}
	if s.Length.Own > 0 {
		text += "; " + s.Length.Sentence()
	}
	return text + s.precision + s.modules()
}

// repair walks a model that does not run with every fix applied: what the failed run was meant to cost is more than what its
// legal part does. It is nil where the model runs, or does not run even then.
func (s *Study) repair() *infer.Result {
	if s.Runs() || slices.ContainsFunc(s.Blockers, func(f Finding) bool { return len(f.Edit) == 0 }) {
		return nil
	}
	whole := s.Graph.Clone()
	index := make(map[string]int, len(whole.Components))
	for i := range whole.Components {
		index[whole.Components[i].ID] = i
	}
	for _, f := range s.Blockers {
		for _, e := range f.Edit {
			whole.Components[index[e.Component]].SetParam(e.Param, e.Value)
		}
	}
	if res := infer.Attempt(whole); len(res.Refusals) == 0 {
		return res
	}
	return nil
}

// Runs reports whether no rule refuses the model.
func (s *Study) Runs() bool { return !rules.Blocked(s.Findings) }

// Params is the number of weights, without those of the components in ParamsWithheld. It is that of the model as it is written down:
// a fix may change it.
func (s *Study) Params() int64 { return s.Walked.Params }

// Layers counts the components that stand for a layer.
func (s *Study) Layers() int {
	n := 0
	for i := range s.Walked.Nodes {
		if !s.Walked.Nodes[i].Type.Has(catalog.IsVirtual) { // an unknown type was meant as a layer too
			n++
		}
	}
	return n
}

// InputShape is the shape of the first input in the list that is read, nil where it is not known.
func (s *Study) InputShape() catalog.Shape { return s.shapeOf("input") }

// OutputShape is the shape of the first output in the list, nil where it is not known.
func (s *Study) OutputShape() catalog.Shape { return s.shapeOf("output") }

func (s *Study) shapeOf(typ string) catalog.Shape {
	if n := s.First(typ); n != nil {
		return n.Out
	}
	return nil
}

// First returns the first component of a type in the list that is not left out of the call, or nil.
func (s *Study) First(typ string) *infer.Node {
	for i := range s.Walked.Nodes {
		if n := &s.Walked.Nodes[i]; n.Type != nil && n.Type.ID == typ && n.State != infer.Absent {
			return n
		}
	}
	return nil
}

// Facts are what a policy asks about the model. It must have been priced.
func (s *Study) Facts() policy.Facts {
	t := s.Training
	f := policy.Facts{Params: s.Params(), Layers: s.Layers(), CardBytes: t.CardBytes, CostMicroUSD: t.CostMicroUSD, Fits: t.On,
		Partial: cmp.Or(s.Unpriced(), s.Bounded())}
	if len(s.ParamsWithheld) > 0 {
		f.Uncounted = lacking("weights", s.ParamsWithheld)
	}
	for i := range s.Walked.Nodes {
		f.Types = append(f.Types, s.Graph.Components[i].Type)
	}
	slices.Sort(f.Types)
	f.Types = slices.Compact(f.Types)
	for _, x := range s.Findings {
		if n := len(f.Fired); n > 0 && f.Fired[n-1].Rule == x.Rule.ID {
			f.Fired[n-1].Count++
		} else {
			f.Fired = append(f.Fired, policy.Fired{Rule: x.Rule.ID, Severity: x.Rule.Severity, Count: 1})
		}
	}
	return f
}

// GPU names the card that the estimate is for, and how many of them where a training step does not fit on one.
func (s *Study) GPU() string {
	if !s.Priced() {
		return NotKnown
	}
	name := s.Training.PricedOn.Name
	if n := s.Training.Cards; n > 1 {
		return quantity.Grouped(n) + "x " + name
	}
	return name
}

// NoCard is what stands for a GPU where no single one holds a training step.
const NoCard = "none"

// FitsGPU names the cheapest card that holds a training step.
func (s *Study) FitsGPU() string {
	switch {
	case s.Training.GPU == nil: // also of a part of the model: the whole takes more
		return NoCard
	case !s.Complete():
		return NotKnown
	}
	return s.Training.GPU.Name
}

// Fits reports whether a training step was found to fit on a card. Of a part of a model that is not known.
func (s *Study) Fits(gpu string) bool {
	fits, _ := s.Training.On(gpu)
	return fits && s.Complete()
}

// FindGPU is how a policy asks for the name of a card.
func FindGPU(name string) (canonical string, ok bool, nearest string) {
	if g := hardware.Lookup(name); g != nil {
		return g.Name, true, ""
	}
	return "", false, hardware.Nearest(name)
}

// Policy returns the policy of a request, nil where there is none.
func (f *Fields) Policy() *policy.Policy {
	raw, given := f.Raw("policy")
	if !given || f.err != nil {
		return nil
	}
	p, err := policy.Decode(raw, f.Path("policy"), FindGPU)
	f.fail(err)
	return p
}
