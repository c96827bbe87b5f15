package catalog

import (
	"github.com/modelverifier/verifier/internal/graph"

	"github.com/modelverifier/verifier/internal/op"
)

// paramEps is the number that keeps the division by a deviation finite.
var paramEps = Param{Name: "eps", Kind: Float, Default: 1e-5, Aliases: []string{"epsilon"}, Doc: "added to the variance before its root is taken"}

// The parameters that batch and instance normalisation share. PyTorch does not look at numFeatures where neither weights
// nor running statistics have that size, so it has no range: a wrong one is refused by comparison.
var (
	paramNumFeatures = Param{Name: "numFeatures", Kind: Int, Lazy: true, Negative: true, Reads: At(0), Aliases: []string{"numChannels"}, Doc: "number of channels, the first axis behind the batch"}
	paramMomentum    = Param{Name: "momentum", Kind: Float, Default: 0.1, Doc: "weight of a new batch in the running statistics"}
)

// normWeights declares a factor and a summand for each channel.
func normWeights(c *Call, n int64) {
	if c.Bool("affine") {
		c.Weight("weight", n)
		c.Weight("bias", n)
	}
}

// paramNormalizedShape is what layer and RMS normalisation normalise over.
var paramNormalizedShape = Param{Name: "normalizedShape", Kind: Ints, Min: 1, Doc: "the last axes of the input, over which it is normalised: a number, or a list for several axes"}

// lastAxesShape is the shape of what normalises over the last axes: they must equal normalizedShape.
func lastAxesShape(c *Call) (Shape, error) {
	in, want := c.In[0], Shape(c.Ints("normalizedShape"))
	if want.Rank() > in.Rank() { // with the batch there may be enough, but samples must not depend on each other
		return nil, c.Errorf(RankMismatch, "normalizedShape has %d axes, more than the %d of %v", want.Rank(), in.Rank(), in)
	}
	got := in[in.Rank()-want.Rank():]
	if got.Equal(want) {
		return in, nil
	}
	if want.Rank() > 1 {
		return in, c.Errorf(NormSizeMismatch, "normalizedShape is %v but the last axes of %v are %v", want, in, got).Set("normalizedShape", graph.IntsValue(got...))
	}
	r := c.Errorf(NormSizeMismatch, "normalizedShape is %d but %s", want[0], arrive(got[0], "feature")).Wants(0, At(-1), want[0])
	if c.IsList("normalizedShape") {
		return in, r.Set("normalizedShape", graph.IntsValue(got[0]))
	}
	return in, r.SetInt("normalizedShape", got[0])
}

// lastAxesGroups is how many groups of the last axes a sample has: each has its own mean and deviation.
func lastAxesGroups(c *Call) Shape {
	in := c.In[0]
	return in[:in.Rank()-len(c.Ints("normalizedShape"))]
}

// batchNorm normalises the channels of an image over the batch, with the weight and the bias of a module.
func (l *Lowering) batchNorm(x op.Value, module string) op.Value {
	return op.BatchNorm(l.P, x, l.P.Shape(x)[0], true, op.Affine{Weight: l.W(join(module, "weight")), Bias: l.W(join(module, "bias"))})
}
