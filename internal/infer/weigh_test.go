package infer_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	_ "github.com/modelverifier/verifier/internal/seed"
	"github.com/modelverifier/verifier/models"
)

func walked(t testing.TB, notation string) *infer.Result {
	t.Helper()
	g, err := graph.Parse(notation)
	if err != nil {
		t.Fatal(err)
	}
	g.Normalize(catalog.Vocabulary)
	return infer.Walk(g)
}

func TestWeightsAreCountedBehindARefusal(t *testing.T) {
	for _, c := range []struct {
		name, graph string
		params      int64
		lacks       []string
	}{
		{"the refused one, and what its certain result runs into", "x: input shape=[4]\na: linear inFeatures=5 outFeatures=7\nb: linear inFeatures=7 outFeatures=2\no: output\nx -> a -> b -> o", 42 + 16, nil},
		{"behind a type that is not known", "x: input shape=[4]\na: linearr\nb: linear inFeatures=7 outFeatures=2\no: output\nx -> a -> b -> o", 16, []string{"a"}},
		{"lazy, behind what is not known", "x: input shape=[4]\na: linearr\nb: linear outFeatures=2\no: output\nx -> a -> b -> o", 0, []string{"a", "b"}},
		{"on a cycle", "x: input shape=[4]\na: add\nb: linear inFeatures=4 outFeatures=4\no: output\nx -> a -> b -> o\nb -> a", 20, nil},
		{"a module without inputs", "x: input shape=[4]\na: linear inFeatures=4 outFeatures=4\nb: linear inFeatures=9 outFeatures=2\no: output\nx -> a -> o", 40, nil},
		{"a missing parameter that the weights need", "x: input shape=[4]\na: linear inFeatures=4\no: output\nx -> a -> o", 0, []string{"a"}},
		{"a refused value that they do not need", "x: input shape=[3,8,8]\na: conv2d inChannels=3 outChannels=4 kernelSize=3 stride=0\no: output\nx -> a -> o", 112, nil},
		{"groups that do not divide", "x: input shape=[3,8,8]\na: conv2d inChannels=3 outChannels=4 kernelSize=3 groups=2\no: output\nx -> a -> o", 0, []string{"a"}},
		{"heads that do not divide", "x: input shape=[5,10]\na: multiHeadAttention embedDim=10 numHeads=4\no: output\nx -> a -> o", 440, nil},
		{"shared with a refused one", "x: input shape=[5] dtype=int64\ne: embedding numEmbeddings=9 embeddingDim=4\nr: rope\nh: lmHead embedDim=4 vocabSize=9 tiedTo=e bias=false\no: output\nx -> e -> r -> h -> o", 36, nil},
		{"called once more behind a refusal", "x: input shape=[4]\na: linear inFeatures=4 outFeatures=4\nu: linearr\nb: linear inFeatures=4 outFeatures=4 sameAs=a\no: output\nx -> a -> u -> b -> o", 20, []string{"u"}},
		{"a module that does not say", "x: input shape=[4]\nm: customModule outShape=[4]\nn: customModule outShape=[4] numParams=3\no: output\nx -> m -> n -> o", 3, []string{"m"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			res := walked(t, c.graph)
			if res.Params != c.params || !slices.Equal(res.ParamsWithheld(), c.lacks) && len(res.ParamsWithheld())+len(c.lacks) > 0 {
				t.Errorf("%d parameters without %q, want %d without %q", res.Params, res.ParamsWithheld(), c.params, c.lacks)
			}
		})
	}
}

// bundled are the legal graphs that are broken, small enough to be walked many times.
var bundled = func() []*graph.Graph {
	var out []*graph.Graph
	for _, name := range models.List() {
		g, err := models.Open(name)
		if err != nil {
			panic(err)
		}
		g.Normalize(catalog.Vocabulary)
		if len(g.Components) < 400 {
			out = append(out, g)
		}
	}
	return out
}()

var values = []graph.Value{
	{}, graph.IntValue(0), graph.IntValue(1), graph.IntValue(3), graph.IntValue(7), graph.IntValue(1000), graph.IntValue(-1), graph.FloatValue(0.5),
	graph.StringValue("same"), graph.BoolValue(true), graph.BoolValue(false), graph.IntsValue(2, 3), graph.IntsValue(5, 5, 5),
}

// breakOne makes one change to a graph, and returns the component whose own weights the change may decide, or -1.
func breakOne(t *rapid.T, g *graph.Graph) int {
	i := rapid.IntRange(0, len(g.Components)-1).Draw(t, "component")
	c := &g.Components[i]
	switch rapid.IntRange(0, 4).Draw(t, "edit") {
	case 0: // a connection less
		if n := len(g.Connections); n > 0 {
			at := rapid.IntRange(0, n-1).Draw(t, "connection")
			g.Connections = slices.Delete(g.Connections, at, at+1)
		}
	case 1: // a connection more: at times a cycle, at times one input too many
		g.Connections = append(g.Connections, graph.Connection{From: c.ID, To: rapid.SampledFrom(g.Components).Draw(t, "to").ID})
	case 2: // another input
		for k := range g.Components {
			if g.Components[k].Type == "input" {
				g.Components[k].SetParam("shape", rapid.SampledFrom([]graph.Value{{}, graph.IntsValue(), graph.IntsValue(5), graph.IntsValue(1, 7, 7), graph.IntsValue(4, 4)}).Draw(t, "shape"))
			}
		}
	case 3: // a parameter
		if typ := catalog.Lookup(c.Type); typ != nil && len(typ.Params) > 0 {
			c.SetParam(rapid.SampledFrom(typ.Params).Draw(t, "param").Name, rapid.SampledFrom(values).Draw(t, "value"))
		}
		return i
	case 4: // a layer in between that nobody knows
		g.Components = append(g.Components, graph.Component{ID: "unheard of", Type: "unheardOf"})
		for k := range g.Connections {
			if g.Connections[k].From == c.ID {
				g.Connections[k].From = "unheard of"
			}
		}
		g.Connections = append(g.Connections, graph.Connection{From: c.ID, To: "unheard of"})
	}
	return -1
}

func own(g *graph.Graph, i int) (int64, bool) {
	if i < 0 {
		return 0, true
	}
	typ := catalog.Lookup(g.Components[i].Type)
	if typ == nil {
		return 0, false
	}
	_, n, ok := typ.Weigh(g.Components[i].Params, &catalog.Declared{})
	return n, ok
}

// TestOneEditKeepsTheCountOrSaysWhatItLacks breaks a graph that runs. A change that decides no weight leaves the count as it was;
// wherever the count is another one, it says which components it lacks.
func TestOneEditKeepsTheCountOrSaysWhatItLacks(t *testing.T) {
	refused := 0
	rapid.Check(t, func(t *rapid.T) {
		g := rapid.SampledFrom(bundled).Draw(t, "model").Clone()
		legal := infer.Walk(g)
		if lacks := legal.ParamsWithheld(); len(lacks) > 0 {
			t.Fatalf("runs, and lacks the weights of %q", lacks)
		}
		broken := g.Clone()
		at := breakOne(t, broken)
		broken.Normalize(catalog.Vocabulary)
		res := infer.Walk(broken)
		if len(res.Refusals) == 0 {
			return
		}
		refused++
		was, _ := own(g, at)
		is, known := own(broken, at)
		shares := at >= 0 && (shared(g, at) || shared(broken, at))
		if lacks := res.ParamsWithheld(); len(lacks) == 0 && res.Params != legal.Params && known && was == is && !shares {
			t.Fatalf("%d parameters became %d, and nothing is said to be lacking", legal.Params, res.Params)
		}
	})
	if refused == 0 {
		t.Error("no edit broke a graph")
	}
}

// shared reports whether a component shares weights, so that an edit of it decides what is counted once.
func shared(g *graph.Graph, i int) bool {
	for _, name := range []string{"sameAs", "tiedTo", "tied"} {
		if v, ok := g.Components[i].Param(name); ok && v.Kind() != graph.Null {
			return true
		}
	}
	return false
}
