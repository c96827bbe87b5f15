package data

import (
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

// TestTheHeadThatRunsLastDecides, wherever it stands in the list: logits of a head inside of the model predict no token.
func TestTheHeadThatRunsLastDecides(t *testing.T) {
	const inner, last = "a: lmHead embedDim=8 vocabSize=500\n", "b: lmHead embedDim=500 vocabSize=50\n"
	for _, heads := range []string{inner + last, last + inner} {
		g, err := graph.Parse("x: input shape=[4]\ne: embedding numEmbeddings=500 embeddingDim=8\n" + heads + "o: output\nx -> e -> a -> b -> o")
		if err != nil {
			t.Fatal(err)
		}
		g.Normalize(catalog.Vocabulary)
		r := Judge(infer.Walk(g), Request{TokenizerSize: 100})
		if r.Verdict != block || r.Findings[0].Component != "b" {
			t.Errorf("%s: %s with %+v, want the block of b, which gives 50 logits", heads, r.Verdict, r.Findings)
		}
	}
}
