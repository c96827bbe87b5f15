package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "bilinear",
	Title: "A bilinear layer of two inputs",
	Doc: `Each result feature is the product of the first input, a weight matrix and the second input, plus a bias, as torch.nn.Bilinear computes it. ` +
		`The inputs differ in their last axis only: the other axes must be equal, nothing is broadcast. The weight has outFeatures matrices and grows with the product of all three sizes.`,
	Source: "torch.nn.Bilinear",
	Group:  Dense,
	Inputs: Arity{2, 2},
	Traits: IsMerge,
	Params: []Param{
		{Name: "in1Features", Kind: Int, Min: 1, Reads: At(-1), Doc: "size of the last axis of the first input"},
		{Name: "in2Features", Kind: Int, Doc: "size of the last axis of the second input"},
		{Name: "outFeatures", Kind: Int, Writes: At(-1), Aliases: []string{"units"}, Doc: "size of the last axis of the result"},
		{Name: "bias", Kind: Bool, Default: true, Doc: "whether a bias is added"},
	},
	Shape: bilinearShape,
	Weights: func(c *Call) {
		c.Weight("weight", c.Int("outFeatures"), c.Int("in1Features"), c.Int("in2Features"))
		if c.Bool("bias") {
			c.Weight("bias", c.Int("outFeatures"))
		}
	},
	Lower: func(l *Lowering) op.Value {
		return op.Bilinear(l.P, l.X[0], l.X[1], l.W("weight"), l.W("bias"))
	},
	Torch:         `nn.Bilinear({{in1Features}}, {{in2Features}}, {{outFeatures}}, bias={{bias}})`,
	WeightFormula: "outFeatures*(in1Features*in2Features + bias)",
	Examples: []Example{
		{In: "[5,12] [5,8]", Args: "in1Features=12 in2Features=8 outFeatures=6", Out: "[5,6]", Weights: 582},
		{In: "[7] [7]", Args: "in1Features=7 in2Features=7 outFeatures=3 bias=false", Out: "[3]", Weights: 147},
		{In: "[7] [7]", Args: "in1Features=7 in2Features=8 outFeatures=3", Err: "in2Features is 8 but 7 features arrive"},
		{In: "[4,7] [5,7]", Args: "in1Features=7 in2Features=7 outFeatures=3", Err: "must be equal up to the last axis"},
	},
})

func bilinearShape(c *Call) (Shape, error) {
	a, b := c.In[0], c.In[1]
	if a.Rank() != b.Rank() || a.Rank() == 0 {
		return nil, c.Errorf(RankMismatch, "takes two inputs (…, features) with the same number of axes, got %v and %v", a, b)
	}
	if !a.With(-1, b.At(-1)).Equal(b) {
		return nil, c.Errorf(MergeShapeMismatch, "%v and %v must be equal up to the last axis", a, b)
	}
	out := a.With(-1, c.Int("outFeatures"))
	if err := c.Match(LinearInMismatch, "in1Features", "feature"); err != nil {
		return out, err
	}
	if want, got := c.Int("in2Features"), b.At(-1); want != got {
		return out, c.Errorf(LinearInMismatch, "in2Features is %d but %s", want, arrive(got, "feature")).SetInt("in2Features", got).Wants(1, At(-1), want)
	}
	return out, nil
}
