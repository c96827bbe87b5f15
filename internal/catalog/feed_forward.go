package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "feedForward",
	Title:   "Two linear layers with an activation between",
	Doc:     `Widens the last axis from embedDim to ffDim, applies an activation and maps back: the second half of a transformer block. The other axes are kept. It has no residual connection and no normalisation of its own.`,
	Source:  "Vaswani et al. 2017, section 3.3",
	Group:   Blocks,
	Aliases: []string{"ffn", "positionwiseFeedForward"},
	Traits:  HasActivation | KeepsShape,
	Params: []Param{
		{Name: "embedDim", Kind: Int, Reads: At(-1), Doc: "size of the last axis"},
		ffDim(),
		{Name: "activation", Kind: String, Default: "gelu", Values: []string{"relu", "gelu", "silu", "swish", "tanh"}, Doc: "what stands between the maps"},
		{Name: "bias", Kind: Bool, Default: true, Doc: "whether the maps add a bias"},
	},
	Shape: mapShape,
	Weights: func(c *Call) {
		e, f, bias := c.Int("embedDim"), c.Int("ffDim"), c.Bool("bias")
		c.Linear("up", e, f, bias)
		c.Linear("down", f, e, bias)
	},
	FLOPs: func(c *Call) int64 { return c.MatMul(2, c.positions(), c.Int("embedDim"), c.Int("ffDim")) },
	Lower: func(l *Lowering) op.Value {
		return l.Map(l.activate(l.Str("activation"), l.Map(l.X[0], "up")), "down")
	},
	Torch: `FeedForward({{embedDim}}, {{ffDim}}, {{activation}}, {{bias}})`,
	Module: `class FeedForward(nn.Module):
    def __init__(self, dim, hidden, activation, bias):
        super().__init__()
        self.up, self.down = nn.Linear(dim, hidden, bias=bias), nn.Linear(hidden, dim, bias=bias)
        self.activation = dict(relu=F.relu, gelu=F.gelu, silu=F.silu, swish=F.silu, tanh=torch.tanh)[activation]

    def forward(self, x):
        return self.down(self.activation(self.up(x)))
`,
	WeightFormula: "2*embedDim*ffDim + bias*(embedDim+ffDim)",
	FLOPsFormula:  "4*size(in)*ffDim",
	Examples: []Example{
		{In: "[12,16]", Args: "embedDim=16", Out: "[12,16]", Weights: 2128, FLOPs: 49152},
		{In: "[16]", Args: "d_model=16 ff_dim=10 activation=relu bias=false", Out: "[16]", Weights: 320, FLOPs: 640},
		{In: "[12,16]", Args: "embedDim=8", Err: "embedDim is 8 but 16 features arrive"},
		{In: "[12,16]", Args: "embedDim=16 activation=mish", Err: "activation is \"mish\" but takes one of"},
	},
})

// ffDim is the width between the two maps of a feed-forward network.
func ffDim() Param {
	return Param{Name: "ffDim", Kind: Int, Aliases: []string{"dimFeedforward", "intermediateSize", "ffnDim"}, Doc: "width between the two maps",
		Derive: func(c *Call) int64 { return c.Mul(4, c.Int("embedDim")) }, DeriveDoc: "4*embedDim"}
}

// mapShape keeps every axis, of which the last must be embedDim.
func mapShape(c *Call) (Shape, error) {
	if err := c.lastAxis(LinearInMismatch, "embedDim"); err != nil {
		return nil, err
	}
	return c.In[0], nil
}

func slopeOfResult(activation string) bool { return activation == "relu" || activation == "tanh" }
