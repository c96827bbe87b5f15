package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "deformableConv2d",
	Title:   "Convolution whose kernel points move",
	Doc:     `A convolution of the same geometry predicts where each point of the kernel reads its value, and torchvision's DeformConv2d reads there; modulated adds a factor from 0 to 1 for each point. Takes (channels, height, width). offsetGroups must divide the channels. PyTorch's counter sees the FLOPs of the prediction alone.`,
	Source:  "torchvision.ops.DeformConv2d; Dai et al. 2017, Deformable Convolutional Networks; Zhu et al. 2018 for modulated",
	Group:   Convolution,
	Aliases: []string{"deformConv2d", "deformableConv", "dcn"},
	Traits:  IsConv, // where the kernel reads depends on the input: the map is not linear
	Params:  deformableParams(),
	Shape:   deformableShape,
	Weights: func(c *Call) {
		out, groups := c.Int("outChannels"), c.Int("groups")
		c.Part(out, groups)
		c.convWeight("offset", 2, predicted(c), c.Int("inChannels"), predicted(c), true)
		c.convWeight("conv", 2, out, c.Part(c.Int("inChannels"), groups), out, c.Bool("bias"))
	},
	FLOPs: func(c *Call) int64 { return c.Mul(2, predicted(c), c.Size(c.Out[1:]), c.Int("inChannels"), c.taps(2)) },
	Lower: lowerDeformable,
	Torch: `DeformableConv2d({{inChannels}}, {{outChannels}}, {{kernelSize}}, {{stride}}, {{padding}}, {{dilation}}, {{groups}}, {{bias}}, {{offsetGroups}}, {{modulated}})`,
	Module: `class DeformableConv2d(nn.Module):
    def __init__(self, channels, out, kernel, stride, padding, dilation, groups, bias, offset_groups, modulated):
        super().__init__()
        from torchvision.ops import DeformConv2d
        kernel = kernel if isinstance(kernel, tuple) else (kernel, kernel)
        self.points, self.modulated = offset_groups * kernel[0] * kernel[1], modulated
        place = dict(stride=stride, padding=padding, dilation=dilation)
        self.offset = nn.Conv2d(channels, (3 if modulated else 2) * self.points, kernel, **place)
        self.conv = DeformConv2d(channels, out, kernel, groups=groups, bias=bias, **place)

    def forward(self, x):
        o = self.offset(x)
        if not self.modulated:
            return self.conv(x, o)
        return self.conv(x, o[:, :2 * self.points], torch.sigmoid(o[:, 2 * self.points:]))
`,
	WeightFormula: "(2+modulated)*offsetGroups*size(kernelSize)*(inChannels*size(kernelSize) + 1) + outChannels*(inChannels/groups*size(kernelSize) + bias)",
	FLOPsFormula:  "2*(2+modulated)*offsetGroups*size(kernelSize)*size(out, 1)*inChannels*size(kernelSize)",
	Examples: []Example{
		{In: "[4,9,5]", Args: "inChannels=4 outChannels=3 kernelSize=2 offsetGroups=2", Out: "[3,8,4]", Weights: 323, FLOPs: 16384},
		{In: "[6,6,13]", Args: "outChannels=5 kernelSize=3 padding=2 offsetGroups=3 modulated=true", Out: "[5,8,15]", Weights: 4730, FLOPs: 1049760},
		{In: "[6,8,8]", Args: "outChannels=4 kernelSize=[3,1] groups=2 bias=false", Out: "[4,6,8]", Weights: 150},
		{In: "[6,8,8]", Args: "outChannels=4 kernelSize=3 offsetGroups=4", Err: "6 channels are not divisible by offsetGroups 4"},
		{In: "[6,8,8]", Args: "outChannels=4 kernelSize=9", Err: "the kernel covers 9 but the padded height is 8"},
		{In: "[6,8,8]", Args: "inChannels=4 outChannels=4 kernelSize=3", Err: "inChannels is 4 but 6 channels arrive"},
	},
})

func deformableParams() []Param {
	stride, dilation := strideParam(2), dilationParam(2)
	stride.One, dilation.One = false, false // torchvision takes the pairs apart itself
	return []Param{
		inChannelsParam(), outChannelsParam(), kernelParam(2), stride,
		{Name: "padding", Kind: Dims, N: 2, Default: 0, Doc: "zeros added on both sides of each axis"},
		dilation, groupsParam(), biasParam(),
		{Name: "offsetGroups", Kind: Int, Min: 1, Bools: true, Default: 1, Aliases: []string{"deformableGroups"}, Doc: "the channels are split into this many groups that move on their own"},
		{Name: "modulated", Kind: Bool, Default: false, Doc: "whether each point also gets a factor from 0 to 1"},
	}
}

func deformableShape(c *Call) (Shape, error) {
	if err := c.Ranks(3, 3, imageAxes[2]); err != nil {
		return nil, err
	}
	spatial, spatialErr := convSpatial(c, 2, "zeros")
	shape := channelsFirst(c.Int("outChannels"), spatial)
	if err := c.divides("outChannels", "groups"); err != nil {
		return nil, err
	}
	if err := c.Match(ChannelMismatch, "inChannels", "channel"); err != nil {
		return shape, err
	}
	if err := c.divides("inChannels", "groups"); err != nil {
		return shape, err
	}
	if n, groups := c.In[0][0], c.Int("offsetGroups"); n%groups != 0 {
		return shape, c.Errorf(GroupDivisibility, "%d channels are not divisible by offsetGroups %d", n, groups)
	}
	return shape, spatialErr
}

// predicted is the number of channels that the first convolution predicts: two offsets for each point of the kernel, and
// the factor where there is one.
func predicted(c *Call) int64 {
	each := int64(2)
	if c.Bool("modulated") {
		each = 3
	}
	return c.Mul(each, c.Int("offsetGroups"), c.taps(2))
}

func lowerDeformable(l *Lowering) op.Value {
	places, n := l.Out[1:], predicted(&l.Call)
	offsets, factors := l.conv(l.X[0], "offset", op.Geometry{Groups: 1}, places...), op.None
	if l.Bool("modulated") {
		all := offsets
		offsets = op.View(l.P, all, n/3*2, places[0], places[1])
		factors = op.OfOutput(l.P, op.View(l.P, all, n/3, places[0], places[1]))
	}
	return op.DeformConv(l.P, l.X[0], l.W("conv.weight"), l.W("conv.bias"), offsets, factors, l.Out...)
}
