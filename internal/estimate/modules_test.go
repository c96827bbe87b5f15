package estimate

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	registry "github.com/modelverifier/verifier/internal/transformers"
)

// nameModule lets a component name the registered module of its type that has some habits, or the usual one where none has them, and an output
// that its model is one of transformers. It is for habits as "transformers/plain/eager"; other libraries have no modules.
func nameModule(n *infer.Node, how string) {
	library, words, _ := strings.Cut(how, "/")
	if library != registry.Library {
		return
	}
	var v *registry.Variant
	var habits, on []string
	for word := range strings.SplitSeq(words, "/") {
		if param := map[string]string{"dropped": "dropout", "capped": "softcap", "clipped": "clip"}[word]; param != "" {
			on = append(on, param)
		} else if word != "" {
			habits = append(habits, word)
		}
	}
	if !slices.ContainsFunc(on, func(param string) bool { return n.Type.Param(param) == nil }) {
		for k := range n.Type.Params {
			if slices.Contains(on, n.Type.Params[k].Name) {
				n.Args[k] = graph.FloatValue(0.1)
			}
		}
	}
	slices.Sort(habits)
	for _, way := range [][]string{habits, nil} {
		for _, other := range registry.All() {
			if words := habitsOf(other.Module); v == nil && other.Type == n.Type.ID {
				if slices.Sort(words); slices.Equal(words, way) {
					v = other
				}
			}
		}
	}
	if v != nil {
		n.Component.Extra = append(n.Component.Extra, graph.Member{Name: graph.AsMember, Raw: strconv.Quote(v.Name)})
	}
}

func TestWhoseModelItIs(t *testing.T) {
	res := parse(t, "x: input shape=[16,32]\nn: rmsNorm normalizedShape=32\na: groupedQueryAttention embedDim=32 numHeads=4 dropout=0.1\no: output\nx -> n -> a -> o")
	for _, c := range []struct {
		node              int
		raw               string
		foreign, dropless bool
	}{
		{1, `"transformers.LlamaRMSNorm"`, true, false}, {1, `"transformers.MegatronBertSelfAttention"`, false, false}, {1, `"transformers"`, false, false},
		{1, `7`, false, false}, {1, `null`, false, false}, {2, `"` + registry.For("groupedQueryAttention")[0] + `"`, true, true},
		{3, `"` + registry.For("output")[0] + `"`, true, true},
	} {
		res.Nodes[c.node].Component.Extra = []graph.Member{{Name: graph.AsMember, Raw: c.raw}}
		if foreign, drops := isForeign(res), dropless(res); foreign != c.foreign || drops != c.dropless {
			t.Errorf("%s: a model of the library %v, whose config drops %v", c.raw, foreign, drops)
		}
		res.Nodes[c.node].Component.Extra = nil
	}
}

// Whatever module a graph names, an estimate is made and no smaller than its weights.
func TestModulesOfEveryKindAreEstimated(t *testing.T) {
	for _, text := range []string{
		"x: input shape=[64]\ne: embedding numEmbeddings=100 embeddingDim=32\na: ropeAttention embedDim=32 numHeads=4 numKVHeads=2 windowSize=8 qkNorm=true\nb: groupedQueryAttention embedDim=32 numHeads=4 numKVHeads=2\nc: crossAttention embedDim=32 numHeads=4\nn: rmsNorm normalizedShape=32\nm: moeLayer embedDim=32 numExperts=4 topK=2 expertDim=16\ng: gelu\nh: lmHead embedDim=32 vocabSize=100\no: output\nx -> e -> a -> b -> c -> n -> m -> g -> h -> o",
		"q: input shape=[5,32]\nk: input shape=[7,16]\nc: attentionCore numHeads=4 numKVHeads=2 blockSize=2 randomBlocks=1\nl: linear inFeatures=32 outFeatures=3\no: output\nq -> c -> l -> o\nk -> c\nk -> c",
		"x: input shape=[70,32]\na: mamba embedDim=32\nb: mamba2 embedDim=32 headDim=8 stateDim=4 chunkSize=16\nc: mla embedDim=32 numHeads=2 kvLoraRank=8 qkNopeHeadDim=4 qkRopeHeadDim=2 vHeadDim=4 qLoraRank=8\nm: moeLayer embedDim=32 numExperts=4 topK=2 expertDim=16 gated=false\nd: linear inFeatures=32 outFeatures=4\ne: linear inFeatures=32 outFeatures=4\nr: customModule outShape=[70,16] numParams=8 flops=26880 chunkSize=16 stateSize=4\nl: linear inFeatures=16 outFeatures=3\no: output\nx -> a -> b -> c -> m -> r -> l -> o\nm -> d -> r\nm -> e -> r",
		"x: input shape=[2,3,4,8]\nn: rmsNorm normalizedShape=[4,8]\nq: qkNorm headDim=8\ng: gelu\no: output\nx -> n -> q -> g -> o",
	} {
		for k := range 40 { // each component has each of its modules at least once
			res := parse(t, text)
			for i := range res.Nodes {
				if names := registry.For(res.Nodes[i].Type.ID); len(names) > 0 {
					res.Nodes[i].Component.Extra = []graph.Member{{Name: graph.AsMember, Raw: strconv.Quote(names[k*7%len(names)])}}
				}
			}
			for _, precision := range Precisions {
				for _, attention := range Attentions {
					got := Train(res, Options{Precision: precision, Attention: attention, Checkpointing: k%2 == 0, Dropout: k%3 == 0})
					if got.PeakBytes < got.WeightBytes || got.StepMicros < 1 {
						t.Errorf("%d, %s, %s: %d bytes at the peak, %d of weights, %d µs", k, precision, attention, got.PeakBytes, got.WeightBytes, got.StepMicros)
					}
				}
			}
		}
	}
}
