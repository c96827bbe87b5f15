package catalog

import (
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/op"
)

// TestLongListsOfLayersAreNotJudged asks for one more than is judged, where shapes arrive and where none is known.
func TestLongListsOfLayersAreNotJudged(t *testing.T) {
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
		for n, judged := range map[int]bool{mostListed: true, mostListed + 1: false} {
			typ, arrive := Lookup(name), c.in
			if arrive == nil {
				arrive = slices.Repeat([]Shape{{1, 4, 4}}, n)
			}
			params := append(slices.Clone(c.params), graph.Param{Name: c.list, Value: graph.IntsValue(slices.Repeat([]int64{1}, n)...)})
			r := typ.Evaluate(params, arrive, nil)
			weights, _, ok := typ.Weigh(params, &Declared{})
			switch {
			case judged && (r.Err != nil || !ok || len(weights) != 4*n):
				t.Errorf("%s of %d: %v, %d weights", name, n, r.Err, len(weights))
			case !judged && (r.Err == nil || !strings.Contains(r.Err.Message, "lists 17 sizes; of more than 16") || ok || len(weights) > 0):
				t.Errorf("%s of %d: %v, %d weights", name, n, r.Err, len(weights))
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
