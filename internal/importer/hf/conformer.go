package hf

import (
	"fmt"
	"math/bits"
)

// moments is the length of a spectrogram where the model takes any: ten seconds of a hundred moments.
const moments = 1000

// ChannelNorm normalises each channel.
func (b *Build) ChannelNorm(x Node, name string, channels int64) Node {
	n := b.Add("batchNorm", name, Args{Int("numFeatures", channels)}, x)
	b.weights(name, true, channels)
	return n
}

// parakeet is a FastConformer: convolutions that shorten a spectrogram, and layers of attention and convolution between two
// halves of a feed-forward network. It returns the number of positions, too.
func (b *Build) parakeet() (x Node, length int64) {
	x, length = b.subsample(b.Scope("subsampling"))
	dim := b.Size("hidden_size")
	for i := range b.Int("num_hidden_layers") {
		l := b.Scope("layers.%d", i)
		feed := func(name string, x Node) Node {
			return l.Scope("%s", name).MLP(l.LayerNorm(x, "norm_"+name, dim, true), "linear1", "linear2", dim, l.Size("intermediate_size"), l.Bool("attention_bias"), "hidden_act")
		}
		x = l.Residual(x, feed("feed_forward1", x))
		x = l.Residual(x, l.Scope("self_attn").relativeAttend(l.LayerNorm(x, "norm_self_att", dim, true), length, relative{Dim: dim,
			Heads: l.Size("num_attention_heads"), KV: l.KVHeads(), HeadDim: l.HeadDim(), Bias: l.Bool("attention_bias"), Q: "q_proj", K: "k_proj", V: "v_proj", O: "o_proj",
			Distance: "relative_k_proj", ForKeys: "bias_u", ForDistances: "bias_v"}))
		x = l.Residual(x, l.Scope("conv").conformerConv(l.LayerNorm(x, "norm_conv", dim, true), dim))
		x = l.Residual(x, feed("feed_forward2", x))
		x = l.LayerNorm(x, "norm_out", dim, true)
	}
	return x, length
}

// subsample halves both axes of a spectrogram, as an image, a few times.
func (b *Build) subsample(m *Build) (x Node, length int64) {
	channels, kernel, stride, bins := b.Size("subsampling_conv_channels"), b.Size("subsampling_conv_kernel_size"), b.Size("subsampling_conv_stride"), b.Size("num_mel_bins")
	times := int64(bits.Len64(uint64(b.Size("subsampling_factor")))) - 1
	length = moments
	x = m.Add("unsqueeze", "", Args{Int("dim", 1)}, b.Input("input_features", length, bins))
	c := Convolution{In: 1, Out: channels, Kernel: kernel, Stride: stride, Padding: (kernel - 1) / 2, Bias: true}
	height := bins
	at := 0
	for i := range max(times, 1) {
		x = m.Conv2d(x, fmt.Sprintf("layers.%d", at), c)
		if i > 0 {
			at++
			x = m.Conv2d(x, fmt.Sprintf("layers.%d", at), Convolution{In: channels, Out: channels, Kernel: 1, Bias: true})
		}
		x = m.Add("relu", "", nil, x)
		at += 2
		c.In, c.Groups = channels, channels
		length, height = (length+2*c.Padding-kernel)/stride+1, height/stride
	}
	if times == 0 { // the class counts no halving then, but has the first convolution
		height = bins
	}
	x = m.Add("flatten", "", Args{Int("startDim", 2), Int("endDim", 3)}, m.Add("transpose", "", Args{Int("dim0", 1), Int("dim1", 2)}, x))
	return m.Linear(x, "linear", channels*height, b.Size("hidden_size"), true), length
}

// relative is attention whose scores have a part for the distance: a map of fixed positions, from the last to the first, that
// the queries meet. Two trained vectors are added to the queries, one for each part.
type relative struct {
	Dim, Heads, KV, HeadDim int64
	Square                  bool // the maps give what they read, even where the heads do not share it evenly and nothing runs
	Bias                    bool
	Q, K, V, O, Distance    string
	ForKeys, ForDistances   string // the vectors
}

func (b *Build) relativeAttend(x Node, length int64, r relative) Node {
	heads, wide, narrow, far := r.Heads, r.Heads*r.HeadDim, r.KV*r.HeadDim, 2*length-1
	vectors := wide
	if r.Square {
		wide, narrow = r.Dim, r.Dim
	}
	q, k, v := b.Linear(x, r.Q, r.Dim, wide, r.Bias), b.Linear(x, r.K, r.Dim, narrow, r.Bias), b.Linear(x, r.V, r.Dim, narrow, r.Bias)
	distances := b.Linear(b.Fixed(x, "distances", far, r.Dim), r.Distance, r.Dim, wide, false)
	with := func(name string) Node {
		p := b.Add("reshape", name, Args{Ints("shape", 1, vectors)}, b.Param(x, name, heads, r.HeadDim))
		return b.Add("add", name, nil, q, p)
	}
	byHead := func(x Node, order ...int64) Node {
		return b.Add("permute", "", Args{Ints("dims", order...)}, b.Unflatten(x, heads, r.HeadDim))
	}
	scores := b.Add("matmul", "", nil, byHead(with(r.ForDistances), 0, 2, 1, 3), byHead(distances, 0, 2, 3, 1))
	// Each row moves so that its distances stand above the keys.
	scores = b.Add("reshape", "", Args{Ints("shape", heads, far+1, length)}, b.Add("pad", "", Args{Ints("padding", 1, 0)}, scores))
	scores = b.Add("slice", "", Args{Int("dim", 2), Int("start", 1), Int("end", far+1)}, scores)
	scores = b.Slice(b.Add("reshape", "", Args{Ints("shape", heads, length, far)}, scores), 0, length)
	return b.Linear(b.Core(with(r.ForKeys), k, v, heads, r.KV, false, scores), r.O, wide, r.Dim, r.Bias)
}

// Shaw is a part of the scores for the distance: a trained vector of each, that the queries meet.
func (b *Build) Shaw(q, table Node, name string, heads, headDim, length int64) Node {
	return b.Add("customModule", name, Args{Ints("outShape", heads, length, length), Int("numParams", 0),
		Int("flops", 2*heads*headDim*length*length)}, q, table)
}

// conformerConv is a gated map, a convolution of each channel by itself, and a map.
func (b *Build) conformerConv(x Node, dim int64) Node {
	bias, kernel := b.Bool("convolution_bias"), b.Size("conv_kernel_size")
	x = b.Conv1d(b.Swap(x), "pointwise_conv1", Convolution{In: dim, Out: 2 * dim, Kernel: 1, Bias: bias})
	x = b.Add("glu", "", Args{Int("dim", 1)}, x)
	x = b.Conv1d(x, "depthwise_conv", Convolution{In: dim, Out: dim, Kernel: kernel, Padding: (kernel - 1) / 2, Groups: dim, Bias: bias})
	x = b.Activation(b.ChannelNorm(x, "norm", dim), "hidden_act")
	return b.Swap(b.Conv1d(x, "pointwise_conv2", Convolution{In: dim, Out: dim, Kernel: 1, Bias: bias}))
}
