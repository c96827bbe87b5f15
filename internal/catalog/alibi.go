package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:     "alibi",
	Title:  "Lowers attention scores in proportion to the distance",
	Doc:    `Subtracts from each score of an attention the distance of its key from its query, times a fixed slope of the head. It takes scores (heads, queries, keys), from before the softmax, and has no weights. Attention learns positions from it without any encoding of them.`,
	Source: "Press et al. 2021, Train Short, Test Long; ofirpress/attention_with_linear_biases",
	Group:  Embeddings,
	Traits: IsPositional | KeepsShape,
	Ints:   IntsToFloat,
	Params: []Param{scoreHeads},
	Shape:  scoresShape,
	Lower: func(l *Lowering) op.Value {
		p, queries, keys := l.P, l.In[0][1], l.In[0][2]
		distance := op.Abs(p, op.Constant(p, op.Int64, true, queries, keys))
		bias := op.Mul(p, l.P.Buffer(op.Float, l.In[0][0], 1, 1), distance)
		return op.Sub(p, l.X[0], bias)
	},
	Torch: `Alibi({{numHeads}})`,
	Module: `class Alibi(nn.Module):
    def __init__(self, heads):
        super().__init__()
        n = 2 ** math.floor(math.log2(heads))
        slopes = [2 ** (-8 * (i + 1) / n) for i in range(n)]
        slopes += [2 ** (-4 * (2 * i + 1) / n) for i in range(heads - n)]
        self.register_buffer("slopes", torch.tensor(slopes)[:, None, None], persistent=False)

    def forward(self, x):
        q, k = x.shape[2:]
        distance = torch.arange(k, device=x.device)[None, :] - torch.arange(q, device=x.device)[:, None]
        return x - self.slopes * distance.abs()
`,
	Examples: []Example{
		{In: "[8,12,12]", Args: "numHeads=8", Out: "[8,12,12]"},
		{In: "[6,1,20]", Args: "numHeads=6", Out: "[6,1,20]"},
		{In: "[8,12,12]", Args: "numHeads=4", Err: "numHeads is 4 but 8 heads arrive"},
		{In: "[12,64]", Args: "numHeads=8", Err: "takes scores (heads, queries, keys), got [12,64]"},
	},
})
