package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "patchEmbed",
	Title:   "Turns an image into a sequence of patches",
	Doc:     `Cuts the image into patches and maps each to embedDim features with one linear layer, written as a convolution whose stride is its size. The result is (patches, embedDim). Pixels at the right and lower edge that do not fill a patch are dropped.`,
	Source:  "Dosovitskiy et al. 2020, An Image is Worth 16x16 Words; torch.nn.Conv2d",
	Group:   Embeddings,
	Aliases: []string{"patchEmbedding", "patchEmbeddings"},
	Traits:  IsAffine | IsPatches,
	Params: []Param{
		{Name: "inChannels", Kind: Int, Default: 3, Reads: At(0), Doc: "channels of the image"},
		{Name: "patchSize", Kind: Dims, N: 2, Min: 1, Doc: "size of a patch"},
		{Name: "embedDim", Kind: Int, Min: 1, Writes: At(1), Doc: "features of each patch"},
		{Name: "bias", Kind: Bool, Default: true, Doc: "whether a bias is added"},
	},
	Shape: func(c *Call) (Shape, error) {
		if err := c.Ranks(3, 3, imageAxes[2]); err != nil {
			return nil, err
		}
		patch := c.Dims("patchSize")
		h, w := c.In[0][1]/patch[0], c.In[0][2]/patch[1]
		if h == 0 || w == 0 {
			return nil, c.Errorf(KernelExceedsInput, "a patch of %d by %d does not fit into the image of %d by %d", patch[0], patch[1], c.In[0][1], c.In[0][2])
		}
		return Of(c.Mul(h, w), c.Int("embedDim")), c.Match(ChannelMismatch, "inChannels", "channel")
	},
	Weights: func(c *Call) {
		patch := c.Dims("patchSize")
		c.Weight("proj.weight", c.Int("embedDim"), c.Int("inChannels"), patch[0], patch[1])
		if c.Bool("bias") {
			c.Weight("proj.bias", c.Int("embedDim"))
		}
	},
	FLOPs: func(c *Call) int64 {
		patch := c.Dims("patchSize")
		return c.Mul(2, c.Size(c.Out), c.Int("inChannels"), patch[0], patch[1])
	},
	Lower: func(l *Lowering) op.Value {
		patch := l.Dims("patchSize")
		y := l.conv(l.X[0], "proj", op.Geometry{Groups: 1, Permuted: true}, l.In[0][1]/patch[0], l.In[0][2]/patch[1])
		return op.Permuted(l.P, y, l.Out...)
	},
	Torch: `PatchEmbed({{inChannels}}, {{embedDim}}, {{patchSize}}, {{bias}})`,
	Module: `class PatchEmbed(nn.Module):
    def __init__(self, channels, dim, size, bias):
        super().__init__()
        self.proj = nn.Conv2d(channels, dim, size, stride=size, bias=bias)

    def forward(self, x):
        return self.proj(x).flatten(2).transpose(1, 2)
`,
	WeightFormula: "embedDim*inChannels*patchSize[0]*patchSize[1] + bias*embedDim",
	FLOPsFormula:  "2*size(out)*inChannels*patchSize[0]*patchSize[1]",
	Examples: []Example{
		{In: "[3,224,224]", Args: "patchSize=16 embedDim=768", Out: "[196,768]", Weights: 590592, FLOPs: 231211008},
		{In: "[1,30,20]", Args: "inChannels=1 patchSize=[8,4] embedDim=10 bias=false", Out: "[15,10]", Weights: 320},
		{In: "[3,8,8]", Args: "patchSize=16 embedDim=8", Err: "a patch of 16 by 16 does not fit"},
		{In: "[1,28,28]", Args: "patchSize=4 embedDim=8", Err: "inChannels is 3 but 1 channel arrives"},
	},
})
