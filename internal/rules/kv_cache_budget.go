package rules

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/quantity"
)

// cacheBytes is the cache of one sequence at which serving is worth a thought: 1 GiB, so that an 80 GB card, weights aside,
// holds fewer than 80 sequences. OPT-13B, the case of the vLLM paper, needs 1.6 GB. A rule of thumb.
const cacheBytes = 1 << 30

var _ = define(Rule{
	ID:       "kv-cache-budget",
	Title:    "A large cache for each served sequence",
	Severity: Info,
	Doc:      `A served decoder keeps the keys and values of every token in every layer. At the length of this graph, in 16-bit floats, that is a gigabyte or more for each sequence, so the cache and not the weights decides how many users a card serves. Share keys and values among heads (numKVHeads), limit the window of some layers, or serve with an 8-bit cache.`,
	Source:   "Kwon et al. 2023, Efficient Memory Management for LLM Serving with PagedAttention (OPT-13B: 800 KB a token, 1.6 GB a sequence); 2 × layers × heads × headDim × 2 bytes a token. The limit is a rule of thumb",
	Whole: func(p *Pass) {
		first, layers, total := -1, 0, int64(0)
		for i := range p.With(catalog.IsAttention) {
			bytes := p.cachePerToken(i)
			if bytes == 0 {
				continue
			}
			tokens := p.Nodes[i].In[0].At(0)
			if w := p.Arg(i, "windowSize").Int(); w > 0 {
				tokens = min(tokens, w)
			}
			bytes, ok := quantity.Mul(bytes, tokens)
			sum, fits := quantity.Add(total, bytes)
			if !ok || !fits {
				return
			}
			if total = sum; first < 0 {
				first = i
			}
			layers++
		}
		if total >= cacheBytes {
			bound := ""
			if len(p.CostWithheld()) > 0 { // there may be more layers
				bound = "at least "
			}
			p.Reportf(first, "the keys and values take %s%s in %d layers for each sequence of %d tokens, in 16-bit floats", bound, quantity.Bytes(total), layers, p.Nodes[first].In[0].At(0))
		}
	},
	Examples: []string{
		"x: input shape=[131072]\ne: embedding vocabSize=1024 embedDim=4096\na: groupedQueryAttention embedDim=4096 numHeads=32 // want\no: output\nx -> e -> a -> o",
		"x: input shape=[131072]\ne: embedding vocabSize=1024 embedDim=4096\na: groupedQueryAttention embedDim=4096 numHeads=32 numKVHeads=8\no: output\nx -> e -> a -> o",
		"x: input shape=[131072]\ne: embedding vocabSize=1024 embedDim=4096\na: groupedQueryAttention embedDim=4096 numHeads=32 causal=false\no: output\nx -> e -> a -> o",
	},
})

// cachePerToken returns the bytes that a layer of a served decoder keeps of each token in 16-bit floats, 0 where it keeps
// none or its type does not say.
func (p *Pass) cachePerToken(i int) int64 {
	if !p.causal(i) || p.Nodes[i].In[0].Rank() != 2 {
		return 0
	}
	heads := p.kvHeads(i)
	bytes, ok := quantity.Mul(2*2, heads, p.headDim(i)) // keys and values, two bytes each
	if !ok {
		return 0
	}
	return bytes
}

// kvHeads returns the number of heads of keys and values.
func (p *Pass) kvHeads(i int) int64 {
	if p.Nodes[i].Type.Param("kvLoraRank") != nil {
		return 0 // keeps something smaller than keys and values
	}
	if kv := p.Arg(i, "numKVHeads").Int(); kv > 0 {
		return kv
	}
	return p.Arg(i, "numHeads").Int()
}
