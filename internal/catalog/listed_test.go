package catalog

import (
	"slices"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/op"
)

// TestLongListsOfLayersAreJudged asks for one more than is followed: PyTorch runs it, so it is not refused, and its weights are not known, whether
// shapes arrive or none is known.
func TestLongListsOfLayersAreJudged(t *testing.T) {
	in := []Shape{{3, 3}}
	for name, c := range map[string]struct {
		list   string
		params []graph.Param
		in     []Shape
	}{
		"setAbstraction": {"mlp", []graph.Param{{Name: "numPoints", Value: graph.IntValue(1)}, {Name: "radius", Value: graph.IntValue(1)},
			{Name: "numSamples", Value: graph.IntValue(1)}, {Name: "inChannels", Value: graph.IntValue(3)}}, in},
		"fpn": {"inChannels", []graph.Param{{Name: "outChannels", Value: graph.IntValue(2)}}, nil},
	} {
		for n, followed := range map[int]bool{mostListed: true, mostListed + 1: false} {
			typ, arrive := Lookup(name), c.in
			if arrive == nil {
				arrive = slices.Repeat([]Shape{{1, 4, 4}}, n)
			}
			params := append(slices.Clone(c.params), graph.Param{Name: c.list, Value: graph.IntsValue(slices.Repeat([]int64{1}, n)...)})
			r := typ.Evaluate(params, arrive, nil)
			weights, _, ok := typ.Weigh(params, &Declared{})
			want := 0
			if followed {
				want = 4 * n
			}
			if r.Err != nil || r.Out == nil || r.LacksWeights == followed || len(r.Weights) != want || ok != followed || len(weights) != want {
				t.Errorf("%s of %d: %v, %v, %d weights, known %v; alone %d weights, known %v", name, n, r.Out, r.Err, len(r.Weights), !r.LacksWeights, len(weights), ok)
			}
			l := Lowering{P: &op.Program{}}
			l.Begin(typ, Call{Type: typ, Args: r.Args, In: arrive, Out: r.Out}, r.Weights)
			if got := l.Lower(nil) != op.None; got != followed {
				t.Errorf("%s of %d: operations known %v", name, n, got)
			}
		}
	}
}

// TestWeightsAreFoundByPath looks up each of few weights and of many, in a table or without.
func TestWeightsAreFoundByPath(t *testing.T) {
	for _, n := range []int{3, fewWeights, fewWeights + 1, 300} {
		l := Lowering{P: &op.Program{}}
		var weights []Weight
		for i := range n {
			weights = append(weights, Weight{Module: numbered("m", int64(i), 1), Name: "a.weight", Shape: Of(1), Times: 1})
		}
		weights[1].Module, weights[1].Name = "", "bias"
		weights = append(weights, weights[0]) // the first of two counts
		l.Begin(Lookup("identity"), Call{In: []Shape{{1}}}, weights)
		for i := range n {
			module, name := weights[i].Module, weights[i].Name
			if i%2 == 0 {
				module, name = module+".a", "weight"
			}
			if want := slices.IndexFunc(weights, func(w Weight) bool { return w.is(module, name) }); l.place(module, name) != want {
				t.Errorf("%d weights: %s in %s is at %d, want %d", n, name, module, l.place(module, name), want)
			}
		}
		if got := l.place("m", "weight"); got != -1 {
			t.Errorf("%d weights: one that is not there is at %d", n, got)
		}
	}
}
