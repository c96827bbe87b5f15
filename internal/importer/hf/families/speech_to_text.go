package families

import (
	"fmt"

	"github.com/modelverifier/verifier/internal/importer/hf/audio"
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "speech_to_text", Default: "Speech2TextForConditionalGeneration",
	Classes: without(stack.Seq2SeqClasses("Speech2Text", speechToText), "Speech2TextForCausalLM")})

// speechToText reads a spectrogram through gated convolutions, each of which halves it.
func speechToText(*Build) stack.Seq2Seq {
	return stack.Seq2Seq{Pre: true, LastNorm: true, OwnTables: true, Positions: stack.SinusoidPositions,
		MaxInput: "max_source_positions", MaxTarget: "max_target_positions",
		Source: func(b *Build) Node {
			in, mid, kernels := b.Size("input_feat_per_channel")*b.Size("input_channels"), b.Size("conv_channels"),
				b.Ints("conv_kernel_sizes")
			layers := b.Int("num_conv_layers")
			if int64(len(kernels)) != layers {
				config.Fail(config.CodeContradiction, b.At("num_conv_layers"), "is %d but conv_kernel_sizes has %d",
					layers, len(kernels))
			}
			x := b.Swap(b.Input("input_features", b.Length(b.Int("max_source_positions")), in))
			for i, k := range kernels {
				out := mid
				if int64(i) == layers-1 {
					out = 2 * b.Size("d_model")
				}
				x = audio.Conv1d(b, x, fmt.Sprintf("conv.conv_layers.%d", i),
					audio.Convolution{In: in, Out: out, Kernel: k, Stride: 2, Padding: k / 2, Bias: true})
				x = b.Add("glu", "conv", Args{build.Int("dim", 1)}, x)
				in = mid / 2
			}
			return b.Swap(x)
		}}
}
