package rules

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/quantity"
)

// mhaBytes is the cache of one token, over all layers, from which sharing heads pays: 256 KiB, half of what Llama 2 7B
// keeps, and a quarter of a gigabyte for a thousand tokens. A rule of thumb.
const mhaBytes = 256 << 10

var _ = define(Rule{
	ID:       "full-mha-serving-cost",
	Title:    "Every head of a decoder keeps keys of its own",
	Severity: Info,
	Doc:      `In a served decoder each query head has its own head of keys and values, and each new token reads all of them: the cache and the time of decoding grow with the number of heads. Grouped-query attention with an eighth of the key heads came close to full quality in the measurements that introduced it, and an existing model was converted with 5 % of the computation of its training. Set numKVHeads before training if the model will be served.`,
	Source:   "Ainslie et al. 2023, GQA: Training Generalized Multi-Query Transformer Models; the limit of 256 KiB a token is a rule of thumb",
	Whole: func(p *Pass) {
		first, layers, total := -1, 0, int64(0)
		for i := range p.With(catalog.IsAttention) {
			bytes := p.cachePerToken(i)
			if bytes == 0 || p.kvHeads(i) < 2 || p.kvHeads(i) < p.Arg(i, "numHeads").Int() {
				continue
			}
			sum, fits := quantity.Add(total, bytes)
			if !fits {
				return
			}
			if total = sum; first < 0 {
				first = i
			}
			layers++
		}
		if total >= mhaBytes {
			p.Reportf(first, "%d layers keep %s of keys and values for each token in 16-bit floats; with a quarter of the key heads it would be %s", layers, quantity.Bytes(total), quantity.Bytes(total/4))
		}
	},
	Examples: []string{
		chain([]string{"input shape=[64]", "embedding vocabSize=1024 embedDim=16384", "groupedQueryAttention embedDim=16384 numHeads=128 // want"}, times(3, "groupedQueryAttention embedDim=16384 numHeads=128"), []string{"output"}),
		chain([]string{"input shape=[64]", "embedding vocabSize=1024 embedDim=16384"}, times(4, "groupedQueryAttention embedDim=16384 numHeads=128 numKVHeads=8"), []string{"output"}),
	},
})
