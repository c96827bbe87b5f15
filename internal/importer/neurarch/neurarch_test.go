package neurarch

import (
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

// file writes a graph of the notation as the editor would: with what stands before and behind each component.
func file(t testing.TB, text string) *graph.Graph {
	t.Helper()
	g, err := graph.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	for i := range g.Components {
		g.Components[i].Extra = append(g.Components[i].Extra, graph.Member{Name: "inputs", Raw: "[]"}, graph.Member{Name: "outputs", Raw: "[]"})
	}
	return g
}

// walked is the translated graph as it is judged.
func walked(m *Model) *infer.Result {
	g := m.Graph.Clone()
	g.Normalize(catalog.Vocabulary)
	return infer.Walk(g)
}

func component(g *graph.Graph, id string) *graph.Component {
	for i := range g.Components {
		if g.Components[i].ID == id {
			return &g.Components[i]
		}
	}
	return &graph.Component{}
}

func TestFilesAreToldByWhatTheirComponentsList(t *testing.T) {
	marked := file(t, "x: input shape=[1,4]\no: output\nx -> o")
	if !Marked(marked) {
		t.Error("a file of the editor is not told")
	}
	marked.Components[1].Extra = marked.Components[1].Extra[:1]
	if Marked(marked) {
		t.Error("a component that does not list what is behind it is one of ours")
	}
	if Marked(&graph.Graph{}) {
		t.Error("an empty graph is marked")
	}
}

// Each row is a file, what the walk of its translation must come to (the shape of a component, the number of weights, the first refusal),
// and a note that must be there.
func TestTranslations(t *testing.T) {
	for name, c := range map[string]struct {
		file, at, shape string
		params          int64
		refused, note   string
	}{
		"the leading 1 is the batch": {
			"x: input shape=[1,3,8,8]\nc: conv2d inChannels=3 outChannels=4 kernelSize=3 padding=1\no: output\nx -> c -> o",
			"c", "[4,8,8]", 112, "", "x: the leading 1 is the batch: the shape is [3,8,8]"},
		"a leading 1 is the channel where it must be": {
			"x: input shape=[1,8,8]\nc: conv2d inChannels=1 outChannels=4 kernelSize=3\no: output\nx -> c -> o",
			"c", "[4,6,6]", 40, "", ""},
		"padding that is left out is none": {
			"x: input shape=[1,3,8,8]\nc: conv2d inChannels=3 outChannels=4\no: output\nx -> c -> o",
			"c", "[4,6,6]", 112, "", "c: kernelSize of conv2d is left out, and 3 by default"},
		"ids before a table": {
			"x: input shape=[1,16,8]\ne: embedding vocabSize=50 embeddingDim=8 maxSeqLen=16\na: multiHeadAttention hiddenDim=8 numHeads=2\no: output\nx -> e -> a -> o",
			"a", "[16,8]", 50*8 + 4*64 + 32, "", "and the last axis is the width of the rows that the ids choose: the shape is [16]"},
		"as many ids as a row is wide": {
			"x: input shape=[1,8]\ne: embedding vocabSize=50 embeddingDim=8\no: output\nx -> e -> o",
			"e", "[8,8]", 400, "", "x: the leading 1 is the batch: the shape is [8]"},
		"the longest sequence has no weights": {
			"x: input shape=[1,16]\ne: embedding vocabSize=50 embeddingDim=8 maxSeqLen=16\no: output\nx -> e -> o",
			"e", "[16,8]", 400, "", "maxSeqLen of embedding has no effect"},
		"a head over a picture reads the means of its channels": {
			"x: input shape=[1,3,8,8]\nc: conv2d inChannels=3 outChannels=5 kernelSize=3\nf: linear inFeatures=5 outFeatures=2\no: output\nx -> c -> f -> o",
			"f", "[2]", 140 + 12, "", "f: a linear layer over channels reads their means"},
		"a head of another width is refused": {
			"x: input shape=[1,3,8,8]\nc: conv2d inChannels=3 outChannels=5 kernelSize=3\nf: linear inFeatures=10 outFeatures=2\no: output\nx -> c -> f -> o",
			"c", "[5,6,6]", 140 + 22, "f linear-in-mismatch", ""},
		"the width of a gated network goes by its own names": {
			"x: input shape=[1,4,6]\nf: geglu dim=6 hiddenDim=10\no: output\nx -> f -> o",
			"f", "[4,6]", 180, "", "f: hiddenDim of geglu is read as intermediateSize"},
		"shared experts count": {
			"x: input shape=[1,4,6]\nf: sharedExpertMoE embedDim=6 numExperts=4 numSharedExperts=2 topK=2 expertDim=5\no: output\nx -> f -> o",
			"f", "[4,6]", 24 + 6*90, "", "f: sharedExpertMoE is read as moeLayer"},
		"the hidden size of experts counts": {
			"x: input shape=[1,4,6]\nf: moeLayer embedDim=6 numExperts=4 topK=2 hiddenDim=5\no: output\nx -> f -> o",
			"f", "[4,6]", 24 + 4*90, "", "f: hiddenDim of moeLayer is read as expertDim"},
		"what is left out follows from the input": {
			"x: input shape=[1,4,6]\nr: lstm hiddenSize=5\nn: layerNorm\no: output\nx -> r -> n -> o",
			"n", "[4,5]", 4*5*(6+5+2) + 10, "", "r: inputSize of lstm is left out, and taken from the input"},
		"a tied head has the table's weights": {
			"x: input shape=[1,4]\ne: embedding vocabSize=9 embeddingDim=6\nh: linear inFeatures=6 outFeatures=9 tied=true\no: output\nx -> e -> h -> o",
			"h", "[4,9]", 54, "", "h: it uses the weight of e"},
		"a head of the palette may be tied, too": {
			"x: input shape=[1,4]\ne: embedding vocabSize=9 embeddingDim=6\nh: lmHead embedDim=6 vocabSize=9 weightTied=true\no: output\nx -> e -> h -> o",
			"h", "[4,9]", 54, "", "h: weightTied of lmHead is read as tied"},
		"learned queries are a parameter": {
			"x: input shape=[1,4,6]\nq: embedding numEmbeddings=3 embeddingDim=6\na: crossAttention embedDim=6 numHeads=2\no: output\nq -> a\nx -> a -> o",
			"a", "[3,6]", 18 + 4*36 + 24, "", "q: an embedding without an input is used whole"},
		"rotary positions are part of attention": {
			"x: input shape=[1,4,8]\nr: rope dim=4\na: groupedQueryAttention embedDim=8 numHeads=2 numKVHeads=1\no: output\nx -> a\nr -> a -> o",
			"a", "[4,8]", 64 + 2*32 + 64, "", "r: rope without an input is part of the attention"},
		"positions are pooled, not features": {
			"x: input shape=[1,4,8]\nn: layerNorm normalizedShape=8\np: globalAvgPool1d\nf: linear inFeatures=8 outFeatures=2\no: output\nx -> n -> p -> f -> o",
			"f", "[2]", 16 + 18, "", "p: globalAvgPool1d behind a sequence of features is their mean over the positions"},
		"channels are pooled as PyTorch pools them": {
			"x: input shape=[1,3,9]\nc: conv1d inChannels=3 outChannels=4 kernelSize=3\np: globalAvgPool1d\nf: linear inFeatures=4 outFeatures=2\no: output\nx -> c -> p -> f -> o",
			"f", "[2]", 40 + 10, "", ""},
		"two towers meet in a dot product": {
			"x: input shape=[1,8]\ny: input shape=[1,8]\nm: matmul\no: output\nx -> m\ny -> m -> o",
			"m", "[]", 0, "", "m: matmul of two vectors is their dot product"},
		"a mean of several inputs": {
			"x: input shape=[1,8]\ny: input shape=[1,8]\nm: mean dim=0 numInputs=2\no: output\nx -> m\ny -> m -> o",
			"m", "[8]", 0, "", "m: a mean of 2 inputs is taken over them"},
		"a layer over several inputs": {
			"x: input shape=[1,8]\ny: input shape=[1,4]\nf: linear inFeatures=12 outFeatures=2\no: output\nx -> f\ny -> f -> o",
			"f", "[2]", 26, "", "f: a linear layer with 2 inputs reads their features one behind the other"},
		"numbers in strings": {
			`x: input shape=[1,8]` + "\n" + `f: linear inFeatures="8" outFeatures="2" bias=false` + "\no: output\nx -> f -> o",
			"f", "[2]", 16, "", "f: inFeatures of linear is a string"},
		"two values under one name": {
			"x: input shape=[1,4,6]\nf: swiglu dim=6 embedDim=7 intermediateSize=5\no: output\nx -> f -> o",
			"x", "[4,6]", 0, "", "stays open: embedDim is given under two names, as 6 and as 7"},
		"a type that nobody knows": {
			"x: input shape=[1,4,6]\nf: neverHeardOf a=1\no: output\nx -> f -> o",
			"x", "[4,6]", 0, "", "f: stays open: the type neverHeardOf is not in the catalogue"},
		"a latent whose heads are not told": {
			"x: input shape=[1,4,6]\nf: mla embedDim=6 numHeads=2 kvLatentDim=3 ropeHeadDim=2\nn: layerNorm normalizedShape=6\no: output\nx -> f -> n -> o",
			"n", "[4,6]", 12, "", "f: stays open: its weights depend on qkNopeHeadDim"},
		"a missing connection stays missing": {
			"x: input shape=[1,8]\na: relu\nf: linear inFeatures=8 outFeatures=2\no: output\na -> f -> o",
			"x", "[8]", 18, "a missing-input", ""},
	} {
		m := Import(file(t, c.file))
		r := walked(m)
		got := ""
		for i := range r.Nodes {
			if r.Nodes[i].Component.ID == c.at {
				got = r.Nodes[i].Out.String()
			}
		}
		refused := ""
		if f := r.First(); f != nil {
			refused = r.Nodes[f.Node].Component.ID + " " + f.Rule
		}
		if got != c.shape || r.Params != c.params || refused != c.refused {
			t.Errorf("%s: %s is %s with %d weights, refused %q; want %s, %d, %q\n%s", name, c.at, got, r.Params, refused, c.shape, c.params, c.refused, strings.Join(m.Notes, "\n"))
		}
		if !strings.Contains(strings.Join(m.Notes, "\n"), c.note) {
			t.Errorf("%s: no note %q in\n%s", name, c.note, strings.Join(m.Notes, "\n"))
		}
	}
}

// What stays open is neither counted nor passed.
func TestWhatStaysOpenIsWithheld(t *testing.T) {
	r := walked(Import(file(t, "x: input shape=[1,4,6]\nf: neverHeardOf\ng: mla embedDim=6 numHeads=2 kvLatentDim=3\no: output\nx -> f -> g -> o")))
	if got := strings.Join(r.ParamsWithheld(), " "); got != "f g" {
		t.Errorf("withheld are %q", got)
	}
	for i := range r.Nodes {
		if n := &r.Nodes[i]; n.Component.ID == "f" && n.State != infer.Withheld {
			t.Errorf("f is %v", n.State)
		}
	}
}

// The shape that a file hints at is believed of a component that is not known, and of an input.
func TestHintsOfShapes(t *testing.T) {
	g := file(t, "x: input\nf: neverHeardOf\nn: layerNorm normalizedShape=9\no: output\nx -> f -> n -> o")
	g.Components[0].Extra = append(g.Components[0].Extra, graph.Member{Name: "outputShape", Raw: "[4,6]"})
	g.Components[1].Extra = append(g.Components[1].Extra, graph.Member{Name: "outputShape", Raw: "[1,4,9]"})
	r := walked(Import(g))
	if len(r.Refusals) > 0 || r.Nodes[2].Out.String() != "[4,9]" || r.Nodes[0].Out.String() != "[4,6]" {
		t.Errorf("%v %v %v", r.Refusals, r.Nodes[0].Out, r.Nodes[2].Out)
	}
}

// The count that a file states of the published model is compared, never taken.
func TestStatedCounts(t *testing.T) {
	for raw, want := range map[string]string{
		"18": "as the components have",
		"20": "the graph lacks 2 of that model's parameters",
		"17": "the graph has 1 more than that model",
	} {
		g := file(t, "x: input shape=[1,8]\nf: linear inFeatures=8 outFeatures=2\no: output\nx -> f -> o")
		g.Extra = append(g.Extra, graph.Member{Name: "realParamCount", Raw: raw})
		if notes := strings.Join(Import(g).Notes, "\n"); !strings.Contains(notes, want) {
			t.Errorf("%s: %s", raw, notes)
		}
	}
}

// A graph that was translated is one of ours: it must not be translated again, and the file is left as it was.
func TestTranslatingLeavesTheFileAndTheMarksBehind(t *testing.T) {
	g := file(t, "x: input shape=[1,8]\nn: batchNorm normalizedShape=8\no: output\nx -> n -> o")
	before := string(g.AppendJSON(nil))
	m := Import(g)
	if Marked(m.Graph) {
		t.Error("the translation has the marks of a file")
	}
	if string(g.AppendJSON(nil)) != before {
		t.Error("the file was changed")
	}
	if v, ok := component(m.Graph, "n").Param("numFeatures"); !ok || v.Int() != 8 {
		t.Errorf("n has %v", component(m.Graph, "n").Params)
	}
}

// A parameter that nobody here knows may decide how many weights there are; of a component without weights, and of some names, it does not.
func TestAnUnknownParameterLeavesWeightsOpen(t *testing.T) {
	for _, c := range []struct {
		name, text string
		withheld   int
		says       string
	}{
		{"of weights", "x: input shape=[8]\na: linear inFeatures=8 outFeatures=4 lowRank=2\no: output\nx -> a -> o", 1,
			`a: stays open: the parameter lowRank of linear is not known, and may change its weights`},
		{"that keeps the shape", "x: input shape=[6,8]\na: multiHeadAttention embedDim=8 numHeads=2 sinkTokens=3\nb: linear inFeatures=8 outFeatures=4\no: output\nx -> a -> b -> o", 1,
			`a: its result has the shape of its input`},
		{"without weights", "x: input shape=[8]\na: relu strength=2\no: output\nx -> a -> o", 0, `a: strength of relu is not known, and not read`},
		{"that decides none", "x: input shape=[6,8]\na: transformerBlock embedDim=8 numHeads=2 ffDim=16 causal=true\no: output\nx -> a -> o", 0,
			`a: causal of transformerBlock is not known, and not read`},
	} {
		m := Import(file(t, c.text))
		if got := walked(m).ParamsWithheld(); len(got) != c.withheld {
			t.Errorf("%s: the weights of %v are open, want %d", c.name, got, c.withheld)
		}
		if all := strings.Join(m.Notes, "\n"); !strings.Contains(all, c.says) {
			t.Errorf("%s: %q is not said:\n%s", c.name, c.says, all)
		}
	}
}

// A component that has very many parameters that are not known does not have as many notes.
func TestUnknownParametersAreCounted(t *testing.T) {
	text := "x: input shape=[1,4]\na: relu"
	for _, name := range strings.Fields("k1 k2 k3 k4 k5 k6 k7") {
		text += " " + name + "=1"
	}
	m := Import(file(t, text+"\no: output\nx -> a -> o"))
	var got []string
	for _, n := range m.Notes {
		if strings.HasPrefix(n, "a: ") {
			got = append(got, strings.TrimPrefix(n, "a: "))
		}
	}
	want := []string{"k1 of relu is not known, and not read", "k2 of relu is not known, and not read", "k3 of relu is not known, and not read",
		"k4 of relu is not known, and not read", "3 more parameters of relu are not known, and not read"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
