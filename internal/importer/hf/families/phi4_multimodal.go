package families

import (
	"math/bits"

	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "phi4_multimodal", Default: "Phi4MultimodalForCausalLM",
	Classes: stack.HeadedClasses("Phi4Multimodal", phi4Multimodal)})

// phi4Multimodal is phi3 with towers for images and speech, whose results take the place of the tokens that stand for
// them.
func phi4Multimodal(root *Build) stack.Decoder {
	return stack.Decoder{Layer: phi3, Embedded: func(b *Build, x Node) Node {
		m, dim := b.Scope("embed_tokens_extend"), b.Size("hidden_size")
		image := phi4Image(m.Scope("image_embed"), root, root.Sub("vision_config", ""), dim)
		speech := phi4Speech(m.Scope("audio_embed"), root, root.Sub("audio_config", ""), dim)
		if build.LeaveOut(b, x, image) && build.LeaveOut(b, x, speech) {
			return x
		}
		n := b.Length(b.MaxPositions())
		return m.Add("customModule", "", Args{build.Ints("outShape", n, dim), build.Int("numParams", 0),
			build.Int("flops", 0)}, x, image, speech)
	}}
}

// phi4Image reads an image of one crop, which the tower sees as a whole and as that crop. Each row of features ends
// with a trained vector, and another stands between the two.
func phi4Image(b *Build, root *Build, visionConfig *Config, dim int64) Node {
	side, wide := visionConfig.Size("image_size"), visionConfig.Size("hidden_size")
	input := root.Input("image_pixel_values", 2, visionConfig.Size("num_channels"), side, side)
	rows := side / visionConfig.Size("patch_size")
	tower, half := b.Scope("img_processor").With(visionConfig), (rows+1)/2
	var rowEnd Node
	crop := func(i int64, tower *Build) Node {
		x := b.Add("select", "", Args{build.Int("dim", 1), build.Int("index", i)}, input)
		x = phi4Tower(tower, x, wide, rows)
		x = b.Add("permute", "", Args{build.Ints("dims", 0, 3, 1, 2)},
			b.Reshape(x, rows, rows, wide))
		if rows%2 != 0 {
			x = b.Add("pad", "img_processor_padding",
				Args{build.Ints("padding", 0, 1, 0, 1), build.Text("mode", "reflect")}, x)
		}
		x = b.Add("avgpool2d", "image_token_compression", Args{build.Int("kernelSize", 2), build.Int("stride", 2)}, x)
		x = b.Add("permute", "", Args{build.Ints("dims", 0, 2, 3, 1)}, x)
		if i == 0 {
			rowEnd = b.Add("parameter", "sub_img_feature_extensor", Args{build.Ints("shape", 1, 1, wide)}, input)
			b.Tensor("sub_img_feature_extensor", 1, 1, 1, wide)
			rowEnd = b.Add("expand", "", Args{build.Ints("shape", half, 1, -1)}, rowEnd)
		}
		x = b.Add("concatenate", "", Args{build.Int("dim", 2)}, x, rowEnd)
		return b.Reshape(x, -1, wide)
	}
	whole, part := crop(0, tower), crop(1, tower.Again())
	between := b.Add("parameter", "global_img_feature_extensor", Args{build.Ints("shape", 1, wide)}, input)
	b.Tensor("global_img_feature_extensor", 1, 1, wide)
	x := b.Add("concatenate", "", nil, part, between, whole)
	return twoMaps(b, x, "img_projection_up", "img_projection_down", wide, dim)
}

func twoMaps(b *Build, x Node, up, down string, in, dim int64) Node {
	return b.Linear(b.Act(b.Linear(x, up, in, dim, true), "gelu", up), down, dim, dim, true)
}

// phi4Tower is a vision transformer. The features of the layer that the config chooses are used; what is computed
// behind them is not.
func phi4Tower(b *Build, x Node, wide, rows int64) Node {
	heads, hidden, patch := b.Size("num_attention_heads"), b.Size("intermediate_size"), b.Size("patch_size")
	channels := b.Size("num_channels")
	x = b.Add("patchEmbed", "embeddings.patch_embedding",
		Args{build.Int("inChannels", channels), build.Int("patchSize", patch), build.Int("embedDim", wide)}, x)
	b.Weights("embeddings.patch_embedding", true, wide, channels, patch, patch)
	x = b.Positions(x, "embeddings.position_embedding", rows*rows, wide)
	states := []Node{x}
	for i := range b.Int("num_hidden_layers") {
		m := b.Scope("encoder.layers.%d", i)
		y := m.LayerNorm(x, "layer_norm1", wide, true)
		y = m.Add("multiHeadAttention", "self_attn", Args{build.Int("embedDim", wide), build.Int("numHeads", heads)}, y)
		for _, name := range []string{"q_proj", "k_proj", "v_proj", "out_proj"} {
			m.Weights("self_attn."+name, true, wide, wide)
		}
		x = m.Residual(x, y)
		x = m.Residual(x, nn.MLP(m.Scope("mlp"), m.LayerNorm(x, "layer_norm2", wide, true), "fc1", "fc2", wide, hidden,
			true, "hidden_act"))
		states = append(states, x)
	}
	x = b.LayerNorm(x, "post_layernorm", wide, true)
	h := b.Scope("head")
	probe := h.Add("parameter", "probe", Args{build.Ints("shape", 1, wide)}, x)
	h.Tensor("probe", 1, 1, wide)
	pooled := h.Add("crossAttention", "attention", Args{build.Int("embedDim", wide), build.Int("numHeads", heads)},
		probe, x)
	h.Tensor("attention.in_proj_weight", 3*wide, wide)
	h.Tensor("attention.in_proj_bias", 3*wide)
	h.Weights("attention.out_proj", true, wide, wide)
	h.Residual(pooled, nn.MLP(h.Scope("mlp"), h.LayerNorm(pooled, "layernorm", wide, true), "fc1", "fc2", wide, hidden,
		true, "hidden_act"))

	chosen, count := b.Int("feature_layer"), int64(len(states))
	if chosen < 0 {
		chosen += count
	}
	if chosen < 0 || chosen >= count {
		config.Fail(config.CodeContradiction, b.At("feature_layer"), "is %d but num_hidden_layers is %d",
			b.Int("feature_layer"), count-1)
	}
	return states[chosen]
}

// speechFrames is half a minute of speech, a frame every 10 ms.
const speechFrames = 3000

// phi4Speech projects what the encoder gives. It has two pairs of projections: the second is for speech beside
// images, and the first, for speech alone, leads nowhere in a graph with both.
func phi4Speech(b *Build, root *Build, audioConfig *Config, dim int64) Node {
	input := root.Input("audio_input_features", speechFrames, audioConfig.Size("input_size"))
	wide := audioConfig.Size("hidden_size") * audioConfig.Size("downsample_rate")
	x := phi4Encoder(b.Scope("encoder").With(audioConfig), input)
	twoMaps(b, x, "up_proj_for_speech", "down_proj_for_speech", wide, dim)
	return twoMaps(b, x, "up_proj_for_vision_speech", "down_proj_for_vision_speech", wide, dim)
}

// phi4Encoder is a conformer behind convolutions that shorten the sequence.
func phi4Encoder(b *Build, x Node) Node {
	dim, heads, reduction := b.Size("hidden_size"), b.Size("num_attention_heads"), b.Size("time_reduction")
	if reduction%2 != 0 {
		config.Fail(config.CodeContradiction, b.At("time_reduction"), "is %d but must be a multiple of 2", reduction)
	}
	steps := int64(bits.Len64(uint64(reduction))) - 1
	final, n := b.Size("input_size"), int64(speechFrames)
	for range steps {
		final, n = (final+1)/2, (n+1)/2
	}
	x = phi4Shorten(b.Scope("embed"), x, steps, b.SizeOr("nemo_final_size", final), dim)
	buckets := b.Size("bias_max_distance")
	if !b.Bool("bias_symmetric") {
		buckets *= 2
	}
	bias := b.Opaque(x, "relative_attention_bias_layer", []int64{heads, n, n}, 0,
		build.T("bias_values.weight", buckets, heads))
	b.RefuseNull("head_dim")
	a := nn.Attention{Dim: dim, Heads: heads, HeadDim: b.SizeOr("head_dim", dim/heads)}.Biased(true).Filled()
	feed := func(m *Build, x Node, name string) Node {
		return m.Residual(x, nn.GatedMLP(m, m.LayerNorm(x, name+".layer_norm", dim, true), name,
			nn.Gated{Dim: dim, Hidden: b.Size("intermediate_size"), Bias: true, Act: b.Str("activation"),
				Fused: "gate_up_proj"}))
	}
	for i := range b.Int("num_blocks") {
		m := b.Scope("encoders.%d", i)
		x = feed(m, x, "feed_forward_in")
		s := m.Scope("self_attn")
		q, k, v := nn.Project(s, m.LayerNorm(x, "layer_norm_att", dim, true), a)
		x = m.Residual(x, s.Linear(s.Core(q, k, v, heads, heads, false, bias), "o_proj", heads*a.HeadDim, dim, true))
		x = m.Residual(x, phi4Conv(m.Scope("conv"), x, dim, n))
		x = m.LayerNorm(feed(m, x, "feed_forward_out"), "layer_norm", dim, true)
	}
	return x
}

// phi4Shorten halves frames and features with every step, and projects what is left of a frame's features to one
// vector.
func phi4Shorten(b *Build, x Node, steps, final, dim int64) Node {
	channels, at := b.Size("nemo_conv_channels"), 0
	conv := func(x Node, name int, in, kernel, stride, groups int64) Node {
		m := b.Scope("conv.%d", name)
		x = m.Add("conv2d", "", Args{build.Int("inChannels", in), build.Int("outChannels", channels),
			build.Int("kernelSize", kernel), build.Int("stride", stride),
			build.Int("padding", (kernel-1)/2), build.Int("groups", groups)}, x)
		m.Tensor("weight", channels, in/groups, kernel, kernel)
		m.Tensor("bias", channels)
		return x
	}
	x = b.Add("unsqueeze", "", Args{build.Int("dim", 1)}, x)
	x = b.Activation(conv(x, at, 1, 3, 2, 1), "nemo_activation")
	for at = 2; at < 3*int(steps)-1; at += 3 {
		x = conv(conv(x, at, channels, 3, 2, channels), at+1, channels, 1, 1, 1)
		x = b.Activation(x, "nemo_activation")
	}
	x = b.Flat(b.Swap(x))
	return b.Linear(x, "out", channels*final, dim, true)
}

// phi4Conv mixes neighbouring frames: a gate, a convolution of each feature, and two of all features.
func phi4Conv(b *Build, x Node, dim, n int64) Node {
	kernel, out, many := b.Size("kernel_size"), b.Size("ext_pw_out_channel"), dim*b.Size("depthwise_multiplier")
	conv := func(x Node, name string, in, out, kernel, groups int64) Node {
		x = b.Add("conv1d", name, Args{build.Int("inChannels", in), build.Int("outChannels", out),
			build.Int("kernelSize", kernel), build.Int("padding", kernel-1), build.Int("groups", groups)}, x)
		b.Weights(name, true, out, in/groups, kernel)
		return x
	}
	flip := func(x Node) Node { return b.Swap(x) }
	part := func(x Node, i int64, name string) Node {
		w := b.Add("parameter", name, Args{build.Ints("shape", out, 1)}, x)
		b.Tensor(name, 1, out, 1)
		return b.Add("add", name, nil, b.Add("chunk", "",
			Args{build.Int("chunks", 2), build.Int("dim", 1), build.Int("index", i)}, x), w)
	}
	y := conv(flip(b.LayerNorm(x, "layer_norm", dim, true)), "glu.ext_pw_conv_1d", dim, 2*out, 1, 1)
	y = b.Add("multiply", "glu", nil, part(y, 0, "glu.b1"), b.Activation(part(y, 1, "glu.b2"), "conv_glu_type"))
	y = conv(y, "dw_sep_conv_1d.dw_conv", dim, many, kernel, dim)
	y = b.Slice(conv(y, "dw_sep_conv_1d.pw_conv", many, b.Size("depthwise_separable_out_channel"), 1, 1), 0, n)
	return flip(conv(b.Activation(y, "conv_activation"), "ext_pw_conv_1d", dim, out, 1, 1))
}
