package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "vaeBottleneck",
	Title: "Draws a latent vector around a mean",
	Doc: `Two linear layers give the mean and the logarithm of the variance of latentDim numbers, and the result is drawn around that mean, in training as in use. ` +
		`index 1 gives the mean, index 2 the logarithm of the variance. If inFeatures is left out it is taken from the input.`,
	Source:  "Kingma and Welling 2014; pytorch/examples vae/main.py",
	Group:   Blocks,
	Aliases: []string{"reparameterization"},
	Params: []Param{
		{Name: "inFeatures", Kind: Int, Min: 1, Lazy: true, Reads: At(-1), Aliases: []string{"inputDim"}, Doc: "size of the last axis of the input"},
		{Name: "latentDim", Kind: Int, Min: 1, Writes: At(-1), Doc: "size of the last axis of the result"},
		{Name: "index", Kind: Int, Max: 2, Default: 0, Doc: "0 for the sample, 1 for the mean, 2 for the logarithm of the variance"},
	},
	Shape: headShape("latentDim"),
	Weights: func(c *Call) {
		c.Linear("mu", c.Int("inFeatures"), c.Int("latentDim"), true)
		c.Linear("logvar", c.Int("inFeatures"), c.Int("latentDim"), true)
	},
	FLOPs: func(c *Call) int64 { return c.MatMul(2, c.positions(), c.Int("inFeatures"), c.Int("latentDim")) },
	Lower: func(l *Lowering) op.Value {
		p, mu, logvar := l.P, l.Map(l.X[0], "mu"), l.Map(l.X[0], "logvar")
		std := op.WideOfOutput(p, op.Scale(p, logvar))
		sample := op.Add(p, mu, op.Mul(p, op.Constant(p, op.Float, false, l.Out...), std))
		return [...]op.Value{sample, mu, logvar}[l.Int("index")]
	},
	Torch: `VAEBottleneck({{inFeatures}}, {{latentDim}}, {{index}})`,
	Module: `class VAEBottleneck(nn.Module):
    def __init__(self, features, latent, index):
        super().__init__()
        self.index, self.mu, self.logvar = index, nn.Linear(features, latent), nn.Linear(features, latent)

    def forward(self, x):
        mu, logvar = self.mu(x), self.logvar(x)
        std = torch.exp(0.5 * logvar)
        return (mu + torch.randn_like(std) * std, mu, logvar)[self.index]
`,
	WeightFormula: "2*latentDim*(inFeatures + 1)",
	FLOPsFormula:  "4*size(in)*latentDim",
	Examples: []Example{
		{In: "[400]", Args: "latentDim=20", Out: "[20]", Weights: 16040, FLOPs: 32000},
		{In: "[4,16]", Args: "latentDim=3 index=2", Out: "[4,3]", Weights: 102, FLOPs: 768},
		{In: "[400]", Args: "inFeatures=300 latentDim=20", Err: "inFeatures is 300 but 400 features arrive"},
		{In: "[400]", Args: "latentDim=20 index=3", Err: "index is 3 but takes an integer from 0 to 2"},
	},
})
