package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "bottleneckBlock",
	Title:   "Residual block with a narrow middle",
	Doc:     `A convolution of size 1 to fewer channels, one of size 3 with the stride, and one of size 1 to channels * expansion, each with a batch normalisation, added to the input: the block of ResNet-50, and with groups of ResNeXt. Takes (channels, height, width). The middle has channels * groups channels: groups makes it wider.`,
	Source:  "torchvision.models.resnet.Bottleneck; He et al. 2015, Deep Residual Learning for Image Recognition",
	Group:   Blocks,
	Aliases: []string{"bottleneck", "resNetBottleneck"},
	Traits:  HasResidual | HasNorm | HasActivation,
	Params: []Param{
		blockInChannels(),
		{Name: "channels", Kind: Int, Min: 1, Bools: true, Aliases: []string{"planes"}, Doc: "channels of the middle, for each group"},
		blockStride(),
		{Name: "expansion", Kind: Int, Min: 1, Bools: true, Default: 4, Doc: "how many times more channels the result has"},
		groupsParam(),
		dilationParam(2),
	},
	Shape: func(c *Call) (Shape, error) { return residualShape(c, c.Mul(c.Int("channels"), c.Int("expansion"))) },
	Weights: func(c *Call) {
		width, out := bottleneckWidth(c), c.Mul(c.Int("channels"), c.Int("expansion"))
		c.normedConv("conv1", "bn1", width, c.Int("inChannels"), 1, 1)
		c.normedConv("conv2", "bn2", width, c.Int("channels"), 3, 3)
		c.normedConv("conv3", "bn3", out, width, 1, 1)
		projectionWeights(c, out)
	},
	FLOPs: func(c *Call) int64 {
		width, pixels := bottleneckWidth(c), c.Size(c.Out[1:])
		return c.Add(
			c.Mul(2, c.Size(c.In[0]), width),
			c.Mul(18, pixels, width, c.Int("channels")),
			c.Mul(2, pixels, width, c.Out[0]),
			projectionFLOPs(c))
	},
	Lower: func(l *Lowering) op.Value {
		y := op.OfOutputInPlace(l.P, l.normed(l.X[0], "conv1", "bn1", 1, l.In[0][1:]...))
		y = op.OfOutputInPlace(l.P, l.normed(y, "conv2", "bn2", l.Int("groups"), l.Out[1:]...))
		return l.residual(l.normed(y, "conv3", "bn3", 1, l.Out[1:]...))
	},
	Torch: `Bottleneck({{inChannels}}, {{channels}}, {{stride}}, {{expansion}}, {{groups}}, {{dilation}})`,
	Module: `class Bottleneck(nn.Module):
    def __init__(self, channels, middle, stride, expansion, groups, dilation):
        super().__init__()
        width, out = middle * groups, middle * expansion
        self.conv1 = nn.Conv2d(channels, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride=stride, padding=dilation, dilation=dilation, groups=groups, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, out, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(out)
        self.downsample = None
        if stride != 1 or channels != out:
            self.downsample = nn.Sequential(nn.Conv2d(channels, out, 1, stride=stride, bias=False), nn.BatchNorm2d(out))

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)), inplace=True)
        y = F.relu(self.bn2(self.conv2(y)), inplace=True)
        y = self.bn3(self.conv3(y))
        y += x if self.downsample is None else self.downsample(x)
        return F.relu(y, inplace=True)
`,
	WeightFormula: "channels*groups*(inChannels + 9*channels + 4) + channels*expansion*(channels*groups + 2)" +
		" + max(stride != 1, inChannels != channels*expansion)*channels*expansion*(inChannels + 2)",
	FLOPsFormula: "2*size(in)*channels*groups + size(out, 1)*channels*groups*(18*channels + 2*out[0])" +
		" + max(stride != 1, inChannels != channels*expansion)*2*size(out)*inChannels",
	Examples: []Example{
		{In: "[256,56,56]", Args: "inChannels=256 channels=64", Out: "[256,56,56]", Weights: 70400, FLOPs: 436731904},
		{In: "[256,56,56]", Args: "inChannels=256 channels=128 stride=2", Out: "[512,28,28]", Weights: 379392},
		{In: "[24,3,5]", Args: "inChannels=24 channels=6 groups=3 dilation=2", Out: "[24,3,5]", Weights: 1956, FLOPs: 55080},
		{In: "[128,56,56]", Args: "inChannels=256 channels=64", Err: "inChannels is 256 but 128 channels arrive"},
	},
})

// bottleneckWidth is the number of channels in the middle.
func bottleneckWidth(c *Call) int64 { return c.Mul(c.Int("channels"), c.Int("groups")) }
