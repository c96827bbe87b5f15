package hf

import "math/bits"

var _ = define(Family{Type: "phi4_multimodal", Default: "Phi4MultimodalForCausalLM", Classes: headed("Phi4Multimodal", phi4Multimodal)})

// phi4Multimodal is phi3 with towers for images and speech, whose results take the place of the tokens that stand for them.
func phi4Multimodal(root *Build) Decoder {
	return Decoder{Layer: phi3, Embedded: func(b *Build, x Node) Node {
		m, dim := b.Scope("embed_tokens_extend"), b.Size("hidden_size")
		image := m.Scope("image_embed").phi4Image(root, root.Sub("vision_config", ""), dim)
		speech := m.Scope("audio_embed").phi4Speech(root, root.Sub("audio_config", ""), dim)
		if b.leaves(x, image) && b.leaves(x, speech) {
			return x
		}
		n := b.Length(b.MaxPositions())
		return m.Add("customModule", "", Args{Ints("outShape", n, dim), Int("numParams", 0), Int("flops", 0)}, x, image, speech)
	}}
}

// phi4Image reads an image of one crop, which the tower sees as a whole and as that crop. Each row of features ends with a trained
// vector, and another stands between the two.
func (b *Build) phi4Image(root *Build, vision *Config, dim int64) Node {
	side, wide := vision.Size("image_size"), vision.Size("hidden_size")
	input := root.Input("image_pixel_values", 2, vision.Size("num_channels"), side, side)
	rows := side / vision.Size("patch_size")
	tower, half := b.Scope("img_processor").With(vision), (rows+1)/2
	var rowEnd Node
	crop := func(i int64, tower *Build) Node {
		x := b.Add("select", "", Args{Int("dim", 1), Int("index", i)}, input)
		x = tower.phi4Tower(x, wide, rows)
		x = b.Add("permute", "", Args{Ints("dims", 0, 3, 1, 2)}, b.Add("reshape", "", Args{Ints("shape", rows, rows, wide)}, x))
		if rows%2 != 0 {
			x = b.Add("pad", "img_processor_padding", Args{Ints("padding", 0, 1, 0, 1), Text("mode", "reflect")}, x)
		}
		x = b.Add("avgpool2d", "image_token_compression", Args{Int("kernelSize", 2), Int("stride", 2)}, x)
		x = b.Add("permute", "", Args{Ints("dims", 0, 2, 3, 1)}, x)
		if i == 0 {
			rowEnd = b.Add("parameter", "sub_img_feature_extensor", Args{Ints("shape", 1, 1, wide)}, input)
			b.Tensor("sub_img_feature_extensor", 1, 1, 1, wide)
			rowEnd = b.Add("expand", "", Args{Ints("shape", half, 1, -1)}, rowEnd)
		}
		x = b.Add("concatenate", "", Args{Int("dim", 2)}, x, rowEnd)
		return b.Add("reshape", "", Args{Ints("shape", -1, wide)}, x)
	}
	whole, part := crop(0, tower), crop(1, tower.Again())
	between := b.Add("parameter", "global_img_feature_extensor", Args{Ints("shape", 1, wide)}, input)
	b.Tensor("global_img_feature_extensor", 1, 1, wide)
	x := b.Add("concatenate", "", nil, part, between, whole)
	return b.twoMaps(x, "img_projection_up", "img_projection_down", wide, dim)
}

func (b *Build) twoMaps(x Node, up, down string, in, dim int64) Node {
	return b.Linear(b.Act(b.Linear(x, up, in, dim, true), "gelu", up), down, dim, dim, true)
}

// phi4Tower is a vision transformer. The features of the layer that the config chooses are used; what is computed behind them is not.
func (b *Build) phi4Tower(x Node, wide, rows int64) Node {
	heads, hidden, patch := b.Size("num_attention_heads"), b.Size("intermediate_size"), b.Size("patch_size")
	channels := b.Size("num_channels")
	x = b.Add("patchEmbed", "embeddings.patch_embedding", Args{Int("inChannels", channels), Int("patchSize", patch), Int("embedDim", wide)}, x)
	b.weights("embeddings.patch_embedding", true, wide, channels, patch, patch)
	x = b.Positions(x, "embeddings.position_embedding", rows*rows, wide)
	states := []Node{x}
	for i := range b.Int("num_hidden_layers") {
		m := b.Scope("encoder.layers.%d", i)
		y := m.LayerNorm(x, "layer_norm1", wide, true)
		y = m.Add("multiHeadAttention", "self_attn", Args{Int("embedDim", wide), Int("numHeads", heads)}, y)
		for _, name := range []string{"q_proj", "k_proj", "v_proj", "out_proj"} {
			m.weights("self_attn."+name, true, wide, wide)
		}
		x = m.Residual(x, y)
		x = m.Residual(x, m.Scope("mlp").MLP(m.LayerNorm(x, "layer_norm2", wide, true), "fc1", "fc2", wide, hidden, true, "hidden_act"))
		states = append(states, x)
	}
	x = b.LayerNorm(x, "post_layernorm", wide, true)
	h := b.Scope("head")
	probe := h.Add("parameter", "probe", Args{Ints("shape", 1, wide)}, x)
	h.Tensor("probe", 1, 1, wide)
	pooled := h.Add("crossAttention", "attention", Args{Int("embedDim", wide), Int("numHeads", heads)}, probe, x)
	h.Tensor("attention.in_proj_weight", 3*wide, wide)
	h.Tensor("attention.in_proj_bias", 3*wide)
	h.weights("attention.out_proj", true, wide, wide)
	h.Residual(pooled, h.Scope("mlp").MLP(h.LayerNorm(pooled, "layernorm", wide, true), "fc1", "fc2", wide, hidden, true, "hidden_act"))

	chosen, count := b.Int("feature_layer"), int64(len(states))
	if chosen < 0 {
		chosen += count
	}
	if chosen < 0 || chosen >= count {
		fail(CodeContradiction, b.at("feature_layer"), "is %d but num_hidden_layers is %d", b.Int("feature_layer"), count-1)
	}
	return states[chosen]
}

// speechFrames is half a minute of speech, a frame every 10 ms.
const speechFrames = 3000

// phi4Speech maps what the encoder gives. It has two pairs of maps: the second is for speech beside images, and the first, for
// speech alone, leads nowhere in a graph with both.
func (b *Build) phi4Speech(root *Build, audio *Config, dim int64) Node {
	input := root.Input("audio_input_features", speechFrames, audio.Size("input_size"))
	wide := audio.Size("hidden_size") * audio.Size("downsample_rate")
	x := b.Scope("encoder").With(audio).phi4Encoder(input)
	b.twoMaps(x, "up_proj_for_speech", "down_proj_for_speech", wide, dim)
	return b.twoMaps(x, "up_proj_for_vision_speech", "down_proj_for_vision_speech", wide, dim)
}

// phi4Encoder is a conformer behind convolutions that shorten the sequence.
func (b *Build) phi4Encoder(x Node) Node {
	dim, heads, reduction := b.Size("hidden_size"), b.Size("num_attention_heads"), b.Size("time_reduction")
	if reduction%2 != 0 {
		fail(CodeContradiction, b.at("time_reduction"), "is %d but must be a multiple of 2", reduction)
	}
	steps := int64(bits.Len64(uint64(reduction))) - 1
	final, n := b.Size("input_size"), int64(speechFrames)
	for range steps {
		final, n = (final+1)/2, (n+1)/2
	}
	x = b.Scope("embed").phi4Shorten(x, steps, b.SizeOr("nemo_final_size", final), dim)
	buckets := b.Size("bias_max_distance")
	if !b.Bool("bias_symmetric") {
		buckets *= 2
	}
	bias := b.Opaque(x, "relative_attention_bias_layer", []int64{heads, n, n}, 0, T("bias_values.weight", buckets, heads))
	b.refuseNull("head_dim")
	a := Attention{Dim: dim, Heads: heads, HeadDim: b.SizeOr("head_dim", dim/heads)}.biased(true).filled()
	feed := func(m *Build, x Node, name string) Node {
		return m.Residual(x, m.Gated(m.LayerNorm(x, name+".layer_norm", dim, true), name,
			Gated{Dim: dim, Hidden: b.Size("intermediate_size"), Bias: true, Act: b.Str("activation"), Fused: "gate_up_proj"}))
	}
	for i := range b.Int("num_blocks") {
		m := b.Scope("encoders.%d", i)
		x = feed(m, x, "feed_forward_in")
		s := m.Scope("self_attn")
		q, k, v := s.project(m.LayerNorm(x, "layer_norm_att", dim, true), a)
		x = m.Residual(x, s.Linear(s.Core(q, k, v, heads, heads, false, bias), "o_proj", heads*a.HeadDim, dim, true))
		x = m.Residual(x, m.Scope("conv").phi4Conv(x, dim, n))
		x = m.LayerNorm(feed(m, x, "feed_forward_out"), "layer_norm", dim, true)
	}
	return x
}

// phi4Shorten halves frames and features with every step, and maps what is left of a frame's features to one vector.
func (b *Build) phi4Shorten(x Node, steps, final, dim int64) Node {
	channels, at := b.Size("nemo_conv_channels"), 0
	conv := func(x Node, name int, in, kernel, stride, groups int64) Node {
		m := b.Scope("conv.%d", name)
		x = m.Add("conv2d", "", Args{Int("inChannels", in), Int("outChannels", channels), Int("kernelSize", kernel), Int("stride", stride),
			Int("padding", (kernel-1)/2), Int("groups", groups)}, x)
		m.Tensor("weight", channels, in/groups, kernel, kernel)
		m.Tensor("bias", channels)
		return x
	}
	x = b.Add("unsqueeze", "", Args{Int("dim", 1)}, x)
	x = b.Activation(conv(x, at, 1, 3, 2, 1), "nemo_activation")
	for at = 2; at < 3*int(steps)-1; at += 3 {
		x = conv(conv(x, at, channels, 3, 2, channels), at+1, channels, 1, 1, 1)
		x = b.Activation(x, "nemo_activation")
	}
	x = b.Flat(b.Add("transpose", "", Args{Int("dim0", 1), Int("dim1", 2)}, x))
	return b.Linear(x, "out", channels*final, dim, true)
}

// phi4Conv mixes neighbouring frames: a gate, a convolution of each feature, and two of all features.
func (b *Build) phi4Conv(x Node, dim, n int64) Node {
	kernel, out, many := b.Size("kernel_size"), b.Size("ext_pw_out_channel"), dim*b.Size("depthwise_multiplier")
	conv := func(x Node, name string, in, out, kernel, groups int64) Node {
		x = b.Add("conv1d", name, Args{Int("inChannels", in), Int("outChannels", out), Int("kernelSize", kernel), Int("padding", kernel-1), Int("groups", groups)}, x)
		b.weights(name, true, out, in/groups, kernel)
		return x
	}
	flip := func(x Node) Node { return b.Add("transpose", "", Args{Int("dim0", 1), Int("dim1", 2)}, x) }
	part := func(x Node, i int64, name string) Node {
		w := b.Add("parameter", name, Args{Ints("shape", out, 1)}, x)
		b.Tensor(name, 1, out, 1)
		return b.Add("add", name, nil, b.Add("chunk", "", Args{Int("chunks", 2), Int("dim", 1), Int("index", i)}, x), w)
	}
	y := conv(flip(b.LayerNorm(x, "layer_norm", dim, true)), "glu.ext_pw_conv_1d", dim, 2*out, 1, 1)
	y = b.Add("multiply", "glu", nil, part(y, 0, "glu.b1"), b.Activation(part(y, 1, "glu.b2"), "conv_glu_type"))
	y = conv(y, "dw_sep_conv_1d.dw_conv", dim, many, kernel, dim)
	y = b.Slice(conv(y, "dw_sep_conv_1d.pw_conv", many, b.Size("depthwise_separable_out_channel"), 1, 1), 0, n)
	return flip(conv(b.Activation(y, "conv_activation"), "ext_pw_conv_1d", dim, out, 1, 1))
}
