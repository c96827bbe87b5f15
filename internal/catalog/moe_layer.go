package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "moeLayer",
	Title:   "Experts of which each token visits a few",
	Doc:     `A router sends every position to topK of numExperts gated feed-forward networks; shared experts, one network of numSharedExperts times sharedExpertDim, see them all. All experts count as weights, but only topK of them and the shared ones as FLOPs. topK must not exceed numExperts.`,
	Source:  "Shazeer et al. 2017; transformers MixtralSparseMoeBlock, DeepseekV3MoE for shared experts",
	Group:   Blocks,
	Aliases: []string{"moe", "mixtureOfExperts", "sparseMoE"},
	Traits:  IsExperts | HasActivation | KeepsShape,
	Params: []Param{
		{Name: "embedDim", Kind: Int, Reads: At(-1), Doc: "size of the last axis"},
		{Name: "numExperts", Kind: Int, Min: 1, Doc: "number of experts"},
		{Name: "topK", Kind: Int, Min: 1, Aliases: []string{"numExpertsPerTok", "expertsPerToken"}, Doc: "number of experts that a position visits"},
		{Name: "expertDim", Kind: Int, Aliases: []string{"intermediateSize", "moeIntermediateSize", "ffDim"}, Doc: "width inside an expert"},
		{Name: "numSharedExperts", Kind: Int, Default: 0, Doc: "number of experts that every position visits"},
		{Name: "sharedExpertDim", Kind: Int, Doc: "width inside a shared expert",
			Derive: func(c *Call) int64 { return c.Int("expertDim") }, DeriveDoc: "expertDim"},
		{Name: "gated", Kind: Bool, Default: true, Doc: "whether an expert is gated, with three maps, or plain, with two"},
		{Name: "bias", Kind: Bool, Default: false, Aliases: []string{"expertBias"}, Doc: "whether the maps of the experts add a bias"},
		{Name: "routerBias", Kind: Bool, Default: false, Doc: "whether the router adds one"},
		auxLossCoef,
	},
	Shape: expertsShape,
	Weights: func(c *Call) {
		e, n := c.Int("embedDim"), c.Int("numExperts")
		c.Linear("router", e, n, c.Bool("routerBias"))
		c.expert(n, numbered("experts.", 0, n), e, c.Int("expertDim"))
		if s := sharedWidth(c); s > 0 {
			c.expert(1, "shared", e, s)
		}
	},
	FLOPs: func(c *Call) int64 {
		width := c.Add(c.Mul(c.Int("topK"), c.Int("expertDim")), sharedWidth(c))
		return c.MatMul(1, c.Size(c.In[0]), c.Add(c.Int("numExperts"), c.Mul(expertMaps(c), width)), 1)
	},
	Lower: lowerExperts(func(l *Lowering, x op.Value) op.Value {
		if sharedWidth(&l.Call) == 0 {
			return op.None
		}
		return l.expert(x, "shared", 0)
	}),
	Torch:  `MoE({{embedDim}}, {{numExperts}}, {{topK}}, {{expertDim}}, {{numSharedExperts}} * {{sharedExpertDim}}, {{gated}}, {{bias}}, {{routerBias}})`,
	Module: gatedModule + moeModule,
	WeightFormula: "embedDim*numExperts + routerBias*numExperts + (2+gated)*embedDim*(numExperts*expertDim + numSharedExperts*sharedExpertDim)" +
		" + bias*((1+gated)*(numExperts*expertDim + numSharedExperts*sharedExpertDim) + (numExperts + (numSharedExperts*sharedExpertDim>0))*embedDim)",
	FLOPsFormula: "2*size(in)*(numExperts + (2+gated)*(topK*expertDim + numSharedExperts*sharedExpertDim))",
	Examples: []Example{
		{In: "[12,16]", Args: "embedDim=16 numExperts=8 topK=2 expertDim=20", Out: "[12,16]", Weights: 7808, FLOPs: 49152},
		{In: "[16]", Args: "d_model=16 numExperts=2 topK=1 expertDim=4 numSharedExperts=2 sharedExpertDim=3", Out: "[16]", Weights: 704, FLOPs: 1024},
		{In: "[12,16]", Args: "embedDim=16 numExperts=4 topK=2 expertDim=20 bias=true routerBias=true", Out: "[12,16]", Weights: 4132, FLOPs: 47616},
		{In: "[12,16]", Args: "embedDim=16 numExperts=4 topK=1 expertDim=20 gated=false bias=true numSharedExperts=1", Out: "[12,16]", Weights: 3444, FLOPs: 32256},
		{In: "[12,16]", Args: "embedDim=16 numExperts=8 topK=9 expertDim=20", Err: "topK is 9 but there are only 8 experts"},
		{In: "[12,16]", Args: "embedDim=8 numExperts=8 topK=2 expertDim=20", Err: "embedDim is 8 but 16 features arrive"},
	},
})

// auxLossCoef is no part of the forward pass; it says that training keeps the experts evenly loaded.
var auxLossCoef = Param{Name: "auxLossCoef", Kind: Float, Optional: true, Aliases: []string{"routerAuxLossCoef", "loadBalanceCoef"},
	Doc: "weight of the load-balancing loss in training; 0 where another scheme balances the experts"}

// expertsShape keeps every axis, of which the last must be embedDim, and refuses to visit more experts than there are.
func expertsShape(c *Call) (Shape, error) {
	out, err := mapShape(c)
	if n, k := c.Int("numExperts"), c.Int("topK"); err == nil && k > n {
		err = c.Errorf(MoETopKRange, "topK is %d but there are only %d experts", k, n)
	}
	return out, err
}

// sharedWidth is the width of the one network that the shared experts are.
func sharedWidth(c *Call) int64 { return c.Mul(c.Int("numSharedExperts"), c.Int("sharedExpertDim")) }

// expertMaps is the number of maps inside an expert.
func expertMaps(c *Call) int64 {
	if c.Bool("gated") {
		return 3
	}
	return 2
}

// expert declares the maps of experts, gated or plain.
func (c *Call) expert(times int64, name string, dim, hidden int64) {
	bias := c.Bool("bias")
	if c.Bool("gated") {
		c.gated(times, name, dim, hidden, bias)
		return
	}
	c.LinearTimes(times, join(name, "up_proj"), dim, hidden, bias)
	c.LinearTimes(times, join(name, "down_proj"), hidden, dim, bias)
}

const moeModule = `

class Plain(nn.Module):
    def __init__(self, dim, hidden, bias):
        super().__init__()
        self.up_proj, self.down_proj = nn.Linear(dim, hidden, bias=bias), nn.Linear(hidden, dim, bias=bias)

    def forward(self, x):
        return self.down_proj(F.silu(self.up_proj(x)))


class MoE(nn.Module):
    def __init__(self, dim, experts, top_k, hidden, shared, gated=True, bias=False, router_bias=False):
        super().__init__()
        expert = (lambda width: Gated(dim, width, bias, F.silu)) if gated else (lambda width: Plain(dim, width, bias))
        self.top_k, self.router = top_k, nn.Linear(dim, experts, bias=router_bias)
        self.experts = nn.ModuleList(expert(hidden) for _ in range(experts))
        self.shared = expert(shared) if shared else None

    def forward(self, x):
        tokens = x.reshape(-1, x.shape[-1])
        weight, chosen = self.router(tokens).softmax(-1).topk(self.top_k, -1)
        y = torch.zeros_like(tokens)
        for i, expert in enumerate(self.experts):
            token, slot = (chosen == i).nonzero(as_tuple=True)
            y = y.index_add(0, token, expert(tokens[token]) * weight[token, slot, None])
        y = y.reshape(x.shape)
        return y if self.shared is None else y + self.shared_experts(x)

    def shared_experts(self, x):
        return self.shared(x)
`
