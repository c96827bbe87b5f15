package estimate

import (
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
)

func TestWhoseModuleAComponentIs(t *testing.T) {
	for raw, want := range map[string]implementation{`"transformers"`: transformers, `"transformers/plain/eager"`: transformers | plain | eager,
		`"transformers/scan256/state16"`: transformers | scan,
		`"transformers/nonsense"`:        transformers, `"torch"`: 0, `7`: 0, ``: 0, `"`: 0, `"transformers`: 0, `"transformersx/plain"`: 0} {
		if got := implementationOf(&graph.Component{Extra: []graph.Member{{Name: "implementation", Raw: raw}}}); got != want {
			t.Errorf("%s is %b, want %b", raw, got, want)
		}
	}
}

// Whatever a graph says of its implementation, an estimate is made and no smaller than its weights.
func TestImplementationsOfEveryKindAreEstimated(t *testing.T) {
	for _, text := range []string{
		"x: input shape=[64]\ne: embedding numEmbeddings=100 embeddingDim=32\na: ropeAttention embedDim=32 numHeads=4 numKVHeads=2 windowSize=8 qkNorm=true\nb: groupedQueryAttention embedDim=32 numHeads=4 numKVHeads=2\nc: crossAttention embedDim=32 numHeads=4\nn: rmsNorm normalizedShape=32\nm: moeLayer embedDim=32 numExperts=4 topK=2 expertDim=16\ng: gelu\nh: lmHead embedDim=32 vocabSize=100\no: output\nx -> e -> a -> b -> c -> n -> m -> g -> h -> o",
		"q: input shape=[5,32]\nk: input shape=[7,16]\nc: attentionCore numHeads=4 numKVHeads=2\nl: linear inFeatures=32 outFeatures=3\no: output\nq -> c -> l -> o\nk -> c\nk -> c",
		"x: input shape=[70,32]\na: mamba embedDim=32\nb: mamba2 embedDim=32 headDim=8 stateDim=4\nc: mla embedDim=32 numHeads=2 kvLoraRank=8 qkNopeHeadDim=4 qkRopeHeadDim=2 vHeadDim=4 qLoraRank=8\nm: moeLayer embedDim=32 numExperts=4 topK=2 expertDim=16 gated=false\nd: linear inFeatures=32 outFeatures=4\ne: linear inFeatures=32 outFeatures=4\nr: customModule outShape=[70,16] numParams=8 flops=26880\nl: linear inFeatures=16 outFeatures=3\no: output\nx -> a -> b -> c -> m -> r -> l -> o\nm -> d -> r\nm -> e -> r",
		"x: input shape=[2,3,4,8]\nn: rmsNorm normalizedShape=[4,8]\nq: qkNorm headDim=8\ng: gelu\no: output\nx -> n -> q -> g -> o",
	} {
		for _, how := range []string{"transformers", "transformers/plain", "transformers/wide", "transformers/late", "transformers/fused/steps", "transformers/eager/capped",
			"transformers/wide/clamped", "transformers/looped", "transformers/chunks", "transformers/scan16/state4", "transformers/scan", "transformers/serial", "transformers/detached"} {
			res := parse(t, text)
			for i := range res.Nodes {
				res.Nodes[i].Component.Extra = []graph.Member{{Name: "implementation", Raw: `"` + how + `"`}}
			}
			for _, precision := range Precisions {
				for _, attention := range Attentions {
					got := Train(res, Options{Precision: precision, Attention: attention, Checkpointing: how == "transformers"})
					if got.PeakBytes <= got.WeightBytes || got.StepMicros < 1 {
						t.Errorf("%s, %s, %s: %d bytes at the peak, %d of weights, %d µs", how, precision, attention, got.PeakBytes, got.WeightBytes, got.StepMicros)
					}
				}
			}
		}
	}
}

func TestSizesOfAnImplementation(t *testing.T) {
	c := &graph.Component{Extra: []graph.Member{{Name: "scope", Raw: `"scan9"`}, {Name: "implementation", Raw: `"transformers/steps/scan256/state16/chunkx"`}}}
	for name, want := range map[string]int64{"scan": 256, "state": 16, "chunk": 0, "steps": 0} {
		if got := sizeOf(c, name); got != want {
			t.Errorf("%s is %d, want %d", name, got, want)
		}
	}
}
