package families

import (
	"fmt"

	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
)

// conformerTower is Gemma 3n's audio model: two convolutions over (frames, features) make it shorter, blocks of
// attention and convolution follow, and every conf_reduction_factor-th vector is kept.
func conformerTower(b *Build, x Node, frames int64) Node {
	dim, features, in := b.Size("hidden_size"), b.Size("input_feat_size"), int64(1)
	s := b.Scope("subsample_conv_projection")
	channels := b.Ints("sscp_conv_channel_size")
	x = s.Add("unsqueeze", "", Args{build.Int("dim", 1)}, x)
	for i := range 2 {
		if len(channels) != 2 {
			config.Fail(config.CodeConfig, b.At("sscp_conv_channel_size"), "has %d numbers but takes two",
				len(channels))
		}
		kernel, stride := pairAt(b, "sscp_conv_kernel_size", i), pairAt(b, "sscp_conv_stride_size", i)
		frames, features = (frames-1)/stride[0]+1, (features+2-kernel[1])/stride[1]+1
		x = soundConv(s, x, fmt.Sprintf("conv_%d", i), in, channels[i], kernel, stride, frames, features)
		in = channels[i]
	}
	x = s.Flat(s.Add("permute", "", Args{build.Ints("dims", 0, 2, 3, 1)}, x))
	x = s.Linear(x, "input_proj_linear", in*features, dim, false)
	for i := range b.Int("conf_num_hidden_layers") {
		x = conformer(b.Scope("conformer.%d", i), x, dim, frames)
	}
	if n := b.Int("conf_reduction_factor"); n > 1 {
		x = b.Add("slice", "", Args{build.Int("dim", 1), build.Int("step", n)}, x)
	}
	return x
}

// pairAt is one pair of a list of pairs of sizes.
func pairAt(b *Build, key string, i int) [2]int64 {
	if items := b.List(key); len(items) == 2 {
		if pair, ok := items[i].([]any); ok && len(pair) == 2 {
			h, w := b.Integer(key, pair[0]), b.Integer(key, pair[1])
			if h > 0 && w > 0 {
				return [2]int64{h, w}
			}
		}
	}
	config.Fail(config.CodeConfig, b.At(key), "takes two pairs of sizes")
	return [2]int64{}
}

// soundConv is a convolution that sees no later frame, with a norm over all that was heard until then.
func soundConv(b *Build, x Node, name string, in, out int64, kernel, stride [2]int64, frames, features int64) Node {
	m := b.Scope("%s", name)
	x = m.Add("pad", "", Args{build.Ints("padding", 1, 1, 0, kernel[0]-1)}, x)
	x = m.Add("conv2d", "conv", Args{build.Int("inChannels", in), build.Int("outChannels", out),
		build.Ints("kernelSize", kernel[:]...), build.Ints("stride", stride[:]...), build.Flag("bias", false)}, x)
	m.Tensor("conv.weight", out, in, kernel[0], kernel[1])
	x = m.OpaqueOf([]Node{x}, "norm", []int64{out, frames, features}, 0, build.T("weight", out))
	return m.Add("relu", "", nil, x)
}

func conformer(b *Build, x Node, dim, frames int64) Node {
	x = conformerFeed(b.Scope("ffw_layer_start"), x, dim)
	x = b.Residual(x, conformerAttention(b.Scope("attention"), x, dim, frames))
	c, kernel := b.Scope("lconv1d"), b.Size("conf_conv_kernel_size")
	y := c.Add("glu", "", nil, c.Linear(c.RMSNorm(x, "pre_layer_norm", dim), "linear_start", dim, 2*dim, false))
	y = c.RMSNorm(causalConv(c, y, "depthwise_conv1d", dim, kernel, frames), "conv_norm", dim)
	x = c.Residual(x, c.Linear(c.Add("silu", "", nil, y), "linear_end", dim, dim, false))
	x = conformerFeed(b.Scope("ffw_layer_end"), x, dim)
	return b.RMSNorm(x, "norm", dim)
}

func conformerFeed(b *Build, x Node, dim int64) Node {
	y := b.Linear(b.RMSNorm(x, "pre_layer_norm", dim), "ffw_layer_1", dim, 4*dim, false)
	y = b.Linear(b.Add("silu", "", nil, y), "ffw_layer_2", 4*dim, dim, false)
	return b.Residual(x, b.RMSNorm(y, "post_layer_norm", dim))
}

// conformerAttention attends to a few frames before and behind, and to their distance.
func conformerAttention(b *Build, x Node, dim, frames int64) Node {
	heads := b.Size("conf_num_attention_heads")
	head, m := dim/heads, b.Scope("attn")
	past, future := max(0, b.Int("conf_attention_context_left")-1), b.Int("conf_attention_context_right")
	h := b.RMSNorm(x, "pre_attn_norm", dim)
	q, k, v := m.Linear(h, "q_proj", dim, heads*head, false), m.Linear(h, "k_proj", dim, heads*head, false),
		m.Linear(h, "v_proj", dim, heads*head, false)
	context, span := b.Size("conf_attention_chunk_size")+past+max(0, future), past+max(0, future)+1
	flops := build.Product(m, 2, heads, head, build.Product(m, frames, 2*context+span)+build.Product(m, span, dim))
	y := unfollowed(m, []Node{q, k, v}, "", []int64{frames, heads * head}, flops, build.T("per_dim_scale", head),
		build.T("relative_position_embedding.pos_proj.weight", heads*head, dim))
	return b.RMSNorm(b.Linear(y, "post", dim, dim, false), "post_norm", dim)
}
