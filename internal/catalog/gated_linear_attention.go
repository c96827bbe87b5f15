package catalog

import (
	"math"

	"github.com/modelverifier/verifier/internal/op"
)

var _ = define(Type{
	ID:    "gatedLinearAttention",
	Title: "Linear attention with a memory that fades",
	Doc: `Each head sums products of keys and values in a matrix, whose rows fade at rates that the position decides, and queries read it; the result is normalised and multiplied by a gate. ` +
		`It takes (sequence, embedDim). The heads must divide the features of keys, expandK*embedDim, and of values, expandV*embedDim, both rounded down. ` +
		`The memory stated is that of the recurrence in PyTorch; the fused kernel keeps less.`,
	Source:  "Yang et al. 2023; fla.layers.GatedLinearAttention",
	Group:   Recurrent,
	Aliases: []string{"gla"},
	Traits:  IsRecurrent | HasActivation | KeepsShape,
	Params: []Param{
		{Name: "embedDim", Kind: Int, Min: 1, Reads: At(-1), Doc: "size of the last axis"},
		{Name: "numHeads", Kind: Int, Min: 1, Default: 4, Aliases: []string{"heads"}, Doc: "number of heads"},
		{Name: "expandK", Kind: Float, Default: 0.5, Doc: "features of the keys for each of the input"},
		{Name: "expandV", Kind: Float, Default: 1.0, Doc: "features of the values for each of the input"},
		{Name: "gateLowRankDim", Kind: Int, Min: 1, Default: 16, Doc: "features between the two linear layers of the rates"},
	},
	Shape: func(c *Call) (Shape, error) {
		if err := c.sequence(FeatureMismatch, "embedDim"); err != nil {
			return c.In[0], err
		}
		for _, name := range []string{"expandK", "expandV"} {
			n, h := c.expanded(name), c.Int("numHeads")
			if n < 1 {
				return c.In[0], c.Errorf(BadParam, "%s is %v, which leaves none of %d features", name, c.arg(name), c.Int("embedDim"))
			}
			if n%h != 0 {
				return c.In[0], c.Errorf(HeadDimDivisibility, "%s %v of %d features is %d, which is not divisible by numHeads %d", name, c.arg(name), c.Int("embedDim"), n, h)
			}
		}
		return c.In[0], nil
	},
	Weights: func(c *Call) {
		e, k, v := c.Int("embedDim"), c.expanded("expandK"), c.expanded("expandV")
		c.Linear("q_proj", e, k, false)
		c.Linear("k_proj", e, k, false)
		c.Linear("v_proj", e, v, false)
		c.Linear("g_proj", e, v, false)
		c.Linear("gk_proj.0", e, c.Int("gateLowRankDim"), false)
		c.Linear("gk_proj.1", c.Int("gateLowRankDim"), k, true)
		c.Weight("g_norm.weight", c.Part(v, c.Int("numHeads")))
		c.Linear("o_proj", v, e, false)
	},
	FLOPs: func(c *Call) int64 {
		s, e, k, v, r := c.In[0][0], c.Int("embedDim"), c.expanded("expandK"), c.expanded("expandV"), c.Int("gateLowRankDim")
		return c.Add(c.MatMul(1, s, e, c.Add(c.Mul(2, k), c.Mul(3, v), r)), c.MatMul(1, s, r, k))
	},
	State: func(c *Call) int64 {
		return c.Mul(c.expanded("expandK"), c.Part(c.expanded("expandV"), c.Int("numHeads")))
	},
	Lower: func(l *Lowering) op.Value {
		p, s, h, keys, values := l.P, l.In[0][0], l.Int("numHeads"), l.expanded("expandK"), l.expanded("expandV")
		q, k, v := op.Scale(p, l.Map(l.X[0], "q_proj")), l.Map(l.X[0], "k_proj"), l.Map(l.X[0], "v_proj")
		rates := op.WideOfInput(p, op.Scale(p, l.Map(l.Map(l.X[0], "gk_proj.0"), "gk_proj.1")))
		gate := op.WideOfOutput(p, op.Scale(p, op.Scale(p, rates)))
		y, _ := op.Scan(p, Of(s, h, values/h), []op.Value{q, k, v, gate}, nil, (s+1)*h*(keys/h)*(values/h))
		y = op.View(p, l.rootMeanSquare(y, "g_norm.weight"), s, values)
		return l.Map(op.Mul(p, y, op.OfInput(p, l.Map(l.X[0], "g_proj"))), "o_proj")
	},
	Torch: `GatedLinearAttention({{embedDim}}, {{numHeads}}, {{expandK}}, {{expandV}}, {{gateLowRankDim}})`,
	Module: rootMeanSquareModule + `

class GatedLinearAttention(nn.Module):
    """The recurrence, position by position."""

    def __init__(self, dim, heads, expand_k, expand_v, rank):
        super().__init__()
        self.heads, keys, values = heads, int(dim * expand_k), int(dim * expand_v)
        self.q_proj, self.k_proj, self.v_proj, self.g_proj = (nn.Linear(dim, d, bias=False) for d in (keys, keys, values, values))
        self.gk_proj = nn.Sequential(nn.Linear(dim, rank, bias=False), nn.Linear(rank, keys))
        self.g_norm, self.o_proj = RootMeanSquare(values // heads), nn.Linear(values, dim, bias=False)

    def forward(self, x):
        q, k, v = (proj(x).unflatten(2, (self.heads, -1)) for proj in (self.q_proj, self.k_proj, self.v_proj))
        q = q * q.shape[-1] ** -0.5
        gate = torch.exp(-F.softplus(-self.gk_proj(x)) / 16).unflatten(2, (self.heads, -1))
        state, ys = x.new_zeros(x.shape[0], self.heads, k.shape[-1], v.shape[-1]), []
        for t in range(x.shape[1]):
            state = state * gate[:, t, :, :, None] + k[:, t, :, :, None] * v[:, t, :, None]
            ys.append((q[:, t, :, :, None] * state).sum(-2))
        y = self.g_norm(torch.stack(ys, 1)) * F.silu(self.g_proj(x)).unflatten(2, (self.heads, -1))
        return self.o_proj(y.flatten(2))
`,
	WeightFormula: "embedDim*(2*floor(expandK*embedDim) + 3*floor(expandV*embedDim) + gateLowRankDim) + (gateLowRankDim + 1)*floor(expandK*embedDim) + floor(expandV*embedDim)/numHeads",
	FLOPsFormula:  "2*in[0]*(embedDim*(2*floor(expandK*embedDim) + 3*floor(expandV*embedDim) + gateLowRankDim) + gateLowRankDim*floor(expandK*embedDim))",
	Examples: []Example{
		{In: "[10,16]", Args: "embedDim=16", Out: "[10,16]", Weights: 1420, FLOPs: 28160},
		{In: "[3,4]", Args: "embedDim=4 numHeads=2 expandK=1 expandV=2 gateLowRankDim=3", Out: "[3,4]", Weights: 160, FLOPs: 912},
		{In: "[10,16]", Args: "embedDim=16 numHeads=3", Err: "expandK 0.5 of 16 features is 8, which is not divisible by numHeads 3"},
		{In: "[10,16]", Args: "embedDim=16 expandV=0", Err: "expandV is 0, which leaves none of 16 features"},
	},
})

// expanded is embedDim times a factor, as Python's int(embedDim * factor).
func (c *Call) expanded(name string) int64 {
	switch f := c.Float(name) * float64(c.Int("embedDim")); {
	case !(f >= 1):
		return 0
	case f >= 1<<62:
		return c.Mul(math.MaxInt64, 2)
	default:
		return int64(f)
	}
}
