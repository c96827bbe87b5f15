package hf

import "fmt"

var _ = define(Family{Type: "speech_to_text", Default: "Speech2TextForConditionalGeneration", Classes: without(seq2seq("Speech2Text", speechToText), "Speech2TextForCausalLM")})

// speechToText reads a spectrogram through gated convolutions, each of which halves it.
func speechToText(*Build) Seq2Seq {
	return Seq2Seq{Pre: true, LastNorm: true, OwnTables: true, Positions: sinusoids, MaxInput: "max_source_positions", MaxTarget: "max_target_positions",
		Source: func(b *Build) Node {
			in, mid, kernels := b.Size("input_feat_per_channel")*b.Size("input_channels"), b.Size("conv_channels"), b.Ints("conv_kernel_sizes")
			layers := b.Int("num_conv_layers")
			if int64(len(kernels)) != layers {
				fail(CodeContradiction, b.at("num_conv_layers"), "is %d but conv_kernel_sizes has %d", layers, len(kernels))
			}
			x := b.Swap(b.Input("input_features", b.Length(b.Int("max_source_positions")), in))
			for i, k := range kernels {
				out := mid
				if int64(i) == layers-1 {
					out = 2 * b.Size("d_model")
				}
				x = b.Conv1d(x, fmt.Sprintf("conv.conv_layers.%d", i), Convolution{In: in, Out: out, Kernel: k, Stride: 2, Padding: k / 2, Bias: true})
				x = b.Add("glu", "conv", Args{Int("dim", 1)}, x)
				in = mid / 2
			}
			return b.Swap(x)
		}}
}
