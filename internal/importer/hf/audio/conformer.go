package audio

import (
	"fmt"
	"math/bits"

	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
)

// Moments is the length of a spectrogram where the model takes any: ten seconds of a hundred moments.
const Moments = 1000

// ChannelNorm normalises each channel.
func ChannelNorm(b *build.Build, x build.Node, name string, channels int64) build.Node {
	n := b.Add("batchNorm", name, build.Args{build.Int("numFeatures", channels)}, x)
	b.Weights(name, true, channels)
	return n
}

// Parakeet is a FastConformer: convolutions that shorten a spectrogram, and layers of attention and convolution
// between two halves of a feed-forward network. It returns the number of positions, too.
func Parakeet(b *build.Build) (x build.Node, length int64) {
	x, length = subsample(b, b.Scope("subsampling"))
	dim := b.Size("hidden_size")
	for i := range b.Int("num_hidden_layers") {
		l := b.Scope("layers.%d", i)
		feed := func(name string, x build.Node) build.Node {
			return nn.MLP(l.Scope("%s", name), l.LayerNorm(x, "norm_"+name, dim, true), "linear1", "linear2", dim,
				l.Size("intermediate_size"), l.Bool("attention_bias"), "hidden_act")
		}
		x = l.Residual(x, feed("feed_forward1", x))
		x = l.Residual(x, RelativeAttend(l.Scope("self_attn"), l.LayerNorm(x, "norm_self_att", dim, true), length,
			Relative{Dim: dim,
				Heads: l.Size("num_attention_heads"), KV: l.KVHeads(), HeadDim: l.HeadDim(),
				Bias: l.Bool("attention_bias"), Q: "q_proj", K: "k_proj", V: "v_proj", O: "o_proj",
				Distance: "relative_k_proj", ForKeys: "bias_u", ForDistances: "bias_v"}))
		x = l.Residual(x, conformerConv(l.Scope("conv"), l.LayerNorm(x, "norm_conv", dim, true), dim))
		x = l.Residual(x, feed("feed_forward2", x))
		x = l.LayerNorm(x, "norm_out", dim, true)
	}
	return x, length
}

// subsample halves both axes of a spectrogram, as an image, a few times.
func subsample(b *build.Build, m *build.Build) (x build.Node, length int64) {
	channels, kernel, stride, bins := b.Size("subsampling_conv_channels"), b.Size("subsampling_conv_kernel_size"),
		b.Size("subsampling_conv_stride"), b.Size("num_mel_bins")
	times := int64(bits.Len64(uint64(b.Size("subsampling_factor")))) - 1
	length = Moments
	x = m.Add("unsqueeze", "", build.Args{build.Int("dim", 1)}, b.Input("input_features", length, bins))
	c := Convolution{In: 1, Out: channels, Kernel: kernel, Stride: stride, Padding: (kernel - 1) / 2, Bias: true}
	height := bins
	at := 0
	for i := range max(times, 1) {
		x = Conv2d(m, x, fmt.Sprintf("layers.%d", at), c)
		if i > 0 {
			at++
			x = Conv2d(m, x, fmt.Sprintf("layers.%d", at),
				Convolution{In: channels, Out: channels, Kernel: 1, Bias: true})
		}
		x = m.Add("relu", "", nil, x)
		at += 2
		c.In, c.Groups = channels, channels
		length, height = (length+2*c.Padding-kernel)/stride+1, height/stride
	}
	if times == 0 { // the class counts no halving then, but has the first convolution
		height = bins
	}
	x = m.Add("flatten", "", build.Args{build.Int("startDim", 2), build.Int("endDim", 3)},
		m.Swap(x))
	return m.Linear(x, "linear", channels*height, b.Size("hidden_size"), true), length
}

// Relative is attention whose scores have a part for the distance: a projection of fixed positions, from the last to
// the first, that the queries meet. Two trained vectors are added to the queries, one for each part.
type Relative struct {
	Dim, Heads, KV, HeadDim int64
	// the projections give what they read, even where the heads do not share it evenly and nothing runs
	Square                bool
	Bias                  bool
	Q, K, V, O, Distance  string
	ForKeys, ForDistances string // the vectors
}

// RelativeAttend is attention whose scores also depend on how far two positions are apart, as Transformer-XL has it.
func RelativeAttend(b *build.Build, x build.Node, length int64, r Relative) build.Node {
	heads, wide, narrow, far := r.Heads, r.Heads*r.HeadDim, r.KV*r.HeadDim, 2*length-1
	vectors := wide
	if r.Square {
		wide, narrow = r.Dim, r.Dim
	}
	q, k, v := b.Linear(x, r.Q, r.Dim, wide, r.Bias), b.Linear(x, r.K, r.Dim, narrow, r.Bias),
		b.Linear(x, r.V, r.Dim, narrow, r.Bias)
	distances := b.Linear(b.Constant(x, "distances", far, r.Dim), r.Distance, r.Dim, wide, false)
	with := func(name string) build.Node {
		p := b.Add("reshape", name, build.Args{build.Ints("shape", 1, vectors)}, b.Param(x, name, heads, r.HeadDim))
		return b.Add("add", name, nil, q, p)
	}
	byHead := func(x build.Node, order ...int64) build.Node {
		return b.Add("permute", "", build.Args{build.Ints("dims", order...)}, b.Unflatten(x, heads, r.HeadDim))
	}
	scores := b.Add("matmul", "", nil, byHead(with(r.ForDistances), 0, 2, 1, 3), byHead(distances, 0, 2, 3, 1))
	// Each row moves so that its distances stand above the keys.
	scores = b.Add("reshape", "", build.Args{build.Ints("shape", heads, far+1, length)},
		b.Add("pad", "", build.Args{build.Ints("padding", 1, 0)}, scores))
	scores = b.Add("slice", "", build.Args{build.Int("dim", 2), build.Int("start", 1), build.Int("end", far+1)}, scores)
	scores = b.Slice(b.Reshape(scores, heads, length, far), 0, length)
	return b.Linear(b.Core(with(r.ForKeys), k, v, heads, r.KV, false, scores), r.O, wide, r.Dim, r.Bias)
}

// Shaw is a part of the scores for the distance: a trained vector of each, that the queries meet.
func Shaw(b *build.Build, q, table build.Node, name string, heads, headDim, length int64) build.Node {
	return b.Add("customModule", name, build.Args{build.Ints("outShape", heads, length, length),
		build.Int("numParams", 0),
		build.Int("flops", 2*heads*headDim*length*length)}, q, table)
}

// conformerConv is a gated projection, a convolution of each channel by itself, and a projection.
func conformerConv(b *build.Build, x build.Node, dim int64) build.Node {
	bias, kernel := b.Bool("convolution_bias"), b.Size("conv_kernel_size")
	x = Conv1d(b, b.Swap(x), "pointwise_conv1", Convolution{In: dim, Out: 2 * dim, Kernel: 1, Bias: bias})
	x = b.Add("glu", "", build.Args{build.Int("dim", 1)}, x)
	x = Conv1d(b, x, "depthwise_conv", Convolution{In: dim, Out: dim, Kernel: kernel, Padding: (kernel - 1) / 2,
		Groups: dim, Bias: bias})
	x = b.Activation(ChannelNorm(b, x, "norm", dim), "hidden_act")
	return b.Swap(Conv1d(b, x, "pointwise_conv2", Convolution{In: dim, Out: dim, Kernel: 1, Bias: bias}))
}
