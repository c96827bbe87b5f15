package catalog

import (
	"math"

	"github.com/modelverifier/verifier/internal/graph"
)

// stateSpaceParams are the parameters that Mamba and its successor share.
func stateSpaceParams(state int, more ...Param) []Param {
	return append([]Param{
		{Name: "embedDim", Kind: Int, Min: 1, Reads: At(-1), Doc: "size of the last axis"},
		{Name: "stateDim", Kind: Int, Min: 1, Default: state, Aliases: []string{"dState", "stateSize"}, Doc: "size of the state of each inner feature"},
		{Name: "convKernel", Kind: Int, Min: 1, Default: 4, Aliases: []string{"dConv"}, Doc: "positions that the convolution sees"},
		{Name: "expand", Kind: Float, Default: 2, Doc: "how many times wider the inner features are, rounded down"},
		{Name: "bias", Kind: Bool, Default: false, Doc: "whether the linear layers in and out add a bias"},
		{Name: "convBias", Kind: Bool, Default: true, Doc: "whether the convolution adds a bias"},
	}, more...)
}

// inner is the number of inner features for a number of outer ones, as Python's int(expand * features); 0 where it is
// less than 1.
func (c *Call) inner(features int64) int64 {
	expand := c.arg("expand")
	if expand.Kind() == graph.Int {
		if expand.Int() < 1 {
			return 0
		}
		return c.Mul(expand.Int(), features)
	}
	switch f := expand.Float() * float64(features); {
	case !(f >= 1):
		return 0
	case f >= 1<<62:
		return c.Mul(math.MaxInt64, 2)
	default:
		return int64(f)
	}
}

// checkInner refuses what leaves no inner features.
func (c *Call) checkInner() error {
	if c.inner(c.Int("embedDim")) == 0 {
		return c.Errorf(BadParam, "expand is %v, which leaves none of %d features", c.arg("expand"), c.Int("embedDim"))
	}
	return nil
}

// scanned is the length of the convolution before what lies behind the sequence is cut off.
func (c *Call) scanned() int64 { return c.Add(c.In[0][0], c.Int("convKernel")-1) }
