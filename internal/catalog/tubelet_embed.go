package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "tubeletEmbed",
	Title:   "Turns a video into a sequence of tubelets",
	Doc:     `Cuts a video (channels, frames, height, width) into boxes of tubeletSize frames and patchSize pixels and maps each to embedDim features with one linear layer, written as a convolution whose stride is its size. The result is (tubelets, embedDim). Frames and pixels at the end that do not fill a box are dropped.`,
	Source:  "Arnab et al. 2021, ViViT, section 3.2; torch.nn.Conv3d",
	Group:   Embeddings,
	Aliases: []string{"tubeletEmbedding"},
	Traits:  IsAffine | IsPatches,
	Params: []Param{
		{Name: "inChannels", Kind: Int, Default: 3, Reads: At(0), Doc: "channels of the video"},
		{Name: "embedDim", Kind: Int, Writes: At(-1), Doc: "features of each tubelet"},
		{Name: "tubeletSize", Kind: Int, Min: 1, Default: 2, Doc: "frames of a tubelet"},
		{Name: "patchSize", Kind: Dims, N: 2, Min: 1, Default: 16, Doc: "height and width of a tubelet"},
		{Name: "bias", Kind: Bool, Default: true, Doc: "whether a bias is added"},
	},
	Shape: func(c *Call) (Shape, error) {
		if err := c.Ranks(4, 4, "(channels, frames, height, width)"); err != nil {
			return nil, err
		}
		in, t, p := c.In[0], c.Int("tubeletSize"), c.Dims("patchSize")
		if in[1] < t || in[2] < p[0] || in[3] < p[1] {
			return nil, c.Errorf(KernelExceedsInput, "a tubelet of %v does not fit into the video of %v", Of(t, p[0], p[1]), in[1:])
		}
		return Of(c.Mul(in[1]/t, in[2]/p[0], in[3]/p[1]), c.Int("embedDim")), c.Match(ChannelMismatch, "inChannels", "channel")
	},
	Weights: func(c *Call) {
		p := c.Dims("patchSize")
		c.Weight("proj.weight", c.Int("embedDim"), c.Int("inChannels"), c.Int("tubeletSize"), p[0], p[1])
		if c.Bool("bias") {
			c.Weight("proj.bias", c.Int("embedDim"))
		}
	},
	FLOPs: func(c *Call) int64 {
		p := c.Dims("patchSize")
		return c.MatMul(c.Size(c.Out), c.Int("inChannels"), c.Int("tubeletSize"), c.Mul(p[0], p[1]))
	},
	Lower: func(l *Lowering) op.Value {
		in, patch := l.In[0], l.Dims("patchSize")
		y := l.conv(l.X[0], "proj", op.Geometry{Groups: 1, Permuted: true}, in[1]/l.Int("tubeletSize"), in[2]/patch[0], in[3]/patch[1])
		return op.Permuted(l.P, y, l.Out...)
	},
	Torch: `TubeletEmbed({{inChannels}}, {{embedDim}}, {{tubeletSize}}, {{patchSize}}, {{bias}})`,
	Module: `class TubeletEmbed(nn.Module):
    def __init__(self, channels, dim, frames, patch, bias):
        super().__init__()
        size = (frames, *(patch if isinstance(patch, (list, tuple)) else (patch, patch)))
        self.proj = nn.Conv3d(channels, dim, size, stride=size, bias=bias)

    def forward(self, x):
        return self.proj(x).flatten(2).transpose(1, 2)
`,
	WeightFormula: "embedDim*(inChannels*tubeletSize*patchSize[0]*patchSize[1] + bias)",
	FLOPsFormula:  "2*size(out)*inChannels*tubeletSize*patchSize[0]*patchSize[1]",
	Examples: []Example{
		{In: "[3,8,224,224]", Args: "embedDim=768", Out: "[784,768]", Weights: 1180416, FLOPs: 1849688064},
		{In: "[1,3,7,7]", Args: "inChannels=1 embedDim=5 tubeletSize=3 patchSize=[2,3] bias=false", Out: "[6,5]", Weights: 90, FLOPs: 1080},
		{In: "[3,8,10,10]", Args: "embedDim=768", Err: "a tubelet of [2,16,16] does not fit into the video of [8,10,10]"},
		{In: "[1,8,32,32]", Args: "embedDim=768", Err: "inChannels is 3 but 1 channel arrives"},
		{In: "[3,32,32]", Args: "embedDim=768", Err: "takes (channels, frames, height, width), got [3,32,32]"},
	},
})
