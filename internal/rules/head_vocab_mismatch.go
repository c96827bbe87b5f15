package rules

import (
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
)

// nearVocab is how far a last linear layer may be from a vocabulary, as its eighth, to be taken for a head of it: classifiers of
// texts have far fewer classes.
const nearVocab = 8

var _ = define(Rule{
	ID:       "head-vocab-mismatch",
	Title:    "A head of another size than the vocabulary",
	Severity: Warn,
	Doc:      `The head gives one logit for each token that it can say, and the embedding has one row for each that it can read. With fewer logits, the labels of the last tokens are out of range of the loss, which raises in training and not in the forward pass; with more, the model can say tokens that it cannot read back. A model that generates is meant to have both equal, or to share one table. A translator with two vocabularies has an embedding of each. It is asked of lmHead, and of a last linear layer whose size is within an eighth of the vocabulary.`,
	Source:   "torch.nn.CrossEntropyLoss: class indices in the range [0, C); torch.nn.Embedding: num_embeddings is the size of the dictionary; Press and Wolf 2017",
	Whole: func(p *Pass) {
		var sizes []int64
		for i := range p.With(catalog.IsEmbedding) {
			if v := p.Arg(i, "numEmbeddings"); v.Int() > 0 && !p.Nodes[i].Type.Has(catalog.IsPositional) {
				sizes = append(sizes, v.Int())
			}
		}
		if len(sizes) == 0 {
			return
		}
		largest := slices.Max(sizes)
		for o := range p.Outputs() {
			i, ok := p.Behind(o, catalog.IsView)
			if !ok || !p.Is(i, catalog.IsAffine) || p.Is(i, catalog.IsConv) {
				continue
			}
			size := p.Nodes[i].Out.At(-1)
			apart := max(size-largest, largest-size)
			if slices.Contains(sizes, size) || !p.Is(i, catalog.IsHead) && apart > largest/nearVocab {
				continue
			}
			p.Reportf(i, "gives %d logits, but the embedding has %d rows", size, largest)
		}
	},
	Examples: []string{
		"x: input shape=[64]\ne: embedding vocabSize=32000 embedDim=32\nh: lmHead embedDim=32 vocabSize=31999 // want\no: output\nx -> e -> h -> o",
		"x: input shape=[64]\ne: embedding vocabSize=1000 embedDim=32\nh: linear outFeatures=1001 // want\no: output\nx -> e -> h -> o",
		"x: input shape=[64]\ne: embedding vocabSize=32000 embedDim=32\nh: lmHead embedDim=32 vocabSize=32000\no: output\nx -> e -> h -> o",
		"x: input shape=[64]\ne: embedding vocabSize=1000 embedDim=32\nh: linear outFeatures=2\no: output\nx -> e -> h -> o", // a classifier of tokens
	},
})
