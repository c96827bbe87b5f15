package rules

import "github.com/modelverifier/verifier/internal/catalog"

// nearVocab is how far a last linear layer may be from a vocabulary, as its eighth, to be taken for a head of it: classifiers of
// texts have far fewer classes.
const nearVocab = 8

var _ = define(Rule{
	ID:       "head-vocab-mismatch",
	Title:    "A head of another size than the vocabulary",
	Severity: Warn,
	Doc:      `The head gives one logit for each token that it can say, and the embedding has one row for each that it can read. With fewer logits, the labels of the last tokens are out of range of the loss, which raises in training and not in the forward pass; with more, the model can say tokens that it cannot read back. A model that generates is meant to have both equal, or to share one table. It is asked of models whose embeddings of 1,024 rows or more are of one size: a translator may have two vocabularies, and a model of sound reads tokens that it never says. It is asked of lmHead, and of a last linear layer whose size is within an eighth of the vocabulary.`,
	Source:   "torch.nn.CrossEntropyLoss: class indices in the range [0, C); torch.nn.Embedding: num_embeddings is the size of the dictionary; Press and Wolf 2017",
	Whole: func(p *Pass) {
		rows, ok := p.vocabulary()
		if !ok {
			return
		}
		for o := range p.Outputs() {
			i, ok := p.Behind(o, catalog.IsView)
			if !ok || !p.Is(i, catalog.IsAffine) || p.Is(i, catalog.IsConv) {
				continue
			}
			size := p.Nodes[i].Out.At(-1)
			apart := max(size-rows, rows-size)
			if apart == 0 || !p.Is(i, catalog.IsHead) && apart > rows/nearVocab {
				continue
			}
			p.Reportf(i, "gives %d logits, but the embedding has %d rows", size, rows)
		}
	},
	Examples: []string{
		"x: input shape=[64]\ne: embedding vocabSize=32000 embedDim=32\nh: lmHead embedDim=32 vocabSize=31999 // want\no: output\nx -> e -> h -> o",
		"x: input shape=[64]\ne: embedding vocabSize=2000 embedDim=32\nh: linear outFeatures=2001 // want\no: output\nx -> e -> h -> o",
		"x: input shape=[64]\ne: embedding vocabSize=32000 embedDim=32\nh: lmHead embedDim=32 vocabSize=32000\no: output\nx -> e -> h -> o",
		"x: input shape=[64]\ne: embedding vocabSize=2000 embedDim=32\nh: linear outFeatures=2\no: output\nx -> e -> h -> o", // a classifier of tokens
	},
})

// vocabulary is the number of rows that every embedding of minVocab rows or more has, and whether there is one such number.
func (p *Pass) vocabulary() (rows int64, ok bool) {
	for i := range p.With(catalog.IsEmbedding) {
		switch n := p.Arg(i, "numEmbeddings").Int(); {
		case n < minVocab || n == rows || p.Is(i, catalog.IsPositional):
		case rows != 0:
			return 0, false
		default:
			rows = n
		}
	}
	return rows, rows != 0
}
