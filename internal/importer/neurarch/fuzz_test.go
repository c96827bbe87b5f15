package neurarch

import (
	"slices"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

// FuzzImport holds that whatever can be decoded is translated, the same way twice, and can be judged.
func FuzzImport(f *testing.F) {
	for _, text := range []string{
		"x: input shape=[1,3,8,8]\nc: conv2d inChannels=3 outChannels=4 kernelSize=3 padding=1\nf: linear inFeatures=4 outFeatures=2\no: output\nx -> c -> f -> o",
		"x: input shape=[1,16,8]\ne: embedding vocabSize=50 embeddingDim=8 maxSeqLen=16\na: multiHeadAttention hiddenDim=8 numHeads=2\nh: linear inFeatures=8 outFeatures=50 tied=true\no: output\nx -> e -> a -> h -> o",
		"x: input shape=[1]\nq: embedding numEmbeddings=3 embeddingDim=6\nm: mean numInputs=2\nf: mla embedDim=6 kvLatentDim=2\no: output\nx -> m\nq -> m -> f -> o",
	} {
		f.Add(file(f, text).AppendJSON(nil))
	}
	f.Add([]byte(`{"components":[{"id":"a","type":"swiglu","params":{"dim":"6","embedDim":7},"inputs":[],"outputs":[],"outputShape":[1,-2]}],"connections":[{"from":"a","to":"a"}]}`))
	limits := graph.Limits{Bytes: 1 << 16, Components: 200, Connections: 1000, Values: 2000}
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := graph.Decode(data, "model", limits)
		if err != nil {
			return
		}
		a, b := Import(g), Import(g)
		if string(a.Graph.AppendJSON(nil)) != string(b.Graph.AppendJSON(nil)) || !slices.Equal(a.Notes, b.Notes) {
			t.Fatal("two translations of one file differ")
		}
		a.Graph.Normalize(catalog.Vocabulary)
		infer.Walk(a.Graph)
	})
}
