package catalog

import (
	"fmt"

	"github.com/modelverifier/verifier/internal/op"
)

var _ = define(Type{
	ID:     "pad",
	Title:  "Pads or crops the last axes",
	Doc:    `Adds elements at the edges of the last axes, as torch.nn.functional.pad does: two numbers for each axis, the last axis first. Negative numbers crop. The modes other than constant pad one, two or three axes and need one or two more axes, with the batch, before those.`,
	Source: "torch.nn.functional.pad, ATen/native/PadNd.cpp",
	Group:  Reshaping,
	Params: []Param{
		{Name: "padding", Kind: Ints, ListOnly: true, Negative: true, EmptyOK: true, Aliases: []string{"pad"}, Doc: "elements before and behind each axis, the last axis first"},
		{Name: "mode", Kind: String, Values: []string{"constant", "reflect", "replicate", "circular"}, Default: "constant", Doc: "what the padding is filled with"},
		{Name: "value", Kind: Float, Default: 0, Doc: "the constant of mode constant"},
	},
	Ints:  IntsKept,
	Shape: padShape,
	Lower: func(l *Lowering) op.Value {
		if mode := l.Str("mode"); mode == "reflect" || mode == "replicate" {
			return lowerAvgPool(l)
		}
		return lowerResampled(l)
	},
	Torch: `lambda x: F.pad(x, {{padding}}, mode={{mode}}, value={{value}} if {{mode}} == "constant" else None)`,
	Examples: []Example{
		{In: "[3,8,8]", Args: "padding=[1,1,2,2]", Out: "[3,12,10]"},
		{In: "[3,8]", Args: "padding=[3,3] mode=reflect", Out: "[3,14]"},
		{In: "[3,8]", Args: "padding=[-2,0]", Out: "[3,6]"},
		{In: "[3,4]", Args: "padding=[4,0] mode=reflect", Err: "reflect padding 4 needs more than 4 elements"},
		{In: "[3,4]", Args: "padding=[1,1,1]", Err: "even"},
		{In: "[3]", Args: "padding=[0,0,1,0]", Err: "batch"},
	},
})

func padShape(c *Call) (Shape, error) {
	in, pads, mode := c.In[0], c.Ints("padding"), c.Str("mode")
	n := len(pads) / 2
	switch {
	case len(pads)%2 != 0:
		return nil, c.Errorf(BadParam, "padding has %d numbers but needs an even count: two for each axis", len(pads))
	case mode == "constant" && n > in.Rank()+1:
		return nil, c.Errorf(RankMismatch, "padding names %d axes, but %v and the batch are %d", n, in, in.Rank()+1)
	case mode != "constant" && (n < 1 || n > 3 || in.Rank() < n || in.Rank() > n+1):
		return nil, c.Errorf(RankMismatch, "mode %s cannot pad %d axes of %v", mode, n, in)
	}
	if n > in.Rank() {
		if before, behind := pads[2*n-2], pads[2*n-1]; before != -behind || max(before, behind) > 2 {
			return nil, c.Errorf(BatchAxis, "the last two numbers of padding, %d and %d, pad the batch", before, behind)
		}
		n--
	}
	out := append(Shape{}, in...)
	for i := range n {
		axis := in.Rank() - 1 - i
		size, err := c.padAxis(mode, fmt.Sprintf("axis %d", axis+1), in[axis], pads[2*i], pads[2*i+1])
		if err != nil {
			return nil, err
		}
		out[axis] = size
	}
	return out, nil
}

// padAxis returns the size of an axis after padding, and refuses what the mode cannot do. The mode zeros of convolutions
// is constant.
func (c *Call) padAxis(mode, name string, size, before, behind int64) (int64, error) {
	out, widest := c.grow(size, before, behind), max(before, behind)
	switch {
	case mode == "reflect" && widest >= size:
		return 0, c.Errorf(PadExceedsInput, "reflect padding %d needs more than %d elements, but %s has %d", widest, widest, name, size)
	case mode == "circular" && widest > size:
		return 0, c.Errorf(PadExceedsInput, "circular padding %d needs at least as many elements, but %s has %d", widest, name, size)
	case mode == "circular" && !wraps(size, before, behind, out):
		return 0, c.Errorf(PadExceedsInput, "circular padding %d and %d crops more than the %d elements of %s", before, behind, size, name)
	case (mode == "constant" || mode == "zeros") && (c.grow(size, min(before, 0)) < 0 || c.grow(size, min(before, 0), min(behind, 0)) < 0):
		return 0, c.Errorf(PadExceedsInput, "padding %d and %d crops more than the %d elements of %s", before, behind, size, name)
	case out < 1:
		return 0, c.Errorf(EmptyOutput, "padding %d and %d leaves nothing of the %d elements of %s", before, behind, size, name)
	}
	return out, nil
}

// wraps follows the copies that _pad_circular makes. Crops larger than the axis make its slices differ in length, which
// the copy refuses unless the source has one element.
func wraps(size, before, behind, out int64) bool {
	if before >= 0 && behind >= 0 || out < 0 {
		return true
	}
	fits := func(to, from int64) bool { return to == from || from == 1 }
	left, right := max(before, 0), max(behind, 0)
	return fits(sliceLength(left, out-right, out), sliceLength(max(-before, 0), size-max(-behind, 0), size)) &&
		(before <= 0 || fits(sliceLength(0, before, out), sliceLength(out-before-right, out-right, out))) &&
		(behind <= 0 || fits(sliceLength(out-behind, out, out), sliceLength(left, left+behind, out)))
}

// sliceLength is the number of elements of Tensor.slice: negative ends count from the end, and both are clamped.
func sliceLength(from, to, size int64) int64 {
	if from < 0 {
		from += size
	}
	if to < 0 {
		to += size
	}
	from = min(max(from, 0), size)
	return max(min(max(to, from), size)-from, 0)
}
