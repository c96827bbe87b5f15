package catalog

import (
	"math"

	"github.com/modelverifier/verifier/internal/op"
)

// This file holds what the pools with a window share: ATen/native/Pool.h. Pools treat the axis before the spatial ones as
// channels and keep it, so that an input without channels runs too: PyTorch then takes the batch for the channels.

func poolParams(n int, own ...Param) []Param {
	// The kernels of two and three axes, which the averages over one axis use too, hold these sizes in 32 bits.
	window := Param{Name: "kernelSize", Kind: Dims, N: n, One: true, Min: 1, Max: math.MaxInt32, Aliases: []string{"poolSize", "kernel", "kernelShape"}, Doc: "size of the window"}
	stride := Param{Name: "stride", Kind: Dims, N: n, One: true, EmptyOK: true, Optional: true, Min: 1, Max: math.MaxInt32, Aliases: []string{"strides"}, Doc: "how far the window moves at a time; the size of the window if left out"}
	padding := Param{Name: "padding", Kind: Dims, N: n, One: true, Default: 0, Doc: "elements added on both sides of each axis, at most half of the window"}
	ceil := Param{Name: "ceilMode", Kind: Bool, Strict: true, Default: false, Doc: "whether a last window that is not full counts"}
	return append([]Param{window, stride, padding, ceil}, own...)
}

func maxPoolParams(n int) []Param {
	return poolParams(n, Param{Name: "dilation", Kind: Dims, N: n, One: true, Min: 1, Max: math.MaxInt32, Default: 1, Doc: "distance between the elements of the window"})
}

func avgPoolParams(n int) []Param {
	p := poolParams(n, Param{Name: "countIncludePad", Kind: Bool, Strict: true, Default: true, Doc: "whether padding counts as zeros in the mean"})
	if n > 1 {
		p = append(p, Param{Name: "divisorOverride", Kind: Int, Optional: true, Negative: true, Doc: "what sums are divided by instead of the size of the window, not 0"})
	}
	return p
}

func maxPoolShape(n int) func(*Call) (Shape, error) {
	return func(c *Call) (Shape, error) {
		if err := c.Ranks(n, n+1, imageAxes[n]); err != nil {
			return nil, err
		}
		return poolSpatial(c, n, c.Dims("padding"), c.Dims("dilation"))
	}
}

func avgPoolShape(n int) func(*Call) (Shape, error) {
	return func(c *Call) (Shape, error) {
		if n > 1 && c.Has("divisorOverride") && c.Int("divisorOverride") == 0 {
			return nil, c.Errorf(BadParam, "divisorOverride is 0, and nothing can be divided by it")
		}
		return meanSpatial(c, n, c.Dims("padding"))
	}
}

// meanSpatial checks the input as avg_pool1d to avg_pool3d do, and slides the window.
func meanSpatial(c *Call, n int, padding [3]int64) (Shape, error) {
	if err := c.Ranks(n, n+1, imageAxes[n]); err != nil {
		return nil, err
	}
	if n == 3 { // avg_pool3d alone does not let padding make up for a short input
		for i, k := range c.Dims("kernelSize") {
			if in := c.In[0].At(i - n); in < k {
				return nil, c.Errorf(KernelExceedsInput, "the window covers %d but the %s is %d without padding", k, axisNames[n][i], in)
			}
		}
	}
	return poolSpatial(c, n, padding, [3]int64{1, 1, 1})
}

// poolSpatial slides the window over the last n axes.
func poolSpatial(c *Call, n int, padding, dilation [3]int64) (Shape, error) {
	kernel, stride := c.Dims("kernelSize"), c.Dims("stride")
	if !c.Has("stride") || c.IsList("stride") && len(c.Ints("stride")) == 0 {
		stride = kernel
	}
	out := append(Shape{}, c.In[0]...)
	for i := range n {
		axis := len(out) - n + i
		if padding[i] > kernel[i]/2 { // of the window's own size, whatever the dilation
			return nil, c.Errorf(PoolPadding, "padding is %d but must be at most half of kernelSize %d", padding[i], kernel[i])
		}
		in, reach := out[axis], c.reach(kernel[i], dilation[i])
		rest := c.Add(in, 2*padding[i]) - reach // what is left beside the first window
		if c.Bool("ceilMode") {
			rest = c.grow(rest, stride[i]-1)
		}
		if rest < 0 {
			return nil, c.Errorf(KernelExceedsInput, "the window covers %d%s but the padded %s is %d", reach, spread(kernel[i], dilation[i]), axisNames[n][i], in+2*padding[i])
		}
		windows := rest/stride[i] + 1
		if c.Bool("ceilMode") && c.Mul(windows-1, stride[i]) >= c.Add(in, padding[i]) {
			windows-- // the last window must start in the input or the padding before it
		}
		out[axis] = windows
	}
	return out, nil
}

func lowerMaxPool(l *Lowering) op.Value { return op.MaxPool(l.P, l.X[0], l.Out...) }

func lowerAvgPool(l *Lowering) op.Value { return op.ResampleSaved(l.P, l.X[0], l.Out...) }

// lowerResampled is for what maps its input linearly, and saves nothing.
func lowerResampled(l *Lowering) op.Value { return op.Resample(l.P, l.X[0], l.Out...) }
