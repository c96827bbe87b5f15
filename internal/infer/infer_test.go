package infer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/op"
)

func walk(t *testing.T, text string) *Result {
	t.Helper()
	g, err := graph.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	g.Normalize(catalog.Vocabulary)
	return Walk(g)
}

// refusals writes them as "component rule: fix".
func refusals(r *Result) string {
	var out []string
	for _, f := range r.Refusals {
		out = append(out, strings.TrimRight(fmt.Sprintf("%s %s: %s", r.Nodes[f.Node].Component.ID, f.Rule, f.Fix), ": "))
	}
	return strings.Join(out, "; ")
}

func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct{ graph, want string }{
		"the edit names the one value that fits": {
			"x: input shape=[8]\na: linear inFeatures=9 outFeatures=4\no: output\nx -> a -> o",
			"a linear-in-mismatch: set inFeatures of a to 8"},
		"a fault with a certain result hides nothing behind it": {
			"x: input shape=[8]\na: linear inFeatures=9 outFeatures=4\nb: linear inFeatures=5 outFeatures=2\no: output\nx -> a -> b -> o",
			"a linear-in-mismatch: set inFeatures of a to 8; b linear-in-mismatch: set inFeatures of b to 4"},
		"a fault with an uncertain result silences what follows": {
			"x: input shape=[8]\na: reshape shape=[3,3]\nb: linear inFeatures=5 outFeatures=2\nc: linear inFeatures=7 outFeatures=1\no: output\nx -> a -> b -> c -> o",
			"a reshape-size-mismatch"},
		"behind an unknown result a missing parameter is still found": {
			"x: input shape=[8]\na: reshape shape=[3,3]\nb: linear\no: output\nx -> a -> b -> o",
			"a reshape-size-mismatch; b missing-param"},
		"consumers that agree blame the producer": {
			"x: input shape=[8]\na: linear outFeatures=129\nr: relu\nb: linear inFeatures=128 outFeatures=2\nc: linear inFeatures=128 outFeatures=2\ns: add\no: output\nx -> a -> r\nr -> b\nr -> c\nb, c -> s -> o",
			"b linear-in-mismatch: set outFeatures of a to 128; c linear-in-mismatch: set outFeatures of a to 128"},
		"a consumer that is content keeps the blame on the other": {
			"x: input shape=[8]\na: linear outFeatures=129\nb: linear inFeatures=128 outFeatures=2\nc: linear inFeatures=129 outFeatures=2\ns: add\no: output\nx -> a\na -> b\na -> c\nb, c -> s -> o",
			"b linear-in-mismatch: set inFeatures of b to 129"},
		"consumers that disagree are edited one by one": {
			"x: input shape=[8]\na: linear outFeatures=129\nb: linear inFeatures=128 outFeatures=2\nc: linear inFeatures=64 outFeatures=2\ns: add\no: output\nx -> a\na -> b\na -> c\nb, c -> s -> o",
			"b linear-in-mismatch: set inFeatures of b to 129; c linear-in-mismatch: set inFeatures of c to 129"},
		"an unknown type silences what follows": {
			"x: input shape=[8]\na: lineer outFeatures=3\nb: linear inFeatures=5 outFeatures=2\no: output\nx -> a -> b -> o",
			"a unknown-layer-type"},
		"a component without an input is one finding": {
			"x: input shape=[8]\na: relu\nb: linear inFeatures=5 outFeatures=2\no: output\na -> b -> o\nx -> o2\no2: output",
			"a missing-input"},
		"an embedding makes its input one of tokens, and only its own": {
			"x: input shape=[8]\ne: embedding numEmbeddings=10 embeddingDim=4\nl: linear outFeatures=3\no: output\nx -> e -> o\nx -> l",
			"l dtype-mismatch"},
		"a value with a fraction where an integer goes": {
			"x: input shape=[8]\na: linear outFeatures=3.0\no: output\nx -> a -> o",
			"a bad-param: set outFeatures of a to 3"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := refusals(walk(t, c.graph)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestTiedWeightsAreCountedOnce(t *testing.T) {
	const body = "x: input shape=[8]\ne: embedding numEmbeddings=100 embeddingDim=16\nh: lmHead embedDim=16 vocabSize=%d %s\no: output\nx -> e -> h -> o"
	for args, want := range map[string]int64{"": 3200, "tied=true": 1600, "tiedTo=e": 1600} {
		r := walk(t, fmt.Sprintf(body, 100, args))
		if r.Params != want || len(r.Refusals) > 0 {
			t.Errorf("%q: %d weights and %s, want %d", args, r.Params, refusals(r), want)
		}
	}
	for args, vocab := range map[string]int{"tied=true": 101, "tiedTo=e": 101, "tiedTo=nobody": 100, "tiedTo=h": 100, "tiedTo=x": 100} {
		if got := refusals(walk(t, fmt.Sprintf(body, vocab, args))); got != "h tied-weight-mismatch" {
			t.Errorf("%q with %d words: %q", args, vocab, got)
		}
	}
}

func TestAModuleThatIsCalledAgainIsCountedOnce(t *testing.T) {
	const body = "x: input shape=[12,16]\na: feedForward embedDim=16\nb: feedForward embedDim=16 %s\no: output\nx -> a -> b -> o"
	for args, want := range map[string]int64{"": 4256, "sameAs=a": 2128} {
		if r := walk(t, fmt.Sprintf(body, args)); r.Params != want || len(r.Refusals) > 0 {
			t.Errorf("%q: %d weights and %s, want %d", args, r.Params, refusals(r), want)
		}
	}
	for _, args := range []string{"sameAs=b", "sameAs=x", "sameAs=nobody", "sameAs=a ffDim=10", "sameAs=a bias=false"} {
		if got := refusals(walk(t, fmt.Sprintf(body, args))); got != "b tied-weight-mismatch" {
			t.Errorf("%q: %q", args, got)
		}
	}
}

func TestAStorageIsCountedOnce(t *testing.T) {
	// relu keeps its result and both linear layers keep that same tensor as their input: 32 floats, not 96.
	r := walk(t, "x: input shape=[8]\na: linear outFeatures=32\nr: relu\nb: linear outFeatures=4\nc: linear outFeatures=4\ns: add\no: output\nx -> a -> r\nr -> b\nr -> c\nb, c -> s -> o")
	if want := int64(4 * (8 + 32)); r.SavedBytes != want {
		t.Errorf("kept %d bytes, want %d", r.SavedBytes, want)
	}
}

func TestATensorOfTheModelIsKeptInTheWeights(t *testing.T) {
	r := walk(t, "x: input shape=[8]\na: linear outFeatures=32\np: parameter shape=[32]\nm: multiply\no: output\nx -> a -> p\na, p -> m -> o")
	if want := int64(4 * (8 + 32)); r.SavedBytes != want || r.Params != 8*32+32+32 {
		t.Errorf("kept %d bytes and has %d weights, want %d and %d", r.SavedBytes, r.Params, want, 8*32+32+32)
	}
}

func TestARoundedStorageIsCountedAsItIsRounded(t *testing.T) {
	r := walk(t, "x: input shape=[3,5]\nl: lstm inputSize=5 hiddenSize=7\no: output\nx -> l -> o")
	n, l := &r.Nodes[1], catalog.Lowering{P: &op.Program{}}
	if !r.Lower(1, &l) || !n.Saves.In[0] || !n.Saves.Out || n.SavedBytes != n.Saves.New+4*3*(5+7) {
		t.Fatalf("saved %d bytes, %+v", n.SavedBytes, n.Saves)
	}
	for k := range l.P.Tensors {
		l.P.Tensors[k].Round = 0
	}
	if plain := l.P.Keeps(1).New; plain >= n.Saves.New {
		t.Errorf("saved %d new bytes, and %d where nothing is rounded", n.Saves.New, plain)
	}
}

func TestAModuleWithoutAShapeWithholdsWhatFollows(t *testing.T) {
	r := walk(t, "x: input shape=[8]\nm: customModule\nb: linear inFeatures=5 outFeatures=2\no: output\nx -> m -> b -> o")
	if len(r.Refusals) > 0 || r.Nodes[1].State != Withheld || r.Nodes[2].State != Unknown {
		t.Errorf("states %v %v, refusals %s", r.Nodes[1].State, r.Nodes[2].State, refusals(r))
	}
}

func TestWritingOutADefaultDoesNotChangeTheFingerprint(t *testing.T) {
	short := walk(t, "x: input shape=[8]\na: linear outFeatures=3\no: output\nx -> a -> o").Fingerprint()
	long := walk(t, "in: input shape=[8]\nfc: Dense units=3 in_features=8 bias=true\nout: output\nin -> fc -> out").Fingerprint()
	other := walk(t, "x: input shape=[8]\na: linear outFeatures=3 bias=false\no: output\nx -> a -> o").Fingerprint()
	if short != long || short == other || len(short) != 8 {
		t.Errorf("%s and %s should be equal, %s another", short, long, other)
	}
}

func TestAProducerIsBlamedWhereItsReaderWouldOnlyHandTheFaultOn(t *testing.T) {
	const stack = "x: input shape=[12]\ne: embedding numEmbeddings=100 embeddingDim=%s\np: learnedPositionalEmbedding maxLen=12 embedDim=%s\nn: layerNorm normalizedShape=%s\nl: linear inFeatures=%s outFeatures=3\no: output\nx -> e -> p -> n -> l -> o"
	for _, c := range []struct{ name, e, p, n, l, edit string }{
		{"only the embedding differs", "65", "64", "64", "64", "e embeddingDim 64"},
		{"only its reader differs", "64", "65", "64", "64", "p embedDim 64"},
		{"only the last differs", "64", "64", "64", "63", "l inFeatures 64"},
	} {
		r := walk(t, fmt.Sprintf(stack, c.e, c.p, c.n, c.l))
		if len(r.Refusals) == 0 || len(r.Refusals[0].Edits) != 1 {
			t.Errorf("%s: %s", c.name, refusals(r))
			continue
		}
		if e := r.Refusals[0].Edits[0]; e.Component+" "+e.Param+" "+e.Value.String() != c.edit {
			t.Errorf("%s: the edit is %v, want %s", c.name, e, c.edit)
		}
	}
}

func TestOfTwoRepairsTheReaderIsChangedUnlessATableIsNotAligned(t *testing.T) {
	for _, c := range []struct{ graph, edit string }{
		{"x: input shape=[9]\na: linear outFeatures=63\nb: linear inFeatures=64 outFeatures=2\no: output\nx -> a -> b -> o", "b inFeatures 63"},
		{"x: input shape=[9]\na: embedding numEmbeddings=50 embeddingDim=17\nb: gru inputSize=16 hiddenSize=8\no: output\nx -> a -> b -> o", "a embeddingDim 16"},
		{"x: input shape=[9]\na: embedding numEmbeddings=50 embeddingDim=16\nb: gru inputSize=17 hiddenSize=8\no: output\nx -> a -> b -> o", "b inputSize 16"},
		{"x: input shape=[9]\na: embedding numEmbeddings=50 embeddingDim=17\nb: gru inputSize=15 hiddenSize=8\no: output\nx -> a -> b -> o", "b inputSize 17"},
	} {
		r := walk(t, c.graph)
		if len(r.Refusals) != 1 || len(r.Refusals[0].Edits) != 1 {
			t.Errorf("%s: %s", c.graph, refusals(r))
			continue
		}
		if e := r.Refusals[0].Edits[0]; e.Component+" "+e.Param+" "+e.Value.String() != c.edit {
			t.Errorf("%s: the edit is %v, want %s", c.graph, e, c.edit)
		}
	}
}
