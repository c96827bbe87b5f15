package rules

import "github.com/modelverifier/verifier/internal/catalog"

// maxFlashHead is the largest head that PyTorch's FlashAttention kernels take.
const maxFlashHead = 256

var _ = define(Rule{
	ID:       "head-dim-alignment",
	Title:    "Heads that fused attention does not like",
	Severity: Info,
	Doc:      `Fused attention works on heads whose size is a multiple of 8 and at most 256: others are padded at each call, or fall back to a slower kernel that writes all scores to memory. Choose the number of heads so that each has 64 or 128 features, as most models do. Neither result nor legality changes.`,
	Source:   "PyTorch aten/src/ATen/native/transformers/cuda/sdp_utils.cpp (flash attention takes a head_dim of at most 256) and transformers/attention.cpp, pad_last_dim (multiples of 8); Dao 2023, FlashAttention-2",
	Whole: func(p *Pass) {
		for i := range p.With(catalog.IsAttention) {
			switch d := p.headDim(i); {
			case d == 0:
			case d > maxFlashHead:
				p.Reportf(i, "heads of %d features are larger than the %d that fused attention takes", d, maxFlashHead)
			case d%tile != 0:
				p.Reportf(i, "heads of %d features are no multiple of %d", d, tile)
			}
		}
	},
	Examples: []string{
		"x: input shape=[64,60]\na: multiHeadAttention embedDim=60 numHeads=5 // want\no: output\nx -> a -> o",
		"x: input shape=[64,1024]\na: multiHeadAttention embedDim=1024 numHeads=2 // want\no: output\nx -> a -> o",
		"q: input shape=[5,64,12]\nk: input shape=[5,64,12]\nv: input shape=[5,64,12]\na: scaledDotProductAttention // want\no: output\nq, k, v -> a -> o",
		"x: input shape=[64,64]\na: multiHeadAttention embedDim=64 numHeads=4\no: output\nx -> a -> o",
	},
})

// headDim returns the number of features of a head, 0 where the type does not say.
func (p *Pass) headDim(i int) int64 {
	if d := p.Arg(i, "headDim").Int(); d > 0 {
		return d
	}
	if d := p.Arg(i, "qkNopeHeadDim").Int(); d > 0 { // latent attention: the part without positions and the part with them
		return d + p.Arg(i, "qkRopeHeadDim").Int()
	}
	if h := p.Arg(i, "numHeads").Int(); h > 0 {
		return p.Arg(i, "embedDim").Int() / h
	}
	if in := p.Nodes[i].In; len(in) > 2 { // queries, keys and values by themselves
		return in[0].At(-1)
	}
	return 0
}
