package families

import (
	"math"

	"github.com/modelverifier/verifier/internal/importer/hf/audio"
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

// mimi is a codec: it writes a sound as codes, frames of them, and reads it back. It returns the sound. It is a part
// of others only.
func mimi(b *Build, frames int64) Node {
	ratios := b.Ints("upsampling_ratios")
	if len(ratios) == 0 {
		ratios = []int64{8, 6, 5, 4}
	}
	hop := int64(1)
	for _, r := range ratios {
		if hop *= r; r < 1 || hop > config.MaxSize || len(ratios) > maxDoublings {
			config.Fail(config.CodeConfig, b.At("upsampling_ratios"),
				"has %d entries, but takes %d at most, each of at least 1", len(ratios), maxDoublings)
		}
	}
	if s, all := b.Int("num_semantic_quantizers"), b.Int("num_quantizers"); s >= all {
		config.Fail(config.CodeContradiction, b.At("num_semantic_quantizers"),
			"is %d but must be less than num_quantizers, %d", s, all)
	}
	dim := b.Size("hidden_size")
	step, kernel := mimiStep(b, hop)
	x := mimiEncode(b.Scope(stack.EncoderPath), b.Input("input_values", b.Size("audio_channels"), frames*step*hop),
		ratios)
	x = mimiTransform(b.Scope("encoder_transformer"), x)
	if step > 1 {
		x = mimiConv(b, x, "downsample", audio.Convolution{In: dim, Out: dim, Kernel: kernel, Stride: step}, false)
	}
	x = mimiQuantize(b.Scope("quantizer"), x, frames)
	if step > 1 {
		x = mimiGrow(b, x, "upsample", dim, dim, kernel, step, b.Size("upsample_groups"), frames*step, false)
	}
	x = mimiTransform(b.Scope("decoder_transformer"), x)
	return mimiDecode(b.Scope(stack.DecoderPath), x, ratios, frames*step)
}

// maxDoublings is how often the channels of a codec may double before their number is beyond what can be counted.
const maxDoublings = 24

// mimiStep is how many positions of the encoder become a frame, 1 or 2, and the kernel of the convolution that does it.
func mimiStep(b *Build, hop int64) (step, kernel int64) {
	rate := b.Float("sampling_rate")
	fine, coarse := math.Ceil(rate/float64(hop)), rate/float64(2*hop)
	for _, key := range []string{"frame_rate", "_frame_rate"} {
		if b.Has(key) {
			coarse = b.Float(key)
		}
	}
	if fine == coarse || coarse <= 0 {
		return 1, 0
	}
	return 2, 2 * int64(fine/coarse)
}

// mimiConv is a convolution whose padding keeps the length, but for the stride: all of it ahead where it is causal.
func mimiConv(b *Build, x Node, name string, c audio.Convolution, bias bool) Node {
	total := (c.Kernel-1)*max(c.Dilation, 1) + 1 - max(c.Stride, 1)
	right := int64(0)
	if !b.Bool("use_causal_conv") {
		right = total / 2
	}
	c.Bias = bias
	return audio.Conv1d(b, b.Add("pad", name, Args{build.Ints("padding", total-right, right)}, x), name+".conv", c)
}

// mimiGrow is the way back of a convolution with a stride.
func mimiGrow(b *Build, x Node, name string, in, out, kernel, stride, groups, length int64, bias bool) Node {
	x = b.Add("transposeConv1d", name+".conv",
		Args{build.Int("inChannels", in), build.Int("outChannels", out), build.Int("kernelSize", kernel),
			build.Int("stride", stride),
			build.Int("groups", groups), build.Flag("bias", bias)}, x)
	b.Tensor(name+".conv.weight", in, out/groups, kernel)
	if bias {
		b.Tensor(name+".conv.bias", out)
	}
	left := kernel - stride - (kernel-stride)/2
	if b.Bool("use_causal_conv") {
		left = kernel - stride - int64(math.Ceil(float64(kernel-stride)*b.Float("trim_right_ratio")))
	}
	return b.Slice(x, left, left+length)
}

func mimiEncode(b *Build, x Node, ratios []int64) Node {
	channels, at := b.Size("num_filters"), int64(1)
	x = mimiConv(b, x, "layers.0", audio.Convolution{In: b.Size("audio_channels"), Out: channels,
		Kernel: b.Size("kernel_size")}, true)
	for i := range ratios {
		r := ratios[len(ratios)-1-i]
		x, at = mimiResidual(b, x, channels, at)
		x = b.Add("elu", audio.LayerName(at), nil, x)
		x = mimiConv(b, x, audio.LayerName(at+1),
			audio.Convolution{In: channels, Out: 2 * channels, Kernel: 2 * r, Stride: r}, true)
		channels, at = 2*channels, at+2
	}
	x = b.Add("elu", audio.LayerName(at), nil, x)
	return mimiConv(b, x, audio.LayerName(at+1),
		audio.Convolution{In: channels, Out: b.Size("hidden_size"), Kernel: b.Size("last_kernel_size")}, true)
}

func mimiDecode(b *Build, x Node, ratios []int64, length int64) Node {
	channels, at := b.Size("num_filters")<<len(ratios), int64(1)
	x = mimiConv(b, x, "layers.0", audio.Convolution{In: b.Size("hidden_size"), Out: channels,
		Kernel: b.Size("kernel_size")}, true)
	for _, r := range ratios {
		x = b.Add("elu", audio.LayerName(at), nil, x)
		length *= r
		x = mimiGrow(b, x, audio.LayerName(at+1), channels, channels/2, 2*r, r, 1, length, true)
		channels /= 2
		x, at = mimiResidual(b, x, channels, at+2)
	}
	x = b.Add("elu", audio.LayerName(at), nil, x)
	return mimiConv(b, x, audio.LayerName(at+1),
		audio.Convolution{In: channels, Out: b.Size("audio_channels"), Kernel: b.Size("last_kernel_size")}, true)
}

// mimiResidual is the residual blocks of a stage. It returns the number of the layer behind them.
func mimiResidual(b *Build, x Node, channels, at int64) (Node, int64) {
	dilation, inner := int64(1), channels/b.Size("compress")
	for range b.Int("num_residual_layers") {
		m := b.Scope("%s", audio.LayerName(at))
		y := mimiConv(m, m.Add("elu", "block.0", nil, x), "block.1",
			audio.Convolution{In: channels, Out: inner, Kernel: b.Size("residual_kernel_size"), Dilation: dilation},
			true)
		y = mimiConv(m, m.Add("elu", "block.2", nil, y), "block.3",
			audio.Convolution{In: inner, Out: channels, Kernel: 1}, true)
		if b.Bool("use_conv_shortcut") {
			x = mimiConv(m, x, "shortcut", audio.Convolution{In: channels, Out: channels, Kernel: 1}, true)
		}
		x = m.Residual(x, y)
		at++
		if dilation *= b.Size("dilation_growth_rate"); dilation > config.MaxSize {
			config.Fail(config.CodeConfig, b.At("num_residual_layers"),
				"is %d: the last dilation is beyond what can be counted", b.Int("num_residual_layers"))
		}
	}
	return x, at
}

// mimiTransform is layers of a decoder over a sequence with the channels first, both branches scaled by channel.
func mimiTransform(b *Build, x Node) Node {
	dim, heads, bias := b.Size("hidden_size"), stack.HeadCount(b, "num_attention_heads", "hidden_size"),
		b.Bool("attention_bias")
	x = b.Swap(x)
	for i := range b.Int("num_hidden_layers") {
		l := b.Scope("layers.%d", i)
		scaled := func(x Node, name string) Node {
			n := l.Add("layerScale", name, Args{build.Int("dim", dim)}, x)
			l.Tensor(name+".scale", dim)
			return n
		}
		y := nn.Attend(l, l.LayerNorm(x, "input_layernorm", dim, true), "self_attn",
			nn.Attention{Dim: dim, Heads: heads, KV: l.KVHeads(), HeadDim: l.HeadDim(),
				Bias: bias, OutBias: bias, Rotary: true, Causal: true, Base: l.RopeBase(),
				Window: l.Or("sliding_window", 0)})
		x = l.Residual(x, scaled(y, "self_attn_layer_scale"))
		y = nn.MLP(l.Scope("mlp"), l.LayerNorm(x, "post_attention_layernorm", dim, true), "fc1", "fc2", dim,
			b.Size("intermediate_size"), false, "hidden_act")
		x = l.Residual(x, scaled(y, "mlp_layer_scale"))
	}
	return b.Swap(x)
}

// mimiQuantize replaces each position by the nearest entries of codebooks, which are no weights.
func mimiQuantize(b *Build, x Node, frames int64) Node {
	dim, inner := b.Size("hidden_size"), b.Size("vector_quantization_hidden_dimension")
	quantize := func(name string, books int64) Node {
		m := b.Scope("%s", name)
		y := x
		if inner != dim {
			y = audio.Conv1d(m, y, "input_proj", audio.Convolution{In: dim, Out: inner, Kernel: 1})
		}
		y = m.Opaque(y, "layers", []int64{inner, frames}, 0)
		m.Set(y, "flops", build.Int("", 2*books*frames*b.Size("codebook_size")*inner).Value)
		if inner != dim {
			y = audio.Conv1d(m, y, "output_proj", audio.Convolution{In: inner, Out: dim, Kernel: 1})
		}
		return y
	}
	semantic := b.Size("num_semantic_quantizers")
	return b.Residual(quantize("semantic_residual_vector_quantizer", semantic),
		quantize("acoustic_residual_vector_quantizer", b.Size("num_quantizers")-semantic))
}
