package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "sparseConv3d",
	Title: "A convolution that keeps empty places empty",
	Doc: `A convolution over a volume (channels, depth, height, width) that keeps its size and gives zeros wherever all channels of the input are zero, as a submanifold convolution over the places that are occupied does. ` +
		`FLOPs and memory are those of the whole grid, as PyTorch runs it; a sparse library does the occupied part of it. kernelSize must be odd.`,
	Source:  "Graham et al. 2018; spconv.pytorch.SubMConv3d on a dense grid",
	Group:   Convolution,
	Aliases: []string{"subMConv3d", "submanifoldConv3d"},
	Traits:  IsConv,
	Params: []Param{
		{Name: "inChannels", Kind: Int, Min: 1, Reads: At(0), Doc: "channels of the input"},
		{Name: "outChannels", Kind: Int, Min: 1, Writes: At(0), Doc: "channels of the result"},
		{Name: "kernelSize", Kind: Int, Min: 1, Default: 3, Doc: "size of the kernel along each axis, an odd number"},
		{Name: "bias", Kind: Bool, Default: true, Doc: "whether a bias is added"},
	},
	Shape: func(c *Call) (Shape, error) {
		if err := c.Ranks(4, 4, imageAxes[3]); err != nil {
			return nil, err
		}
		out := c.In[0].With(0, c.Int("outChannels"))
		if k := c.Int("kernelSize"); k%2 == 0 {
			return out, c.Errorf(BadParam, "kernelSize is %d but must be odd: an even kernel has no centre", k)
		}
		return out, c.Match(ChannelMismatch, "inChannels", "channel")
	},
	Weights: func(c *Call) {
		k := c.Int("kernelSize")
		c.Weight("conv.weight", c.Int("outChannels"), c.Int("inChannels"), k, k, k)
		if c.Bool("bias") {
			c.Weight("conv.bias", c.Int("outChannels"))
		}
	},
	FLOPs: func(c *Call) int64 {
		k := c.Int("kernelSize")
		return c.Mul(2, c.Size(c.Out), c.Int("inChannels"), k, k, k)
	},
	Lower: func(l *Lowering) op.Value {
		y := op.Convolution(l.P, l.X[0], l.W("conv.weight"), l.W("conv.bias"), op.Geometry{Groups: 1}, l.In[0][1:]...)
		return op.Mul(l.P, y, op.SumWithoutGradient(l.P, l.X[0], l.In[0].With(0, 1)...)) // where something is
	},
	Torch: `SparseConv3d({{inChannels}}, {{outChannels}}, {{kernelSize}}, bias={{bias}})`,
	Module: `class SparseConv3d(nn.Module):
    def __init__(self, channels, out, kernel, bias=True):
        super().__init__()
        self.conv = nn.Conv3d(channels, out, kernel, padding=kernel // 2, bias=bias)

    def forward(self, x):
        y = self.conv(x)
        return y * (x != 0).any(1, keepdim=True).to(y.dtype)
`,
	WeightFormula: "inChannels*outChannels*kernelSize*kernelSize*kernelSize + bias*outChannels",
	FLOPsFormula:  "2*size(out)*inChannels*kernelSize*kernelSize*kernelSize",
	Examples: []Example{
		{In: "[4,8,8,8]", Args: "inChannels=4 outChannels=16", Out: "[16,8,8,8]", Weights: 1744, FLOPs: 1769472},
		{In: "[1,2,3,4]", Args: "inChannels=1 outChannels=2 kernelSize=1 bias=false", Out: "[2,2,3,4]", Weights: 2, FLOPs: 96},
		{In: "[4,8,8,8]", Args: "inChannels=4 outChannels=16 kernelSize=2", Err: "kernelSize is 2 but must be odd"},
		{In: "[4,8,8]", Args: "inChannels=4 outChannels=16", Err: "takes (channels, depth, height, width), got [4,8,8]"},
	},
})
