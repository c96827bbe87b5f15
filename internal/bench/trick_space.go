package bench

import (
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
)

// kernel is how a convolution or a pooling slides over one axis.
type kernel struct{ size, stride, padding, dilation, in, out int64 }

// kernels are those of the axes of a component, nil where it slides over none.
func kernels(n *infer.Node) []kernel {
	axes := n.Out.Rank() - 1
	if len(n.In) == 0 || n.In[0].Rank() != n.Out.Rank() || axes < 1 || value(n, "kernelSize").Kind() == graph.Null {
		return nil
	}
	size, padding := sizes(n, "kernelSize", axes, 1), sizes(n, "padding", axes, 0)
	dilation := sizes(n, "dilation", axes, 1)
	otherwise := int64(1)
	if n.Type.Has(catalog.IsPool) {
		otherwise = 0 // that of the kernel
	}
	stride := sizes(n, "stride", axes, otherwise)
	inner := value(n, "padding").Kind() == graph.Null || value(n, "padding").Str() == "same" // also of blocks, which keep the size at stride 1
	out := make([]kernel, axes)
	for k := range out {
		if stride[k] == 0 {
			stride[k] = size[k]
		}
		if inner && !n.Type.Has(catalog.IsPool) {
			padding[k] = dilation[k] * (size[k] - 1) / 2
		}
		out[k] = kernel{size[k], stride[k], padding[k], dilation[k], n.In[0][k+1], n.Out[k+1]}
	}
	return out
}

// deadTaps counts the places of a kernel that meet nothing but padding, wherever the kernel stands.
func (k kernel) deadTaps() (dead int64) {
	for tap := range min(k.size, 4096) {
		at := tap*k.dilation - k.padding // of the first place where the kernel stands
		first := max(0, (-at+k.stride-1)/k.stride)
		if first >= k.out || at+first*k.stride >= k.in {
			dead++
		}
	}
	return dead + max(0, k.size-4096)
}

// deadSpread counts the same of a transposed convolution: places whose results padding takes away.
func (k kernel) deadSpread() (dead int64) {
	for tap := range min(k.size, 4096) {
		at := tap*k.dilation - k.padding
		first := max(0, (-at+k.stride-1)/k.stride)
		if first >= k.in || at+first*k.stride >= k.out {
			dead++
		}
	}
	return dead + max(0, k.size-4096)
}

// insideKernels are the kernels of the convolutions inside blocks, in the positions of the block's input.
var insideKernels = map[string]int64{"basicBlock": 3, "bottleneckBlock": 3, "denseLayer": 3, "invResidualBlock": 3}

// onlyPadding finds kernels that are larger than what they slide over: some of their weights meet nothing but padding.
func onlyPadding(_ *infer.Result, _ int, n *infer.Node) string {
	if size, ok := insideKernels[n.Type.ID]; ok && n.In[0].Rank() == 3 {
		for _, side := range n.In[0][1:] {
			if side*2-1 < size {
				return quantity.Sprintf("slides kernels of %d over %d positions: the other weights meet nothing but padding", size,
					side)
			}
		}
	}
	if n.Params == 0 || value(n, "paddingMode").Kind() == graph.String && value(n, "paddingMode").Str() != "zeros" {
		return ""
	}
	for _, k := range kernels(n) {
		dead := k.deadTaps()
		if n.Type.Has(catalog.IsTransposed) {
			dead = k.deadSpread()
		}
		if dead > 0 {
			return quantity.Sprintf("%d of the %d places of its kernel meet nothing but padding", dead, k.size)
		}
	}
	return ""
}

// skips reports whether a component leaves positions of its input unread.
func skips(n *infer.Node) bool {
	if slices.Contains([]string{"upsample", "interpolate"}, n.Type.ID) {
		return n.Out.Size() < n.In[0].Size()
	}
	if isType(n.Type, "patchEmbed") {
		for k, size := range sizes(n, "patchSize", 2, 1) {
			if n.In[0][k+1]%max(1, size) != 0 {
				return true
			}
		}
		return false
	}
	if n.Type.Has(catalog.IsTransposed) {
		return false
	}
	return slices.ContainsFunc(kernels(n), kernel.skips)
}

// mostPlaces bounds how closely a kernel is looked at; beyond it only its ends are.
const mostPlaces = 1 << 16

// skips reports whether the kernel, wherever it stands, leaves positions unread.
func (k kernel) skips() bool {
	if (k.out-1)*k.stride+(k.size-1)*k.dilation+1 < k.in+k.padding {
		return true // the end
	}
	if k.stride == 1 || k.dilation == 1 || k.in > mostPlaces || k.out*k.size > mostPlaces {
		return k.stride > (k.size-1)*k.dilation+1
	}
	read := make([]bool, k.in)
	for at := range k.out {
		for tap := range k.size {
			if p := at*k.stride + tap*k.dilation - k.padding; p >= 0 && p < k.in {
				read[p] = true
			}
		}
	}
	return slices.Contains(read, false)
}

// alike are the types that do the same at every position of an image or a sequence: no position behind them has
// weights of its own.
var alike = strings.Fields(`input conv1d conv2d conv3d depthwiseConv1d depthwiseConv2d dilatedConv2d separableConv2d batchNorm groupNorm
	add multiply basicBlock bottleneckBlock denseLayer invResidualBlock mbConvBlock seBlock upsample interpolate`)

// cutAway finds weights of positions that a later stride leaves out.
func cutAway(res *infer.Result, i int, n *infer.Node) string {
	if len(n.In) == 0 || !skips(n) {
		return ""
	}
	if at := apart(res, i); at >= 0 {
		return "leaves out positions that have weights of their own since " + res.Nodes[at].Component.Label()
	}
	return ""
}

// apart returns a component before another behind which positions have weights of their own, or -1. Where nothing with weights leads to
// it, they have none.
func apart(res *infer.Result, i int) int {
	trained := make([]bool, len(res.Nodes))
	for _, k := range res.Wiring.Order {
		trained[k] = res.Nodes[k].Params > 0
		for _, j := range res.Wiring.Inputs(k) {
			trained[k] = trained[k] || trained[j]
		}
	}
	seen := make([]bool, len(res.Nodes))
	stack := []int{i}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, j := range res.Wiring.Inputs(at) {
			if seen[j] || !trained[j] {
				continue
			}
			seen[j] = true
			n := &res.Nodes[j]
			joins := isType(n.Type, "concatenate") && len(n.In) > 0 && position(value(n, "dim").Int(), n.In[0].Rank()) == 0
			same := slices.Contains(alike, n.Type.ID) || n.Type.HasAny(catalog.IsPool|catalog.IsActivation|catalog.IsDropout)
			if !joins && !same {
				return int(j)
			}
			stack = append(stack, int(j))
		}
	}
	return -1
}

// linearProduct finds two linear layers in a row whose product is one: between them there are as many features as at
// the narrower end or more, so that what they hold beyond one map has no effect on what can be computed.
func linearProduct(res *infer.Result, i int, n *infer.Node) string {
	if !isMap(n) {
		return ""
	}
	j, moved := behind(res, i)
	if j < 0 || moved || !isMap(&res.Nodes[j]) || len(res.Wiring.Outputs(j)) != 1 {
		return ""
	}
	from := &res.Nodes[j]
	in, middle, out := features(from.In[0], from), features(from.Out, from), features(n.Out, n)
	if middle >= min(in, out) {
		return quantity.Sprintf("follows %s with no activation between them: %s features between %s and %s are one "+
			"linear layer",
			from.Component.Label(), quantity.Grouped(middle), quantity.Grouped(in), quantity.Grouped(out))
	}
	return ""
}

// isMap reports whether a component is one linear layer of the features at each position.
func isMap(n *infer.Node) bool {
	if n.Type.ID == "linear" || n.Type.ID == "lmHead" {
		return true
	}
	if n.Type.ID != "conv1d" && n.Type.ID != "conv2d" && n.Type.ID != "conv3d" || value(n, "groups").Int() > 1 {
		return false
	}
	for _, k := range kernels(n) {
		if k.size != 1 || k.stride != 1 {
			return false
		}
	}
	return true
}

func features(s catalog.Shape, n *infer.Node) int64 {
	if n.Type.Has(catalog.IsConv) {
		return s[0]
	}
	return s.At(-1)
}
