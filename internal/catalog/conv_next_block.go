package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "convNeXtBlock",
	Title:   "Depthwise convolution and a feed-forward network, added to the input",
	Doc:     `A large depthwise convolution, a layer normalisation over the channels, and a feed-forward network with gelu, scaled for each channel and added to the input. Takes (channels, height, width) and keeps the shape. kernelSize must be odd, since an even one makes an image that cannot be added to the input.`,
	Source:  "torchvision.models.convnext.CNBlock; Liu et al. 2022, A ConvNet for the 2020s",
	Group:   Blocks,
	Aliases: []string{"cnBlock", "convNeXt"},
	Traits:  HasResidual | HasNorm | HasActivation | KeepsShape,
	Params: []Param{
		{Name: "channels", Kind: Int, Min: 1, Reads: At(0), Aliases: []string{"dim", "inChannels"}, Doc: "channels of the input"},
		{Name: "kernelSize", Kind: Int, Min: 1, Default: 7, Aliases: []string{"kernel"}, Doc: "size of the depthwise kernel, odd"},
		{Name: "expansion", Kind: Float, Default: 4, Aliases: []string{"mlpRatio"}, Doc: "how many times more features the hidden layer has"},
		{Name: "layerScale", Kind: Bool, Default: true, Doc: "whether there is a trained factor for each channel"},
	},
	Shape: convNeXtShape,
	Weights: func(c *Call) {
		n, k, hidden := c.Int("channels"), c.Int("kernelSize"), convNeXtHidden(c)
		if c.Bool("layerScale") {
			c.Weight("layer_scale", n, 1, 1)
		}
		c.weight(1, "block.0", "weight", n, 1, k, k)
		c.weight(1, "block.0", "bias", n)
		c.channelNorm("block.2", n)
		c.Linear("block.3", n, hidden, true)
		c.Linear("block.5", hidden, n, true)
	},
	FLOPs: func(c *Call) int64 {
		k := c.Int("kernelSize")
		return c.Mul(2, c.Size(c.Out), c.Add(c.Mul(k, k), c.Mul(2, convNeXtHidden(c))))
	},
	Lower: lowerConvNeXt,
	Torch: `ConvNeXtBlock({{channels}}, {{kernelSize}}, {{expansion}}, {{layerScale}})`,
	Module: `class ConvNeXtBlock(nn.Module):
    def __init__(self, channels, kernel, expansion, scale):
        super().__init__()
        hidden = int(expansion * channels)
        self.layer_scale = nn.Parameter(torch.full((channels, 1, 1), 1e-6)) if scale else None
        self.block = nn.ModuleList([
            nn.Conv2d(channels, channels, kernel, padding=kernel // 2, groups=channels), nn.Identity(), nn.LayerNorm(channels, eps=1e-6),
            nn.Linear(channels, hidden), nn.GELU(), nn.Linear(hidden, channels)])  # in the places that torchvision gives them

    def forward(self, x):
        conv, _, norm, up, act, down = self.block
        y = down(act(up(norm(conv(x).permute(0, 2, 3, 1))))).permute(0, 3, 1, 2)
        return (y if self.layer_scale is None else self.layer_scale * y) + x
`,
	WeightFormula: "channels*(kernelSize*kernelSize + 4 + layerScale) + floor(channels*expansion)*(2*channels + 1)",
	FLOPsFormula:  "2*size(out)*(kernelSize*kernelSize + 2*floor(channels*expansion))",
	Examples: []Example{
		{In: "[96,56,56]", Args: "channels=96", Out: "[96,56,56]", Weights: 79296, FLOPs: 491925504},
		{In: "[3,6,10]", Args: "channels=3 expansion=1.5 kernelSize=3 layerScale=false", Out: "[3,6,10]", Weights: 67, FLOPs: 6120},
		{In: "[3,6,10]", Args: "channels=3 kernelSize=4", Err: "kernelSize is 4 and makes the height 7, which cannot be added to 6"},
		{In: "[3,6,10]", Args: "channels=3 expansion=0", Err: "expansion 0 leaves none of 3 features"},
		{In: "[3,6,10]", Args: "channels=4", Err: "channels is 4 but 3 channels arrive"},
	},
})

// convNeXtShape follows the image: an even kernel makes it one larger, which can be added to an axis of one only.
func convNeXtShape(c *Call) (Shape, error) {
	if err := c.Ranks(3, 3, imageAxes[2]); err != nil {
		return nil, err
	}
	if err := c.Match(ChannelMismatch, "channels", "channel"); err != nil {
		return c.In[0], err
	}
	out := append(Shape{}, c.In[0]...)
	if c.Int("kernelSize")%2 == 0 {
		for i, n := range out[1:] {
			if n != 1 {
				return out, c.Errorf(MergeShapeMismatch, "kernelSize is %d and makes the %s %d, which cannot be added to %d", c.Int("kernelSize"), axisNames[2][i], c.Add(n, 1), n)
			}
		}
		out[1], out[2] = 2, 2
	}
	if convNeXtHidden(c) < 1 {
		return out, c.Errorf(BadParam, "expansion %v leaves none of %d features", c.arg("expansion"), c.Int("channels"))
	}
	return out, nil
}

// convNeXtHidden is the size of the hidden layer, cut off as Python's int does.
func convNeXtHidden(c *Call) int64 { return c.whole(c.times(c.Int("channels"), "expansion")) }

func lowerConvNeXt(l *Lowering) op.Value {
	n, k := l.Int("channels"), l.Int("kernelSize")
	h, w := l.In[0][1]+1-k%2, l.In[0][2]+1-k%2
	y := l.conv(l.X[0], "block.0", op.Geometry{Groups: n, Permuted: true}, h, w)
	y = op.LayerNorm(l.P, op.View(l.P, y, h, w, n), n, l.Affine("block.2")...)
	y = l.Map(op.OfInput(l.P, l.Map(y, "block.3")), "block.5")
	y = op.View(l.P, y, n, h, w)
	if l.Bool("layerScale") {
		y = op.Mul(l.P, l.W("layer_scale"), y)
	}
	return op.Add(l.P, y, l.X[0])
}
