package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "differentialAttention",
	Title: "The difference of two attentions",
	Doc: `Each head has two sets of queries and keys; the weights of the second, times a trained number, are taken from those of the first. The result of each head is normalised by its root mean square. ` +
		`It takes (sequence, embedDim); twice numHeads must divide embedDim. Positions are not encoded by it.`,
	Source: "Ye et al. 2024; microsoft/unilm Diff-Transformer multihead_diffattn.py without rotary positions",
	Group:  Attention,
	Traits: IsAttention | HasActivation | KeepsShape | IsCausal,
	Params: []Param{
		{Name: "embedDim", Kind: Int, Min: 1, Reads: At(-1), Doc: "size of the last axis"},
		{Name: "numHeads", Kind: Int, Min: 1, Aliases: []string{"heads"}, Doc: "number of heads, each with two attentions"},
		{Name: "causal", Kind: Bool, Default: true, Doc: "whether a position sees only those before it"},
		{Name: "lambdaInit", Kind: Float, Default: 0.8, Doc: "what the factor of the second attention starts with; 0.8 - 0.6*exp(-0.3*layer) in the paper"},
	},
	Shape: func(c *Call) (Shape, error) {
		if err := c.sequence(AttentionInMismatch, "embedDim"); err != nil {
			return c.In[0], err
		}
		return c.In[0], c.dividedByHeads(2)
	},
	Weights: func(c *Call) {
		e := c.Int("embedDim")
		d := c.Part(e, c.Mul(2, c.Int("numHeads")))
		for _, name := range []string{"lambda_q1", "lambda_k1", "lambda_q2", "lambda_k2"} {
			c.Weight(name, d)
		}
		for _, name := range []string{"q_proj", "k_proj", "v_proj", "out_proj"} {
			c.Linear(name, e, e, false)
		}
		c.Weight("subln.weight", c.Mul(2, d))
	},
	FLOPs: func(c *Call) int64 {
		s, e := c.In[0][0], c.Int("embedDim")
		return c.Add(c.MatMul(4, s, e, e), c.MatMul(2, s, e, s))
	},
	Lower: lowerDifferential,
	Torch: `DifferentialAttention({{embedDim}}, {{numHeads}}, causal={{causal}}, lambda_init={{lambdaInit}})`,
	Module: rootMeanSquareModule + `

class DifferentialAttention(nn.Module):
    def __init__(self, dim, heads, causal=True, lambda_init=0.8):
        super().__init__()
        self.heads, self.causal, self.init, d = heads, causal, lambda_init, dim // (2 * heads)
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(dim, dim, bias=False) for _ in range(4))
        self.lambda_q1, self.lambda_k1, self.lambda_q2, self.lambda_k2 = (nn.Parameter(torch.randn(d) * 0.1) for _ in range(4))
        self.subln = RootMeanSquare(2 * d)

    def split(self, x, heads):
        return x.unflatten(2, (heads, -1)).transpose(1, 2).flatten(0, 1)

    def forward(self, x):
        s, q, k = x.shape[1], self.split(self.q_proj(x), 2 * self.heads), self.split(self.k_proj(x), 2 * self.heads)
        w = torch.bmm(q * q.shape[-1] ** -0.5, k.transpose(1, 2))
        if self.causal:
            w = w + torch.triu(torch.full((s, s), float("-inf"), device=x.device), 1)
        w = torch.softmax(w, -1).view(-1, 2, s, s)
        one = torch.exp(torch.sum(self.lambda_q1 * self.lambda_k1))
        two = torch.exp(torch.sum(self.lambda_q2 * self.lambda_k2))
        y = torch.bmm(w[:, 0] - (one - two + self.init) * w[:, 1], self.split(self.v_proj(x), self.heads))
        y = self.subln(y) * (1 - self.init)
        return self.out_proj(y.unflatten(0, (-1, self.heads)).transpose(1, 2).flatten(2))
`,
	WeightFormula: "4*embedDim*embedDim + 3*(embedDim/numHeads)",
	FLOPsFormula:  "8*in[0]*embedDim*embedDim + 4*in[0]*in[0]*embedDim",
	Examples: []Example{
		{In: "[12,32]", Args: "embedDim=32 numHeads=4", Out: "[12,32]", Weights: 4120, FLOPs: 116736},
		{In: "[5,6]", Args: "embedDim=6 numHeads=1 causal=false lambdaInit=0.2", Out: "[5,6]", Weights: 162, FLOPs: 2040},
		{In: "[12,32]", Args: "embedDim=32 numHeads=32", Err: "embedDim 32 is not divisible by 2 times numHeads 32"},
		{In: "[12,32]", Args: "embedDim=16 numHeads=4", Err: "embedDim is 16 but 32 features arrive"},
	},
})

func lowerDifferential(l *Lowering) op.Value {
	p, s, e, h := l.P, l.In[0][0], l.Int("embedDim"), l.Int("numHeads")
	d := e / (2 * h)
	q, k := l.heads(l.Map(l.X[0], "q_proj"), s, 2*h, d), l.heads(l.Map(l.X[0], "k_proj"), s, 2*h, d)
	v := l.heads(l.Map(l.X[0], "v_proj"), s, h, 2*d)
	scores := op.MatMul(p, op.Scale(p, q), op.View(p, k, 2*h, d, s))
	if l.Bool("causal") {
		scores = op.Add(p, scores, op.Constant(p, op.Float, true, s, s))
	}
	weights := op.Softmax(p, scores)
	factor := func(queries, keys string) op.Value {
		return op.WideOfOutput(p, op.Sum(p, op.Mul(p, l.W(queries), l.W(keys)), 1))
	}
	lambda := op.Scale(p, op.Sub(p, factor("lambda_q1", "lambda_k1"), factor("lambda_q2", "lambda_k2")))
	first, second := op.View(p, weights, h, s, s), op.View(p, weights, h, s, s)
	y := op.MatMul(p, op.Sub(p, first, op.Mul(p, lambda, second)), v)
	y = op.Scale(p, l.rootMeanSquare(y, "subln.weight"))
	return l.Map(l.joinHeads(y, s, h, 2*d), "out_proj")
}

// rootMeanSquareModule is the source of a norm that PyTorch has only since version 2.4.
const rootMeanSquareModule = `class RootMeanSquare(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * self.weight
`
