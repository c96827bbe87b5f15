package catalog

import "github.com/modelverifier/verifier/internal/op"

// This file holds what the pools with a given output size share.

// adaptiveShape replaces the last n axes; null keeps an axis. An input without channels runs too, as with other pools.
func adaptiveShape(n int) func(*Call) (Shape, error) {
	return func(c *Call) (Shape, error) {
		if err := c.Ranks(n, n+1, imageAxes[n]); err != nil {
			return nil, err
		}
		out := append(Shape{}, c.In[0]...)
		for i, size := range c.Dims("outputSize") {
			if i < n && size > 0 {
				out[len(out)-n+i] = size
			}
		}
		return out, nil
	}
}

// adaptiveAvgShape is adaptiveShape for means over n axes. Where one element is left of each plane PyTorch takes a plain
// mean, which asks for no certain number of axes before the planes.
func adaptiveAvgShape(n int) func(*Call) (Shape, error) {
	return func(c *Call) (Shape, error) {
		in, sizes := c.In[0], c.Dims("outputSize")
		single := len(in) > n+1
		for i := range n {
			single = single && (sizes[i] == 1 || sizes[i] == 0 && in.At(i-n) == 1)
		}
		if !single {
			return adaptiveShape(n)(c)
		}
		out := append(Shape{}, in...)
		for i := len(out) - n; i < len(out); i++ {
			out[i] = 1
		}
		return out, nil
	}
}

// globalShape drops n spatial axes behind the channels.
func globalShape(n int) func(*Call) (Shape, error) {
	return func(c *Call) (Shape, error) {
		if err := c.Ranks(n+1, n+1, imageAxes[n]); err != nil {
			return nil, err
		}
		return Of(c.In[0][0]), nil
	}
}

// lowerAveraged is an adaptive mean over n axes: a plain one where one element is left.
func lowerAveraged(n int) func(*Lowering) op.Value {
	return func(l *Lowering) op.Value {
		if l.Size(l.Out[len(l.Out)-n:]) == 1 {
			return lowerMean(l)
		}
		return lowerAvgPool(l)
	}
}

func lowerMean(l *Lowering) op.Value { return op.Mean(l.P, l.X[0], l.Out...) }
