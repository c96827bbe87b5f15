package catalog

import (
	"slices"
)

// broadcast returns the shape of element-wise arithmetic over shapes: an axis of size 1 fits any other. Different ranks never
// fit. PyTorch aligns axes from the end, so that the batch of the shorter tensor meets another axis of the longer one; they
// do not agree unless that axis is 1, and then the result has the batch twice.
func broadcast(shapes ...Shape) (Shape, bool) {
	out := slices.Clone(shapes[0])
	for _, s := range shapes[1:] {
		if len(s) != len(out) {
			return nil, false
		}
		for i, n := range s {
			switch {
			case out[i] == 1:
				out[i] = n
			case n != 1 && n != out[i]:
				return nil, false
			}
		}
	}
	return out, true
}

// broadcastShape is the Shape of element-wise merges.
func broadcastShape(c *Call) (Shape, error) {
	if err := c.agree(MergeShapeMismatch, func(_ int, n int64) bool { return n == 1 }); err != nil {
		return nil, err
	}
	out, _ := broadcast(c.In...)
	return out, nil
}

// agree refuses inputs of different rank or size. free says which sizes fit any other. The refusal names two inputs that do
// not fit each other and, where one of them alone does not fit the rest, says so.
func (c *Call) agree(rule string, free func(axis int, n int64) bool) error {
	if len(c.In) == 2 && c.In[0].Equal(c.In[1]) {
		return nil // by far the most common, and needs no bookkeeping
	}
	a, b, axis := c.clash(free, -1)
	if a < 0 {
		return nil
	}
	fitsWithout := func(skip int) bool {
		other, _, _ := c.clash(free, skip)
		return len(c.In) > 2 && other < 0
	}
	aAlone, bAlone := fitsWithout(a), fitsWithout(b)
	if aAlone && !bAlone {
		a, b = b, a
	}
	rest := ""
	if aAlone != bAlone {
		rest = "; the others fit each other"
	}
	if axis < 0 {
		return c.Errorf(rule, "input %d is %v but input %d is %v: the numbers of axes differ%s", b, c.In[b], a, c.In[a], rest)
	}
	r := c.Errorf(rule, "input %d is %v but input %d is %v: %d and %d do not fit on axis %d%s", b, c.In[b], a, c.In[a], c.In[b][axis], c.In[a][axis], axis+1, rest)
	if aAlone != bAlone && c.In[b].With(axis, c.In[a][axis]).Equal(c.In[a]) {
		r.Wants(b, At(axis), c.In[a][axis])
	}
	return r
}

// clash returns the first two inputs that do not fit each other and the axis at fault, which is -1 where their ranks differ.
// Both inputs are -1 where all fit. The input skip is passed over.
func (c *Call) clash(free func(axis int, n int64) bool, skip int) (a, b, axis int) {
	var holder []int // for each axis, the first input whose size there is not free
	first := -1
	for i, s := range c.In {
		if i == skip {
			continue
		}
		if first < 0 {
			first, holder = i, slices.Repeat([]int{-1}, len(s))
		}
		if len(s) != len(holder) {
			return first, i, -1
		}
		for axis, n := range s {
			switch h := holder[axis]; {
			case free(axis, n):
			case h < 0:
				holder[axis] = i
			case c.In[h][axis] != n:
				return h, i, axis
			}
		}
	}
	return -1, -1, -1
}

// isInt reports whether an input is an integer tensor, which has no gradient.
func (c *Call) isInt(i int) bool { return i < len(c.InIsInt) && c.InIsInt[i] }
