package catalog

import (
	"math"

	"github.com/modelverifier/verifier/internal/op"
)

var _ = define(Type{
	ID:      "localResponseNorm",
	Title:   "Divides by the energy of neighbouring channels",
	Doc:     `Divides each value by a power of k plus alpha times the mean square of the size channels around it, at the same position. Takes channels with at least one further axis. It has no weights; AlexNet used it where batch normalisation is used today.`,
	Source:  "torch.nn.LocalResponseNorm; Krizhevsky et al. 2012",
	Group:   Normalisation,
	Aliases: []string{"lrn", "localResponseNormalization"},
	Traits:  IsNorm | KeepsShape,
	Params: []Param{
		{Name: "size", Kind: Int, Min: 1, Max: math.MaxInt32, Doc: "number of channels that are averaged"},
		{Name: "alpha", Kind: Float, Default: 1e-4, Doc: "factor of the mean square"},
		{Name: "beta", Kind: Float, Default: 0.75, Doc: "exponent of the divisor"},
		{Name: "k", Kind: Float, Default: 1.0, Doc: "added to the mean square"},
	},
	Ints: IntsToFloat,
	Shape: func(c *Call) (Shape, error) {
		if in := c.In[0]; in.Rank() < 2 {
			return nil, c.Errorf(RankMismatch, "takes channels and at least one further axis, got %v", in)
		}
		return c.In[0], nil
	},
	Lower: lowerLocalResponseNorm,
	Torch: `nn.LocalResponseNorm({{size}}, alpha={{alpha}}, beta={{beta}}, k={{k}})`,
	Examples: []Example{
		{In: "[96,27,27]", Args: "size=5 k=2", Out: "[96,27,27]"},
		{In: "[4,9]", Args: "size=2", Out: "[4,9]"},
		{In: "[4]", Args: "size=2", Err: "takes channels and at least one further axis, got [4]"},
		{In: "[4,9]", Args: "size=0", Err: "size is 0 but takes an integer from 1"},
	},
})

// lowerLocalResponseNorm is torch.nn.functional.local_response_norm.
func lowerLocalResponseNorm(l *Lowering) op.Value {
	x, in := l.X[0], l.In[0]
	y := op.Resample(l.P, op.Mul(l.P, x, x), append([]int64{in[0] + l.Int("size") - 1}, in[1:]...)...)
	y = op.ResampleSaved(l.P, y, in...)
	return op.Div(l.P, x, op.Pow(l.P, op.Scale(l.P, op.Scale(l.P, y))))
}
