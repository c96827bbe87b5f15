package torch

import (
	"slices"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// Where the elements of a tensor are in memory decides whether view() runs: it never copies. Strides are kept as far as views need them,
// worked out for several sizes of the batch, so that what is said of all of them does not depend on it. A tensor whose strides are not
// known, such as what attention gives, refuses nothing.

// batches are the sizes of the batch that strides are worked out for.
var batches = [...]int64{1, 2, 3, 7}

// memory are the strides of the axes of PyTorch's shape, for each of the batches.
type memory [len(batches)][]int64

// sizesAt is PyTorch's shape with a batch of so many samples.
func (t *Tensor) sizesAt(batch int64) []int64 {
	out := make([]int64, t.rank())
	for i := range out {
		switch n := t.size(i).(type) {
		case int64:
			out[i] = n
		case sym:
			out[i] = n.times * batch
		}
	}
	return out
}

// contiguousStrides are those of a new tensor.
func contiguousStrides(sizes []int64) []int64 {
	out, n := make([]int64, len(sizes)), int64(1)
	for i := range slices.Backward(sizes) {
		out[i] = n
		n *= max(sizes[i], 1)
	}
	return out
}

// strides are those of a tensor, nil where they are not known.
func (t *Tensor) strides() *memory {
	if !t.contiguous {
		return t.mem
	}
	var m memory
	for k, b := range batches {
		m[k] = contiguousStrides(t.sizesAt(b))
	}
	return &m
}

// isContiguous reports whether the elements lie in memory in their order; known is false where that is not known, or differs with the batch.
func (t *Tensor) isContiguous() (is, known bool) {
	if t.contiguous || t.param != nil && t.mem == nil {
		return true, true
	}
	if t.mem == nil {
		return false, false
	}
	yes := 0
	for k, b := range batches {
		sizes, all := t.sizesAt(b), true
		for i, s := range contiguousStrides(sizes) {
			all = all && (sizes[i] == 1 || s == t.mem[k][i])
		}
		if all {
			yes++
		}
	}
	return yes == len(batches), yes == 0 || yes == len(batches)
}

// settled takes a tensor whose strides are those of a new one for contiguous. Those of axes with one entry, of which the rest does not
// depend, count where they make it a tensor with its channels last, too.
func (t *Tensor) settled() *Tensor {
	if is, known := t.isContiguous(); is && known && !t.channelsLast() {
		t.contiguous, t.mem = true, nil
	}
	return t
}

// moved gives a tensor the strides that follow from those of another.
func (out *Tensor) moved(t *Tensor, strides func(sizes, strides []int64) []int64) *Tensor {
	from := t.strides()
	out.contiguous, out.mem = false, nil
	if from == nil || out == t {
		return out
	}
	var m memory
	for k, b := range batches {
		if m[k] = strides(t.sizesAt(b), from[k]); len(m[k]) != out.rank() {
			return out
		}
	}
	out.mem = &m
	return out.settled()
}

// reshaped gives a tensor the strides that reshape() gives: those of a view where there is one, else those of a copy.
func (out *Tensor) reshaped(t *Tensor) *Tensor {
	from := t.strides()
	out.contiguous, out.mem = false, nil
	if from == nil {
		return out
	}
	if !sameElements(t, out) {
		out.contiguous = t.contiguous
		return out
	}
	var m memory
	for k, b := range batches {
		sizes := out.sizesAt(b)
		if m[k] = viewStrides(t.sizesAt(b), from[k], sizes); m[k] == nil {
			m[k] = contiguousStrides(sizes)
		}
	}
	out.mem = &m
	return out.settled()
}

// sameElements reports whether two shapes have as many elements whatever the batch is. They do not where a program writes the batch that it
// is read for as a number.
func sameElements(t, out *Tensor) bool {
	for _, b := range batches {
		if product(t.sizesAt(b)) != product(out.sizesAt(b)) {
			return false
		}
	}
	return true
}

// viewStrides are the strides of a view of another shape, nil where there is none: at::detail::computeStride.
func viewStrides(sizes, strides, want []int64) []int64 {
	if slices.Contains(sizes, 0) || len(sizes) == 0 {
		return contiguousStrides(want)
	}
	out, at := make([]int64, len(want)), len(want)-1
	base, have, seen := strides[len(strides)-1], int64(1), int64(1)
	for d := range slices.Backward(sizes) {
		have *= sizes[d]
		if d > 0 && (sizes[d-1] == 1 || strides[d-1] == have*base) {
			continue
		}
		for at >= 0 && (seen < have || want[at] == 1) {
			out[at] = seen * base
			seen *= want[at]
			at--
		}
		if seen != have {
			return nil
		}
		if d > 0 {
			base, have, seen = strides[d-1], 1, 1
		}
	}
	if at >= 0 {
		return nil
	}
	return out
}

// mustView raises where a view of a shape cannot be had without a copy.
func (r *reader) mustView(t, out *Tensor) *Tensor {
	from := t.strides()
	if from == nil || t.constant() || !sameElements(t, out) {
		return out
	}
	fails := 0
	for k, b := range batches {
		if viewStrides(t.sizesAt(b), from[k], out.sizesAt(b)) == nil {
			fails++
		}
	}
	const message = "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces): " +
		"a tensor of %s that is not contiguous is viewed as %s. Use .reshape(...) instead."
	switch fails {
	case 0:
	case len(batches):
		r.in.Raise("RuntimeError", message, r.describe(t), r.describe(out))
	default:
		r.in.Doubt("RuntimeError", message, r.describe(t), r.describe(out))
	}
	return out
}

// dense reports whether a tensor takes each place of its memory once, in whatever order of its axes: such strides are kept by functions of
// each element.
func (t *Tensor) dense() bool {
	m := t.strides()
	if m == nil {
		return false
	}
	for k, b := range batches {
		sizes, next := t.sizesAt(b), int64(1)
		left := map[int]bool{}
		for i, n := range sizes {
			if n != 1 {
				left[i] = true
			}
		}
		for found := true; found && len(left) > 0; {
			found = false
			for i := range sizes {
				if left[i] && m[k][i] == next {
					next *= sizes[i]
					delete(left, i)
					found = true
					break
				}
			}
		}
		if len(left) > 0 {
			return false
		}
	}
	return true
}

// elementwiseTypes keep the strides of a dense input.
var elementwiseTypes = map[string]bool{"relu": true, "relu6": true, "leakyRelu": true, "elu": true, "celu": true, "selu": true, "gelu": true, "silu": true, "mish": true,
	"sigmoid": true, "tanh": true, "hardSwish": true, "hardSigmoid": true, "hardtanh": true, "softplus": true, "softsign": true, "tanhShrink": true, "exp": true,
	"sqrt": true, "log": true, "abs": true, "neg": true, "dropout": true, "clamp": true}

// scattered are types whose result need not be contiguous though their inputs are.
var scattered = map[string]bool{"multiHeadAttention": true, "crossAttention": true, "scaledDotProductAttention": true, "transformerBlock": true, "transformerDecoderBlock": true,
	"lstm": true, "gru": true, "rnn": true, "einsum": true, "customModule": true, "fold": true, "unfold": true, "causalAttention": true, "permute": true, "slice": true, "select": true,
	"expand": true, "chunk": true, "split": true, "topK": true, "gather": true, "pad": true, "cumsum": true, "reshape": true, "flatten": true, "squeeze": true, "unsqueeze": true}

// channelsLastTypes give the memory format of their input to their result where its channels lie next to each other. It was measured on the
// CPU in PyTorch 1.13, 2.11 and 2.15 and on a GPU in 2.11; groupNorm and transposeConv2d do so on some of these alone.
var channelsLastTypes = map[string]bool{"conv2d": true, "batchNorm": true, "maxpool2d": true, "avgpool2d": true, "adaptiveAvgPool2d": true}

// channelsLast reports whether PyTorch takes the strides of a batch of images for torch.channels_last, as its is_channels_last_strides_2d does.
func (t *Tensor) channelsLast() bool {
	m := t.strides()
	if m == nil || t.rank() != 4 {
		return false
	}
	for k, b := range batches {
		if !likeChannelsLast(t.sizesAt(b), m[k]) {
			return false
		}
	}
	return true
}

func likeChannelsLast(sizes, strides []int64) bool {
	least := int64(0)
	if strides[1] == 0 {
		return false
	}
	for _, axis := range [...]int{1, 3, 2, 0} {
		if sizes[axis] == 0 || strides[axis] < least || axis == 0 && least == strides[1] {
			return false
		}
		least = strides[axis] * max(sizes[axis], 1)
	}
	return true
}

// channelsLastStrides are those of torch.channels_last.
func channelsLastStrides(sizes []int64) []int64 {
	c, h, w := sizes[1], sizes[2], sizes[3]
	return []int64{c * h * w, 1, w * c, c}
}

// place the result of a component in memory, as far as that is known.
func (out *Tensor) laidOut(typ string, inputs []*Tensor) {
	out.contiguous, out.mem = false, nil
	all := true
	for _, t := range inputs {
		is, known := t.isContiguous()
		all = all && is && known
	}
	switch {
	case typ == "matmul" && len(inputs) == 2:
		out.contiguous = true // a product of batches of matrices is a new tensor; the caller knows where it is another one
	case scattered[typ]:
	case channelsLastTypes[typ] && out.rank() == 4 && inputs[0].channelsLast():
		out.mem = new(memory)
		for k, b := range batches {
			out.mem[k] = channelsLastStrides(out.sizesAt(b))
		}
	case all:
		out.contiguous = true
	case elementwiseTypes[typ] && len(inputs) == 1 && inputs[0].dense():
		out.mem = inputs[0].strides()
	case (typ == "add" || typ == "multiply" || typ == "subtract") && len(inputs) == 2 && sameMemory(inputs[0], inputs[1]):
		out.mem = inputs[0].strides()
	}
}

func sameMemory(a, b *Tensor) bool {
	m, n := a.strides(), b.strides()
	if m == nil || n == nil || !a.shape.Equal(b.shape) || !a.dense() {
		return false
	}
	for k := range m {
		if !slices.Equal(m[k], n[k]) {
			return false
		}
	}
	return true
}

// contiguousOp is x.contiguous(): a copy where it is not.
func contiguousOp(_ *reader, t *Tensor, _ *interp.Args) interp.Value {
	if is, known := t.isContiguous(); is && known || t.param != nil || t.constant() {
		return t
	}
	c := *t
	c.contiguous, c.mem = true, nil
	return &c
}

// copied is a tensor that was, or may have been, copied with the order of its axes.
func (t *Tensor) copied(method string, a *interp.Args) *Tensor {
	_, format := a.Get("memory_format", -1)
	if !format && (t.mem == nil || t.dense()) {
		return t
	}
	c := *t
	c.contiguous, c.mem = !format && method == "clone", nil
	return &c
}

// reshapesInPlace are the methods that change the shape of the tensor itself.
var reshapesInPlace = map[string]bool{"unsqueeze_": true, "squeeze_": true, "transpose_": true, "t_": true, "swapaxes_": true, "swapdims_": true}

// inPlace calls an operation that changes the tensor itself.
func (r *reader) inPlace(t *Tensor, op operation, a *interp.Args) interp.Value {
	if out, ok := op(r, t, a).(*Tensor); ok && t.param == nil {
		*t = *out
	} else if t.param != nil {
		r.in.Fault("the shape of a weight is changed in place, which is not followed")
	}
	return t
}

// expanded gives a tensor the strides of expand(): 0 on the axes that it repeats.
func (out *Tensor) expanded(t *Tensor) *Tensor {
	if out == t {
		return t
	}
	if t.batch != out.batch || t.rank() != out.rank() {
		out.contiguous, out.mem = false, nil
		return out
	}
	return out.moved(t, func(sizes, strides []int64) []int64 {
		kept := slices.Clone(strides)
		for i := range sizes {
			if g := out.axis(i); g >= 0 && sizes[i] == 1 && out.shape[g] != 1 {
				kept[i] = 0
			}
		}
		return kept
	})
}
