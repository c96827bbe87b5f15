package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "vectorQuantizer",
	Title: "Replaces vectors by the nearest of a codebook",
	Doc: `Replaces each vector of the last axis by the nearest of numEmbeddings trained ones. The gradient passes as if nothing had been replaced; ` +
		`the codebook gets its own from a loss, or from running means, which are not part of it.`,
	Source:  "van den Oord et al. 2017, VQ-VAE, section 3.2",
	Group:   Blocks,
	Aliases: []string{"vq", "vectorQuantization"},
	Traits:  KeepsShape,
	Params:  codebookParams(),
	Shape:   codebookShape,
	Weights: func(c *Call) { c.Weight("codebooks.0", c.Int("numEmbeddings"), c.Int("embeddingDim")) },
	FLOPs:   func(c *Call) int64 { return c.MatMul(1, c.positions(), c.Int("embeddingDim"), c.Int("numEmbeddings")) },
	Lower:   func(l *Lowering) op.Value { return op.Add(l.P, l.X[0], op.Nearest(l.P, l.X[0], l.W("codebooks.0"))) },
	Torch:   `VectorQuantizer({{numEmbeddings}}, {{embeddingDim}}, 1)`,
	Module:  codebookModule,

	WeightFormula: "numEmbeddings*embeddingDim",
	FLOPsFormula:  "2*size(in)*numEmbeddings",
	Examples: []Example{
		{In: "[49,64]", Args: "numEmbeddings=512 embeddingDim=64", Out: "[49,64]", Weights: 32768, FLOPs: 3211264},
		{In: "[3]", Args: "codebookSize=5 dim=3", Out: "[3]", Weights: 15, FLOPs: 30},
		{In: "[49,64]", Args: "numEmbeddings=512 embeddingDim=32", Err: "embeddingDim is 32 but 64 features arrive"},
		{In: "int[3]", Args: "numEmbeddings=5 embeddingDim=3", Err: "takes numbers with a fraction"},
	},
})

// codebookParams are the parameters of a codebook, and further ones.
func codebookParams(more ...Param) []Param {
	return append([]Param{
		{Name: "numEmbeddings", Kind: Int, Min: 1, Aliases: []string{"codebookSize", "numCodes"}, Doc: "vectors of a codebook"},
		{Name: "embeddingDim", Kind: Int, Min: 1, Reads: At(-1), Aliases: []string{"codebookDim", "codeDim", "dim"}, Doc: "size of the last axis"},
	}, more...)
}

func codebookShape(c *Call) (Shape, error) {
	return c.In[0], c.lastAxis(FeatureMismatch, "embeddingDim")
}

// codebookModule is the source of one codebook, or of several behind each other.
const codebookModule = `class VectorQuantizer(nn.Module):
    def __init__(self, codes, dim, codebooks):
        super().__init__()
        self.codebooks = nn.ParameterList(nn.Parameter(torch.randn(codes, dim)) for _ in range(codebooks))

    def forward(self, x):
        if not x.is_floating_point():
            raise TypeError("takes numbers with a fraction")
        with torch.no_grad():
            rest = x.reshape(-1, x.shape[-1])
            for w in self.codebooks:
                far = rest.pow(2).sum(1, keepdim=True) + w.pow(2).sum(1) - 2 * torch.mm(rest, w.t())
                rest = rest - w[far.argmin(1)]
            change = -rest.view(x.shape)
        return x + change
`
