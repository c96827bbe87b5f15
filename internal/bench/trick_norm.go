package bench

import (
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
)

// leastNormed is how many values a normalisation must be over. Of one it gives a constant, and of two their order
// alone: the derivative is zero in both.
const leastNormed = 4

// normed is the number of values of one sample that a normalisation takes the mean or the scale of, 0 where it is
// over the batch.
func normed(n *infer.Node) int64 {
	in := n.In[0]
	switch n.Type.ID {
	case "layerNorm", "rmsNorm":
		size := int64(1)
		v := value(n, "normalizedShape")
		axes := max(1, len(v.List()))
		for k := range min(axes, in.Rank()) {
			size *= in.At(-1 - k)
		}
		return size
	case "groupNorm":
		return in.Size() / max(1, value(n, "numGroups").Int())
	}
	return 0
}

// normOfOne finds a normalisation over so few values that nothing of them is left.
func normOfOne(_ *infer.Result, _ int, n *infer.Node) string {
	if !isNorm(n.Type) || len(n.In) == 0 || n.In[0].Rank() == 0 {
		return ""
	}
	if size := normed(n); size > 0 && size < leastNormed {
		return quantity.Sprintf("normalises over %d values, which leaves nothing but their order", size)
	}
	return ""
}

// cancelledByNorm finds weights that a batch normalisation takes away again, since it brings every channel to the
// same mean and scale: those of a normalisation of channels straight before it, and maps that multiply a single
// value.
func cancelledByNorm(res *infer.Result, i int, n *infer.Node) string {
	if !n.Type.Has(catalog.IsBatchNorm) {
		return ""
	}
	j, moved := behind(res, i)
	if j < 0 || moved || len(res.Wiring.Outputs(j)) != 1 || res.Nodes[j].Params == 0 {
		return ""
	}
	from := &res.Nodes[j]
	channels := from.Type.HasAny(catalog.IsBatchNorm|catalog.IsConv) || isType(from.Type, "groupNorm") || from.Out.Rank() == 1 // along the same axis
	if channels && (isNorm(from.Type) || isType(from.Type, "layerScale") || from.Type.Has(catalog.IsAffine) &&
		readsOne(from)) {
		return "normalises away the weights of " + from.Component.Label()
	}
	return ""
}

// readsOne reports whether each result of a linear layer is one value times one weight.
func readsOne(n *infer.Node) bool {
	if len(n.Weights) == 0 || len(n.Weights[0].Shape) < 2 {
		return false
	}
	for _, size := range n.Weights[0].Shape[1:] {
		if size != 1 {
			return false
		}
	}
	return true
}

// meanOfNorm finds the mean over what was just centred along the same axes: it is the same for every sample.
func meanOfNorm(res *infer.Result, i int, n *infer.Node) string {
	over := averaged(n)
	for over != nil {
		in := res.Wiring.Inputs(i)
		if len(in) != 1 {
			return ""
		}
		i = int(in[0])
		from := &res.Nodes[i]
		switch {
		case isType(from.Type, "layerNorm") || isType(from.Type, "groupNorm"):
			for axis := range from.Out.Rank() - centredFrom(from) {
				if !over[centredFrom(from)+axis] {
					return ""
				}
			}
			return "averages what " + from.Component.Label() + " has centred, which gives a constant"
		case isType(from.Type, "transpose") || isType(from.Type, "permute"):
			over = turned(from, over)
		case !from.Type.Has(catalog.IsDropout):
			return ""
		}
	}
	return ""
}

// averaged marks the axes, without the batch, that a component takes the mean of, nil where it takes none.
func averaged(n *infer.Node) map[int]bool {
	if len(n.In) == 0 {
		return nil
	}
	over, rank := map[int]bool{}, n.In[0].Rank()
	switch {
	case isType(n.Type, "mean"):
		v := value(n, "dim")
		dims := v.List()
		if v.Kind() == graph.Int {
			dims = []graph.Value{v}
		}
		for _, d := range dims {
			over[position(d.Int(), rank)] = true
		}
	case n.Type.Has(catalog.IsPool) && strings.Contains(strings.ToLower(n.Type.ID), "avgpool"):
		for k := 1; k < rank; k++ {
			if n.Out.Rank() < rank || n.Out[k] == 1 {
				over[k] = true
			}
		}
	default:
		return nil
	}
	return over
}

// position is an axis that counts the batch, without it.
func position(axis int64, rank int) int {
	if axis < 0 {
		return int(axis) + rank
	}
	return int(axis) - 1
}

// centredFrom is the first axis that a normalisation takes the mean over; the others lie behind it.
func centredFrom(n *infer.Node) int {
	if isType(n.Type, "groupNorm") {
		if value(n, "numGroups").Int() == n.Out[0] {
			return 1 // each channel by itself
		}
		return 0
	}
	return max(0, n.Out.Rank()-max(1, len(value(n, "normalizedShape").List())))
}

// turned are axes of the result of a component that reorders them, as axes of its input.
func turned(n *infer.Node, over map[int]bool) map[int]bool {
	rank := n.Out.Rank()
	from := make([]int, rank)
	for k := range from {
		from[k] = k
	}
	if isType(n.Type, "transpose") {
		a, b := position(value(n, "dim0").Int(), rank), position(value(n, "dim1").Int(), rank)
		if a >= 0 && b >= 0 {
			from[a], from[b] = b, a
		}
	} else if dims := value(n, "dims").List(); len(dims) == rank+1 {
		for k := range from {
			from[k] = position(dims[k+1].Int(), rank)
		}
	}
	out := map[int]bool{}
	for k, axis := range from {
		if over[k] {
			out[axis] = true
		}
	}
	return out
}
