package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "sharedExpertMoE",
	Title:   "Experts of which each token visits a few, and one shared by all",
	Doc:     `A router sends every position to topK of numExperts gated feed-forward networks of width expertDim; one more, of width sharedExpertDim, sees every position, scaled by a trained gate unless sharedGate is false. The last axis must be embedDim; the others are kept. All experts count as weights, but only topK and the shared one as FLOPs.`,
	Source:  "transformers Qwen2MoeSparseMoeBlock; Dai et al. 2024, DeepSeekMoE",
	Group:   Blocks,
	Aliases: []string{"qwen2MoE", "sharedMoE"},
	Traits:  IsExperts | HasActivation | KeepsShape,
	Params: []Param{
		{Name: "embedDim", Kind: Int, Min: 1, Reads: At(-1), Doc: "size of the last axis"},
		{Name: "numExperts", Kind: Int, Min: 1, Doc: "number of experts beside the shared one"},
		{Name: "topK", Kind: Int, Min: 1, Aliases: []string{"numExpertsPerTok", "expertsPerToken"}, Doc: "number of experts that a position visits"},
		{Name: "expertDim", Kind: Int, Min: 1, Aliases: []string{"moeIntermediateSize"}, Doc: "width inside an expert"},
		{Name: "sharedExpertDim", Kind: Int, Min: 1, Aliases: []string{"sharedExpertIntermediateSize"}, Doc: "width inside the shared expert",
			Derive: func(c *Call) int64 { return c.Int("expertDim") }, DeriveDoc: "expertDim"},
		{Name: "sharedGate", Kind: Bool, Default: true, Doc: "whether a trained gate scales the shared expert"},
		auxLossCoef,
	},
	Shape: expertsShape,
	Weights: func(c *Call) {
		e, n := c.Int("embedDim"), c.Int("numExperts")
		c.Linear("router", e, n, false)
		c.gated(n, numbered("experts.", 0, n), e, c.Int("expertDim"), false)
		c.gated(1, "shared", e, c.Int("sharedExpertDim"), false)
		if c.Bool("sharedGate") {
			c.Linear("shared_gate", e, 1, false)
		}
	},
	FLOPs: func(c *Call) int64 {
		width := c.Add(c.Mul(c.Int("topK"), c.Int("expertDim")), c.Int("sharedExpertDim"))
		columns := c.Add(c.Int("numExperts"), c.Mul(3, width))
		if c.Bool("sharedGate") {
			columns = c.Add(columns, 1)
		}
		return c.MatMul(1, c.Size(c.In[0]), columns, 1)
	},
	Lower: lowerExperts(func(l *Lowering, x op.Value) op.Value {
		y := l.gated(x, "shared", 0, "silu")
		if !l.Bool("sharedGate") {
			return y
		}
		return op.Mul(l.P, l.activate("sigmoid", l.Map(x, "shared_gate")), y)
	}),
	Torch:         `SharedExpertMoE({{embedDim}}, {{numExperts}}, {{topK}}, {{expertDim}}, {{sharedExpertDim}}, {{sharedGate}})`,
	Module:        gatedModule + moeModule + sharedExpertModule,
	WeightFormula: "embedDim*(numExperts + 3*(numExperts*expertDim + sharedExpertDim) + sharedGate)",
	FLOPsFormula:  "2*size(in)*(numExperts + 3*(topK*expertDim + sharedExpertDim) + sharedGate)",
	Examples: []Example{
		{In: "[6,9]", Args: "embedDim=9 numExperts=5 topK=1 expertDim=26 sharedExpertDim=41", Out: "[6,9]", Weights: 4671, FLOPs: 22356},
		{In: "[4,23]", Args: "embedDim=23 numExperts=1 topK=1 expertDim=27 sharedGate=false", Out: "[4,23]", Weights: 3749, FLOPs: 29992},
		{In: "[6,9]", Args: "embedDim=9 numExperts=2 topK=3 expertDim=26", Err: "topK is 3 but there are only 2 experts"},
		{In: "[6,9]", Args: "embedDim=8 numExperts=2 topK=1 expertDim=26", Err: "embedDim is 8 but 9 features arrive"},
	},
})

const sharedExpertModule = `

class SharedExpertMoE(MoE):
    def __init__(self, dim, experts, top_k, hidden, shared, gate):
        super().__init__(dim, experts, top_k, hidden, shared)
        self.shared_gate = nn.Linear(dim, 1, bias=False) if gate else None

    def shared_experts(self, x):
        y = self.shared(x)
        return y if self.shared_gate is None else torch.sigmoid(self.shared_gate(x)) * y
`
