package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "basicBlock",
	Title:   "Residual block of two convolutions",
	Doc:     `Two convolutions of size 3 with batch normalisations, added to the input, with a relu in between and at the end: the block of ResNet-18 and ResNet-34. Takes (channels, height, width). The input is projected by a convolution of size 1 where the stride or the channels change its shape.`,
	Source:  "torchvision.models.resnet.BasicBlock; He et al. 2015, Deep Residual Learning for Image Recognition",
	Group:   Blocks,
	Aliases: []string{"resNetBasicBlock", "residualBlock", "resNetBlock"},
	Traits:  HasResidual | HasNorm | HasActivation,
	Params: []Param{
		blockInChannels(),
		{Name: "channels", Kind: Int, Min: 1, Writes: At(0), Aliases: []string{"planes", "outChannels"}, Doc: "channels of the result"},
		blockStride(),
	},
	Shape: func(c *Call) (Shape, error) { return residualShape(c, c.Int("channels")) },
	Weights: func(c *Call) {
		n := c.Int("channels")
		c.normedConv("conv1", "bn1", n, c.Int("inChannels"), 3, 3)
		c.normedConv("conv2", "bn2", n, n, 3, 3)
		projectionWeights(c, n)
	},
	FLOPs: func(c *Call) int64 {
		return c.Add(c.Mul(18, c.Size(c.Out), c.Add(c.Int("inChannels"), c.Int("channels"))), projectionFLOPs(c))
	},
	Lower: func(l *Lowering) op.Value {
		y := op.OfOutputInPlace(l.P, l.normed(l.X[0], "conv1", "bn1", 1, l.Out[1:]...))
		return l.residual(l.normed(y, "conv2", "bn2", 1, l.Out[1:]...))
	},
	Torch: `BasicBlock({{inChannels}}, {{channels}}, {{stride}})`,
	Module: `class BasicBlock(nn.Module):
    def __init__(self, channels, out, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, out, 3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(out)
        self.conv2 = nn.Conv2d(out, out, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(out)
        self.downsample = None
        if stride != 1 or channels != out:
            self.downsample = nn.Sequential(nn.Conv2d(channels, out, 1, stride=stride, bias=False), nn.BatchNorm2d(out))

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)), inplace=True)
        y = self.bn2(self.conv2(y))
        y += x if self.downsample is None else self.downsample(x)
        return F.relu(y, inplace=True)
`,
	WeightFormula: "channels*(9*inChannels + 9*channels + 4) + max(stride != 1, inChannels != channels)*channels*(inChannels + 2)",
	FLOPsFormula:  "18*size(out)*(inChannels + channels) + max(stride != 1, inChannels != channels)*2*size(out)*inChannels",
	Examples: []Example{
		{In: "[64,56,56]", Args: "inChannels=64 channels=64", Out: "[64,56,56]", Weights: 73984, FLOPs: 462422016},
		{In: "[64,56,56]", Args: "inChannels=64 channels=128 stride=2", Out: "[128,28,28]", Weights: 230144, FLOPs: 359661568},
		{In: "[16,7,5]", Args: "inChannels=16 channels=64 stride=[1,2]", Out: "[64,7,3]"},
		{In: "[64,56,56]", Args: "inChannels=32 channels=64", Err: "inChannels is 32 but 64 channels arrive"},
		{In: "[64,56,56]", Args: "channels=64", Err: "inChannels is missing"},
	},
})
