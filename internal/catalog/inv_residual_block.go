package catalog

import (
	"math"

	"github.com/modelverifier/verifier/internal/op"
)

var _ = define(Type{
	ID:      "invResidualBlock",
	Title:   "Inverted residual block of MobileNet",
	Doc:     `A convolution of size 1 to expandRatio times the channels, a depthwise one of size 3 with the stride, and one of size 1 to outChannels, each with a batch normalisation and a relu6 after all but the last. Takes (channels, height, width). The input is added only with stride 1 and outChannels equal to inChannels, and expandRatio 1 leaves the first convolution out.`,
	Source:  "torchvision.models.mobilenetv2.InvertedResidual; Sandler et al. 2018, MobileNetV2",
	Group:   Blocks,
	Aliases: []string{"invertedResidual", "invertedResidualBlock"},
	Traits:  HasResidual | HasNorm | HasActivation,
	Params: []Param{
		blockInChannels(),
		outChannelsParam(),
		{Name: "stride", Kind: Int, Min: 1, Max: 2, Default: 1, Doc: "how far the depthwise kernel moves at a time"},
		{Name: "expandRatio", Kind: Float, Default: 6, Aliases: []string{"expansion", "expansionFactor"}, Doc: "how many times more channels the middle has"},
	},
	Shape: func(c *Call) (Shape, error) {
		if err := c.Ranks(3, 3, imageAxes[2]); err != nil {
			return nil, err
		}
		stride := c.Int("stride")
		shape := Of(c.Int("outChannels"), strided(c.In[0][1], stride), strided(c.In[0][2], stride))
		if err := c.Match(ChannelMismatch, "inChannels", "channel"); err != nil {
			return shape, err
		}
		if invertedMiddle(c) < 1 {
			return shape, c.Errorf(BadParam, "expandRatio %v leaves none of %d channels", c.arg("expandRatio"), c.Int("inChannels"))
		}
		return shape, nil
	},
	Weights: func(c *Call) {
		in, middle, out := c.Int("inChannels"), invertedMiddle(c), c.Int("outChannels")
		if !c.expands() {
			c.normedConv("conv.0.0", "conv.0.1", middle, 1, 3, 3)
			c.normedConv("conv.1", "conv.2", out, middle, 1, 1)
			return
		}
		c.normedConv("conv.0.0", "conv.0.1", middle, in, 1, 1)
		c.normedConv("conv.1.0", "conv.1.1", middle, 1, 3, 3)
		c.normedConv("conv.2", "conv.3", out, middle, 1, 1)
	},
	FLOPs: func(c *Call) int64 {
		middle, flops := invertedMiddle(c), int64(0)
		if c.expands() {
			flops = c.Mul(2, c.Size(c.In[0]), middle)
		}
		return c.Add(flops, c.Mul(2, c.Size(c.Out[1:]), middle, c.Add(9, c.Out[0])))
	},
	Lower:  lowerInverted,
	Torch:  `InvertedResidual({{inChannels}}, {{outChannels}}, {{stride}}, {{expandRatio}})`,
	Module: invertedModule,
	WeightFormula: "(expandRatio != 1)*round(inChannels*expandRatio)*(inChannels + 2)" +
		" + 11*round(inChannels*expandRatio) + outChannels*(round(inChannels*expandRatio) + 2)",
	FLOPsFormula: "2*round(inChannels*expandRatio)*((expandRatio != 1)*size(in) + size(out, 1)*(9 + outChannels))",
	Examples: []Example{
		{In: "[24,56,56]", Args: "inChannels=24 outChannels=24", Out: "[24,56,56]", Weights: 8832, FLOPs: 51480576},
		{In: "[32,112,112]", Args: "inChannels=32 outChannels=16 expandRatio=1", Out: "[16,112,112]", Weights: 896, FLOPs: 20070400},
		{In: "[24,55,56]", Args: "inChannels=24 outChannels=32 stride=2", Out: "[32,28,28]", Weights: 10000},
		{In: "[24,56,56]", Args: "inChannels=24 outChannels=24 stride=3", Err: "stride is 3 but takes an integer from 1 to 2"},
		{In: "[24,56,56]", Args: "inChannels=24 outChannels=24 expandRatio=0", Err: "expandRatio 0 leaves none of 24 channels"},
		{In: "[16,56,56]", Args: "inChannels=24 outChannels=24", Err: "inChannels is 24 but 16 channels arrive"},
	},
})

const invertedModule = `class InvertedResidual(nn.Module):
    def __init__(self, channels, out, stride, ratio):
        super().__init__()
        middle = int(round(channels * ratio))
        self.residual = stride == 1 and channels == out

        def step(before, kernel, stride, groups):
            return nn.Sequential(nn.Conv2d(before, middle, kernel, stride=stride, padding=kernel // 2, groups=groups, bias=False), nn.BatchNorm2d(middle), nn.ReLU6(inplace=True))
        steps = [] if ratio == 1 else [step(channels, 1, 1, 1)]
        self.conv = nn.Sequential(*steps, step(middle, 3, stride, middle), nn.Conv2d(middle, out, 1, bias=False), nn.BatchNorm2d(out))

    def forward(self, x):
        return x + self.conv(x) if self.residual else self.conv(x)
`

// expands reports whether there is a convolution before the depthwise one.
func (c *Call) expands() bool { return c.Float("expandRatio") != 1 }

// invertedMiddle is the number of channels in the middle, rounded as Python rounds.
func invertedMiddle(c *Call) int64 {
	return c.whole(math.RoundToEven(c.times(c.Int("inChannels"), "expandRatio")))
}

func lowerInverted(l *Lowering) op.Value {
	x, middle, step := l.X[0], invertedMiddle(&l.Call), 0
	y := x
	if l.expands() {
		y = l.nested(y, "conv.0", 1, op.OfInputInPlace, l.In[0][1:]...)
		step = 1
	}
	names := [...]string{"conv.0", "conv.1", "conv.2", "conv.3"}
	y = l.nested(y, names[step], middle, op.OfInputInPlace, l.Out[1:]...)
	y = l.normed(y, names[step+1], names[step+2], 1, l.Out[1:]...)
	if l.Int("stride") == 1 && l.Int("inChannels") == l.Int("outChannels") {
		return op.Add(l.P, x, y)
	}
	return y
}
