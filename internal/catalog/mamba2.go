package catalog

var _ = define(Type{
	ID:      "mamba2",
	Title:   "A state-space layer with heads",
	Doc:     `The successor of mamba: the inner features form heads of headDim that share one decay, and groups of heads share the matrices of the state, which makes larger states affordable. It takes (sequence, embedDim). headDim must divide expand*embedDim, and numGroups the number of heads. The memory stated is that of a scan in PyTorch; the fused kernel keeps less.`,
	Source:  "Dao and Gu 2024, Transformers are SSMs; state-spaces/mamba mamba2_simple.py",
	Group:   Recurrent,
	Aliases: []string{"mamba2Block", "ssd"},
	Traits:  IsRecurrent | HasNorm | HasActivation | KeepsShape,
	Params: stateSpaceParams(128,
		Param{Name: "headDim", Kind: Int, Min: 1, Default: 64, Doc: "inner features of one head"},
		Param{Name: "numGroups", Kind: Int, Min: 1, Default: 1, Aliases: []string{"nGroups"}, Doc: "groups of heads with matrices of their own"},
		Param{Name: "chunkSize", Kind: Int, Min: 1, Optional: true, Doc: "positions of a chunk, where the named module computes in chunks; the result is the same"}),
	Shape: func(c *Call) (Shape, error) {
		err := c.sequence(FeatureMismatch, "embedDim")
		if r, ok := err.(*Refusal); ok {
			if r.Param != "" && c.checkHeads(r.Value.Int()) != nil {
				r.Param = ""
			}
			return nil, err
		}
		if err = c.checkInner(); err == nil {
			err = c.checkHeads(c.Int("embedDim"))
		}
		return c.In[0], err
	},
	Weights: func(c *Call) {
		e, d, h, conv := c.Int("embedDim"), c.inner(c.Int("embedDim")), c.ssmHeads(), c.convolved()
		c.Linear("in_proj", e, c.Add(d, conv, h), c.Bool("bias"))
		c.Weight("conv1d.weight", conv, 1, c.Int("convKernel"))
		if c.Bool("convBias") {
			c.Weight("conv1d.bias", conv)
		}
		c.Weight("dt_bias", h)
		c.Weight("A_log", h)
		c.Weight("D", h)
		c.Weight("norm.weight", d)
		c.Linear("out_proj", d, e, c.Bool("bias"))
	},
	FLOPs: func(c *Call) int64 {
		s, e, d, conv := c.In[0][0], c.Int("embedDim"), c.inner(c.Int("embedDim")), c.convolved()
		return c.Add(c.MatMul(1, s, e, c.Add(d, conv, c.ssmHeads())), c.MatMul(1, conv, c.Int("convKernel"), c.scanned()), c.MatMul(1, s, d, e))
	},
	State: func(c *Call) int64 {
		return c.Add(c.Mul(c.inner(c.Int("embedDim")), c.Int("stateDim")), c.Mul(c.convolved(), c.Int("convKernel")))
	},
	Lower:  lowerMamba2,
	Torch:  `Mamba2({{embedDim}}, {{stateDim}}, {{convKernel}}, {{expand}}, {{headDim}}, {{numGroups}}, {{bias}}, {{convBias}})`,
	Module: mamba2Module,
	WeightFormula: "(embedDim + bias)*(2*expand*embedDim + 2*numGroups*stateDim + expand*embedDim/headDim) + " +
		"(convKernel + convBias)*(expand*embedDim + 2*numGroups*stateDim) + 3*(expand*embedDim/headDim) + " +
		"expand*embedDim*(embedDim + 1) + bias*embedDim",
	FLOPsFormula: "2*in[0]*embedDim*(3*expand*embedDim + 2*numGroups*stateDim + expand*embedDim/headDim) + " +
		"2*convKernel*(expand*embedDim + 2*numGroups*stateDim)*(in[0] + convKernel - 1)",
	Examples: []Example{
		{In: "[8,12]", Args: "embedDim=12 headDim=4 expand=1 convKernel=3 convBias=false", Out: "[8,12]", Weights: 4365, FLOPs: 72720},
		{In: "[1,4]", Args: "embedDim=4 headDim=2 numGroups=2 stateDim=18 convKernel=5 bias=true", Out: "[1,4]", FLOPs: 4800},
		{In: "[8,32]", Args: "embedDim=32 headDim=48", Err: "the 64 inner features are not divisible by heads of 48"},
		{In: "[8,32]", Args: "embedDim=32 numGroups=2", Err: "the number of heads, 1, is not divisible by 2 groups"},
		{In: "[8,32]", Args: "embedDim=64", Err: "embedDim is 64 but 32 features arrive"},
	},
})

// ssmHeads is the number of heads of the inner features.
func (c *Call) ssmHeads() int64 { return c.Part(c.inner(c.Int("embedDim")), c.Int("headDim")) }

// convolved is the number of features that pass the convolution: the inner ones, and two matrices for each group.
func (c *Call) convolved() int64 {
	return c.Add(c.inner(c.Int("embedDim")), c.Mul(2, c.Int("numGroups"), c.Int("stateDim")))
}

// checkHeads refuses inner features that do not split into heads, and heads that do not split into groups.
func (c *Call) checkHeads(features int64) error {
	d, hd, g := c.inner(features), c.Int("headDim"), c.Int("numGroups")
	if d%hd != 0 {
		return c.Errorf(HeadDimDivisibility, "the %d inner features are not divisible by heads of %d", d, hd)
	}
	if h := d / hd; h%g != 0 {
		return c.Errorf(GroupDivisibility, "the number of heads, %d, is not divisible by %d groups", h, g)
	}
	return nil
}

const mamba2Module = `class Mamba2(nn.Module):
    def __init__(self, dim, state, kernel, expand, head_dim, groups, bias, conv_bias):
        super().__init__()
        d = int(expand * dim)
        heads, conv = d // head_dim, d + 2 * groups * state
        self.d, self.state, self.heads, self.groups = d, state, heads, groups
        self.in_proj = nn.Linear(dim, d + conv + heads, bias=bias)
        self.conv1d = nn.Conv1d(conv, conv, kernel, groups=conv, padding=kernel - 1, bias=conv_bias)
        self.dt_bias, self.A_log, self.D = (nn.Parameter(f(heads)) for f in (torch.zeros, torch.zeros, torch.ones))
        self.norm = nn.RMSNorm(d)
        self.out_proj = nn.Linear(d, dim, bias=bias)

    def forward(self, u):
        pair = self.groups * self.state
        z, x, dt = self.in_proj(u).split([self.d, self.d + 2 * pair, self.heads], -1)
        dt, a = F.softplus(dt + self.dt_bias), -torch.exp(self.A_log)
        x = F.silu(self.conv1d(x.transpose(1, 2))[..., : u.shape[1]].transpose(1, 2))
        x, b, c = x.split([self.d, pair, pair], -1)
        x = x.unflatten(2, (self.heads, -1))
        b, c = (y.unflatten(2, (self.groups, -1)).repeat_interleave(self.heads // self.groups, 2) for y in (b, c))
        s, ys = x.new_zeros(*x[:, 0].shape, self.state), []
        for i in range(u.shape[1]):
            s = torch.exp(dt[:, i] * a)[..., None, None] * s + (dt[:, i, :, None] * x[:, i])[..., None] * b[:, i, :, None, :]
            ys.append((s * c[:, i, :, None, :]).sum(-1))
        y = (torch.stack(ys, 1) + self.D[:, None] * x).flatten(2)
        return self.out_proj(self.norm(y * F.silu(z)))
`
