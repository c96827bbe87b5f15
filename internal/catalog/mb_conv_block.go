package catalog

import (
	"math"
	"strings"

	"github.com/modelverifier/verifier/internal/op"
)

var _ = define(Type{
	ID:      "mbConvBlock",
	Title:   "Inverted residual block of EfficientNet",
	Doc:     `A convolution of size 1 to expandRatio times the channels (a multiple of 8), a depthwise one, squeeze and excitation, and a convolution of size 1 to outChannels, with batch normalisations and silu. Takes (channels, height, width). The input is added only with stride 1 and outChannels equal to inChannels, and then kernelSize must be odd. The gate squeezes to seRatio times inChannels, at least 1, and seRatio 0 leaves it out.`,
	Source:  "torchvision.models.efficientnet.MBConv; Tan and Le 2019, EfficientNet",
	Group:   Blocks,
	Aliases: []string{"mbConv", "mobileInvertedBottleneck"},
	Traits:  HasResidual | HasNorm | HasActivation,
	Params: []Param{
		blockInChannels(),
		outChannelsParam(),
		{Name: "kernelSize", Kind: Dims, N: 2, Min: 1, Default: 3, Aliases: []string{"kernel"}, Doc: "size of the depthwise kernel"},
		{Name: "stride", Kind: Int, Min: 1, Max: 2, Default: 1, Doc: "how far the depthwise kernel moves at a time"},
		{Name: "expandRatio", Kind: Float, Default: 4, Aliases: []string{"expansion"}, Doc: "how many times more channels the middle has, above 0"},
		{Name: "seRatio", Kind: Float, Default: 0.25, Doc: "the hidden size of the gate in inChannels, 0 for no gate"},
	},
	Shape:   mbConvShape,
	Weights: mbConvWeights,
	FLOPs: func(c *Call) int64 {
		middle, pixels, flops := mbConvMiddle(c), c.Size(c.Out[1:]), int64(0)
		if middle != c.In[0][0] {
			flops = c.Mul(2, c.Size(c.In[0]), middle)
		}
		return c.Add(flops, c.Mul(2, pixels, middle, c.Add(c.taps(2), c.Out[0])), c.Mul(4, middle, gateSize(c)))
	},
	Lower:  lowerMBConv,
	Torch:  `MBConv({{inChannels}}, {{outChannels}}, {{kernelSize}}, {{stride}}, {{expandRatio}}, {{seRatio}})`,
	Module: mbConvModule,
	WeightFormula: inMiddle("(M != inChannels)*M*(inChannels + 2) + M*(size(kernelSize) + 2)" +
		" + (seRatio != 0)*((2*M + 1)*max(1, floor(inChannels*seRatio)) + M) + outChannels*(M + 2)"),
	FLOPsFormula: inMiddle("2*M*((M != inChannels)*size(in) + size(out, 1)*(size(kernelSize) + outChannels))" +
		" + (seRatio != 0)*4*M*max(1, floor(inChannels*seRatio))"),
	Examples: []Example{
		{In: "[8,2,16]", Args: "inChannels=8 outChannels=12 expandRatio=6", Out: "[12,2,16]", Weights: 1850, FLOPs: 89472},
		{In: "[13,13,14]", Args: "inChannels=13 outChannels=18 kernelSize=6", Out: "[18,12,13]", FLOPs: 1209152},
		{In: "[16,9,9]", Args: "inChannels=16 outChannels=16 expandRatio=1 kernelSize=5 stride=2 seRatio=0", Out: "[16,5,5]", Weights: 720},
		{In: "[16,9,9]", Args: "inChannels=16 outChannels=16 kernelSize=4", Err: "the input [16,9,9] cannot be added to [16,8,8]: kernelSize 4 must be odd"},
		{In: "[16,9,9]", Args: "inChannels=16 outChannels=16 expandRatio=0", Err: "expandRatio is 0 but must be above 0"},
		{In: "[16,1,9]", Args: "inChannels=16 outChannels=8 kernelSize=2", Err: "the kernel covers 2 but the padded height is 1"},
		{In: "[8,9,9]", Args: "inChannels=16 outChannels=16", Err: "inChannels is 16 but 8 channels arrive"},
	},
})

const mbConvModule = `class MBConv(nn.Module):
    def __init__(self, channels, out, kernel, stride, ratio, gate):
        super().__init__()
        middle = max(8, int(channels * ratio + 4) // 8 * 8)
        if middle < 0.9 * channels * ratio:
            middle += 8
        self.residual = stride == 1 and channels == out
        kernel = kernel if isinstance(kernel, tuple) else (kernel, kernel)

        def step(before, after, kernel, stride, groups, *last):
            padding = ((kernel[0] - 1) // 2, (kernel[1] - 1) // 2)
            return nn.Sequential(nn.Conv2d(before, after, kernel, stride=stride, padding=padding, groups=groups, bias=False), nn.BatchNorm2d(after), *last)
        steps = [] if middle == channels else [step(channels, middle, (1, 1), 1, 1, nn.SiLU(inplace=True))]
        steps.append(step(middle, middle, kernel, stride, middle, nn.SiLU(inplace=True)))
        steps.append(Gate(middle, max(1, int(channels * gate))) if gate else nn.Identity())
        self.block = nn.Sequential(*steps, step(middle, out, (1, 1), 1, 1))

    def forward(self, x):
        y = self.block(x)
        if self.residual:
            y += x
        return y


class Gate(nn.Module):
    def __init__(self, channels, hidden):
        super().__init__()
        self.fc1, self.fc2 = nn.Conv2d(channels, hidden, 1), nn.Conv2d(hidden, channels, 1)

    def forward(self, x):
        gate = F.silu(self.fc1(F.adaptive_avg_pool2d(x, 1)), inplace=True)
        return torch.sigmoid(self.fc2(gate)) * x
`

// inMiddle writes the number of channels in the middle out where a formula has M.
func inMiddle(formula string) string {
	return strings.ReplaceAll(formula, "M", "divisible(inChannels*expandRatio)")
}

func mbConvShape(c *Call) (Shape, error) {
	in := c.In[0]
	if err := c.Ranks(3, 3, imageAxes[2]); err != nil {
		return nil, err
	}
	shape, kernel := Of(c.Int("outChannels"), 0, 0), c.Dims("kernelSize")
	for i, k := range kernel[:2] { // the padding is (kernelSize-1)/2 on both sides: an even kernel makes the image one smaller
		n := in[i+1] - 1 + k%2
		if n < 1 {
			return nil, c.Errorf(KernelExceedsInput, "the kernel covers %d but the padded %s is %d", k, axisNames[2][i], k-1)
		}
		shape[i+1] = strided(n, c.Int("stride"))
	}
	if err := c.Match(ChannelMismatch, "inChannels", "channel"); err != nil {
		return shape, err
	}
	if c.Float("expandRatio") <= 0 {
		return shape, c.Errorf(BadParam, "expandRatio is %v but must be above 0", c.arg("expandRatio"))
	}
	if c.Float("seRatio") < 0 {
		return shape, c.Errorf(BadParam, "seRatio is %v but must not be negative", c.arg("seRatio"))
	}
	if c.Int("stride") == 1 && shape[0] == in[0] && !shape.Equal(in) {
		return nil, c.Errorf(MergeShapeMismatch, "the input %v cannot be added to %v: kernelSize %v must be odd", in, shape, c.arg("kernelSize"))
	}
	return shape, nil
}

// mbConvMiddle is the number of channels in the middle.
func mbConvMiddle(c *Call) int64 {
	return c.whole(makeDivisible(c.times(c.Int("inChannels"), "expandRatio")))
}

// makeDivisible is torchvision's _make_divisible: the nearest multiple of 8, but not more than a tenth below.
func makeDivisible(v float64) float64 {
	n := max(8, math.Floor(math.Trunc(v+4)/8)*8)
	if n < 0.9*v {
		n += 8
	}
	return n
}

// gateSize is the hidden size of squeeze and excitation, 0 where there is none.
func gateSize(c *Call) int64 {
	if c.Float("seRatio") == 0 {
		return 0
	}
	return max(1, c.whole(c.times(c.Int("inChannels"), "seRatio")))
}

func mbConvWeights(c *Call) {
	in, middle, kernel := c.Int("inChannels"), mbConvMiddle(c), c.Dims("kernelSize")
	names := [4]string{"block.0", "block.1", "block.2", "block.3"}
	step := 0
	if middle != in {
		c.normedConv(names[0]+".0", names[0]+".1", middle, in, 1, 1)
		step = 1
	}
	c.normedConv(names[step]+".0", names[step]+".1", middle, 1, kernel[0], kernel[1])
	if hidden := gateSize(c); hidden > 0 {
		c.weight(1, names[step+1], "fc1.weight", hidden, middle, 1, 1)
		c.weight(1, names[step+1], "fc1.bias", hidden)
		c.weight(1, names[step+1], "fc2.weight", middle, hidden, 1, 1)
		c.weight(1, names[step+1], "fc2.bias", middle)
	}
	c.normedConv(names[step+2]+".0", names[step+2]+".1", c.Int("outChannels"), middle, 1, 1)
}

func lowerMBConv(l *Lowering) op.Value {
	x, middle, step := l.X[0], mbConvMiddle(&l.Call), 0
	y, names := x, [...]string{"block.0", "block.1", "block.2", "block.3"}
	if middle != l.In[0][0] {
		y = l.nested(y, names[0], 1, op.OfInputInPlace, l.In[0][1:]...)
		step = 1
	}
	y = l.nested(y, names[step], middle, op.OfInputInPlace, l.Out[1:]...)
	if gateSize(&l.Call) > 0 {
		gate := l.conv(op.Mean(l.P, y, middle, 1, 1), names[step+1]+".fc1", op.Geometry{Groups: 1}, 1, 1)
		gate = l.conv(op.OfInputInPlace(l.P, gate), names[step+1]+".fc2", op.Geometry{Groups: 1}, 1, 1)
		y = op.Mul(l.P, op.OfOutput(l.P, gate), y)
	}
	y = l.nested(y, names[step+2], 1, nil, l.Out[1:]...)
	if l.Int("stride") == 1 && l.In[0][0] == l.Out[0] {
		return op.AddInPlace(l.P, y, x)
	}
	return y
}
