package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "crossNetwork",
	Title: "Crosses features with the input, layer by layer",
	Doc: `Each layer multiplies the network's input with a linear layer of what the layer before gave and adds that again, so that layer after layer products of more features arise. ` +
		`Version 2 maps with a full matrix, version 1 with a vector. It takes (inputDim) and keeps the shape.`,
	Source:  "torchrec.modules.crossnet CrossNet and VectorCrossNet; Wang et al. 2017, 2021 (DCN)",
	Group:   Recommending,
	Aliases: []string{"crossNetworkDCN"},
	Traits:  KeepsShape | HasResidual,
	Params: []Param{
		{Name: "inputDim", Kind: Int, Min: 1, Reads: At(-1), Aliases: []string{"inFeatures"}, Doc: "number of features"},
		{Name: "numLayers", Kind: Int, Min: 1, Bools: true, Default: 1, Doc: "number of layers"},
		{Name: "version", Kind: Int, Min: 1, Max: 2, Default: 2, Doc: "2 for a matrix in each layer, 1 for a vector"},
	},
	Shape: func(c *Call) (Shape, error) {
		if err := c.Ranks(1, 1, "(features)"); err != nil {
			return nil, err
		}
		return c.In[0], c.Match(FeatureMismatch, "inputDim", "feature")
	},
	Weights: func(c *Call) {
		d, n := c.Int("inputDim"), c.Int("numLayers")
		if c.Int("version") == 2 {
			c.WeightTimes(n, numbered("w.", 0, n), d, d)
		} else {
			c.WeightTimes(n, numbered("w.", 0, n), d, 1)
		}
		c.WeightTimes(n, numbered("b.", 0, n), d, 1)
	},
	// The product of a vector with a single number, in version 1, is no matrix product to PyTorch.
	FLOPs: func(c *Call) int64 {
		d := c.Int("inputDim")
		if c.Int("version") == 1 {
			return c.MatMul(c.Int("numLayers"), d, 1, 1)
		}
		return c.MatMul(c.Int("numLayers"), d, d, 1)
	},
	Lower: func(l *Lowering) op.Value {
		p, d, layers := l.P, l.Int("inputDim"), l.Int("numLayers")
		if layers > MostParts {
			return op.None
		}
		x := l.X[0]
		for k := range layers {
			w, b := p.WeightOf(0, k, l.Weights[0].Shape...), op.View(p, p.WeightOf(1, k, l.Weights[1].Shape...), d)
			if l.Int("version") == 2 {
				x = op.Add(p, op.Mul(p, l.X[0], op.Add(p, op.Linear(p, x, w, op.None), b)), x)
				continue
			}
			row := x
			if d == 1 { // tensordot sums an axis of size 1 first
				row = op.Sum(p, x, 1)
			}
			share := op.Linear(p, row, op.View(p, w, 1, d), op.None)
			x = op.Add(p, op.Add(p, op.Mul(p, l.X[0], share), b), x)
		}
		return x
	},
	Torch: `CrossNetwork({{inputDim}}, {{numLayers}}, version={{version}})`,
	Module: `class CrossNetwork(nn.Module):
    def __init__(self, dim, layers=1, version=2):
        super().__init__()
        self.version = version
        self.w = nn.ParameterList([nn.Parameter(torch.randn(dim, dim if version == 2 else 1) / dim) for _ in range(layers)])
        self.b = nn.ParameterList([nn.Parameter(torch.zeros(dim, 1)) for _ in range(layers)])

    def forward(self, x):
        x0 = x = x.unsqueeze(2)
        for w, b in zip(self.w, self.b):
            if self.version == 2:
                x = x0 * (torch.matmul(w, x) + b) + x
            else:
                x = torch.matmul(x0, torch.tensordot(x, w, dims=([1], [0]))) + b + x
        return x.squeeze(2)
`,
	WeightFormula: "numLayers*inputDim*(1 + (version == 1) + (version == 2)*inputDim)",
	FLOPsFormula:  "2*numLayers*inputDim*((version == 1) + (version == 2)*inputDim)",
	Examples: []Example{
		{In: "[16]", Args: "inputDim=16 numLayers=2", Out: "[16]", Weights: 544, FLOPs: 1024},
		{In: "[16]", Args: "inputDim=16 numLayers=4 version=1", Out: "[16]", Weights: 128, FLOPs: 128},
		{In: "[16]", Args: "inputDim=12", Err: "inputDim is 12 but 16 features arrive"},
		{In: "[16]", Args: "inputDim=16 version=3", Err: "version is 3 but takes an integer from 1 to 2"},
	},
})
