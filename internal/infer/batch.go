package infer

import (
	"slices"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/quantity"
)

// mostTowers is how many inputs are looked at together: each refusal that they settle names them all.
const mostTowers = 16

// tryBatch looks for inputs whose shape begins with the batch: a leading 1 without which what is refused runs, and nothing that runs is
// refused. The repair is then the shape of the input. Any other would make a layer fit an axis that is not there when the model runs: a
// normalisation of one feature.
func (w *walker) tryBatch() {
	if len(w.res.Refusals) == 0 {
		return
	}
	inputs, settled := w.leadingOnes(), map[int]bool{}
	if len(inputs) <= mostTrials {
		for _, i := range inputs {
			w.withoutOnes([]int{i}, settled)
		}
	}
	if len(settled) == 0 && len(inputs) > 1 && len(inputs) <= mostTowers {
		w.withoutOnes(inputs, settled) // towers that meet
	}
}

// leadingOnes are the inputs of two axes or more whose first has size 1.
func (w *walker) leadingOnes() []int {
	var out []int
	for i := range w.res.Nodes {
		n := &w.res.Nodes[i]
		if n.Type != nil && n.Type.ID == InputID && n.State == Legal && n.Out.Rank() > 1 && n.Out[0] == 1 {
			out = append(out, i)
		}
	}
	return out
}

// withoutOnes walks the graph with the first axis of some inputs left out. Where that is what it lacks, the refusals that it settles carry
// the change of those inputs, and are noted; one that it does not settle keeps its own edit only where that stays the same.
func (w *walker) withoutOnes(inputs []int, settled map[int]bool) {
	g := *w.res.Graph
	g.Components = append([]graph.Component(nil), g.Components...)
	var edits []Edit
	label := ""
	for _, i := range inputs {
		c := &g.Components[i]
		shape := graph.IntsValue(w.res.Nodes[i].Out[1:]...)
		c.Params = append([]graph.Param(nil), c.Params...)
		c.SetParam("shape", shape)
		edits = append(edits, Edit{Component: c.ID, Param: "shape", Value: shape})
		if label != "" {
			label += " and "
		}
		label += c.Label()
	}
	trial := w.attempt(&g)
	if trial == nil {
		return
	}
	then := trial.byRule()
	if !w.settledBy(trial, then) {
		return
	}
	for k := range w.res.Refusals {
		r := &w.res.Refusals[k]
		if settled[k] {
			continue
		}
		if again, ok := then[broken{r.Node, r.Rule}]; ok {
			if !slices.EqualFunc(r.Edits, trial.Refusals[again].Edits, sameEdit) {
				r.Edits = nil
			}
			continue
		}
		r.Edits, settled[k] = slices.Clone(edits), true
		r.Message += quantity.Sprintf("; it runs without the leading 1 of %s, which is the batch", quantity.Own(label))
	}
}

// settledBy reports whether a trial settles a refusal and refuses nothing that was known to run.
func (w *walker) settledBy(trial *Result, then map[broken]int) bool {
	now := w.res.byRule()
	for k := range trial.Refusals {
		r := &trial.Refusals[k]
		if r.Node >= len(w.res.Nodes) {
			return false // what was inserted does not run itself
		}
		if _, before := now[broken{r.Node, r.Rule}]; !before && w.res.Nodes[r.Node].State != Unknown {
			return false
		}
	}
	for k := range w.res.Refusals {
		r := &w.res.Refusals[k]
		if _, still := then[broken{r.Node, r.Rule}]; !still && trial.Nodes[r.Node].State == Legal {
			return true
		}
	}
	return false
}

// broken is a component and the rule that refuses it.
type broken struct {
	node int
	rule string
}

func (r *Result) byRule() map[broken]int {
	out := make(map[broken]int, len(r.Refusals))
	for k := range r.Refusals {
		out[broken{r.Refusals[k].Node, r.Refusals[k].Rule}] = k
	}
	return out
}

func sameEdit(a, b Edit) bool {
	return a.Component == b.Component && a.Param == b.Param && a.Value.Equal(b.Value) && a.Type == b.Type && a.From == b.From && a.To == b.To
}
