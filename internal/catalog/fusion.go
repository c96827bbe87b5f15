package catalog

import (
	"slices"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/op"
)

var _ = define(Type{
	ID:    "fusion",
	Title: "Joins several inputs by one linear layer",
	Doc: `Sets its inputs side by side along the last axis, or adds or multiplies them, and maps the result to outFeatures: the fusion of modalities. ` +
		`inFeatures lists the last axis of every input. For concat the other axes must be equal; for sum and product an axis of size 1 is stretched, and all inFeatures must be equal.`,
	Source: "torch.cat, torch.add, torch.mul and torch.nn.Linear",
	Group:  Merging,
	Inputs: Arity{2, Any},
	Traits: IsMerge,
	Ints:   IntsToFloat,
	Params: []Param{
		{Name: "inFeatures", Kind: Ints, ListOnly: true, Doc: "the last axis of every input, as a list"},
		{Name: "outFeatures", Kind: Int, Writes: At(-1), Doc: "size of the last axis of the result"},
		{Name: "mode", Kind: String, Default: "concat", Values: []string{"concat", "sum", "product"}, Doc: "how the inputs are joined"},
		{Name: "bias", Kind: Bool, Default: true, Doc: "whether a bias is added"},
	},
	Shape:   fusionShape,
	Weights: func(c *Call) { c.Linear("proj", fusionWidth(c), c.Int("outFeatures"), c.Bool("bias")) },
	FLOPs:   func(c *Call) int64 { return c.MatMul(1, c.Size(c.Out), fusionWidth(c), 1) },
	Lower: func(l *Lowering) op.Value {
		var x op.Value
		switch l.Str("mode") {
		case "concat":
			x = op.Concatenate(l.P, l.Out.With(-1, fusionWidth(&l.Call)), l.X...)
		case "sum":
			x = l.fold(op.Add)
		default:
			x = l.fold(op.Mul)
		}
		return l.Map(x, "proj")
	},
	Torch: `Fusion({{inFeatures}}, {{outFeatures}}, mode={{mode}}, bias={{bias}})`,
	Module: `class Fusion(nn.Module):
    def __init__(self, features, out, mode="concat", bias=True):
        super().__init__()
        self.mode = mode
        self.proj = nn.Linear(sum(features) if mode == "concat" else features[0], out, bias=bias)

    def forward(self, x, *others):
        if self.mode == "concat":
            return self.proj(torch.cat((x, *others), -1))
        for y in others:
            x = x + y if self.mode == "sum" else x * y
        return self.proj(x)
`,
	WeightFormula: `outFeatures*(inFeatures[0] + (mode == "concat")*(sum(inFeatures) - inFeatures[0]) + bias)`,
	FLOPsFormula:  `2*size(out)*(inFeatures[0] + (mode == "concat")*(sum(inFeatures) - inFeatures[0]))`,
	Examples: []Example{
		{In: "[512] [768]", Args: "inFeatures=[512,768] outFeatures=256", Out: "[256]", Weights: 327936, FLOPs: 655360},
		{In: "[6,3,4] [1,3,4]", Args: "mode=sum inFeatures=[4,4] outFeatures=31", Out: "[6,3,31]", Weights: 155, FLOPs: 4464},
		{In: "[12] [12] [12]", Args: "mode=product inFeatures=[12,12,12] outFeatures=19 bias=false", Out: "[19]", Weights: 228, FLOPs: 456},
		{In: "[512] [768]", Args: "inFeatures=[512,512] outFeatures=256", Err: "inFeatures is [512,512] but [512,768] features arrive"},
		{In: "[512] [768]", Args: "inFeatures=[512,768] outFeatures=256 mode=sum", Err: "sum needs equal inFeatures"},
	},
})

// fusionWidth is the number of features that the linear layer sees.
func fusionWidth(c *Call) int64 {
	features := c.Ints("inFeatures")
	if c.Str("mode") == "concat" {
		return c.Add(features...)
	}
	return features[0]
}

func fusionShape(c *Call) (Shape, error) {
	want, mode := c.Ints("inFeatures"), c.Str("mode")
	var got []int64
	ints := 0
	for i, s := range c.In {
		if s.Rank() == 0 {
			return nil, c.Errorf(RankMismatch, "takes inputs (…, features), got a scalar per sample")
		}
		got = append(got, s.At(-1))
		if c.isInt(i) {
			ints++
		}
	}
	for _, n := range want {
		if mode != "concat" && n != want[0] {
			return nil, c.Errorf(MergeShapeMismatch, "mode %s needs equal inFeatures, got %v", mode, Shape(want))
		}
	}
	if !slices.Equal(want, got) {
		return nil, c.Errorf(FeatureMismatch, "inFeatures is %v but %v features arrive", Shape(want), Shape(got)).Set("inFeatures", graph.IntsValue(got...))
	}
	if ints == len(c.In) {
		return nil, c.Errorf(DtypeMismatch, "takes numbers with a fraction, but every input has token ids or indices")
	}
	if mode != "concat" {
		out, err := broadcastShape(c)
		if err != nil {
			return nil, err
		}
		return out.With(-1, c.Int("outFeatures")), nil
	}
	last := c.In[0].Rank() - 1
	if err := c.agree(ConcatMismatch, func(axis int, _ int64) bool { return axis == last }); err != nil {
		return nil, err
	}
	return c.In[0].With(-1, c.Int("outFeatures")), nil
}
