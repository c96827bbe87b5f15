package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "seBlock",
	Title:   "Squeeze and excitation",
	Doc:     `Takes the mean of each channel, runs the means through two small linear layers and scales every channel by what comes out, a number between 0 and 1. The hidden size is channels / reduction, at least 1.`,
	Source:  "Hu et al. 2017, Squeeze-and-Excitation Networks",
	Group:   Blocks,
	Aliases: []string{"squeezeExcitation", "squeezeExcite", "squeezeAndExcitation", "seLayer"},
	Traits:  KeepsShape | HasActivation,
	Params: []Param{
		{Name: "channels", Kind: Int, Reads: At(0), Aliases: []string{"inChannels"}, Doc: "channels of the input"},
		{Name: "reduction", Kind: Int, Negative: true, Default: 16, Aliases: []string{"ratio"}, Doc: "how many times smaller the hidden layer is, not 0"},
	},
	Shape: func(c *Call) (Shape, error) {
		if err := c.Ranks(3, 3, imageAxes[2]); err != nil {
			return nil, err
		}
		if c.Int("reduction") == 0 {
			return c.In[0], c.Errorf(BadParam, "reduction is 0, and channels cannot be divided by it")
		}
		return c.In[0], c.Match(ChannelMismatch, "channels", "channel")
	},
	Weights: func(c *Call) {
		n := c.Int("channels")
		c.Linear("fc1", n, squeezed(c), true)
		c.Linear("fc2", squeezed(c), n, true)
	},
	FLOPs: func(c *Call) int64 { return c.Mul(4, c.Int("channels"), squeezed(c)) },
	Lower: func(l *Lowering) op.Value {
		x, channels := l.X[0], l.Int("channels")
		gate := op.OfOutput(l.P, l.Map(op.Mean(l.P, x, channels), "fc1"))
		gate = op.OfOutput(l.P, l.Map(gate, "fc2"))
		return op.Mul(l.P, x, op.View(l.P, gate, channels, 1, 1))
	},
	Torch: `SEBlock({{channels}}, {{reduction}})`,
	Module: `class SEBlock(nn.Module):
    def __init__(self, channels, reduction):
        super().__init__()
        hidden = max(1, channels // reduction)
        self.fc1, self.fc2 = nn.Linear(channels, hidden), nn.Linear(hidden, channels)

    def forward(self, x):
        gate = torch.sigmoid(self.fc2(F.relu(self.fc1(x.mean((2, 3))))))
        return x * gate[:, :, None, None]
`,
	WeightFormula: "2*channels*max(1, channels/reduction) + max(1, channels/reduction) + channels",
	FLOPsFormula:  "4*channels*max(1, channels/reduction)",
	Examples: []Example{
		{In: "[64,8,8]", Args: "channels=64", Out: "[64,8,8]", Weights: 580, FLOPs: 1024},
		{In: "[8,4,4]", Args: "channels=8 reduction=16", Out: "[8,4,4]", Weights: 25, FLOPs: 32},
		{In: "[33,7,3]", Args: "channels=32 reduction=4", Err: "channels is 32 but 33 channels arrive"},
	},
})

// squeezed is the size of the hidden layer. A negative reduction, which Python lets pass, gives 1 as well.
func squeezed(c *Call) int64 { return max(1, c.Quotient(c.Int("channels"), c.Int("reduction"))) }
