package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "qkNorm",
	Title:   "Normalises queries or keys head by head",
	Doc:     `Cuts the last axis into heads of headDim features and normalises each for itself, with weights that all heads share: place one behind the queries and one behind the keys of an attention. kind "rms" divides by the root mean square, "layer" also subtracts the mean. The last axis must be a multiple of headDim.`,
	Source:  "Henry et al. 2020; transformers Qwen3Attention.q_norm; torch.nn.RMSNorm, torch.nn.LayerNorm",
	Group:   Normalisation,
	Aliases: []string{"queryKeyNorm"},
	Traits:  IsNorm | KeepsShape,
	Params: []Param{
		{Name: "headDim", Kind: Int, Min: 1, Doc: "features of one head"},
		{Name: "kind", Kind: String, Default: "rms", Values: []string{"rms", "layer"}, Aliases: []string{"normType"}, Doc: "which normalisation"},
		{Name: "eps", Kind: Float, Optional: true, Aliases: []string{"epsilon"}, Doc: "added below the root; that of the normalisation if left out"},
		{Name: "elementwiseAffine", Kind: Bool, Default: true, Aliases: []string{"affine"}, Doc: "whether there are trained weights"},
	},
	Shape: func(c *Call) (Shape, error) {
		in, d := c.In[0], c.Int("headDim")
		if in.Rank() == 0 {
			return nil, c.Errorf(RankMismatch, "takes (…, heads*headDim), got a scalar per sample")
		}
		if in.At(-1)%d != 0 {
			return in, c.Errorf(HeadDimDivisibility, "%s, which heads of %d do not divide", arrive(in.At(-1), "feature"), d)
		}
		return in, nil
	},
	Weights: func(c *Call) {
		if !c.Bool("elementwiseAffine") {
			return
		}
		c.Weight("norm.weight", c.Int("headDim"))
		if c.Str("kind") == "layer" {
			c.Weight("norm.bias", c.Int("headDim"))
		}
	},
	Lower: func(l *Lowering) op.Value {
		d, in := l.Int("headDim"), l.In[0]
		heads := op.View(l.P, l.X[0], append(append([]int64{}, in[:in.Rank()-1]...), in.At(-1)/d, d)...)
		if l.Str("kind") == "layer" {
			heads = op.LayerNorm(l.P, heads, d, l.Affine("norm")...)
		} else {
			heads = op.RMSNorm(l.P, heads, l.W("norm.weight"), d)
		}
		return op.View(l.P, heads, in...)
	},
	Torch: `QKNorm({{headDim}}, {{kind}}, {{eps}}, {{elementwiseAffine}})`,
	Module: `class QKNorm(nn.Module):
    def __init__(self, head_dim, kind, eps, affine):
        super().__init__()
        self.head_dim = head_dim
        more = {} if eps is None else {"eps": eps}
        self.norm = {"rms": nn.RMSNorm, "layer": nn.LayerNorm}[kind](head_dim, elementwise_affine=affine, **more)

    def forward(self, x):
        heads = x.reshape(*x.shape[:-1], x.shape[-1] // self.head_dim, self.head_dim)
        return self.norm(heads).reshape(x.shape)
`,
	WeightFormula: `elementwiseAffine*headDim*(1 + (kind == "layer"))`,
	Examples: []Example{
		{In: "[12,64]", Args: "headDim=16", Out: "[12,64]", Weights: 16},
		{In: "[4,12,16]", Args: "headDim=16 kind=layer", Out: "[4,12,16]", Weights: 32},
		{In: "[12,64]", Args: "headDim=16 elementwiseAffine=false", Out: "[12,64]"},
		{In: "[12,60]", Args: "headDim=16", Err: "60 features arrive, which heads of 16 do not divide"},
		{In: "[]", Args: "headDim=16", Err: "got a scalar per sample"},
		{In: "[12,64]", Args: "headDim=16 kind=batch", Err: "takes one of rms, layer"},
	},
})
