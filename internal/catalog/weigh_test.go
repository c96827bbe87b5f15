package catalog

import (
	"slices"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
)

func params(t *testing.T, typ *Type, e *Example) []graph.Param {
	t.Helper()
	list, err := graph.ParseParams(e.Args)
	if err != nil {
		t.Fatalf("%s: %v", typ.ID, err)
	}
	for i := range list {
		list[i].Name = typ.Canonical(list[i].Name)
	}
	return list
}

// TestWeightsFollowFromTheParametersAlone holds that what Weigh declares without an input is what the call declares with one, and
// that it holds back only where a parameter is left out that a lazy module reads from its input, or where the input decides.
func TestWeightsFollowFromTheParametersAlone(t *testing.T) {
	for _, typ := range Types() {
		for _, e := range typ.Examples {
			call, r := e.run(t, typ)
			if r.Err != nil {
				continue
			}
			given := params(t, typ, &e)
			weights, count, ok := typ.Weigh(given, &Declared{})
			switch {
			case ok && r.LacksWeights:
				t.Errorf("%s %s: weights of %d that the module does not declare", typ.ID, e.Args, count)
			case ok && (count != r.Count || !slices.EqualFunc(weights, r.Weights, sameWeight)):
				t.Errorf("%s %s: %d weights without an input, %d with %v", typ.ID, e.Args, count, r.Count, call.In)
			case !ok && !r.LacksWeights && typ.Group != GraphNets && !lazy(typ, given):
				t.Errorf("%s %s: its parameters do not decide its weights", typ.ID, e.Args)
			}
		}
	}
}

func sameWeight(a, b Weight) bool {
	return a.Module == b.Module && a.Name == b.Name && a.Times == b.Times && a.Shape.Equal(b.Shape)
}

func lazy(typ *Type, given []graph.Param) bool {
	for _, p := range typ.Params {
		if p.Lazy && !slices.ContainsFunc(given, func(g graph.Param) bool { return g.Name == p.Name && g.Value.Kind() != graph.Null }) {
			return true
		}
	}
	return false
}

// hostile are values that somebody may send for any parameter.
var hostile = []graph.Value{
	{}, graph.IntValue(0), graph.IntValue(-1), graph.IntValue(1), graph.IntValue(7), graph.IntValue(1 << 62), graph.BoolValue(true), graph.BoolValue(false),
	graph.FloatValue(0), graph.FloatValue(-0.5), graph.FloatValue(1e300), graph.StringValue(""), graph.StringValue("same"), graph.IntsValue(),
	graph.IntsValue(0), graph.IntsValue(3), graph.IntsValue(2, 3), graph.IntsValue(-1, 2, 3, 4, 5),
}

// TestNoParameterBreaksWeigh: whatever is sent, Weigh gives what the call gives if that runs, and no negative count otherwise.
func TestNoParameterBreaksWeigh(t *testing.T) {
	for _, typ := range Types() {
		for _, e := range typ.Examples {
			in, isInt := parseShapes(t, e.In)
			for _, p := range typ.Params {
				for _, v := range hostile {
					given := slices.DeleteFunc(params(t, typ, &e), func(g graph.Param) bool { return g.Name == p.Name })
					given = append(given, graph.Param{Name: p.Name, Value: v})
					_, count, ok := typ.Weigh(given, &Declared{})
					r := typ.Evaluate(given, in, isInt)
					if r.Err == nil && ok && count != r.Count || count < 0 {
						t.Errorf("%s %s, %s=%v: %d weights without an input, %d with %v", typ.ID, e.Args, p.Name, v, count, r.Count, in)
					}
				}
			}
		}
	}
}
