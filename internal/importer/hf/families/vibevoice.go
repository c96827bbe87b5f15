package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/audio"
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var (
	_ = family.Define(family.Family{Type: "vibevoice", Default: "VibeVoiceForConditionalGeneration",
		Classes: map[string]func(*Build){"VibeVoiceForConditionalGeneration": vibeVoice}})
	_ = family.Define(family.Family{Type: "vibevoice_asr", Default: "VibeVoiceAsrForConditionalGeneration",
		Classes: map[string]func(*Build){"VibeVoiceAsrForConditionalGeneration": vibeVoiceASR}})
)

// vibeVoiceASR hears a sound through two tokenizers, whose features are added.
func vibeVoiceASR(b *Build) {
	acoustic := b.Part("acoustic_tokenizer_encoder_config", "vibevoice_acoustic_tokenizer_encoder", "")
	semantic := b.Part("semantic_tokenizer_encoder_config", "vibevoice_acoustic_tokenizer_encoder",
		b.Unless("semantic_tokenizer_encoder_config", `{"hidden_size": 128}`))
	text := b.Part("text_config", "qwen2", "")
	hop, m, dim := hop(acoustic), b.Scope("model"), text.Size("hidden_size")
	if chunk := b.Int("acoustic_tokenizer_chunk_size"); chunk%hop != 0 {
		config.Fail(config.CodeContradiction, b.At("acoustic_tokenizer_chunk_size"),
			"is %d, which is no multiple of %d, the product of downsampling_ratios", chunk, hop)
	}
	count := max(audio.SoundSamples/hop, 1)
	sound := b.Input("input_values", acoustic.Size("channels"), count*hop)
	heard, meant := soundEncode(m.Scope("acoustic_tokenizer_encoder").With(acoustic), sound),
		soundEncode(m.Scope("semantic_tokenizer_encoder").With(semantic), sound)
	p := m.Scope("multi_modal_projector")
	project := func(x Node, name string, in int64) Node {
		x = p.RMSNorm(p.Linear(x, name+"_linear_1", in, dim, true), name+"_norm", dim)
		return p.Linear(x, name+"_linear_2", dim, dim, true)
	}
	x := p.Residual(project(heard, "acoustic", acoustic.Size("hidden_size")),
		project(meant, "semantic", semantic.Size("hidden_size")))
	stack.Listen(b, text, x)
}

// vibeVoice speaks. A voice stands in the text; from what the language model gives for the last position, a diffusion
// head makes the next moment of sound, and what that sounds like and means is what the language model reads next.
func vibeVoice(b *Build) {
	audioConfig, text := b.Part("audio_config", "vibevoice_acoustic_tokenizer", ""), b.Part("text_config", "qwen2", "")
	semantic := b.Part("semantic_model_config", "vibevoice_acoustic_tokenizer_encoder",
		b.Unless("semantic_model_config", `{"hidden_size": 128}`))
	dim, latent, hop, m := text.Size("hidden_size"), audioConfig.Size("hidden_size"), hop(audioConfig), b.Scope("model")
	head := b.Part("diffusion_head_config", "VibeVoiceDiffusionHeadConfig", "")
	if !b.Has("diffusion_head_config") {
		head = head.WithDefault("hidden_size", dim).WithDefault("latent_size", latent)
	}
	for i, key := range []string{"hidden_size", "latent_size"} {
		if n, want := head.Size(key), []int64{dim, latent}[i]; n != want {
			config.Fail(config.CodeContradiction, head.At(key), "is %d but must be %d, the hidden_size of %s", n, want,
				[]string{"text_config", "audio_config"}[i])
		}
	}
	count := max(audio.SoundSamples/hop, 1)
	sound := soundEncode(m.Scope("audio_tower.encoder").With(audioConfig),
		b.Input("input_values", audioConfig.Size("channels"), count*hop))
	factor := func(name string) Node {
		return m.Add("reshape", name, Args{build.Ints("shape", 1, 1)}, m.Param(sound, name))
	}
	sound = m.Add("add", "latents", nil, sound, factor("latent_bias_factor"))
	sound = m.Add("multiply", "latents", nil, sound, factor("latent_scaling_factor"))
	voice := connector(m.Scope("multi_modal_projector"), sound, latent, dim)
	x, table := stack.InnerModel(m, "language_model", text,
		func(x Node) Node { return stack.Scatter(m.With(text), x, voice, dim) })
	tied := b.Bool("tie_word_embeddings")
	if !b.Given("tie_word_embeddings") {
		tied = text.Bool("tie_word_embeddings")
	}
	b.Output(stack.LMHead(b, x, "lm_head", dim, text.Size("vocab_size"), false, table, tied))
	length := m.With(text).TextLength()
	last := m.Span(x, length-1, length)
	next := diffuse(m.Scope("diffusion_head").With(head), last, latent)
	spoken := soundDecode(m.Scope("audio_tower.decoder").With(audioConfig), next)
	meant := soundEncode(m.Scope("semantic_tokenizer_encoder").With(semantic), spoken)
	again := connector(m.Scope("multi_modal_projector").Again(), next, latent, dim)
	b.Output(m.Residual(again, connector(m.Scope("semantic_connector"), meant, semantic.Size("hidden_size"), dim)))
}

// connector is two projections around a norm.
func connector(b *Build, x Node, in, dim int64) Node {
	x = b.RMSNorm(b.Linear(x, "linear_1", in, dim, true), "act", dim)
	return b.Linear(x, "linear_2", dim, dim, true)
}

// diffuse takes noise out of a moment of sound, once. What it is told scales and shifts every layer.
func diffuse(b *Build, told Node, latent int64) Node {
	dim := b.Size("hidden_size")
	x := b.Linear(b.Input("noisy_latents", 1, latent), "noisy_images_proj", latent, dim, false)
	f := b.Size("frequency_embedding_size")
	step := b.Constant(told, "timestep_embedding", 1, f)
	p := b.Scope("timestep_proj")
	step = p.Linear(p.Activation(p.Linear(step, "fc1", f, dim, false), "hidden_act"), "fc2", dim, dim, false)
	told = b.Activation(b.Residual(b.Linear(told, "cond_proj", dim, dim, false), step), "hidden_act")
	modulate := func(x, scale, shift Node) Node {
		return b.Residual(b.Residual(x, b.Add("multiply", "", nil, x, scale)), shift)
	}
	for i := range b.Int("num_hidden_layers") {
		l := b.Scope("layers.%d", i)
		all := l.Linear(told, "linear", dim, 3*dim, false)
		y := modulate(l.RMSNorm(x, "norm", dim), l.Chunk(all, 3, 1), l.Chunk(all, 3, 0))
		y = nn.GatedMLP(l, y, "ffn", nn.Gated{Dim: dim, Hidden: b.Size("intermediate_size"), Bias: b.Bool("mlp_bias"),
			Act: b.Str("hidden_act")})
		x = l.Residual(x, l.Add("multiply", "", nil, l.Chunk(all, 3, 2), y))
	}
	l := b.Scope("final_layer")
	both := l.Linear(told, "linear_1", dim, 2*dim, false)
	x = l.Add("rmsNorm", "norm", Args{build.Ints("normalizedShape", dim), build.Flag("elementwiseAffine", false)}, x)
	return l.Linear(modulate(x, l.Chunk(both, 2, 1), l.Chunk(both, 2, 0)), "linear_2", dim, latent, false)
}

// hop is how many samples of a sound become one row of features.
func hop(c *Config) int64 {
	n := int64(1)
	for _, r := range c.Ints("downsampling_ratios") {
		if n *= r; r < 1 || n > config.MaxSize || len(c.List("downsampling_ratios")) > maxDoublings {
			config.Fail(config.CodeConfig, c.At("downsampling_ratios"),
				"has %d entries, but takes %d at most, each of at least 1", len(c.List("downsampling_ratios")),
				maxDoublings)
		}
	}
	return n
}

// soundEncode is stages of ConvNeXt's kind over a sound, each of which doubles the channels and shortens it.
func soundEncode(b *Build, x Node) Node {
	channels, kernel, depths, ratios := b.Size("num_filters"), b.Size("kernel_size"), b.Ints("depths"),
		b.Ints("downsampling_ratios")
	if hop(b.Config); len(depths) != len(ratios)+1 {
		config.Fail(config.CodeContradiction, b.At("depths"),
			"has %d entries but downsampling_ratios has %d: it takes one more", len(depths), len(ratios))
	}
	x = lookBack(b, x, "stem.conv", audio.Convolution{In: b.Size("channels"), Out: channels, Kernel: kernel})
	x = soundStage(b.Scope("stem"), x, channels, depths[0])
	for i, r := range ratios {
		l := b.Scope("conv_layers.%d", i)
		x = lookBack(l, x, "conv", audio.Convolution{In: channels, Out: 2 * channels, Kernel: 2 * r, Stride: r})
		channels *= 2
		x = soundStage(l, x, channels, depths[i+1])
	}
	return b.Swap(lookBack(b, x, "head", audio.Convolution{In: channels, Out: b.Size("hidden_size"), Kernel: kernel}))
}

// soundDecode is the way back.
func soundDecode(b *Build, x Node) Node {
	kernel, depths, ratios := b.Size("kernel_size"), b.Ints("depths"), b.Ints("downsampling_ratios")
	n := len(depths) - 1
	channels := b.Size("num_filters") << n
	x = lookBack(b, b.Swap(x), "stem.conv", audio.Convolution{In: b.Size("hidden_size"), Out: channels, Kernel: kernel})
	x = soundStage(b.Scope("stem"), x, channels, depths[n])
	length := int64(1)
	for i := range ratios {
		l, r := b.Scope("conv_layers.%d", i), ratios[len(ratios)-1-i]
		x = l.Add("transposeConv1d", "convtr.convtr",
			Args{build.Int("inChannels", channels), build.Int("outChannels", channels/2), build.Int("kernelSize", 2*r),
				build.Int("stride", r)}, x)
		l.Tensor("convtr.convtr.weight", channels, channels/2, 2*r)
		l.Tensor("convtr.convtr.bias", channels/2)
		channels, length = channels/2, length*r
		x = soundStage(l, l.Slice(x, 0, length), channels, depths[n-1-i])
	}
	return lookBack(b, x, "head", audio.Convolution{In: channels, Out: b.Size("channels"), Kernel: kernel})
}

// lookBack is a convolution that sees only what was.
func lookBack(b *Build, x Node, name string, c audio.Convolution) Node {
	past := c.Kernel - max(c.Stride, 1)
	if past < 0 {
		config.Fail(config.CodeConfig, b.At("kernel_size"), "is %d, less than the stride %d", c.Kernel, c.Stride)
	}
	c.Bias = true
	return audio.Conv1d(b, b.Add("pad", name, Args{build.Ints("padding", past, 0)}, x), name+".conv", c)
}

// soundStage is a few blocks: a convolution of each channel by itself, then a network of each moment, both scaled by
// channel.
func soundStage(b *Build, x Node, channels, depth int64) Node {
	for i := range depth {
		l := b.Scope("stage.%d", i)
		scaled := func(x Node, gamma string) Node {
			return l.Add("multiply", gamma, nil, x,
				l.Add("unsqueeze", gamma, Args{build.Int("dim", 2)}, l.Param(x, gamma, channels)))
		}
		y := lookBack(l, l.Swap(l.RMSNorm(l.Swap(x), "norm", channels)), "mixer",
			audio.Convolution{In: channels, Out: channels, Kernel: b.Size("kernel_size"), Groups: channels})
		x = l.Residual(x, scaled(y, "gamma"))
		y = nn.MLP(l.Scope("ffn"), l.RMSNorm(l.Swap(x), "ffn_norm", channels), "linear1", "linear2", channels,
			b.Size("ffn_expansion")*channels, true, "hidden_act")
		x = l.Residual(x, scaled(l.Swap(y), "ffn_gamma"))
	}
	return x
}
