package catalog

var _ = define(Type{
	ID:      "mamba",
	Title:   "A selective state-space layer",
	Doc:     `Mixes a sequence (sequence, embedDim) with a short convolution and a linear recurrence whose step and matrices depend on the input, gated by a second branch. Its cost grows linearly with the sequence, and it needs no encoding of positions. The memory stated is that of a scan in PyTorch, which keeps the state of every position; the fused kernel of mamba-ssm computes it again instead.`,
	Source:  "Gu and Dao 2023, Mamba; state-spaces/mamba mamba_simple.py",
	Group:   Recurrent,
	Aliases: []string{"mambaBlock", "selectiveSSM"},
	Traits:  IsRecurrent | HasActivation | KeepsShape,
	Params: stateSpaceParams(16, Param{Name: "dtRank", Kind: Int, Min: 1, Doc: "rank of the map that gives the step of each feature",
		Derive: func(c *Call) int64 { return (c.Int("embedDim")-1)/16 + 1 }, DeriveDoc: "embedDim/16, rounded up"}),
	Shape: func(c *Call) (Shape, error) {
		if err := c.sequence(FeatureMismatch, "embedDim"); err != nil {
			return nil, err
		}
		return c.In[0], c.checkInner()
	},
	Weights: func(c *Call) {
		e, n, r, d := c.Int("embedDim"), c.Int("stateDim"), c.Int("dtRank"), c.inner(c.Int("embedDim"))
		c.Linear("in_proj", e, c.Mul(2, d), c.Bool("bias"))
		c.Weight("conv1d.weight", d, 1, c.Int("convKernel"))
		if c.Bool("convBias") {
			c.Weight("conv1d.bias", d)
		}
		c.Linear("x_proj", d, c.Add(r, n, n), false)
		c.Linear("dt_proj", r, d, true)
		c.Weight("A_log", d, n)
		c.Weight("D", d)
		c.Linear("out_proj", d, e, c.Bool("bias"))
	},
	FLOPs: func(c *Call) int64 {
		s, e, n, r, d := c.In[0][0], c.Int("embedDim"), c.Int("stateDim"), c.Int("dtRank"), c.inner(c.Int("embedDim"))
		return c.Add(c.MatMul(3, s, e, d), c.MatMul(1, d, c.Int("convKernel"), c.scanned()), c.MatMul(1, s, d, c.Add(r, n, n)), c.MatMul(1, s, r, d))
	},
	State: func(c *Call) int64 {
		return c.Mul(c.inner(c.Int("embedDim")), c.Add(c.Int("stateDim"), c.Int("convKernel")))
	},
	Lower:  lowerMamba,
	Torch:  `Mamba({{embedDim}}, {{stateDim}}, {{convKernel}}, {{expand}}, {{dtRank}}, {{bias}}, {{convBias}})`,
	Module: mambaModule,
	WeightFormula: "3*expand*embedDim*embedDim + bias*(2*expand + 1)*embedDim + " +
		"expand*embedDim*(convKernel + convBias + 2*dtRank + 3*stateDim + 2)",
	FLOPsFormula: "2*expand*embedDim*(in[0]*(3*embedDim + 2*dtRank + 2*stateDim) + convKernel*(in[0] + convKernel - 1))",
	Examples: []Example{
		{In: "[8,20]", Args: "embedDim=20 stateDim=2 dtRank=2 convBias=false", Out: "[8,20]", Weights: 3040, FLOPs: 47040},
		{In: "[7,31]", Args: "embedDim=31 bias=true", Out: "[7,31]", Weights: 9579, FLOPs: 116932},
		{In: "[1,12]", Args: "embedDim=12 convKernel=2 expand=1", Out: "[1,12]", FLOPs: 1776},
		{In: "[8,20]", Args: "embedDim=16", Err: "embedDim is 16 but 20 features arrive"},
		{In: "[8,2]", Args: "embedDim=2 expand=0.4", Err: "expand is 0.4, which leaves none of 2 features"},
		{In: "[20]", Args: "embedDim=20", Err: "takes (sequence, features), got [20]"},
	},
})

const mambaModule = `class Mamba(nn.Module):
    def __init__(self, dim, state, kernel, expand, dt_rank, bias, conv_bias):
        super().__init__()
        d = int(expand * dim)
        self.sizes = [dt_rank, state, state]
        self.in_proj = nn.Linear(dim, 2 * d, bias=bias)
        self.conv1d = nn.Conv1d(d, d, kernel, groups=d, padding=kernel - 1, bias=conv_bias)
        self.x_proj = nn.Linear(d, dt_rank + 2 * state, bias=False)
        self.dt_proj = nn.Linear(dt_rank, d)
        self.A_log = nn.Parameter(torch.log(torch.arange(1, state + 1, dtype=torch.float32)).repeat(d, 1))
        self.D = nn.Parameter(torch.ones(d))
        self.out_proj = nn.Linear(d, dim, bias=bias)

    def forward(self, u):
        x, z = self.in_proj(u).chunk(2, -1)
        x = F.silu(self.conv1d(x.transpose(1, 2))[..., : u.shape[1]].transpose(1, 2))
        dt, b, c = self.x_proj(x).split(self.sizes, -1)
        dt, a = F.softplus(self.dt_proj(dt)), -torch.exp(self.A_log)
        h, ys = x.new_zeros(x.shape[0], *a.shape), []
        for i in range(u.shape[1]):
            h = torch.exp(dt[:, i, :, None] * a) * h + (dt[:, i] * x[:, i])[..., None] * b[:, i, None, :]
            ys.append((h * c[:, i, None, :]).sum(-1))
        return self.out_proj((torch.stack(ys, 1) + self.D * x) * F.silu(z))
`
