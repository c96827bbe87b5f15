package transformers

import (
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/op"
)

const (
	manyExperts = "x: input shape=[12,16]\nm: moeLayer embedDim=16 numExperts=4 topK=2 expertDim=20"
	mamba1      = "x: input shape=[12,16]\nm: mamba embedDim=16"
	rule        = "x: input shape=[100,48]\nb: input shape=[100,2]\na: input shape=[100,2]\nm: gatedDeltaRule numHeads=2 headDim=8"
)

// TestProgramsRun lowers modules in every precision: the program type-checks, gives as many elements as the component does, and has all of
// its weights.
func TestProgramsRun(t *testing.T) {
	for _, c := range []struct {
		name, graph string
		module      catalog.Module
	}{
		{"grouped experts", manyExperts, Experts{}},
		{"experts with biases", manyExperts + " bias=true routerBias=true", Experts{Gate: Swish}},
		{"experts of bounded halves", manyExperts, Experts{WideRouter: true, Gate: Clamped}},
		{"batched experts", manyExperts, Experts{Run: Batched}},
		{"looped experts", manyExperts, Experts{Run: Looped}},
		{"experts that are modules", manyExperts + " gated=false bias=true", Experts{Run: Modules, WideRouter: true, Rectified: true}},
		{"experts with a shared one", manyExperts + " numSharedExperts=1", Experts{}},
		{"Mamba", mamba1, Mamba{}},
		{"Mamba 2", "x: input shape=[12,16]\nm: mamba2 embedDim=16 headDim=8 chunkSize=8", Mamba2{}},
		{"the recurrence of Mamba 2", "x: input shape=[12,24]\nd: input shape=[12,2]\n" +
			"m: customModule outShape=[12,16] numParams=6 flops=0 chunkSize=8 stateSize=4", ChunkScan{}},
		{"the delta rule", rule, DeltaRule{}},
		{"RWKV", "x: input shape=[12,16]\nm: rwkvTimeMix embedDim=16", TimeMix{}},
		{"xIELU", "x: input shape=[12,16]\nm: customModule outShape=[12,16] numParams=2 flops=0", XIELU{}},
		{"RG-LRU", "x: input shape=[12,16]\nm: customModule outShape=[12,16] numParams=304 flops=1", GatedRecurrence{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, precision := range []op.Precision{{}, {Autocast: true}, {Weights: 2}} {
				holdProgram(t, c.graph, c.module, precision)
			}
		})
	}
}

func holdProgram(t *testing.T, text string, m catalog.Module, precision op.Precision) {
	t.Helper()
	p, n := lowered(t, text, m, precision)
	if p.Out == op.None {
		t.Fatal("it is not lowered")
	}
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	if got := p.Elems(p.Out); got != n.Out.Size() {
		t.Errorf("it gives %d elements, want %d", got, n.Out.Size())
	}
	want, got := int64(0), int64(0)
	for k := range n.Weights {
		want += n.Weights[k].Shape.Size() * n.Weights[k].Times
	}
	for k := range p.Tensors {
		if p.Tensors[k].Role == op.Weight {
			got += p.Tensors[k].Elems()
		}
	}
	if got != want {
		t.Errorf("it has %d weights, want %d", got, want)
	}
}

// lowered is the program of the component m of a graph, which reads all inputs.
func lowered(t *testing.T, text string, m catalog.Module, precision op.Precision) (*op.Program, *infer.Node) {
	t.Helper()
	g, err := graph.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range g.Components {
		if c.ID != "m" {
			g.Connections = append(g.Connections, graph.Connection{From: c.ID, To: "m"})
		}
	}
	g.Normalize(catalog.Vocabulary)
	res := infer.Walk(g)
	n := &res.Nodes[len(res.Nodes)-1]
	p := &op.Program{Precision: precision}
	l := &catalog.Lowering{P: p}
	l.Begin(n.Type, catalog.Call{Type: n.Type, Args: n.Args, In: n.In, InIsInt: n.InIsInt(), Out: n.Out}, n.Weights)
	p.Out = m.Lower(l)
	return p, n
}
