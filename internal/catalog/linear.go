package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "linear",
	Title:   "A linear layer of the last axis",
	Doc:     `Multiplies the last axis by a weight matrix and adds a bias, as torch.nn.Linear does. The other axes are kept. If inFeatures is left out it is taken from the input.`,
	Source:  "torch.nn.Linear, torch.nn.LazyLinear",
	Group:   Dense,
	Aliases: []string{"dense", "fullyConnected"},
	Traits:  IsAffine,
	Params: []Param{
		{Name: "inFeatures", Kind: Int, Lazy: true, Reads: At(-1), Doc: "size of the last axis of the input"},
		{Name: "outFeatures", Kind: Int, Writes: At(-1), Aliases: []string{"units"}, Doc: "size of the last axis of the result"},
		{Name: "bias", Kind: Bool, Default: true, Doc: "whether a bias is added"},
		tiedTo, tied,
	},
	Shape: func(c *Call) (Shape, error) {
		if c.In[0].Rank() == 0 {
			return nil, c.Errorf(RankMismatch, "takes (…, features), got a scalar per sample")
		}
		return c.In[0].With(-1, c.Int("outFeatures")), c.Match(LinearInMismatch, "inFeatures", "feature")
	},
	Weights:       func(c *Call) { c.Linear("", c.Int("inFeatures"), c.Int("outFeatures"), c.Bool("bias")) },
	FLOPs:         func(c *Call) int64 { return c.MatMul(1, c.Size(c.Out), c.Int("inFeatures"), 1) },
	Lower:         func(l *Lowering) op.Value { return l.Map(l.X[0], "") },
	Torch:         `nn.Linear({{inFeatures}}, {{outFeatures}}, bias={{bias}})`,
	WeightFormula: "inFeatures*outFeatures + bias*outFeatures",
	FLOPsFormula:  "2*size(out)*inFeatures",
	Examples: []Example{
		{In: "[784]", Args: "inFeatures=784 outFeatures=10", Out: "[10]", Weights: 7850, FLOPs: 15680},
		{In: "[12,64]", Args: "outFeatures=32 bias=false", Out: "[12,32]", Weights: 2048},
		{In: "[100]", Args: "inFeatures=128 outFeatures=10", Err: "inFeatures is 128 but 100 features arrive"},
	},
})

// tiedTo and tied share a component's weight with another's; sameAs, which every type with weights has, shares all of them: it is
// another call of the same module. Inference resolves them, since only it sees both.
var (
	tiedTo = Param{Name: "tiedTo", Kind: String, Optional: true, Doc: "id of the component whose weight this one uses"}
	tied   = Param{Name: "tied", Kind: Bool, Default: false, Doc: "uses the weight of the one embedding that fits"}
	sameAs = Param{Name: "sameAs", Kind: String, Optional: true, Doc: "id of the component whose module this one calls once more, with the same weights"}
)
