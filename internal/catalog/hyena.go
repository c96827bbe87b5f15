package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "hyena",
	Title: "A long convolution between two gates",
	Doc: `Convolves every feature of (sequence, embedDim) with a kernel as long as the sequence, which a small network of the position makes, and multiplies by a gate before and behind it; ` +
		`gates and values come from a linear layer behind a short convolution. The long convolution runs by Fourier transforms, which count as no FLOPs. It stands in the place of attention and needs no encoding of positions.`,
	Source:  "Poli et al. 2023, Hyena Hierarchy; HazyResearch/safari hyena.py HyenaOperator of order 2",
	Group:   Recurrent,
	Aliases: []string{"hyenaOperator"},
	Traits:  IsRecurrent | HasActivation | KeepsShape,
	Params: []Param{
		{Name: "embedDim", Kind: Int, Min: 1, Reads: At(-1), Doc: "size of the last axis"},
		{Name: "filterDim", Kind: Int, Min: 1, Default: 64, Aliases: []string{"filterOrder"}, Doc: "hidden features of the network that makes the kernel"},
	},
	Shape: func(c *Call) (Shape, error) { return c.In[0], c.sequence(FeatureMismatch, "embedDim") },
	Weights: func(c *Call) {
		e, f := c.Int("embedDim"), c.Int("filterDim")
		c.Weight("freq", 1, f)
		c.Weight("bias", e)
		c.Linear("in_proj", e, c.Mul(3, e), true)
		c.Linear("out_proj", e, e, true)
		c.Weight("short.weight", c.Mul(3, e), 1, 3)
		c.Weight("short.bias", c.Mul(3, e))
		c.Linear("fc0", 3, f, true)
		c.Linear("fc1", f, f, true)
		c.Linear("fc2", f, f, true)
		c.Linear("fc3", f, e, false)
	},
	FLOPs: func(c *Call) int64 {
		s, e, f := c.In[0][0], c.Int("embedDim"), c.Int("filterDim")
		filter := c.MatMul(1, s, f, c.Add(3, c.Mul(2, f), e))
		return c.Add(c.MatMul(4, s, e, e), c.MatMul(3, e, 3, c.Add(s, 2)), filter)
	},
	Lower: lowerHyena,
	Torch: `Hyena({{embedDim}}, {{filterDim}})`,
	Module: `class Hyena(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.dim, self.in_proj, self.out_proj = dim, nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.short = nn.Conv1d(3 * dim, 3 * dim, 3, groups=3 * dim, padding=2)
        self.fc0, self.fc1, self.fc2 = nn.Linear(3, hidden), nn.Linear(hidden, hidden), nn.Linear(hidden, hidden)
        self.fc3 = nn.Linear(hidden, dim, bias=False)
        self.freq, self.bias = nn.Parameter(torch.ones(1, hidden)), nn.Parameter(torch.randn(dim))

    def kernel(self, s, device):
        t = torch.linspace(0, 1, s, device=device)[:, None]
        angle = 2 * math.pi * torch.arange(s, device=device)[:, None] / s
        y = torch.cat([t, torch.cos(1e-4 * angle), -torch.sin(1e-4 * angle)], -1)
        for fc in (self.fc0, self.fc1, self.fc2):
            y = torch.sin(self.freq * fc(y))
        decay = torch.exp(-t * torch.linspace(3.07, 15.35, self.dim, device=device))
        return (self.fc3(y) * decay).t()

    def forward(self, x):
        s = x.shape[1]
        x0, x1, v = self.short(self.in_proj(x).transpose(1, 2))[..., :s].split(self.dim, 1)
        v = v * x1
        spectrum = torch.fft.rfft(v, n=2 * s) * (torch.fft.rfft(self.kernel(s, x.device), n=2 * s) / (2 * s))
        y = torch.fft.irfft(spectrum, n=2 * s, norm="forward")[..., :s] + v * self.bias[:, None]
        return self.out_proj((y * x0).transpose(1, 2))
`,
	WeightFormula: "4*embedDim*embedDim + 17*embedDim + 2*filterDim*filterDim + 7*filterDim + filterDim*embedDim",
	FLOPsFormula:  "8*in[0]*embedDim*embedDim + 18*embedDim*(in[0] + 2) + 2*in[0]*filterDim*(3 + 2*filterDim + embedDim)",
	Examples: []Example{
		{In: "[10,16]", Args: "embedDim=16", Out: "[10,16]", Weights: 10960, FLOPs: 212096},
		{In: "[1,3]", Args: "embedDim=3 filterDim=2", Out: "[1,3]", Weights: 115, FLOPs: 274},
		{In: "[10,16]", Args: "embedDim=12", Err: "embedDim is 12 but 16 features arrive"},
		{In: "[16]", Args: "embedDim=16", Err: "takes (sequence, features), got [16]"},
	},
})

func lowerHyena(l *Lowering) op.Value {
	p, s, e := l.P, l.In[0][0], l.Int("embedDim")
	u := op.View(p, l.Map(l.X[0], "in_proj"), 3*e, s)
	short := op.Convolution(p, u, l.W("short.weight"), l.W("short.bias"), op.Geometry{Groups: 3 * e}, s+2)
	parts := op.Split(p, op.View(p, short, 3*e, s), Of(e, s), Of(e, s), Of(e, s))
	v := op.Mul(p, parts[2], parts[1])
	kernel := op.View(p, l.hyenaKernel(s, e), e, s)
	of := op.RFFT(p, op.Padded(p, v, e, 2*s), e, s+1)
	long := op.Complex(p, op.Scale(p, op.RFFT(p, op.Padded(p, kernel, e, 2*s), e, s+1)))
	y := op.View(p, op.IRFFT(p, op.Complex(p, op.Mul(p, of, long)), e, 2*s), e, s)
	y = op.Add(p, y, op.Mul(p, v, op.View(p, l.W("bias"), e, 1)))
	return l.Map(op.View(p, op.Mul(p, y, parts[0]), s, e), "out_proj")
}

// hyenaKernel is the kernel, one for all samples, which a network makes of the positions.
func (l *Lowering) hyenaKernel(s, e int64) op.Value {
	p := l.P
	y := op.Constant(p, op.Float, true, s, 3)
	for _, name := range [...]string{"fc0", "fc1", "fc2"} {
		y = op.OfInput(p, op.Mul(p, l.W("freq"), l.Map(y, name)))
	}
	return op.Mul(p, l.Map(y, "fc3"), op.Constant(p, op.Float, true, s, e))
}
