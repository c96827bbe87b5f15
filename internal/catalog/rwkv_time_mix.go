package catalog

var _ = define(Type{
	ID:      "rwkvTimeMix",
	Title:   "The recurrent attention of RWKV",
	Doc:     `Blends each position with the one before it, and sums earlier values with weights that fade exponentially, at a trained rate for each feature. It takes (sequence, embedDim). It stands in the place of attention, costs the same for every position and needs no encoding of positions. The memory stated is that of the recurrence in PyTorch; the fused kernel keeps less.`,
	Source:  "Peng et al. 2023, RWKV; transformers RwkvSelfAttention (RWKV-4)",
	Group:   Recurrent,
	Aliases: []string{"rwkv", "rwkvAttention", "timeMix"},
	Traits:  IsRecurrent | HasActivation | KeepsShape,
	Ints:    IntsToFloat,
	Params:  []Param{{Name: "embedDim", Kind: Int, Min: 1, Reads: At(-1), Doc: "size of the last axis"}},
	Shape: func(c *Call) (Shape, error) {
		if err := c.sequence(FeatureMismatch, "embedDim"); err != nil {
			return nil, err
		}
		return c.In[0], nil
	},
	Weights: func(c *Call) {
		e := c.Int("embedDim")
		c.Weight("time_decay", e)
		c.Weight("time_first", e)
		for _, name := range []string{"key", "value", "receptance"} {
			c.Weight("time_mix_"+name, 1, 1, e)
		}
		for _, name := range []string{"key", "value", "receptance", "output"} {
			c.Linear(name, e, e, false)
		}
	},
	FLOPs:         func(c *Call) int64 { return c.MatMul(4, c.In[0][0], c.Int("embedDim"), c.Int("embedDim")) },
	State:         func(c *Call) int64 { return c.Mul(4, c.Int("embedDim")) }, // numerator, denominator, maximum and the token before (appendix)
	Lower:         lowerRwkv,
	Torch:         `RwkvTimeMix({{embedDim}})`,
	Module:        rwkvModule,
	WeightFormula: "4*embedDim*embedDim + 5*embedDim",
	FLOPsFormula:  "8*in[0]*embedDim*embedDim",
	Examples: []Example{
		{In: "[9,9]", Args: "embedDim=9", Out: "[9,9]", Weights: 369, FLOPs: 5832},
		{In: "[1,3]", Args: "dModel=3", Out: "[1,3]", Weights: 51, FLOPs: 72},
		{In: "[9,16]", Args: "embedDim=9", Err: "embedDim is 9 but 16 features arrive"},
		{In: "[9]", Args: "embedDim=9", Err: "takes (sequence, features), got [9]"},
	},
})

const rwkvModule = `class RwkvTimeMix(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.time_decay, self.time_first = nn.Parameter(torch.zeros(dim)), nn.Parameter(torch.zeros(dim))
        self.time_mix_key, self.time_mix_value, self.time_mix_receptance = (nn.Parameter(torch.full((1, 1, dim), 0.5)) for _ in range(3))
        self.key, self.value, self.receptance, self.output = (nn.Linear(dim, dim, bias=False) for _ in range(4))

    def forward(self, x):
        last = F.pad(x, (0, 0, 1, -1))
        k = self.key(x * self.time_mix_key + last * (1 - self.time_mix_key))
        v = self.value(x * self.time_mix_value + last * (1 - self.time_mix_value))
        r = self.receptance(x * self.time_mix_receptance + last * (1 - self.time_mix_receptance))
        w = -torch.exp(self.time_decay)
        num, den, top, ys = torch.zeros_like(k[:, 0]), torch.zeros_like(k[:, 0]), torch.full_like(k[:, 0], -1e38), []
        for ki, vi in zip(k.unbind(1), v.unbind(1)):
            m = torch.maximum(top, ki + self.time_first)
            a, b = torch.exp(top - m), torch.exp(ki + self.time_first - m)
            ys.append((a * num + b * vi) / (a * den + b))
            m = torch.maximum(top + w, ki)
            a, b = torch.exp(top + w - m), torch.exp(ki - m)
            num, den, top = a * num + b * vi, a * den + b, m
        return self.output(torch.sigmoid(r) * torch.stack(ys, 1))
`
