package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "kan",
	Title: "A linear layer whose weights are splines",
	Doc: `Runs every entry of the last axis through a trained spline for each feature of the result, of order splineOrder on a grid of gridSize intervals from -1 to 1, and sums them; ` +
		`a linear layer of SiLU is added. The other axes are kept.`,
	Source:  "Liu et al. 2024; Blealtan/efficient-kan KANLinear",
	Group:   Dense,
	Aliases: []string{"kanLinear", "kanLayer"},
	Traits:  HasActivation,
	Params: []Param{
		{Name: "inFeatures", Kind: Int, Min: 1, Reads: At(-1), Aliases: []string{"inputDim"}, Doc: "size of the last axis of the input"},
		{Name: "outFeatures", Kind: Int, Min: 1, Writes: At(-1), Aliases: []string{"outputDim"}, Doc: "size of the last axis of the result"},
		{Name: "gridSize", Kind: Int, Min: 1, Default: 5, Doc: "intervals of the grid"},
		{Name: "splineOrder", Kind: Int, Min: 1, Default: 3, Doc: "order of the splines"},
	},
	Shape: func(c *Call) (Shape, error) {
		if err := c.lastAxis(LinearInMismatch, "inFeatures"); err != nil {
			return nil, err
		}
		return c.In[0].With(-1, c.Int("outFeatures")), nil
	},
	Weights: func(c *Call) {
		in, out := c.Int("inFeatures"), c.Int("outFeatures")
		c.Weight("base_weight", out, in)
		c.Weight("spline_weight", out, in, c.Add(c.Int("gridSize"), c.Int("splineOrder")))
		c.Weight("spline_scaler", out, in)
	},
	FLOPs: func(c *Call) int64 {
		return c.MatMul(1, c.Size(c.Out), c.Int("inFeatures"), c.Add(c.Int("gridSize"), c.Int("splineOrder"), 1))
	},
	Lower:         lowerKAN,
	Torch:         `KANLinear({{inFeatures}}, {{outFeatures}}, {{gridSize}}, {{splineOrder}})`,
	Module:        kanModule,
	WeightFormula: "inFeatures*outFeatures*(gridSize + splineOrder + 2)",
	FLOPsFormula:  "2*size(out)*inFeatures*(gridSize + splineOrder + 1)",
	Examples: []Example{
		{In: "[28]", Args: "inFeatures=28 outFeatures=10", Out: "[10]", Weights: 2800, FLOPs: 5040},
		{In: "[3,2]", Args: "inFeatures=2 outFeatures=4 gridSize=2 splineOrder=1", Out: "[3,4]", Weights: 40, FLOPs: 192},
		{In: "[28]", Args: "inFeatures=20 outFeatures=10", Err: "inFeatures is 20 but 28 features arrive"},
		{In: "[28]", Args: "inFeatures=28 outFeatures=10 gridSize=0", Err: "gridSize is 0"},
	},
})

// lowerKAN evaluates the splines by the recursion of Cox and de Boor: each order blends neighbours of the one before.
func lowerKAN(l *Lowering) op.Value {
	p, rows, in, out, order := l.P, l.positions(), l.Int("inFeatures"), l.Int("outFeatures"), l.Int("splineOrder")
	if order > MostParts {
		return op.None
	}
	x := op.View(p, l.X[0], rows, in)
	base := op.Linear(p, op.OfInput(p, x), l.W("base_weight"), op.None)
	weight := op.Mul(p, l.W("spline_weight"), op.View(p, l.W("spline_scaler"), out, in, 1))
	n := l.Int("gridSize") + 2*order // intervals of the longer grid
	grid, x1 := p.Buffer(op.Float, in, n+1), op.View(p, x, rows, in, 1)
	y := op.Constant(p, op.Float, false, rows, in, n)
	for k := int64(1); k <= order; k++ {
		wide := n - k
		side := func(from op.Value) op.Value {
			share := op.Div(p, from, op.Constant(p, op.Float, true, in, wide))
			return op.Mul(p, share, op.View(p, y, rows, in, wide))
		}
		knots := op.View(p, grid, in, wide)
		left := side(op.Sub(p, x1, knots))
		y = op.Add(p, left, side(op.Sub(p, knots, x1)))
	}
	bases := l.Int("gridSize") + order
	splines := op.Linear(p, op.View(p, y, rows, in*bases), op.View(p, weight, out, in*bases), op.None)
	return op.View(p, op.Add(p, base, splines), l.Out...)
}

const kanModule = `class KANLinear(nn.Module):
    def __init__(self, features, out, grid_size, order):
        super().__init__()
        self.features, self.order = features, order
        self.base_weight = nn.Parameter(torch.randn(out, features) / math.sqrt(features))
        self.spline_weight = nn.Parameter(0.1 * torch.randn(out, features, grid_size + order))
        self.spline_scaler = nn.Parameter(torch.randn(out, features) / math.sqrt(features))
        grid = torch.arange(-order, grid_size + order + 1) * (2.0 / grid_size) - 1
        self.register_buffer("grid", grid.expand(features, -1).contiguous())

    def bases(self, x):
        g, x = self.grid, x.unsqueeze(-1)
        y = ((x >= g[:, :-1]) & (x < g[:, 1:])).to(x.dtype)
        for k in range(1, self.order + 1):
            left = (x - g[:, : -(k + 1)]) / (g[:, k:-1] - g[:, : -(k + 1)])
            right = (g[:, k + 1 :] - x) / (g[:, k + 1 :] - g[:, 1:-k])
            y = left * y[:, :, :-1] + right * y[:, :, 1:]
        return y.flatten(1)

    def forward(self, x):
        shape, x = x.shape[:-1], x.reshape(-1, self.features)
        weight = (self.spline_weight * self.spline_scaler.unsqueeze(-1)).flatten(1)
        y = F.linear(F.silu(x), self.base_weight) + F.linear(self.bases(x), weight)
        return y.view(*shape, -1)
`
