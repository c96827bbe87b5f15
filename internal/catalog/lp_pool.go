package catalog

import (
	"math"

	"github.com/modelverifier/verifier/internal/op"
)

// This file holds what the power means share: torch.nn.functional.lp_pool1d to lp_pool3d, which raise the input to a power,
// take means with avg_pool, multiply them by the size of the window and take the root.

func lpPoolParams(n int) []Param {
	p := poolParams(n)
	window, stride, ceil := p[0], p[1], p[3]
	window.One = false // the functions take the list apart, one number for each axis
	if n == 1 {
		window = Param{Name: "kernelSize", Kind: Int, Min: 1, Max: math.MaxInt32, Aliases: window.Aliases, Doc: window.Doc}
	}
	power := Param{Name: "normType", Kind: Float, Default: 2, Aliases: []string{"p"}, Doc: "the power, not 0: 1 gives sums, large powers come close to the largest value"}
	return []Param{power, window, stride, ceil}
}

func lpPoolShape(n int) func(*Call) (Shape, error) {
	return func(c *Call) (Shape, error) {
		if c.Float("normType") == 0 {
			return nil, c.Errorf(BadParam, "normType is 0, and there is no root to that power")
		}
		return meanSpatial(c, n, [3]int64{})
	}
}

func lowerLpPool(l *Lowering) op.Value {
	means := op.ResampleSaved(l.P, op.Pow(l.P, l.X[0]), l.Out...)
	signs := op.Scale(l.P, means) // a sign has no slope: its gradient is made of zeros
	sums := op.Scale(l.P, op.Mul(l.P, signs, op.OfOutput(l.P, op.Abs(l.P, means))))
	return op.Pow(l.P, sums)
}
