package hf

import "fmt"

// conformerTower is Gemma 3n's audio model: two convolutions over (frames, features) make it shorter, blocks of attention and
// convolution follow, and every conf_reduction_factor-th vector is kept.
func (b *Build) conformerTower(x Node, frames int64) Node {
	dim, features, in := b.Size("hidden_size"), b.Size("input_feat_size"), int64(1)
	s := b.Scope("subsample_conv_projection")
	channels := b.Ints("sscp_conv_channel_size")
	x = s.Add("unsqueeze", "", Args{Int("dim", 1)}, x)
	for i := range 2 {
		if len(channels) != 2 {
			fail(CodeConfig, b.at("sscp_conv_channel_size"), "has %d numbers but takes two", len(channels))
		}
		kernel, stride := b.pairAt("sscp_conv_kernel_size", i), b.pairAt("sscp_conv_stride_size", i)
		frames, features = (frames-1)/stride[0]+1, (features+2-kernel[1])/stride[1]+1
		x = s.soundConv(x, fmt.Sprintf("conv_%d", i), in, channels[i], kernel, stride, frames, features)
		in = channels[i]
	}
	x = s.Add("flatten", "", Args{Int("startDim", 2)}, s.Add("permute", "", Args{Ints("dims", 0, 2, 3, 1)}, x))
	x = s.Linear(x, "input_proj_linear", in*features, dim, false)
	for i := range b.Int("conf_num_hidden_layers") {
		x = b.Scope("conformer.%d", i).conformer(x, dim, frames)
	}
	if n := b.Int("conf_reduction_factor"); n > 1 {
		x = b.Add("slice", "", Args{Int("dim", 1), Int("step", n)}, x)
	}
	return x
}

// pairAt is one pair of a list of pairs of sizes.
func (b *Build) pairAt(key string, i int) [2]int64 {
	if items := b.list(key); len(items) == 2 {
		if pair, ok := items[i].([]any); ok && len(pair) == 2 {
			h, w := b.integer(key, pair[0]), b.integer(key, pair[1])
			if h > 0 && w > 0 {
				return [2]int64{h, w}
			}
		}
	}
	fail(CodeConfig, b.at(key), "takes two pairs of sizes")
	return [2]int64{}
}

// soundConv is a convolution that sees no later frame, with a norm over all that was heard until then.
func (b *Build) soundConv(x Node, name string, in, out int64, kernel, stride [2]int64, frames, features int64) Node {
	m := b.Scope("%s", name)
	x = m.Add("pad", "", Args{Ints("padding", 1, 1, 0, kernel[0]-1)}, x)
	x = m.Add("conv2d", "conv", Args{Int("inChannels", in), Int("outChannels", out), Ints("kernelSize", kernel[:]...), Ints("stride", stride[:]...), Flag("bias", false)}, x)
	m.Tensor("conv.weight", out, in, kernel[0], kernel[1])
	x = m.opaqueOf([]Node{x}, "norm", []int64{out, frames, features}, 0, T("weight", out))
	return m.Add("relu", "", nil, x)
}

func (b *Build) conformer(x Node, dim, frames int64) Node {
	x = b.Scope("ffw_layer_start").conformerFeed(x, dim)
	x = b.Residual(x, b.Scope("attention").conformerAttention(x, dim, frames))
	c, kernel := b.Scope("lconv1d"), b.Size("conf_conv_kernel_size")
	y := c.Add("glu", "", nil, c.Linear(c.RMSNorm(x, "pre_layer_norm", dim), "linear_start", dim, 2*dim, false))
	y = c.RMSNorm(c.causalConv(y, "depthwise_conv1d", dim, kernel, frames), "conv_norm", dim)
	x = c.Residual(x, c.Linear(c.Add("silu", "", nil, y), "linear_end", dim, dim, false))
	x = b.Scope("ffw_layer_end").conformerFeed(x, dim)
	return b.RMSNorm(x, "norm", dim)
}

func (b *Build) conformerFeed(x Node, dim int64) Node {
	y := b.Linear(b.RMSNorm(x, "pre_layer_norm", dim), "ffw_layer_1", dim, 4*dim, false)
	y = b.Linear(b.Add("silu", "", nil, y), "ffw_layer_2", 4*dim, dim, false)
	return b.Residual(x, b.RMSNorm(y, "post_layer_norm", dim))
}

// conformerAttention attends to a few frames before and behind, and to their distance.
func (b *Build) conformerAttention(x Node, dim, frames int64) Node {
	heads := b.Size("conf_num_attention_heads")
	head, m := dim/heads, b.Scope("attn")
	past, future := max(0, b.Int("conf_attention_context_left")-1), b.Int("conf_attention_context_right")
	h := b.RMSNorm(x, "pre_attn_norm", dim)
	q, k, v := m.Linear(h, "q_proj", dim, heads*head, false), m.Linear(h, "k_proj", dim, heads*head, false), m.Linear(h, "v_proj", dim, heads*head, false)
	context, span := b.Size("conf_attention_chunk_size")+past+max(0, future), past+max(0, future)+1
	flops := m.product(2, heads, head, m.product(frames, 2*context+span)+m.product(span, dim))
	y := m.unfollowed([]Node{q, k, v}, "", []int64{frames, heads * head}, flops, T("per_dim_scale", head), T("relative_position_embedding.pos_proj.weight", heads*head, dim))
	return b.RMSNorm(b.Linear(y, "post", dim, dim, false), "post_norm", dim)
}
