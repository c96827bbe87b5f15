package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/audio"
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
	"github.com/modelverifier/verifier/internal/transformers"
)

var _ = family.Define(family.Family{Type: "whisper", Default: "WhisperForConditionalGeneration",
	Classes: whisperClasses()})

func whisperClasses() map[string]func(*Build) {
	classes := stack.Seq2SeqClasses("Whisper", whisper)
	classes["WhisperForAudioClassification"] = func(b *Build) {
		s := whisper(b).Filled()
		if b.Bool("use_weighted_layer_sum") {
			config.Fail(config.CodeArchitecture, b.At("use_weighted_layer_sum"),
				"a weighted sum of the layers is not modelled")
		}
		dim, inner := b.Size("d_model"), b.Size("classifier_proj_size")
		x := b.Linear(stack.Encode(b, s, s.Source(b.Scope(stack.EncoderPath))), "projector", dim, inner, true)
		x = b.Add("mean", "", Args{build.Int("dim", 1)}, x)
		b.Output(b.Linear(x, "classifier", inner, b.NumLabels(), true))
	}
	return classes
}

// whisper encodes a spectrogram: two convolutions, the second of which halves it, and fixed positions.
func whisper(*Build) stack.Seq2Seq {
	return stack.Seq2Seq{Head: "proj_out", Pre: true, LastNorm: true, NoKeyBias: true, OwnTables: true,
		MaxInput: "max_source_positions", MaxTarget: "max_target_positions",
		Source: func(b *Build) Node { return spectrogramStem(b, b.Size("d_model"), b.Size("max_source_positions")) },
		Positions: func(b *Build, x Node, half string) Node {
			key := "max_source_positions"
			if half == stack.DecoderPath {
				key = "max_target_positions"
			}
			x = b.Positions(x, "embed_positions", b.Size(key), b.Size("d_model"))
			if half == stack.EncoderPath {
				b.As(x, transformers.FixedPositions{})
			}
			return x
		}}
}

// spectrogramStem turns a spectrogram into positions, half as many as it has moments.
func spectrogramStem(b *Build, dim, positions int64) Node {
	mels := b.Size("num_mel_bins")
	x := b.Input("input_features", mels, 2*positions)
	for i, in := range []int64{mels, dim} {
		x = audio.Conv1d(b, x, []string{"conv1", "conv2"}[i],
			audio.Convolution{In: in, Out: dim, Kernel: 3, Stride: int64(i) + 1, Padding: 1, Bias: true})
		x = b.Add("gelu", "", nil, x)
	}
	return b.Swap(x)
}
