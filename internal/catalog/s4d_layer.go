package catalog

var _ = define(Type{
	ID:      "s4dLayer",
	Title:   "A diagonal state-space layer",
	Doc:     `Convolves every feature of a sequence (sequence, embedDim) with a kernel as long as the sequence, which stateDim/2 pairs of complex numbers per feature generate, and mixes the features with a GELU, a linear layer and a GLU. The convolution runs by Fourier transforms, which count as no FLOPs. It needs no encoding of positions.`,
	Source:  "Gu et al. 2022, On the Parameterization and Initialization of Diagonal State Space Models; state-spaces/s4 s4d.py",
	Group:   Recurrent,
	Aliases: []string{"s4d", "s4Layer"},
	Traits:  IsRecurrent | HasActivation | KeepsShape,
	Ints:    IntsToFloat,
	Params: []Param{
		{Name: "embedDim", Kind: Int, Min: 1, Reads: At(-1), Doc: "size of the last axis"},
		{Name: "stateDim", Kind: Int, Min: 1, Default: 64, Aliases: []string{"dState"}, Doc: "size of the state of each feature; half of it, rounded down, is stored"},
	},
	Shape: func(c *Call) (Shape, error) {
		if err := c.sequence(FeatureMismatch, "embedDim"); err != nil {
			return nil, err
		}
		return c.In[0], nil
	},
	Weights: func(c *Call) {
		e, n := c.Int("embedDim"), c.Int("stateDim")/2
		c.Weight("D", e)
		c.Weight("log_dt", e)
		c.Weight("C", e, n, 2)
		c.Weight("log_A_real", e, n)
		c.Weight("A_imag", e, n)
		c.Weight("output.weight", c.Mul(2, e), e, 1)
		c.Weight("output.bias", c.Mul(2, e))
	},
	FLOPs: func(c *Call) int64 {
		s, e, n := c.In[0][0], c.Int("embedDim"), c.Int("stateDim")/2
		mix := c.MatMul(2, s, e, e)
		if n == 1 { // a sum over one entry is no matrix product
			return mix
		}
		return c.Add(mix, c.MatMul(e, 1, n, s))
	},
	State: func(c *Call) int64 { return c.Mul(c.Int("embedDim"), 2, c.Int("stateDim")/2) }, // complex numbers, of which half are stored
	Lower: lowerS4D,
	Torch: `S4D({{embedDim}}, {{stateDim}})`,
	Module: `class S4D(nn.Module):
    def __init__(self, dim, state):
        super().__init__()
        n = state // 2
        self.D = nn.Parameter(torch.randn(dim))
        self.log_dt = nn.Parameter(torch.rand(dim) * math.log(100) + math.log(0.001))
        self.C = nn.Parameter(torch.view_as_real(torch.randn(dim, n, dtype=torch.cfloat)))
        self.log_A_real = nn.Parameter(torch.log(0.5 * torch.ones(dim, n)))
        self.A_imag = nn.Parameter(math.pi * torch.arange(n, dtype=torch.float32).repeat(dim, 1))
        self.output = nn.Conv1d(dim, 2 * dim, 1)

    def forward(self, x):
        u, s = x.transpose(1, 2), x.shape[1]
        a = torch.complex(-torch.exp(self.log_A_real), self.A_imag)
        da = a * torch.exp(self.log_dt)[:, None]
        c = torch.view_as_complex(self.C) * (torch.exp(da) - 1.0) / a
        k = 2 * torch.einsum("hn,hnl->hl", c, torch.exp(da[..., None] * torch.arange(s, device=x.device))).real
        y = torch.fft.irfft(torch.fft.rfft(u, n=2 * s) * torch.fft.rfft(k, n=2 * s), n=2 * s)[..., :s]
        return F.glu(self.output(F.gelu(y + u * self.D[:, None])), 1).transpose(1, 2)
`,
	WeightFormula: "4*embedDim*(stateDim/2) + 2*embedDim*embedDim + 4*embedDim",
	FLOPsFormula:  "4*in[0]*embedDim*embedDim + (stateDim/2 != 1)*2*in[0]*embedDim*(stateDim/2)",
	Examples: []Example{
		{In: "[10,20]", Args: "embedDim=20", Out: "[10,20]", Weights: 3440, FLOPs: 28800},
		{In: "[2,31]", Args: "embedDim=31 stateDim=2", Out: "[2,31]", Weights: 2170, FLOPs: 7688},
		{In: "[5,14]", Args: "embedDim=14 stateDim=1", Out: "[5,14]", Weights: 448, FLOPs: 3920},
		{In: "[10,20]", Args: "embedDim=16", Err: "embedDim is 16 but 20 features arrive"},
		{In: "[20]", Args: "embedDim=20", Err: "takes (sequence, features), got [20]"},
	},
})
