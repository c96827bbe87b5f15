package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "denseLayer",
	Title:   "Convolutions whose result is put behind the input",
	Doc:     `Batch normalisation, relu and a convolution of size 1 to bnSize * growthRate channels, then the same with a convolution of size 3 to growthRate channels, which are put behind those of the input: the layer of DenseNet. Takes (channels, height, width), and every layer adds growthRate channels.`,
	Source:  "torchvision.models.densenet._DenseLayer; Huang et al. 2016, Densely Connected Convolutional Networks",
	Group:   Blocks,
	Aliases: []string{"denseNetLayer"},
	Traits:  HasResidual | HasNorm | HasActivation, // the input reaches the result as it is
	Params: []Param{
		blockInChannels(),
		{Name: "growthRate", Kind: Int, Min: 1, Doc: "channels that are added"},
		{Name: "bnSize", Kind: Int, Min: 1, Bools: true, Default: 4, Doc: "how many times more channels the middle has"},
	},
	Shape: func(c *Call) (Shape, error) {
		if err := c.Ranks(3, 3, imageAxes[2]); err != nil {
			return nil, err
		}
		return c.In[0].With(0, c.Add(c.In[0][0], c.Int("growthRate"))), c.Match(ChannelMismatch, "inChannels", "channel")
	},
	Weights: func(c *Call) {
		in, middle := c.Int("inChannels"), denseMiddle(c)
		c.channelNorm("norm1", in)
		c.weight(1, "conv1", "weight", middle, in, 1, 1)
		c.channelNorm("norm2", middle)
		c.weight(1, "conv2", "weight", c.Int("growthRate"), middle, 3, 3)
	},
	FLOPs: func(c *Call) int64 {
		return c.Mul(2, c.Size(c.Out[1:]), denseMiddle(c), c.Add(c.Int("inChannels"), c.Mul(9, c.Int("growthRate"))))
	},
	Lower: func(l *Lowering) op.Value {
		x, places := l.X[0], l.In[0][1:]
		y := op.OfOutputInPlace(l.P, l.batchNorm(op.Contiguous(l.P, x, l.In[0]...), "norm1"))
		y = op.OfOutputInPlace(l.P, l.batchNorm(l.conv(y, "conv1", op.Geometry{Groups: 1}, places...), "norm2"))
		y = l.conv(y, "conv2", op.Geometry{Groups: 1, Permuted: true}, places...) // its gradient is a part of that of the whole
		return op.Concatenate(l.P, l.Out, x, y)
	},
	Torch: `DenseLayer({{inChannels}}, {{growthRate}}, {{bnSize}})`,
	Module: `class DenseLayer(nn.Module):
    def __init__(self, channels, growth, size):
        super().__init__()
        self.norm1 = nn.BatchNorm2d(channels)
        self.conv1 = nn.Conv2d(channels, size * growth, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(size * growth)
        self.conv2 = nn.Conv2d(size * growth, growth, 3, padding=1, bias=False)

    def forward(self, x):
        y = self.conv1(F.relu(self.norm1(torch.cat([x], 1)), inplace=True))
        y = self.conv2(F.relu(self.norm2(y), inplace=True))
        return torch.cat([x, y], 1)
`,
	WeightFormula: "2*inChannels + bnSize*growthRate*(inChannels + 2 + 9*growthRate)",
	FLOPsFormula:  "2*size(out, 1)*bnSize*growthRate*(inChannels + 9*growthRate)",
	Examples: []Example{
		{In: "[64,56,56]", Args: "inChannels=64 growthRate=32", Out: "[96,56,56]", Weights: 45440, FLOPs: 282591232},
		{In: "[5,5,8]", Args: "inChannels=5 growthRate=4 bnSize=2", Out: "[9,5,8]", Weights: 354, FLOPs: 26240},
		{In: "[32,56,56]", Args: "inChannels=64 growthRate=32", Err: "inChannels is 64 but 32 channels arrive"},
		{In: "[64,56]", Args: "inChannels=64 growthRate=32", Err: "takes (channels, height, width), got [64,56]"},
	},
})

// denseMiddle is the number of channels between the two convolutions.
func denseMiddle(c *Call) int64 { return c.Mul(c.Int("bnSize"), c.Int("growthRate")) }
