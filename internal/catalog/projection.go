package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "projection",
	Title: "Maps features into another space",
	Doc: `A linear layer of the last axis without a bias, as the heads that bring images and texts into one space have it. With hiddenFeatures it is two linear layers with a ReLU between them, ` +
		`the projector of contrastive learning. The other axes are kept, and inFeatures must equal the last one.`,
	Source: "torch.nn.Linear; Radford et al. 2021 (CLIP); Chen et al. 2020 (SimCLR)",
	Group:  Dense,
	Params: []Param{
		{Name: "inFeatures", Kind: Int, Reads: At(-1), Doc: "size of the last axis of the input"},
		{Name: "outFeatures", Kind: Int, Writes: At(-1), Doc: "size of the last axis of the result"},
		{Name: "hiddenFeatures", Kind: Int, Optional: true, Doc: "size between two linear layers; one layer if left out"},
		{Name: "bias", Kind: Bool, Default: false, Doc: "whether biases are added"},
	},
	Shape: func(c *Call) (Shape, error) {
		if c.In[0].Rank() == 0 {
			return nil, c.Errorf(RankMismatch, "takes (…, features), got a scalar per sample")
		}
		return c.In[0].With(-1, c.Int("outFeatures")), c.Match(LinearInMismatch, "inFeatures", "feature")
	},
	Weights: func(c *Call) {
		in, out, bias := c.Int("inFeatures"), c.Int("outFeatures"), c.Bool("bias")
		if !c.Has("hiddenFeatures") {
			c.Linear("0", in, out, bias)
			return
		}
		c.Linear("0", in, c.Int("hiddenFeatures"), bias)
		c.Linear("2", c.Int("hiddenFeatures"), out, bias)
	},
	FLOPs: func(c *Call) int64 {
		in, out, rows := c.Int("inFeatures"), c.Int("outFeatures"), c.Size(c.In[0][:c.In[0].Rank()-1])
		if !c.Has("hiddenFeatures") {
			return c.MatMul(1, rows, in, out)
		}
		return c.MatMul(1, rows, c.Int("hiddenFeatures"), c.Add(in, out))
	},
	Lower: func(l *Lowering) op.Value {
		x := l.Map(l.X[0], "0")
		if !l.Has("hiddenFeatures") {
			return x
		}
		return l.Map(l.activate("relu", x), "2")
	},
	Torch: `Projection({{inFeatures}}, {{outFeatures}}, hidden={{hiddenFeatures}}, bias={{bias}})`,
	Module: `class Projection(nn.Sequential):
    def __init__(self, features, out, hidden=None, bias=False):
        if hidden is None:
            super().__init__(nn.Linear(features, out, bias=bias))
        else:
            super().__init__(nn.Linear(features, hidden, bias=bias), nn.ReLU(), nn.Linear(hidden, out, bias=bias))
`,
	WeightFormula: "(hiddenFeatures == 0)*inFeatures*outFeatures + hiddenFeatures*(inFeatures + outFeatures + bias) + bias*outFeatures",
	FLOPsFormula:  "2*size(out)/outFeatures*((hiddenFeatures == 0)*inFeatures*outFeatures + hiddenFeatures*(inFeatures + outFeatures))",
	Examples: []Example{
		{In: "[768]", Args: "inFeatures=768 outFeatures=512", Out: "[512]", Weights: 393216, FLOPs: 786432},
		{In: "[3,10]", Args: "inFeatures=10 outFeatures=5 hiddenFeatures=4 bias=true", Out: "[3,5]", Weights: 69, FLOPs: 360},
		{In: "[768]", Args: "inFeatures=512 outFeatures=512", Err: "inFeatures is 512 but 768 features arrive"},
	},
})
