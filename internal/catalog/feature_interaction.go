package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "featureInteraction",
	Title: "The dot products of all pairs of features",
	Doc: `Multiplies every vector with every other, as the interaction of DLRM does, and sets the products behind the first vector. ` +
		`It takes several inputs (d) of one size, or one (n, d). The result grows with the square of the number of vectors; with selfInteraction each is multiplied with itself as well.`,
	Source:  "facebookresearch/dlrm, interact_features; Naumov et al. 2019",
	Group:   Recommending,
	Aliases: []string{"dotInteraction"},
	Inputs:  Arity{1, Any},
	Traits:  IsMerge,
	Ints:    IntsKept,
	Params: []Param{
		{Name: "selfInteraction", Kind: Bool, Default: false, Doc: "whether vectors are multiplied with themselves too"},
		{Name: "concatDense", Kind: Bool, Default: true, Doc: "whether the first vector stands before the products"},
	},
	Shape: func(c *Call) (Shape, error) {
		if len(c.In) == 1 {
			if err := c.Ranks(2, 2, "one input (n, d) or several (d)"); err != nil {
				return nil, err
			}
		} else if err := equalVectors(c); err != nil {
			return nil, err
		}
		out := interactionPairs(c)
		if c.Bool("concatDense") {
			out = c.Add(out, c.In[0].At(-1))
		}
		return Of(out), nil
	},
	FLOPs: func(c *Call) int64 { return c.MatMul(1, interactionVectors(c), c.In[0].At(-1), interactionVectors(c)) },
	Lower: func(l *Lowering) op.Value {
		p, n, d, pairs := l.P, interactionVectors(&l.Call), l.In[0].At(-1), interactionPairs(&l.Call)
		x := l.X[0]
		if len(l.X) > 1 {
			x = op.Concatenate(p, Of(n, d), l.X...)
		}
		products := op.MatMul(p, x, op.View(p, x, d, n))
		z := op.Index(p, products, Of(pairs), op.Constant(p, op.Int64, true, pairs), op.Constant(p, op.Int64, true, pairs))
		if !l.Bool("concatDense") {
			return z
		}
		return op.Concatenate(p, l.Out, op.View(p, x, d), z)
	},
	Torch: `FeatureInteraction(own={{selfInteraction}}, dense={{concatDense}})`,
	Module: `class FeatureInteraction(nn.Module):
    def __init__(self, own=False, dense=True):
        super().__init__()
        self.own, self.dense = own, dense

    def forward(self, *xs):
        x = xs[0] if len(xs) == 1 else torch.stack(xs, 1)
        i, j = torch.tril_indices(x.shape[1], x.shape[1], 0 if self.own else -1, device=x.device)
        z = torch.bmm(x, x.transpose(1, 2))[:, i, j]
        return torch.cat([x[:, 0], z], 1) if self.dense else z
`,
	FLOPsFormula: "2*(inputs() + (rank(in) == 2)*(in[0] - 1))*(inputs() + (rank(in) == 2)*(in[0] - 1))*in[-1]",
	Examples: []Example{
		{In: "[16] [16] [16]", Out: "[19]", FLOPs: 288},
		{In: "[27,128]", Args: "selfInteraction=true concatDense=false", Out: "[378]", FLOPs: 186624},
		{In: "[16] [16] [12]", Err: "input 2 is [12] but input 0 is [16]"},
		{In: "[16]", Err: "takes one input (n, d) or several (d), got [16]"},
	},
})

// equalVectors refuses inputs that are not all vectors of one size.
func equalVectors(c *Call) error {
	for _, s := range c.In {
		if s.Rank() != 1 {
			return c.Errorf(RankMismatch, "takes one input (n, d) or several (d), got %v among several", s)
		}
	}
	return c.agree(MergeShapeMismatch, func(int, int64) bool { return false })
}

// interactionVectors is how many vectors meet each other.
func interactionVectors(c *Call) int64 {
	if len(c.In) == 1 {
		return c.In[0][0]
	}
	return int64(len(c.In))
}

func interactionPairs(c *Call) int64 {
	n := interactionVectors(c)
	if c.Bool("selfInteraction") {
		return c.Mul(n, c.Add(n, 1)) / 2
	}
	return c.Mul(n, n-1) / 2
}
