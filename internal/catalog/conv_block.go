package catalog

import (
	"math"

	"github.com/modelverifier/verifier/internal/op"
)

// This file holds what the blocks of convolutions and batch normalisations share. Their weights have the names that
// torchvision gives them.

func blockInChannels() Param {
	return Param{Name: "inChannels", Kind: Int, Reads: At(0), Aliases: []string{"inPlanes"}, Doc: "channels of the input"}
}

// normedConv declares a convolution without a bias and the batch normalisation behind it.
func (c *Call) normedConv(conv, norm string, out, per, height, width int64) {
	c.weight(1, conv, "weight", out, per, height, width)
	c.channelNorm(norm, out)
}

// channelNorm declares a factor and a summand for each channel.
func (c *Call) channelNorm(name string, channels int64) {
	c.weight(1, name, "weight", channels)
	c.weight(1, name, "bias", channels)
}

// strided is the size of an axis behind a convolution that is padded to keep it, with a stride.
func strided(n, stride int64) int64 { return (n-1)/stride + 1 }

// times multiplies channels by a ratio, as Python does.
func (c *Call) times(channels int64, ratio string) float64 { return float64(channels) * c.Float(ratio) }

// whole turns a product into a count, which is 0 below 1. One that does not fit makes the call a size-overflow.
func (c *Call) whole(x float64) int64 {
	if x < 1 {
		return 0
	}
	if !(x < math.MaxInt64) {
		c.overflow = true
		return math.MaxInt64
	}
	return int64(x)
}

// nested is an nn.Sequential of its own inside another: a convolution, a batch normalisation and, where there is one,
// an activation. The outer one holds its argument until it returns.
func (l *Lowering) nested(
	x op.Value, name string, groups int64, last func(*op.Program, op.Value) op.Value, image ...int64,
) op.Value {
	y := l.normed(x, name+".0", name+".1", groups, image...)
	if last != nil {
		y = last(l.P, y)
	}
	op.Alive(l.P, x)
	return y
}

// normed is a convolution and the batch normalisation behind it.
func (l *Lowering) normed(x op.Value, conv, norm string, groups int64, places ...int64) op.Value {
	return l.batchNorm(l.conv(x, conv, op.Geometry{Groups: groups}, places...), norm)
}
