package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "crossAttention",
	Title:   "Attention of one sequence to another",
	Doc:     `Queries come from the first input (sequence, embedDim), keys and values from the second (sequence, kvDim), as in torch.nn.MultiheadAttention; the result has the shape of the first. With one input it is self-attention, and kvDim must then be embedDim.`,
	Source:  "torch.nn.MultiheadAttention; Vaswani et al. 2017, section 3.2.3",
	Group:   Attention,
	Aliases: []string{"crossModalAttention"},
	Traits:  IsAttention | HasActivation | KeepsShape | IsMerge,
	Inputs:  Arity{1, 2},
	Params: multiHeadParams(Param{Name: "kvDim", Kind: Int, Aliases: []string{"kdim", "contextDim"}, Doc: "size of the last axis of the second input",
		Derive: func(c *Call) int64 { return c.Int("embedDim") }, DeriveDoc: "embedDim"}),
	Shape:   crossShape,
	Weights: func(c *Call) { crossOf(c).weights(c) },
	FLOPs:   func(c *Call) int64 { return crossOf(c).flops(c, c.In[0][0], c.In[len(c.In)-1][0]) },
	Lower:   func(l *Lowering) op.Value { return crossOf(&l.Call).lower(l, l.X[0], l.X[len(l.X)-1], l.Eager) },
	Torch:   `CrossAttention({{embedDim}}, {{numHeads}}, dropout={{dropout}}, bias={{bias}}, kdim={{kvDim}}, vdim={{kvDim}}, batch_first=True)`,
	Module: `class CrossAttention(nn.MultiheadAttention):
    def forward(self, x, y=None):
        y = x if y is None else y
        return super().forward(x, y, y, need_weights=False)[0]
`,
	WeightFormula: "2*embedDim*embedDim + 2*embedDim*kvDim + 4*bias*embedDim",
	FLOPsFormula:  "4*in[0]*embedDim*embedDim + 4*in(inputs()-1)[0]*kvDim*embedDim + 4*in[0]*in(inputs()-1)[0]*embedDim",
	Examples: []Example{
		{In: "[12,16] [7,24]", Args: "embedDim=16 numHeads=4 kvDim=24", Out: "[12,16]", Weights: 1344, FLOPs: 28416},
		{In: "[12,16] [7,16]", Args: "embedDim=16 numHeads=4", Out: "[12,16]", Weights: 1088, FLOPs: 24832},
		{In: "[12,16]", Args: "embedDim=16 numHeads=4 bias=false", Out: "[12,16]", Weights: 1024, FLOPs: 33792},
		{In: "[12,16] [7,24]", Args: "embedDim=16 numHeads=4", Err: "kvDim is 16 but 24 features arrive at the second input"},
		{In: "[12,16]", Args: "embedDim=16 numHeads=4 kvDim=24", Err: "kvDim is 24 but there is no second input"},
		{In: "[12,16] [24]", Args: "embedDim=16 numHeads=4 kvDim=24", Err: "second input must be (sequence, features), got [24]"},
	},
})

func crossOf(c *Call) multiHead { return multiHeadOf(c).keysOf(c.Int("kvDim")) }

func crossShape(c *Call) (Shape, error) {
	out, err := multiHeadShape(c)
	if err != nil {
		return out, err
	}
	want := c.Int("kvDim")
	if len(c.In) == 1 {
		if e := c.Int("embedDim"); want != e {
			return out, c.Errorf(CrossAttentionMismatch, "kvDim is %d but there is no second input, and the first has %d features", want, e)
		}
		return out, nil
	}
	return out, c.secondStream("kvDim", true)
}

// secondStream refuses a second input that is not a sequence whose features are those of a parameter, and names the
// parameter as the repair if it belongs to that input alone.
func (c *Call) secondStream(param string, alone bool) error {
	in, want := c.In[1], c.Int(param)
	if in.Rank() != 2 {
		return c.Errorf(RankMismatch, "the second input must be (sequence, features), got %v", in)
	}
	if in[1] == want {
		return nil
	}
	r := c.Errorf(CrossAttentionMismatch, "%s is %d but %s at the second input", param, want, arrive(in[1], "feature"))
	if alone {
		r.SetInt(param, in[1])
	}
	return r.Wants(1, At(-1), want)
}
