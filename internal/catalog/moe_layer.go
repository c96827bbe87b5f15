package catalog

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
		auxLossCoef,
	},
	Shape: expertsShape,
	Weights: func(c *Call) {
		e, n := c.Int("embedDim"), c.Int("numExperts")
		c.Linear("router", e, n, false)
		c.gated(n, numbered("experts.", 0, n), e, c.Int("expertDim"), false)
		if s := sharedWidth(c); s > 0 {
			c.gated(1, "shared", e, s, false)
		}
	},
	FLOPs: func(c *Call) int64 {
		width := c.Add(c.Mul(c.Int("topK"), c.Int("expertDim")), sharedWidth(c))
		return c.MatMul(1, c.Size(c.In[0]), c.Add(c.Int("numExperts"), c.Mul(3, width)), 1)
	},
	Saved: func(c *Call) {
		c.KeepInput(0)
		c.keepGated(c.Int("topK"), c.Int("expertDim"))
		if s := sharedWidth(c); s > 0 {
			c.keepGated(1, s)
		}
	},
	Torch:         `MoE({{embedDim}}, {{numExperts}}, {{topK}}, {{expertDim}}, {{numSharedExperts}} * {{sharedExpertDim}})`,
	Module:        gatedModule + moeModule,
	WeightFormula: "embedDim*numExperts + 3*embedDim*(numExperts*expertDim + numSharedExperts*sharedExpertDim)",
	FLOPsFormula:  "2*size(in)*(numExperts + 3*(topK*expertDim + numSharedExperts*sharedExpertDim))",
	Examples: []Example{
		{In: "[12,16]", Args: "embedDim=16 numExperts=8 topK=2 expertDim=20", Out: "[12,16]", Weights: 7808, FLOPs: 49152},
		{In: "[16]", Args: "d_model=16 numExperts=2 topK=1 expertDim=4 numSharedExperts=2 sharedExpertDim=3", Out: "[16]", Weights: 704, FLOPs: 1024},
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

const moeModule = `

class MoE(nn.Module):
    def __init__(self, dim, experts, top_k, hidden, shared):
        super().__init__()
        self.top_k, self.router = top_k, nn.Linear(dim, experts, bias=False)
        self.experts = nn.ModuleList(Gated(dim, hidden, False, F.silu) for _ in range(experts))
        self.shared = Gated(dim, shared, False, F.silu) if shared else None

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
